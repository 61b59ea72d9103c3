"""Stored conversations: made, read, changed, forked, deleted."""

from __future__ import annotations

import base64
import binascii
from datetime import datetime, timedelta
from typing import Final

from aiohttp import web

from service.http.conversation_schemas import ChangeConversationBody, CreateConversationBody, ForkBody
from service.http.json_body import read_json
from service.http.problems import InvalidParameter, NotFound
from service.http.reading import get_services, read_number, read_owner, read_query
from service.http.responses import answer_json
from service.store.conversations import Conversation
from service.views.conversations import (
    ConversationsView,
    ConversationView,
    MessagesView,
    describe_conversation,
    describe_message,
)

PAGE: Final = 50
MOST: Final = 500
"""Items on one page: unless the caller says otherwise, and at most."""


async def post_conversation(request: web.Request) -> web.StreamResponse:
    """Make one."""
    services = get_services(request)
    owner = read_owner(request)
    body = await read_json(request, CreateConversationBody)

    async def produce() -> web.Response:
        return _answer_created(await services.conversations.create(owner, title=body.title, intent=body.intent))

    return await services.idempotency.run(request, produce)


async def get_conversations(request: web.Request) -> web.Response:
    """The caller's, the one used last first."""
    query = read_query(request, "limit", "cursor")
    limit = read_number(query, "limit", PAGE, least=1, most=MOST)
    before = _read_cursor(query.get("cursor"))
    found = await get_services(request).conversations.list(read_owner(request), limit=limit + 1, before=before)
    page = found[:limit]
    following = _write_cursor(page[-1]) if len(found) > limit else None
    return answer_json(ConversationsView(conversations=tuple(map(describe_conversation, page)), next=following))


async def get_conversation(request: web.Request) -> web.Response:
    """One of the caller's."""
    return answer_json(describe_conversation(await _find(request)))


async def patch_conversation(request: web.Request) -> web.Response:
    """Change title or intent; the next turn follows it, one that runs does not."""
    services = get_services(request)
    body = await read_json(request, ChangeConversationBody)
    changed = await services.conversations.change(read_owner(request), request.match_info["id"], body.apply_to)
    return answer_json(describe_conversation(changed))


async def delete_conversation(request: web.Request) -> web.Response:
    """Delete one with all that belongs to it; a turn that runs is stopped."""
    services = get_services(request)
    owner, conversation_id = read_owner(request), request.match_info["id"]
    if not await services.conversations.delete(owner, conversation_id):
        raise NotFound("There is no such conversation.")
    services.conversation_turns.stop(owner, conversation_id)
    services.event_feed.wake(conversation_id)
    return web.Response(status=204)


async def post_fork(request: web.Request) -> web.StreamResponse:
    """Copy one, or the beginning of one, into a new conversation."""
    services = get_services(request)
    owner = read_owner(request)
    body = await read_json(request, ForkBody)

    async def produce() -> web.Response:
        original = request.match_info["id"]
        return _answer_created(await services.conversations.fork(owner, original, body.message_id))

    return await services.idempotency.run(request, produce)


async def get_messages(request: web.Request) -> web.Response:
    """The history, oldest first; a page of long messages holds fewer than were asked for."""
    query = read_query(request, "limit", "after")
    limit = read_number(query, "limit", PAGE, least=1, most=MOST)
    after = read_number(query, "after", 0, least=0, most=2**53)
    found = await get_services(request).conversations.read_messages(
        read_owner(request), request.match_info["id"], after_seq=after, limit=limit
    )
    page = tuple(map(describe_message, found.messages))
    return answer_json(MessagesView(messages=page, next=None if found.is_last else page[-1].seq))


async def _find(request: web.Request) -> Conversation:
    return await get_services(request).conversations.get(read_owner(request), request.match_info["id"])


def _answer_created(conversation: Conversation) -> web.Response:
    view: ConversationView = describe_conversation(conversation)
    answer = answer_json(view, status=201)
    answer.headers["Location"] = f"/v1/conversations/{view.id}"
    return answer


def _write_cursor(conversation: Conversation) -> str:
    place = f"{conversation.updated_at.isoformat()}|{conversation.id}"
    return base64.urlsafe_b64encode(place.encode()).decode().rstrip("=")


def _read_cursor(text: str | None) -> tuple[datetime, str] | None:
    if text is None:
        return None
    try:
        moment, _, conversation_id = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode().partition("|")
        place = datetime.fromisoformat(moment)
    except (ValueError, binascii.Error):
        raise InvalidParameter("cursor", "the `next` of a page before") from None
    if place.utcoffset() != timedelta(0) or not conversation_id.isalnum():
        raise InvalidParameter("cursor", "the `next` of a page before")
    return place, conversation_id
