"""For authors' own tests: a skill run as the service runs it, without a server and without a plugin of pytest.

    hello = load_skill(__file__, "hello")

    def test_it_greets():
        run = asyncio.run(hello.run({"name": "Ada"}))
        assert run.data == {"greeting": "Hello, Ada!"}
        print(run)

    def test_it_finds_requests_in_its_examples():
        hello.check_examples()

`make_context` is the context alone, for a test that makes the skill's class itself.

`asyncio.run` is enough: no server, no fixture. One case needs a line in a `conftest.py`: where the apps' folder is itself named
`apps` and pytest imports with `--import-mode=importlib`, write `import apps.sdk` there, else pytest takes that folder for ours.

AssertionError
├── NoSuchSkill         the skill is not there, or the loader set it aside
├── RequestMismatch     a request does not fit the skill's `tool_schema`
├── ResultMismatch      a result does not fit `output_example`, or is nothing that JSON can hold
└── OutOfTime           the skill did not end within its time
"""

from apps.sdk.testing.context import Cancel, ContextOptions, LogEntry, MemoryStorage, RecordingLogger, make_context
from apps.sdk.testing.harness import OutOfTime, SkillHarness, load_skill
from apps.sdk.testing.loading import NoSuchSkill
from apps.sdk.testing.request_check import RequestMismatch
from apps.sdk.testing.result_check import ResultMismatch
from apps.sdk.testing.skill_run import SkillRun

__all__ = [
    "Cancel",
    "ContextOptions",
    "LogEntry",
    "MemoryStorage",
    "NoSuchSkill",
    "OutOfTime",
    "RecordingLogger",
    "RequestMismatch",
    "ResultMismatch",
    "SkillHarness",
    "SkillRun",
    "load_skill",
    "make_context",
]
