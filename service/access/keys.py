"""What an API key is: a name, a scope, perhaps a tenant, and the digest of a secret that is kept nowhere."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

Scope: TypeAlias = Literal["use", "author", "admin"]
"""`use`: turns, their stages, the catalog. `author`: also what is wrong with apps, and why. `admin`: also overrides."""
SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)
"""Each includes those before it."""
KEY_FORM: Final = re.compile(r"sl_([0-9a-f]{16})_[A-Za-z0-9_-]{43}")
NAME_FORM: Final = re.compile(r"[A-Za-z0-9_.@-]{1,64}")
TENANT_FORM: Final = re.compile(r"[A-Za-z0-9_.@:+-]{1,128}")
DIGEST_FORM: Final = re.compile(r"[0-9a-f]{64}")
SETTING_FORM: Final = "name:scope:sha256, or name:scope:sha256:tenant; scope is use, author or admin"


@dataclass(frozen=True, slots=True)
class AccessKey:
    """A key as it is kept. `id`: what the store finds it by, "" for one of the settings; `tenant` None = every tenant."""

    id: str
    name: str
    scope: Scope
    sha256: str
    tenant: str | None = None

    def covers(self, scope: Scope) -> bool:
        """Whether the key may do what needs `scope`."""
        return SCOPES.index(self.scope) >= SCOPES.index(scope)


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just made; `secret` is what its holder sends, and this is its only appearance."""

    key: AccessKey
    secret: str


def make_key(name: str, scope: Scope, tenant: str | None = None) -> NewKey:
    """A new key with 256 random bits."""
    key_id = secrets.token_hex(8)
    secret = f"sl_{key_id}_{secrets.token_urlsafe(32)}"
    return NewKey(AccessKey(key_id, name, scope, digest_key(secret), tenant), secret)


def digest_key(secret: str) -> str:
    """SHA-256, hexadecimal.

    A slow hash defends passwords, which can be guessed; 256 random bits cannot, however quick the hash, and each request pays it.
    """
    return hashlib.sha256(secret.encode(errors="surrogateescape")).hexdigest()


def read_id(secret: str) -> str:
    """The id in a key; "" when the text is none."""
    match = KEY_FORM.fullmatch(secret)
    return match[1] if match else ""


def parse_setting(text: str) -> AccessKey:
    """A key as the setting has it. Raises `ValueError`, which never quotes the text: it may be a secret in the wrong place."""
    name, scope, digest, tenant = (*text.split(":", 3), "", "", "")[:4]
    known: Scope | None = next((one for one in SCOPES if one == scope), None)
    right = NAME_FORM.fullmatch(name) and DIGEST_FORM.fullmatch(digest) and (not tenant or TENANT_FORM.fullmatch(tenant))
    if digest == digest_key(""):
        raise ValueError("a key has the SHA-256 of nothing, as an empty variable gives it")
    if known is None or not right:
        raise ValueError(f"a key must be {SETTING_FORM}")
    return AccessKey("", name, known, digest, tenant or None)


def write_setting(key: AccessKey) -> str:
    """The key as the setting takes it."""
    return ":".join([key.name, key.scope, key.sha256, *([key.tenant] if key.tenant else [])])
