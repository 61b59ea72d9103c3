"""Texts of translation keys: where they are found, in which language, and what a broken file of them costs."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from apps.sdk.catalog import Catalog, choose_text
from apps.sdk.jsontypes import JsonObject
from apps.sdk.loader import load_catalog
from apps.sdk.loading.translations import read_translations
from tests.support.apps import ECHO_MODULE, skill_manifest, write_app
from tests.support.loading import find, list_reasons, list_shown

KEYS = {"name": None, "description": None, "name_translation_key": "app_skills.web.search"}
ENGLISH = "search: {text: Search the web, description: Finds pages.}\n"
GERMAN = "search: {text: Im Netz suchen, description: Findet Seiten.}\n"


def write_texts(directory: Path, **languages: str) -> None:
    """Files of texts for the app `web`; `_` in a name stands for a hyphen."""
    folder = directory / "web" / "texts"
    folder.mkdir(parents=True, exist_ok=True)
    for language, text in languages.items():
        (folder / f"{language.replace('_', '-')}.yml").write_text(dedent(text), encoding="utf-8")


def load_web(directory: Path, manifest: JsonObject | None = None, **languages: str) -> Catalog:
    """The app `web` with one skill `search`, unless a manifest is given, and these texts."""
    skill = skill_manifest("web", "search", **KEYS, description_translation_key="app_skills.web.search.description")
    write_app(directory, "web", manifest or {"name": "Web", "skills": [skill]}, {"echo": ECHO_MODULE})
    write_texts(directory, **languages)
    return load_catalog([directory])


@pytest.mark.parametrize(
    ("texts", "key", "found"),
    [
        ("app_skills.web.search: A\n", "app_skills.web.search", "A"),
        ("app_skills: {web: {search: A}}\n", "app_skills.web.search", "A"),
        ("app_skills: {web.search: A}\n", "app_skills.web.search", "A"),
        ("web: {search: A}\nsearch: B\n", "app_skills.web.search", "A"),
        ("search: B\n", "app_skills.web.search", "B"),
        ("search: {text: B, other: C}\n", "app_skills.web.search", "B"),
        ("search: {text: B}\n", "app_skills.web.search.text", "B"),
        ("search: {other: C}\n", "app_skills.web.search", None),
        ("web: W\n", "web", "W"),
        ("web: {text: W, search: S}\n", "web", "W"),
        ("description: D\n", "web.description", "D"),
        ("description: D\n", "app_skills.web.search.description", None),
        ("description: D\n", "description", "D"),
        ("web: {search: B}\nweb.search: A\n", "web.search", "A"),
        ("other: A\n", "search", None),
        ("", "search", None),
        ("search:\n", "search", None),
        ("? [a, b]\n: c\n", "search", None),
        ("search: A\n", "." * 400, None),
    ],
)
def test_where_a_key_finds_its_text(tmp_path: Path, texts: str, key: str, found: str | None) -> None:
    """As written, as a path, without leading segments; the most specific first; never a word that needs another before it."""
    write_texts(tmp_path, en=texts)
    (language,) = read_translations(tmp_path / "web", "texts").languages
    entry = language.find(key, "web")
    assert (entry.value if entry else None) == found


def test_english_is_the_main_language_else_the_first(tmp_path: Path) -> None:
    """Models are shown the main language's texts; people may ask for another."""
    catalog = load_web(tmp_path / "a", en=ENGLISH, de=GERMAN)
    skill = catalog.skills["web-search"]
    assert (skill.name, skill.description) == ("Search the web", "Finds pages.")
    assert [choose_text(skill, "name", tag) for tag in ("de", "de-AT", "DE", "fr", "en", None)] == [
        "Im Netz suchen", "Im Netz suchen", "Im Netz suchen", "Search the web", "Search the web", "Search the web",
    ]  # fmt: skip
    assert list_shown(catalog) == []
    without = load_web(tmp_path / "b", fr="search: Chercher\n", de=GERMAN)
    assert without.skills["web-search"].name == "Im Netz suchen"


def test_a_wider_language_stands_in_text_by_text(tmp_path: Path) -> None:
    """`de-AT` has one text of its own and takes the other from `de`; that is no gap."""
    catalog = load_web(tmp_path, en=ENGLISH, de=GERMAN, de_AT="search: Im Netz nachschauen\n")
    skill = catalog.skills["web-search"]
    assert choose_text(skill, "name", "de-AT") == "Im Netz nachschauen"
    assert choose_text(skill, "description", "de-AT") == "Findet Seiten."
    assert list_shown(catalog) == []


