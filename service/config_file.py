"""A configuration file in YAML as a checked model; whatever is wrong with it is told with file, line and column."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from apps.sdk.jsontypes import JsonPath
from apps.sdk.manifest.yaml_source import SourceDocument, read_source
from service.field_names import phrase_error

Part = TypeVar("Part", bound=BaseModel)


class ConfigError(Exception):
    """A configuration file cannot be used; `problems` name file, line, column, field and what is wrong, one a line."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class Section(BaseModel):
    """A mapping of such a file: closed, and strict about types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def read_config(path: Path, model: type[Part], error: type[ConfigError]) -> tuple[Part, SourceDocument]:
    """The file as `model`, and the document for the places of what is wrong beyond it; raises `error` with every fault."""
    document = read_source(path, str(path))
    problems = tuple(str(finding) for finding in document.findings if finding.severity == "error")
    if problems:
        raise error(problems)
    try:
        return model.model_validate(document.data), document
    except ValidationError as failure:
        raise error(tuple(_describe_errors(failure, model, document))) from failure


def tell(document: SourceDocument, path: JsonPath, message: str, *, of_key: bool = False) -> str:
    """One fault: where the value stands, or its key, of which field it is, and what it is."""
    place = document.key_position(path) if of_key else document.position(path)
    return f"{place}: {'.'.join(map(str, path)) or 'the file'}: {message}"


def _describe_errors(failure: ValidationError, model: type[BaseModel], document: SourceDocument) -> Iterator[str]:
    for item in failure.errors(include_url=False, include_input=False):
        path = tuple(step for step in item["loc"] if step != "[key]")
        of_key = item["type"] == "extra_forbidden" or item["loc"][-1:] == ("[key]",)
        yield tell(document, path, phrase_error(item, model), of_key=of_key)
