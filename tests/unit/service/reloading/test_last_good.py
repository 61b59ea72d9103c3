"""Which version of each app counts after an edit, from catalogs made in memory and from real files."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.catalog import App, Catalog, Quarantined
from apps.sdk.codes import Code
from apps.sdk.findings import Finding, Position, report
from apps.sdk.hashing import hash_apps
from apps.sdk.loader import load_catalog
from apps.sdk.skill import Skill
from service.reloading.last_good import diff_catalogs, keep_last_good
from tests.support.apps import ECHO_MODULE, skill_manifest, write_app, write_echo_app
from tests.support.catalogs import make_app, make_mode, make_skill


def catalog_of(*apps: App, others: tuple[Finding, ...] = ()) -> Catalog:
    ordered = tuple(sorted(apps, key=lambda app: app.id))
    findings = (*others, *(finding for app in ordered for finding in app.findings))
    return Catalog(ordered, hash_apps(ordered), findings)


def error(message: str = "broken", line: int = 1, code: Code = "wrong-value") -> Finding:
    return report(code, Position("app.yml", line), message)


def break_app(app: App, item_id: str | None = None, message: str = "broken", line: int = 1) -> App:
    """The app without its skill of that id, which is set aside."""
    name = item_id or app.skills[0].tool_name
    item = Quarantined(name, message, Position("app.yml", line))
    skills = tuple(skill for skill in app.skills if skill.tool_name != name)
    return dataclasses.replace(app, skills=skills, quarantined=(item,), findings=(error(message, line),))


def is_new(app: App, wanted: App) -> bool:
    """Whether it is the candidate's version, whichever of its skills are carried over."""
    return (app.kept, app.findings, hash_apps([app])) == (None, wanted.findings, hash_apps([wanted]))


def two_skills(version: str = "old") -> App:
    one = make_skill("a-one", description=version, content_hash=version)
    return make_app("a", one, make_skill("a-two"), make_mode("a-deep", description=version))


def test_an_app_that_breaks_keeps_its_running_version_and_the_others_change() -> None:
    """The very skills that ran, with the new version's findings, its reason and its place; the rest is the candidate's."""
    old, other = two_skills(), make_app("b", make_skill("b-x"))
    broken = break_app(dataclasses.replace(two_skills("new"), description="New."), message="no such module", line=7)
    changed = make_app("b", make_skill("b-x", description="Changed."))
    result = keep_last_good(catalog_of(old, other), catalog_of(broken, changed, make_app("c", make_skill("c-x"))))
    kept = result.by_app["a"]
    assert all(one is two for one, two in zip(kept.skills, old.skills, strict=True))
    assert (kept.description, kept.focus_modes, kept.quarantined) == (old.description, old.focus_modes, ())
    assert kept.findings == broken.findings
    assert kept.kept is not None
    assert kept.kept.reason == "app.yml:7:1: no such module"
    assert (result.by_app["b"], list(result.by_app)) == (changed, ["a", "b", "c"])
    assert result.findings == broken.findings
    assert result.digest == catalog_of(old, changed, result.by_app["c"]).digest


def test_the_fix_gives_the_new_version() -> None:
    running = keep_last_good(catalog_of(two_skills()), catalog_of(break_app(two_skills("new"))))
    fixed = two_skills("new")
    result = keep_last_good(running, catalog_of(fixed))
    assert is_new(result.by_app["a"], fixed)
    assert result.findings == ()


def test_an_error_that_is_shown_is_not_one_that_the_running_version_had() -> None:
    """Saved again unmended, or with another mistake, the version that was refused stays refused."""
    running = catalog_of(two_skills())
    for broken in (break_app(two_skills("new")), break_app(two_skills("newer"), line=9), break_app(two_skills(), "a-two")):
        running = keep_last_good(running, catalog_of(broken))
        assert running.by_app["a"].skills[0].description == "old"
        assert running.by_app["a"].findings == broken.findings
    assert keep_last_good(running, catalog_of(break_app(two_skills(), "a-two"))).by_app["a"] is running.by_app["a"]


