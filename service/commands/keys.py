"""`shortlist keys`: make, list and revoke the keys that requests come with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from apps.sdk.shown import spell_out
from service.access.keys import NAME_FORM, SCOPES, TENANT_FORM, NewKey, Scope, make_key, write_setting
from service.commands.failures import CommandFailed, UsageError
from service.commands.output import print_lines, print_remark
from service.store.errors import StoreError

if TYPE_CHECKING:
    from service.settings import Settings
    from service.store.api_keys import ApiKeys, StoredKey


async def add_key(settings: Settings, name: str, scope: str, tenant: str | None, *, as_setting: bool) -> int:
    """Make a key and print its secret, the only line on standard output; `as_setting`: store nothing, print the setting."""
    made = draft_key(name, scope, tenant)
    if as_setting:
        remark = f"set SHORTLIST_API_KEYS={write_setting(made.key)} (a comma between several); the key itself is shown only now:"
    else:
        async with open_keys(settings) as keys:
            if not await keys.add(made.key):
                raise CommandFailed(f"there is a key {name} already; revoke it first, or take another name")
        remark = f"key {name}, scope {scope}, id {made.key.id}; shown only now, only its digest is kept:"
    print_remark(remark)
    print_lines([made.secret])
    return 0


async def list_keys(settings: Settings) -> int:
    """Print a line for each key, those of the settings last."""
    async with open_keys(settings) as keys:
        stored = await keys.list()
    lines = [describe_key(item) for item in stored]
    lines += [f"{key.name}  {key.scope}  {key.tenant or 'every tenant'}  in SHORTLIST_API_KEYS" for key in settings.fixed_keys]
    print_lines(lines or ["no keys"])
    return 0


async def revoke_key(settings: Settings, name_or_id: str) -> int:
    """Take a key no longer, anywhere, within a second. Raises `CommandFailed` when there is none."""
    async with open_keys(settings) as keys:
        if not await keys.revoke(name_or_id):
            raise CommandFailed(f"there is no key {spell_out(name_or_id)} in the store; `shortlist keys list` has them")
    print_remark(f"revoked {name_or_id}; it is refused everywhere after SHORTLIST_API_KEYS_MAX_AGE seconds")
    return 0


def draft_key(name: str, scope: str, tenant: str | None) -> NewKey:
    """A new key from what was typed. Raises `UsageError`."""
    known: Scope | None = next((one for one in SCOPES if one == scope), None)
    if known is None:
        raise UsageError(f"--scope: one of {', '.join(SCOPES)}")
    if not NAME_FORM.fullmatch(name):
        raise UsageError("NAME: 1 to 64 letters, digits or any of _ . @ -")
    if tenant is not None and not TENANT_FORM.fullmatch(tenant):
        raise UsageError("--tenant: 1 to 128 letters, digits or any of _ . @ : + -")
    return make_key(name, known, tenant)


def describe_key(item: StoredKey) -> str:
    """The key on one line, without anything that it could be used with."""
    key, state = item.key, f"revoked {item.revoked_at:%Y-%m-%d}" if item.revoked_at else "valid"
    return f"{key.name}  {key.scope}  {key.tenant or 'every tenant'}  {state}  made {item.created_at:%Y-%m-%d}  id {key.id}"


@asynccontextmanager
async def open_keys(settings: Settings) -> AsyncIterator[ApiKeys]:
    """The keys in the settings' database. Raises `CommandFailed` for what somebody can mend."""
    from service.store.api_keys import ApiKeys  # noqa: PLC0415 - SQLAlchemy takes a third of a second
    from service.store.database import Database  # noqa: PLC0415

    try:
        async with await Database.open(settings.database_url) as database:
            yield ApiKeys(database)
    except StoreError as error:
        raise CommandFailed(str(error)) from error
