import pytest

from apps.sdk.http.rules import BYTES_SETTING, HOSTS_SETTING, REDIRECTS_SETTING, EgressRules, normalize_host
from service.settings import Settings


@pytest.mark.parametrize("name", [BYTES_SETTING, HOSTS_SETTING, REDIRECTS_SETTING])
def test_settings_that_errors_name_are_settings(name: str) -> None:
    """An operator who sets what an error names changes something."""
    prefix = str(Settings.model_config.get("env_prefix", ""))
    assert prefix
    assert name.removeprefix(prefix).lower() in Settings.model_fields


@pytest.mark.parametrize(
    ("entry", "host"),
    [("Example.ORG.", "example.org"), ("example.org:8080", "example.org:8080"), (" 127.0.0.1 ", "127.0.0.1"), ("::1", "::1"),
     ("[0:0::1]:80", "[::1]:80"), ("bücher.example", "xn--bcher-kva.example")],
)  # fmt: skip
def test_listed_hosts_are_spelled_alike(entry: str, host: str) -> None:
    """As requests are."""
    assert normalize_host(entry) == host


@pytest.mark.parametrize("entry", ["", "http://x", "x/y", "x?y", "x#y", "a@b", "*.example.org", "*", "x:99999", "[::1"])
def test_what_is_no_host_cannot_be_listed(entry: str) -> None:
    """A rule that never matches, or matches too much, is an error."""
    with pytest.raises(ValueError, match=r".+"):
        EgressRules(allowed_hosts=frozenset({entry}))
