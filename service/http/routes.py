"""Every route of the service: the one table that the application and its OpenAPI description are made from."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from aiohttp import web
from pydantic import BaseModel

from service.access.keys import Scope
from service.http import (
    catalog,
    conversation_schemas,
    conversations,
    docs,
    events,
    health,
    overrides,
    schemas,
    stages,
    toolsets,
    turns,
    users,
)
from service.views import catalog as views
from service.views.conversations import (
    ConversationsView,
    ConversationView,
    DeactivationsView,
    ErasureView,
    EventsView,
    MessagesView,
)
from service.views.preparation import ExpansionView, PreprocessView
from service.views.results import ExecutionView
from service.views.turn import TurnView

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True)
class Route:
    """One operation. `scoped`: takes tenant and user; `idempotent`: takes an Idempotency-Key; `timed`: takes a deadline.

    `translated`: takes the language of its texts; `creates`: answers 201; `queries`: its query parameters; `needs`: the scope of
    the key, None = it is open.
    """

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: str
    handler: Handler
    summary: str
    tag: str
    body: type[BaseModel] | None = None
    answer: type[BaseModel] | None = None
    media_type: str | None = None
    streams: bool = False
    scoped: bool = False
    idempotent: bool = False
    timed: bool = False
    translated: bool = False
    creates: bool = False
    queries: tuple[str, ...] = ()
    needs: Scope | None = "use"


CONVERSATION_ROUTES: tuple[Route, ...] = (
    Route(
        "POST",
        "/v1/conversations",
        conversations.post_conversation,
        "Make a conversation",
        "conversations",
        conversation_schemas.CreateConversationBody,
        ConversationView,
        scoped=True,
        idempotent=True,
        creates=True,
    ),
    Route(
        "GET",
        "/v1/conversations",
        conversations.get_conversations,
        "The user's conversations",
        "conversations",
        answer=ConversationsView,
        scoped=True,
        queries=("limit", "cursor"),
    ),
    Route(
        "GET",
        "/v1/conversations/{id}",
        conversations.get_conversation,
        "One conversation",
        "conversations",
        answer=ConversationView,
        scoped=True,
    ),
    Route(
        "PATCH",
        "/v1/conversations/{id}",
        conversations.patch_conversation,
        "Change its title or intent",
        "conversations",
        conversation_schemas.ChangeConversationBody,
        ConversationView,
        scoped=True,
    ),
    Route(
        "DELETE",
        "/v1/conversations/{id}",
        conversations.delete_conversation,
        "Delete it with all that belongs to it",
        "conversations",
        scoped=True,
    ),
    Route(
        "POST",
        "/v1/conversations/{id}/fork",
        conversations.post_fork,
        "Branch off",
        "conversations",
        conversation_schemas.ForkBody,
        ConversationView,
        scoped=True,
        idempotent=True,
        creates=True,
    ),
    Route(
        "GET",
        "/v1/conversations/{id}/messages",
        conversations.get_messages,
        "Its history",
        "conversations",
        answer=MessagesView,
        scoped=True,
        queries=("limit", "after"),
    ),
    Route(
        "GET",
        "/v1/conversations/{id}/events",
        events.get_events,
        "What its turns told, as a page or as a stream that goes on",
        "conversations",
        answer=EventsView,
        streams=True,
        scoped=True,
        queries=("limit", "after"),
    ),
    Route(
        "GET",
        "/v1/users/{id}/deactivations",
        users.get_deactivations,
        "What a user switched off",
        "users",
        answer=DeactivationsView,
        scoped=True,
    ),
    Route(
        "PUT",
        "/v1/users/{id}/deactivations/{kind}/{item}",
        users.put_deactivation,
        "Switch an app, a skill or a focus mode off for a user",
        "users",
        scoped=True,
    ),
    Route(
        "DELETE",
        "/v1/users/{id}/deactivations/{kind}/{item}",
        users.delete_deactivation,
        "Switch it on again",
        "users",
        scoped=True,
    ),
    Route(
        "DELETE",
        "/v1/users/{id}",
        users.delete_user,
        "Erase all that is stored of a user",
        "users",
        answer=ErasureView,
        scoped=True,
    ),
)
ROUTES: tuple[Route, ...] = (
    Route(
        "POST",
        "/v1/turns",
        turns.post_turn,
        "Answer a message",
        "turns",
        schemas.TurnBody,
        TurnView,
        streams=True,
        scoped=True,
        idempotent=True,
        timed=True,
    ),
    Route(
        "POST",
        "/v1/preprocess",
        stages.post_preprocess,
        "Shortlist for a message",
        "stages",
        schemas.PreprocessBody,
        PreprocessView,
        scoped=True,
        timed=True,
    ),
    Route(
        "POST",
        "/v1/expand",
        stages.post_expand,
        "Expand an intent",
        "stages",
        schemas.ExpandBody,
        ExpansionView,
        scoped=True,
    ),
    Route(
        "POST",
        "/v1/execute",
        stages.post_execute,
        "Run one call",
        "stages",
        schemas.ExecuteBody,
        ExecutionView,
        scoped=True,
        idempotent=True,
        timed=True,
    ),
    Route(
        "GET",
        "/v1/apps",
        catalog.get_apps,
        "Every app, with what is wrong with it",
        "catalog",
        answer=views.AppsView,
        scoped=True,
        translated=True,
    ),
    Route(
        "GET",
        "/v1/skills",
        catalog.get_skills,
        "Every skill",
        "catalog",
        answer=views.SkillsView,
        scoped=True,
        translated=True,
    ),
    Route(
        "GET",
        "/v1/focus-modes",
        catalog.get_focus_modes,
        "Every focus mode",
        "catalog",
        answer=views.FocusModesView,
        scoped=True,
        translated=True,
    ),
    Route(
        "GET",
        "/v1/toolsets",
        toolsets.get_toolsets,
        "Every toolset and overlay that an intent may name",
        "catalog",
        answer=views.ToolsetsView,
        scoped=True,
    ),
    Route(
        "GET",
        "/v1/overrides",
        overrides.get_overrides,
        "Every override",
        "admin",
        answer=views.OverridesView,
        scoped=True,
        needs="admin",
    ),
    Route(
        "PUT",
        "/v1/overrides/{kind}/{id}",
        overrides.put_override,
        "Enable or disable an app, a skill or a focus mode",
        "admin",
        schemas.OverrideBody,
        views.OverrideView,
        scoped=True,
        needs="admin",
    ),
    Route(
        "DELETE",
        "/v1/overrides/{kind}/{id}",
        overrides.delete_override,
        "Take an override back",
        "admin",
        scoped=True,
        needs="admin",
    ),
    *CONVERSATION_ROUTES,
    Route("GET", "/health/live", health.get_live, "Whether the process runs", "health", answer=views.LiveView, needs=None),
    Route("GET", "/health/ready", health.get_ready, "Whether it can take turns", "health", answer=views.ReadyView, needs=None),
    Route("GET", "/metrics", health.get_metrics, "Prometheus metrics", "health", media_type="text/plain"),
    Route("GET", "/openapi.json", docs.get_openapi, "This description", "docs", media_type="application/json", needs=None),
    Route("GET", "/docs", docs.get_docs, "This description, readable", "docs", media_type="text/html", needs=None),
    Route(
        "GET",
        "/docs/{asset}",
        docs.get_asset,
        "What the readable one is made of",
        "docs",
        media_type="application/octet-stream",
        needs=None,
    ),
)
