"""The page `/docs` in a real browser, under its own Content-Security-Policy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from service.http.routes import ROUTES
from tests.e2e.browser import find_browser, open_page
from tests.e2e.lab import Lab

BROWSER = find_browser()
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium here (Debian: apt-get install chromium-headless-shell)")

BLOCK = 'document.querySelector("#operations-catalog-get_skills")'
CLICK = "(element => element ? (element.click(), true) : false)"
STATUS = f'{BLOCK}?.querySelector(".live-responses-table tbody .response-col_status")?.innerText'
BODY = f'{BLOCK}?.querySelector(".live-responses-table tbody .response-col_description")?.innerText'
INLINE = """
    new Promise(resolve => {
        document.addEventListener("securitypolicyviolation", () => resolve(true));
        const script = document.createElement("script");
        script.textContent = "window.ran = true";
        document.body.append(script);
    })
"""


async def test_the_page_shows_every_operation_and_calls_the_service(offline: Lab, tmp_path: Path) -> None:
    """Swagger UI runs without breaking the policy; "Try it out" reaches the service; what breaks the policy would be seen."""
    assert BROWSER is not None
    async with open_page(BROWSER, tmp_path) as page:
        await page.open(f"{offline.running.url}/docs")
        await page.wait_for(f'document.querySelectorAll(".opblock").length >= {len(ROUTES)}')
        shown = await page.evaluate('[...document.querySelectorAll(".opblock")].map(block => block.id.split("-").pop())')
        assert sorted(shown) == sorted(route.handler.__name__ for route in ROUTES)
        await page.wait_for(f"{CLICK}({BLOCK}?.querySelector('.opblock-summary-control'))")
        await page.wait_for(f"{CLICK}({BLOCK}?.querySelector('.try-out__btn'))")
        await page.wait_for(f"{CLICK}({BLOCK}?.querySelector('.btn.execute'))")
        status = await page.wait_for(STATUS)
        assert str(status).split()[0] == "200"
        assert "lab-echo" in str(await page.wait_for(BODY))
        assert await page.evaluate("window.violations") == []
        assert page.complaints == []
        assert await page.evaluate(INLINE), "the policy must stop an inline script"
        assert len(json.dumps(await page.evaluate("window.violations"))) > 2
        assert await page.evaluate("window.ran === undefined")
