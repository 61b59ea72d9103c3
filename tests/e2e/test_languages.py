"""Names and descriptions in the caller's language, over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from apps.sdk.jsontypes import Json, JsonObject
from tests.support.apps import ECHO_MODULE, skill_manifest, write_app
from tests.support.running import Running, make_settings, run_shortlist

TEXTS = """\
library: {{text: {0} library, description: {0} books}}
find: {{text: {0} find, description: {0} finding}}
quiet: {{text: {0} quiet, description: {0} silence, systemprompt: {0} whisper, process: {0} steps}}
"""


def keys(key: str) -> JsonObject:
    return {"name": None, "name_translation_key": key, "description": None, "description_translation_key": f"{key}.description"}


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[Running]:
    """A service with one app in three languages, one of them with gaps."""
    skill = skill_manifest("library", "find", **keys("find"))
    others = {"systemprompt_translation_key": "quiet.systemprompt", "process_translation_key": "quiet.process"}
    mode = {"id": "quiet", "preprocessor_hint": "For quiet.", **keys("quiet"), **others}
    manifest = {**keys("library"), "skills": [skill], "focuses": [mode]}
    folder = write_app(tmp_path / "apps", "library", manifest, {"echo": ECHO_MODULE})
    (folder / "texts").mkdir()
    for name, text in {"en": TEXTS.format("EN"), "de": TEXTS.format("DE"), "pt-BR": "find: {text: PT find}"}.items():
        (folder / "texts" / f"{name}.yml").write_text(text)
    async with run_shortlist(make_settings(tmp_path, apps_dirs=(str(tmp_path / "apps"),))) as service:
        yield service


async def read_texts(running: Running, query: str) -> list[str | None]:
    """What people read of the app, its skill and its focus mode."""
    _, apps = await running.get(f"/v1/apps{query}")
    _, skills = await running.get(f"/v1/skills{query}")
    _, modes = await running.get(f"/v1/focus-modes{query}")
    app, skill, mode = apps["apps"][0], skills["skills"][0], modes["focus_modes"][0]
    return [
        app["name"],
        app["description"],
        skill["title"],
        skill["description"],
        mode["name"],
        mode["description"],
        mode["process"],
    ]


def in_language(tag: str) -> list[str]:
    words = ("library", "books", "find", "finding", "quiet", "silence", "steps")
    return [f"{tag} {word}" for word in words]


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("", in_language("EN")),
        ("?lang=en", in_language("EN")),
        ("?lang=de", in_language("DE")),
        ("?lang=de-AT", in_language("DE")),
        ("?lang=DE-ch-1996", in_language("DE")),
        ("?lang=fr", in_language("EN")),
        ("?lang=pt-br", ["EN library", "EN books", "PT find", "EN finding", "EN quiet", "EN silence", "EN steps"]),
        ("?lang=pt", in_language("EN")),
    ],
)
async def test_people_read_their_own_language(running: Running, query: str, texts: list[str]) -> None:
    """Of that tag, else of a wider one, else the app's main language, text by text."""
    assert await read_texts(running, query) == texts


@pytest.mark.parametrize("path", ["/v1/apps", "/v1/skills", "/v1/focus-modes"])
@pytest.mark.parametrize("query", ["lang=", "lang=german", "lang=de_AT", "lang=../de", "lang=de&lang=en", "lang=" + "a" * 5_000])
async def test_what_is_no_language_is_refused(running: Running, path: str, query: str) -> None:
    """422, and the answer does not repeat what was sent."""
    status, problem = await running.get(f"{path}?{query}")
    assert (status, problem["code"], problem["parameter"]) == (422, "invalid_parameter", "lang")
    assert len(str(problem)) < 500


@pytest.mark.parametrize("path", ["/v1/apps", "/v1/skills", "/v1/focus-modes"])
@pytest.mark.parametrize("query", ["lng=de", "lang=de&lng=fr", "=", "\x1b" + "x" * 5_000 + "=1"])
async def test_another_parameter_is_refused(running: Running, path: str, query: str) -> None:
    """422 with its name: a misspelt wish is not passed over."""
    status, problem = await running.get(f"{path}?{query}")
    assert (status, problem["code"]) == (422, "invalid_parameter")
    assert problem["parameter"] != "lang"
    assert len(str(problem)) < 600


async def test_models_are_shown_the_same_bytes_in_every_language(running: Running) -> None:
    """Hint, schema and every text of a stage do not depend on the caller's language."""

    async def list_sent(query: str) -> list[Json]:
        _, skills = await running.get(f"/v1/skills{query}")
        body = {"messages": [{"role": "user", "content": "find it"}]}
        _, stage = await running.post(f"/v1/preprocess{query}", body)
        return [skills["skills"][0]["hint"], skills["skills"][0]["parameters"], skills["catalog"], stage["exposure"]]

    sent = await list_sent("")
    assert sent == await list_sent("?lang=de")
    assert "EN finding" in str(sent)
    assert "DE" not in str(sent)


async def test_the_parameter_is_described(running: Running) -> None:
    _, document = await running.get("/openapi.json")
    for path in ("/v1/apps", "/v1/skills", "/v1/focus-modes"):
        (described,) = [item for item in document["paths"][path]["get"]["parameters"] if item["name"] == "lang"]
        assert (described["in"], described["required"], described["schema"]["type"]) == ("query", False, "string")
    assert all(item["name"] != "lang" for item in document["paths"]["/v1/turns"]["post"]["parameters"])