def test_an_app_may_change_while_what_was_broken_stays_broken() -> None:
    """An error that moved to another line is not new, nor is another reason of an item that was set aside before."""
    before = break_app(two_skills("old"), message="invalid syntax (x.py, line 3)")
    moved = break_app(two_skills("new"), message="invalid syntax (x.py, line 5)", line=12)
    other = break_app(two_skills("newer"), message="no module named y", line=12)
    assert is_new(keep_last_good(catalog_of(before), catalog_of(moved)).by_app["a"], moved)
    assert is_new(keep_last_good(catalog_of(before), catalog_of(other)).by_app["a"], other)
    head = dataclasses.replace(other, findings=(*other.findings, error("'name' must be text")))
    assert keep_last_good(catalog_of(other), catalog_of(head)).by_app["a"].kept is not None


def test_warnings_do_not_hold_an_app_back() -> None:
    warned = dataclasses.replace(two_skills("new"), findings=(error(code="unknown-key"),))
    assert is_new(keep_last_good(catalog_of(two_skills()), catalog_of(warned)).by_app["a"], warned)


def test_removed_apps_go_and_new_ones_come_as_they_are() -> None:
    """Also one that is kept for an error goes with its folder, and a new one is broken from the start."""
    running = keep_last_good(catalog_of(two_skills()), catalog_of(break_app(two_skills())))
    newcomer = break_app(make_app("n", make_skill("n-x"), make_skill("n-y")))
    result = keep_last_good(running, catalog_of(newcomer))
    assert result.apps == (newcomer,)
    change = diff_catalogs(running, result)
    assert (change.added, change.changed, change.removed, change.kept) == (("n",), (), ("a",), ())


def test_findings_of_no_app_are_the_candidates() -> None:
    duplicate = error("also in b/app.yml", code="app-duplicate")
    running = catalog_of(two_skills(), others=(error("gone", code="app-duplicate"),))
    assert keep_last_good(running, catalog_of(two_skills(), others=(duplicate,))).findings == (duplicate,)


def test_an_app_in_which_nothing_changed_stays_the_same_object() -> None:
    """So that what its skills hold outlives an edit of another app; JSON that Python takes for equal is a change."""
    running = catalog_of(two_skills())
    again = keep_last_good(running, catalog_of(two_skills()))
    assert again.by_app["a"] is running.by_app["a"]
    assert diff_catalogs(running, again).is_empty

    def with_default(value: object) -> App:
        skill = make_skill("a-one", arguments={"n": {"default": value}})
        return make_app("a", dataclasses.replace(skill, content_hash=repr(value)))

    assert diff_catalogs(catalog_of(with_default(1)), catalog_of(with_default(True))).changed == ("a",)


def test_a_skill_outlives_an_edit_beside_it() -> None:
    """What it holds, say a cache, is not lost because a text of its app changed, or a finding about it."""
    running = catalog_of(two_skills("old"))
    candidate = dataclasses.replace(two_skills("new"), findings=(error(code="no-examples"),))
    one, two = keep_last_good(running, catalog_of(candidate)).by_app["a"].skills
    assert one is candidate.skills[0]
    assert two is running.by_app["a"].skills[1]


def test_skills_are_never_compared_or_printed(tmp_path: Path) -> None:
    """A class may say anything about being equal, hashed or shown; the edit beside the skill counts, and the skill is carried."""
    hostile = "".join(f"    def {name}(self, *others): 1 / 0\n" for name in ("__eq__", "__hash__", "__repr__", "__bool__"))
    write_app(tmp_path, "one", {"name": "One", "skills": [skill_manifest("one", "a")]}, {"echo": ECHO_MODULE + hostile})
    running = load_catalog([tmp_path])
    manifest = tmp_path / "one" / "app.yml"
    manifest.write_text(manifest.read_text().replace("One", "Two"))
    after = keep_last_good(running, load_catalog([tmp_path]))
    assert after.apps[0].name == "Two"
    assert after.skills["one-a"] is running.skills["one-a"]
    assert diff_catalogs(running, after).changed == ("one",)
    again = load_catalog([tmp_path])
    assert (again.apps == after.apps, again.apps == running.apps) == (True, False)
    assert "Two" in repr(again.apps)


