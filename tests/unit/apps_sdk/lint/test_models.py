"""What a class asks of its requests beside what the schema promises a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.sdk.findings import Finding
from apps.sdk.jsontypes import JsonObject
from tests.support.apps import skill_manifest, write_app
from tests.support.loading import list_findings

TEXT = {"type": "string", "description": "d"}


def compare(directory: Path, schema: JsonObject, source: str) -> list[Finding]:
    """The findings about a skill of this schema whose class takes a `Request` of this source."""
    module = f"""\
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, RootModel, model_validator

from apps.sdk.skill import BatchSkill, Skill

{source}

class EchoSkill(Skill):
    async def execute(self, request: Request, context):
        return request
"""
    manifest = {"skills": [skill_manifest("one", "a", tool_schema=schema)]}
    write_app(directory, "one", manifest, {"echo": module})
    return list_findings(directory, "schema-model")


def make_requests(required: list[str], **properties: JsonObject) -> JsonObject:
    items = {"type": "object", "properties": properties, "required": required}
    return {"type": "object", "properties": {"requests": {"type": "array", "items": items}}, "required": ["requests"]}


CLOSED = 'class Request(BaseModel, extra="forbid"):\n    query: str\n    limit: int = 5\n'


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (make_requests([], limit=TEXT), "Request requires 'query', which the schema does not have"),
        (make_requests([], query=TEXT), "Request requires 'query', which the schema does not require"),
        (make_requests(["query"], query=TEXT, limti=TEXT), "Request forbids 'limti', which the schema has"),
        ({"type": "object", "properties": {"query": TEXT}}, "Request requires 'query', which the schema does not require"),
    ],
)
def test_what_fits_the_schema_only_is_a_warning(tmp_path: Path, schema: JsonObject, message: str) -> None:
    """A field that calls may leave out, and an argument that the model refuses."""
    (finding,) = compare(tmp_path, schema, CLOSED)
    assert (finding.severity, finding.message) == ("warning", message)


def test_the_finding_stands_at_the_argument(tmp_path: Path) -> None:
    """With the field that was meant."""
    (finding,) = compare(tmp_path, make_requests(["query"], query=TEXT, limti=TEXT), CLOSED)
    lines = Path(finding.position.file).read_text(encoding="utf-8").splitlines()
    assert '"limti"' in lines[finding.position.line - 1]
    assert finding.suggestion == "did you mean 'limit'?"


@pytest.mark.parametrize(
    "source",
    [
        CLOSED,
        "class Request(BaseModel):\n    query: str\n",
        'class Request(BaseModel, extra="forbid"):\n    text: str = Field(alias="query")\n    n: int = Field(5, alias="limit")\n',
        "class Request(BaseModel):\n    model_config = ConfigDict(validate_by_name=True)\n    query: str = Field(alias='q')\n",
    ],
)
def test_what_fits_both_has_no_finding(tmp_path: Path, source: str) -> None:
    """Aliases are what a request calls a field; a model that ignores further arguments forbids none."""
    assert compare(tmp_path, make_requests(["query"], query=TEXT, limit=TEXT), source) == []


def test_what_stands_beside_the_requests_goes_with_each(tmp_path: Path) -> None:
    schema = make_requests([], limit=TEXT)
    schema["properties"]["query"] = TEXT
    schema["required"] = ["requests", "query"]
    assert compare(tmp_path, schema, CLOSED) == []


FILLING = """\
class Request(BaseModel):
    query: str

    @model_validator(mode="before")
    @classmethod
    def read(cls, given):
        return {"query": "", **given}
"""

HANDLING = """\
class Request(BaseModel):
    query: str

    @classmethod
    def __get_pydantic_core_schema__(cls, source, handler):
        return handler(source)
"""


@pytest.mark.parametrize(
    "source",
    [
        "Request = dict",
        "class Request(RootModel[dict]):\n    pass\n",
        "class Request(BaseModel):\n    query: str = Field(validation_alias=AliasChoices('a', 'b'))\n",
        FILLING,
        HANDLING,
    ],
)
def test_a_model_that_may_take_more_is_believed(tmp_path: Path, source: str) -> None:
    assert compare(tmp_path, make_requests([]), source) == []


@pytest.mark.parametrize("more", [{"anyOf": [{"required": ["query"]}]}, {"patternProperties": {"^q": {}}}])
def test_a_schema_that_may_ask_for_more_is_believed(tmp_path: Path, more: JsonObject) -> None:
    assert compare(tmp_path, {"type": "object", "properties": {}, **more}, CLOSED) == []


def test_annotations_that_raise_are_no_model(tmp_path: Path) -> None:
    """The skill is not lost for them."""
    source = "class Odd:\n    def __getattr__(self, name):\n        raise RuntimeError(name)\n\n\nRequest = Odd()\n"
    assert compare(tmp_path, make_requests([]), source) == []
