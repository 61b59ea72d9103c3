"""What a key is, and how the setting writes it."""

from __future__ import annotations

import hashlib

import pytest

from service.access.keys import AccessKey, digest_key, make_key, parse_setting, read_id, write_setting


def test_a_new_key_is_known_by_its_digest_only() -> None:
    """Two are never the same; the record has the id that the secret begins with, and the secret's SHA-256."""
    first, second = make_key("bot", "use"), make_key("bot", "use")
    assert first.secret != second.secret
    assert read_id(first.secret) == first.key.id
    assert first.key.sha256 == hashlib.sha256(first.secret.encode()).hexdigest()
    assert first.secret.removeprefix(f"sl_{first.key.id}_") not in repr(first.key)


@pytest.mark.parametrize("text", ["", "sl_", "sl_0123456789abcdef_", "x" * 10_000, "sl_0123456789ABCDEF_" + "a" * 43, "\udcff"])
def test_what_is_no_key_has_no_id_and_a_digest_all_the_same(text: str) -> None:
    """Whatever is sent takes the same way through the search."""
    assert read_id(text) == ""
    assert len(digest_key(text)) == 64


def test_a_scope_includes_those_before_it() -> None:
    """An administrator may use; who may use is no author."""
    keys = {scope: make_key("x", scope).key for scope in ("use", "author", "admin")}
    allowed = {(mine, needed) for mine, key in keys.items() for needed in ("use", "author", "admin") if key.covers(needed)}
    assert allowed == {
        ("use", "use"), ("author", "use"), ("author", "author"), ("admin", "use"), ("admin", "author"), ("admin", "admin"),
    }  # fmt: skip


@pytest.mark.parametrize("tenant", [None, "acme", "acme:eu"])
def test_a_key_survives_the_setting(tenant: str | None) -> None:
    """What is printed is what is read, except for the id, which a setting's key needs not."""
    key = make_key("ops", "admin", tenant).key
    assert parse_setting(write_setting(key)) == AccessKey("", "ops", "admin", key.sha256, tenant)


DIGEST = digest_key("x")


@pytest.mark.parametrize(
    "text",
    ["", "ops", "ops:admin", f"ops:root:{DIGEST}", f"a b:use:{DIGEST}", f"ops:use:{DIGEST[:-1]}", f"ops:use:{DIGEST.upper()}",
     f"ops:use:{DIGEST}:a/b", f"ops:use:{digest_key('')}", "ops:admin:sl_0123456789abcdef_marmalade"],
)  # fmt: skip
def test_a_wrong_setting_is_refused_without_being_quoted(text: str) -> None:
    """A secret in the place of its digest is not told; the digest of an empty variable is refused."""
    with pytest.raises(ValueError, match="key") as caught:
        parse_setting(text)
    assert "marmalade" not in str(caught.value)