def test_another_class_is_a_change_of_the_same_digest() -> None:
    class Rewritten(Skill):
        pass

    one, other = (catalog_of(make_app("a", make_skill("a-x", implementation=kind()))) for kind in (Skill, Rewritten))
    result = keep_last_good(one, other)
    assert (result.by_app["a"], result.digest) == (other.by_app["a"], one.digest)
    assert diff_catalogs(one, result).changed == ("a",)


versions = st.builds(
    lambda version, broken: break_app(two_skills(version)) if broken else two_skills(version),
    st.sampled_from("uvw"),
    st.booleans(),
)
catalogs = st.dictionaries(st.sampled_from("abc"), versions, max_size=3).map(
    lambda apps: catalog_of(*(dataclasses.replace(app, id=app_id) for app_id, app in apps.items()))
)


@given(st.lists(catalogs, min_size=1, max_size=6))
def test_whatever_is_edited_the_result_holds_what_it_promises(edits: list[Catalog]) -> None:
    """The candidate's apps, each its own or the running version's content, never less than a clean one; the digest is that of
    the content; and the same edit twice changes nothing."""
    running = edits[0]
    for candidate in edits[1:]:
        result = keep_last_good(running, candidate)
        assert [app.id for app in result.apps] == [app.id for app in candidate.apps]
        assert result.digest == hash_apps(result.apps)
        for app in result.apps:
            before, wanted = running.by_app.get(app.id), candidate.by_app[app.id]
            assert app.findings == wanted.findings
            if app.kept:
                assert before is not None
                assert app.skills == before.skills
            else:
                assert hash_apps([app]) == hash_apps([wanted])
            if before is not None and not before.quarantined:
                assert not app.quarantined
        assert diff_catalogs(result, keep_last_good(result, candidate)).is_empty
        running = result


def test_the_digest_is_that_of_a_fresh_load(tmp_path: Path) -> None:
    """From files: after edit, break and fix, a process that loads the same content now sees the same digest."""
    write_echo_app(tmp_path, "suc_a", "one")
    write_echo_app(tmp_path, "suc_b", "two")
    running = first = load_catalog([tmp_path])
    write_echo_app(tmp_path, "suc_a", "one", description="Edited.")
    running = keep_last_good(running, load_catalog([tmp_path]))
    assert running.digest == load_catalog([tmp_path]).digest != first.digest
    good = running.digest
    (tmp_path / "suc_a" / "app.yml").write_text("skills: [")
    running = keep_last_good(running, load_catalog([tmp_path]))
    assert running.digest == good != load_catalog([tmp_path]).digest
    assert [app.kept is not None for app in running.apps] == [True, False]
    write_echo_app(tmp_path, "suc_a", "one", description="Fixed.")
    running = keep_last_good(running, load_catalog([tmp_path]))
    assert running.digest == load_catalog([tmp_path]).digest != good


def test_an_edit_of_a_module_alone_is_a_change_of_its_app(tmp_path: Path) -> None:
    """Also of one that only another module imports."""
    module = ECHO_MODULE + "\nfrom .words import WORD\n"
    manifest = {"skills": [skill_manifest("suc_c", "one")]}
    folder = write_app(tmp_path, "suc_c", manifest, {"echo": module, "words": "WORD = 1"})
    write_echo_app(tmp_path, "suc_d", "two")
    before = load_catalog([tmp_path])
    (folder / "skills" / "words.py").write_text("WORD = 22")
    after = keep_last_good(before, load_catalog([tmp_path]))
    change = diff_catalogs(before, after)
    assert (change.changed, after.digest) == (("suc_c",), before.digest)
    assert after.by_app["suc_d"] is before.by_app["suc_d"]


def test_a_placeholder_does_not_hold_its_app_back(tmp_path: Path) -> None:
    """A skill that its author has only begun is set aside, and the rest of the edit counts."""
    write_echo_app(tmp_path, "box", "open")
    before = load_catalog((tmp_path,))
    skills = [skill_manifest("box", "open", description="New."), skill_manifest("box", "close", class_path=None)]
    write_app(tmp_path, "box", {"name": "Box", "skills": skills}, {"echo": ECHO_MODULE})
    after = keep_last_good(before, load_catalog((tmp_path,)))
    assert (after.by_app["box"].kept, after.skills["box-open"].description) == (None, "New.")
    assert [item.id for item in after.quarantined] == ["box-close"]
