"""The specification's own cases (toon-format/spec, tests/fixtures), where they lie beside the project's folder.

Left out are the decode cases with `strict: false`: nothing here reads TOON leniently.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import toon_format

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.results.toon import encode
from service.settings import ROOT

FOLDER = ROOT.parent / "shared" / "data" / "toon_fixtures"
ENCODING = sorted(FOLDER.glob("encode/*.json"))
DECODING = sorted(FOLDER.glob("decode/*.json"))
OPTIONS = {"delimiter": "delimiter", "indentSize": "indent_size", "strict": "strict"}


def list_cases(path: Path) -> list[JsonObject]:
    cases: list[JsonObject] = json.loads(path.read_text())["tests"]
    return cases


def options_of(case: JsonObject) -> JsonObject:
    return {OPTIONS[name]: value for name, value in case.get("options", {}).items()}


def exact(value: Json) -> str:
    """The value with its kinds: true is not 1, but 250.0 is 250."""
    return json.dumps(plain(value), sort_keys=True)


def plain(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


if ENCODING:

    @pytest.mark.parametrize("path", ENCODING, ids=lambda path: path.stem)
    def test_encoding(path: Path) -> None:
        """hostile J: byte for byte; with our own options through our own function."""
        for case in list_cases(path):
            options = options_of(case)
            text = toon_format.encode(case["input"], **options) if options else encode(case["input"])
            assert text == case["expected"], case["name"]

    @pytest.mark.parametrize("path", ENCODING, ids=lambda path: path.stem)
    def test_what_is_encoded_comes_back(path: Path) -> None:
        """hostile J: each input of the encode cases."""
        for case in list_cases(path):
            assert exact(toon_format.decode(encode(case["input"]))) == exact(case["input"]), case["name"]


if DECODING:

    @pytest.mark.parametrize("path", DECODING, ids=lambda path: path.stem)
    def test_strict_decoding(path: Path) -> None:
        """hostile J: what is valid means what the specification says, everything else is an error."""
        for case in list_cases(path):
            options = options_of(case)
            if not options.get("strict", True):
                continue
            if case.get("shouldError"):
                with pytest.raises(toon_format.ToonDecodeError):
                    toon_format.decode(case["input"], **options)
            else:
                assert exact(toon_format.decode(case["input"], **options)) == exact(case["expected"]), case["name"]