def test_a_text_that_the_main_language_lacks_is_not_borrowed(tmp_path: Path) -> None:
    """A model is never shown a text in another language; people who ask for that one are."""
    catalog = load_web(tmp_path, en="search: {description: Finds pages.}\n", de=GERMAN)
    skill = catalog.skills["web-search"]
    assert skill.name == "Search"
    assert choose_text(skill, "name", "de") == "Im Netz suchen"
    problem = find(catalog, "text-missing")
    assert problem.severity == "warning"
    assert "'en' has no text for the key 'app_skills.web.search'" in problem.message


def test_a_text_in_app_yml_is_what_models_read(tmp_path: Path) -> None:
    """Its key gives people the other languages, whichever there are; there is no gap and nothing to warn of."""
    for name, languages in {"a": {"de": GERMAN}, "b": {"de": GERMAN, "en": ENGLISH}}.items():
        skill = skill_manifest(
            "web", "search", name="Look", name_translation_key="search", description_translation_key="search.description"
        )
        catalog = load_web(tmp_path / name, {"skills": [skill]}, **languages)
        found = catalog.skills["web-search"]
        assert (found.name, found.description) == ("Look", "What search of web is for.")
        assert [choose_text(found, "name", tag) for tag in ("de", "fr", None)] == ["Im Netz suchen", "Look", "Look"]
        assert choose_text(found, "description", "de-CH") == "Findet Seiten."
        assert choose_text(found, "name", "en") == ("Look" if name == "a" else "Search the web")
        assert catalog.findings == ()


def test_a_key_beside_a_text_that_no_language_has_is_told(tmp_path: Path) -> None:
    """A misspelt one would change nothing; where some language has the text, the others are told that they lack it."""
    skill = skill_manifest("web", "search", name_translation_key="serach", description_translation_key="search.description")
    catalog = load_web(tmp_path, {"skills": [skill]}, fr="search: {text: Chercher}\n", de=GERMAN)
    problem = find(catalog, "text-missing")
    assert (problem.message, problem.suggestion) == ("no language has a text for the key 'serach'", "did you mean 'search'?")
    assert find(catalog, "texts-incomplete").message == "'fr' lacks 1 of 1 texts: 'search.description'"


def test_another_main_language_than_english_is_told(tmp_path: Path) -> None:
    """Models are shown it, which may not be meant; where app.yml has the texts itself, they are not."""
    problem = find(load_web(tmp_path / "a", fr="search: Chercher\n", de=GERMAN), "texts-main")
    assert problem.message == "the main language is de, since there is no texts/en.yml: models are shown it"
    assert problem.position.file.endswith("de.yml")
    american = load_web(tmp_path / "b", en_US=ENGLISH, de=GERMAN)
    assert american.skills["web-search"].name == "Search the web"
    assert american.findings == ()


def test_texts_of_an_item_that_is_set_aside_are_used(tmp_path: Path) -> None:
    """They are as soon as it is mended."""
    skill = skill_manifest("web", "search", name=None, name_translation_key="search", effect="erase")
    catalog = load_web(tmp_path, {"skills": [skill]}, en="search: Search\n", de="search: Suchen\n")
    assert [finding.code for finding in catalog.findings] == ["wrong-value"]


def test_nobody_is_asked_to_translate_a_prompt(tmp_path: Path) -> None:
    """Models are shown the main language's, whoever asks."""
    mode = {"id": "deep", "description": "d", "systemprompt_translation_key": "deep.systemprompt"}
    catalog = load_web(tmp_path, {"focuses": [mode]}, en="deep: {systemprompt: Be thorough.}\n", de="deep: {other: x}\n")
    assert [finding.code for finding in catalog.findings] == ["text-unused"]
    assert catalog.focus_modes["web-deep"].translations == {}


