"""JSON answers."""

from __future__ import annotations

import orjson
from aiohttp import web
from pydantic import BaseModel


def answer_json(view: BaseModel, status: int = 200) -> web.Response:
    """The view as JSON."""
    return web.Response(status=status, body=encode_json(view), content_type="application/json")


def encode_json(view: BaseModel) -> bytes:
    """The view's JSON text."""
    return orjson.dumps(view.model_dump(mode="json"))
