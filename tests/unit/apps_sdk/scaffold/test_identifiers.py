"""Ids that may be used, and the names that go with them."""

from __future__ import annotations

import keyword

import pytest

from apps.sdk.scaffold.identifiers import check_app_id, name_skill
from apps.sdk.scaffold.refusals import Refused

NAMES = [
    ("hello", "hello", "HelloSkill", "HelloRequest"),
    ("my-skill", "my_skill", "MySkillSkill", "MySkillRequest"),
    ("get_posts", "get_posts", "GetPostsSkill", "GetPostsRequest"),
    ("import", "import_", "ImportSkill", "ImportRequest"),
    ("class", "class_", "ClassSkill", "ClassRequest"),
    ("2fa", "skill_2fa", "Skill2fa", "Request2fa"),
    ("007", "skill_007", "Skill007", "Request007"),
    ("test_me", "skill_test_me", "TestMeSkill", "TestMeRequest"),
    ("me-test", "skill_me_test", "MeTestSkill", "MeTestRequest"),
    ("conftest", "skill_conftest", "ConftestSkill", "ConftestRequest"),
    ("a--b", "a__b", "ABSkill", "ABRequest"),
    ("a" * 60, "a" * 60, "A" + "a" * 59 + "Skill", "Request"),
]


@pytest.mark.parametrize(("skill_id", "module", "class_name", "request_class"), NAMES)
def test_names_can_be_written_in_python(skill_id: str, module: str, class_name: str, request_class: str) -> None:
    """Whatever the id: identifiers that are no keywords, and no module that pytest takes for its own."""
    names = name_skill("app", skill_id)
    assert (names.module, names.class_name, names.request_class) == (module, class_name, request_class)
    assert names.class_path == f"apps.app.skills.{module}.{class_name}"
    for name in (module, class_name, request_class):
        assert name.isidentifier()
        assert not keyword.iskeyword(name)


@pytest.mark.parametrize(
    ("app_id", "told"),
    [("My App", "my_app"), ("a-b", "a_b"), ("_x", "'x'"), ("", "no app id"), ("ä", "no app id"), ("a\x1b[1m", "a_1m"),
     ("../x", "'x'"), ("sdk", "reserved"), ("tests", "reserved"), ("system", "reserved"), ("tool_search", "reserved")],
)  # fmt: skip
def test_an_id_that_no_app_may_have_is_refused(app_id: str, told: str) -> None:
    """With a legal one beside it, where something legal is left."""
    with pytest.raises(Refused, match=told) as raised:
        check_app_id(app_id)
    assert str(raised.value).isprintable()


@pytest.mark.parametrize(
    ("skill_id", "told"),
    [("Get Posts", "get_posts"), ("-x", "'x'"), ("", "no skill id"), ("a/b", "a_b"), ("a" * 64, "68 characters")],
)
def test_an_id_that_no_skill_may_have_is_refused(skill_id: str, told: str) -> None:
    """With a legal one beside it; both ids together fit a tool name."""
    with pytest.raises(Refused, match=told):
        name_skill("app", skill_id)