def test_every_kind_of_item_has_texts(tmp_path: Path) -> None:
    """App, focus mode with its prompt and its process, and memory; the prompt is the main language's, whoever asks."""
    manifest: JsonObject = {
        "name_translation_key": "web",
        "description_translation_key": "web.description",
        "focuses": [
            {
                "id": "deep", "name_translation_key": "focus.deep", "description_translation_key": "focus.deep.description",
                "systemprompt_translation_key": "focus.deep.systemprompt", "process_translation_key": "focus.deep.process",
            }
        ],
        "memory": [{"id": "saved", "name_translation_key": "saved", "description_translation_key": "saved.description"}],
    }  # fmt: skip
    texts = """\
    web: {text: %(x)s app, description: %(x)s about}
    focus:
      deep:
        text: %(x)s deep
        description: %(x)s for depth
        systemprompt: |
          %(x)s be thorough.
        process: |
          - %(x)s first
          - %(x)s then
    saved: {text: %(x)s saved, description: %(x)s things}
    """
    catalog = load_web(tmp_path, manifest, en=texts % {"x": "EN"}, de=texts % {"x": "DE"})
    app, mode, memory = catalog.by_app["web"], catalog.focus_modes["web-deep"], catalog.memories["web-saved"]
    assert (app.name, app.description) == ("EN app", "EN about")
    assert (mode.name, mode.description, mode.system_prompt) == ("EN deep", "EN for depth", "EN be thorough.")
    assert (memory.name, memory.description) == ("EN saved", "EN things")
    assert mode.process == "- EN first\n- EN then"
    assert choose_text(mode, "process", "de") == "- DE first\n- DE then"
    assert [choose_text(item, "description", "de") for item in (app, mode, memory)] == ["DE about", "DE for depth", "DE things"]
    assert catalog.findings == ()


def test_a_process_may_be_written_out(tmp_path: Path) -> None:
    modes = [{"id": "a", "description": "d", "system_prompt": "p", "process": ["Ask.", "Answer."]}]
    modes += [{"id": "b", "description": "d", "system_prompt": "p", "process": {"steps": 3}}]  # type: ignore[dict-item]
    catalog = load_web(tmp_path, {"focuses": modes})
    assert [mode.process for mode in catalog.focus_modes.values()] == ["Ask.\nAnswer.", None]


def test_without_a_texts_folder_missing_keys_are_one_finding(tmp_path: Path) -> None:
    """And the id stands in for the name, the hint for the description."""
    catalog = load_web(tmp_path)
    skill = catalog.skills["web-search"]
    assert (skill.name, skill.description) == ("Search", "Use it to search.")
    assert catalog.findings == ()


def test_a_key_that_is_no_text_is_as_good_as_none(tmp_path: Path) -> None:
    skill = skill_manifest("web", "search", name=None, name_translation_key=["a"], description_translation_key=5)
    assert load_web(tmp_path, {"skills": [skill]}, en=ENGLISH).skills["web-search"].name == "Search"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"#" * 2_000_000, "file-too-large"),
        (b"a: &a [*a]", "yaml-alias"),
        (b"a: &a [x]\n" + b"".join(b"b%d: &b%d [*a, *a]\n" % (n, n) for n in range(30_000)), "yaml-size"),
        (b"\x7fELF\x00\x01", "yaml-character"),
        (b"\xff\xfe", "file-not-utf8"),
        (b"search: [", "yaml-syntax"),
        (b"- just\n- a list", "wrong-value"),
        (b"search: {text: 'Hello {{name}}'}", "text-placeholder"),
        (b"search: 5", "wrong-value"),
        (b"search: ''", "wrong-value"),
        (b"search: [a]", "wrong-value"),
        (b"search: " + b"long " * 80, "wrong-value"),
    ],
)
def test_a_hostile_file_costs_that_file_only(tmp_path: Path, data: bytes, code: str) -> None:
    """The skill works, the other language is read, and the finding stands at the texts file with its place."""
    write_texts(tmp_path, de="search: Im Netz suchen\nsearch.description: Findet Seiten.\n")
    (tmp_path / "web" / "texts" / "en.yml").write_bytes(data)
    catalog = load_web(tmp_path)
    problem = find(catalog, code)
    assert problem.severity == "error"
    assert problem.position.file.endswith(str(Path("web", "texts", "en.yml")))
    assert problem in catalog.by_app["web"].findings
    skill = catalog.skills["web-search"]
    assert skill.name in {"Search", "Im Netz suchen"}
    assert choose_text(skill, "name", "de") == "Im Netz suchen"
    assert catalog.quarantined == ()


def test_a_folder_that_is_none_is_a_finding(tmp_path: Path) -> None:
    write_app(tmp_path, "web", "name: Web\n")
    (tmp_path / "web" / "texts").write_text("x")
    (tmp_path / "web" / "other").mkdir()
    assert find(load_catalog([tmp_path]), "file-unreadable").position.file.endswith("texts")


def test_files_that_are_no_languages_are_named(tmp_path: Path) -> None:
    """A misspelt tag comes with the right one; other files in the folder are nobody's business."""
    write_texts(tmp_path, en=ENGLISH)
    folder = tmp_path / "web" / "texts"
    for name in ("pt_br.yml", "german.yml", "fr.yaml", "EN.yml", "README.md", ".hidden.yml"):
        (folder / name).write_text(GERMAN)
    findings = [finding for finding in load_web(tmp_path).findings if finding.code == "text-language"]
    assert {Path(finding.position.file).name: finding.suggestion for finding in findings} == {
        "en.yml": None, "fr.yaml": "rename it to 'fr.yml'", "german.yml": None, "pt_br.yml": "rename it to 'pt-BR.yml'",
    }  # fmt: skip


def test_no_more_languages_than_a_hundred(tmp_path: Path) -> None:
    names = [f"{first}{second}" for first in "abcde" for second in "abcdefghijklmnopqrstuvwxyz"][:101]
    write_texts(tmp_path, **dict.fromkeys(names, GERMAN))
    assert "100" in find(load_web(tmp_path), "text-language").message


def test_gaps_and_leftovers_are_told_apart(tmp_path: Path) -> None:
    """What a language lacks is one hint; a text that nobody uses is no gap, and told once for all languages, for --strict."""
    english = f"{ENGLISH}unused: Nobody\nonly_here: Nor this\n"
    catalog = load_web(tmp_path, en=english, de="search: Suchen\nunused: Niemand\nabsent: Fehlt\n")
    gap = find(catalog, "texts-incomplete")
    assert (gap.severity, gap.message) == ("hint", "'de' lacks 1 of 2 texts: 'search.description'")
    extras = [finding for finding in catalog.findings if finding.code == "text-unused"]
    assert {(Path(finding.position.file).name, finding.position.line) for finding in extras} == {
        ("de.yml", 3), ("en.yml", 2), ("en.yml", 3),
    }  # fmt: skip
    assert all(finding.is_extra for finding in extras)


def test_thousands_of_unused_texts_are_counted_not_listed(tmp_path: Path) -> None:
    catalog = load_web(tmp_path, en="".join(f"unused{n}: x\n" for n in range(5_000)) + ENGLISH)
    extras = [finding for finding in catalog.findings if finding.code == "text-unused"]
    assert len(extras) == 51
    assert any("4,950 more" in finding.message for finding in extras)


def test_a_close_key_is_suggested(tmp_path: Path) -> None:
    problem = find(load_web(tmp_path, en="app_skills: {web: {serach: A, search: {description: D}}}\n"), "text-missing")
    assert problem.suggestion == "did you mean 'app_skills.web.serach'?"
    assert problem.position.file.endswith("app.yml")


def test_words_that_yaml_reads_differently_are_plain_texts(tmp_path: Path) -> None:
    """`no` and `on` are texts here, as keys too, so nothing is said of them."""
    catalog = load_web(tmp_path, en=f"no: No\non: on\n{ENGLISH}")
    assert list_shown(catalog) == []


def test_what_models_see_is_hashed_and_what_people_see_is_in_the_digest(tmp_path: Path) -> None:
    """A new main text is a new skill; a new text in another language is a new catalog with the same skill."""
    first = load_web(tmp_path, en=ENGLISH, de=GERMAN)
    other_language = load_web(tmp_path, de=GERMAN.replace("Im Netz", "Überall"))
    main_language = load_web(tmp_path, en=ENGLISH.replace("Finds", "Looks for"))
    hashes = [catalog.skills["web-search"].content_hash for catalog in (first, other_language, main_language)]
    assert hashes[0] == hashes[1] != hashes[2]
    assert len({catalog.digest for catalog in (first, other_language, main_language)}) == 3


def test_a_prompt_with_an_unfilled_placeholder_sets_its_mode_aside(tmp_path: Path) -> None:
    """The text counts as none; the other mode and the skill are not touched."""
    manifest: JsonObject = {
        "skills": [skill_manifest("web", "search")],
        "focuses": [{"id": key, "description": "d", "systemprompt_translation_key": key} for key in ("a", "b")],
    }
    catalog = load_web(tmp_path, manifest, en="a: Be {{mood}}.\nb: Be kind.\n")
    assert list(catalog.focus_modes) == ["web-b"]
    assert "has no text for its key 'a'" in list_reasons(catalog)["web-a"]
    assert list(catalog.skills) == ["web-search"]
