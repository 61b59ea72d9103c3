"""The bodies about conversations."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from preprocessor.intent import Intent, merge_intent
from service.http.schemas import Body, refuse_nul
from service.store.conversations import Conversation

Title = Annotated[str, StringConstraints(max_length=200), AfterValidator(refuse_nul)]


class CreateConversationBody(Body):
    """A new conversation."""

    title: Title | None = None
    intent: Intent | None = Field(None, description="What it wants of its tools; null or missing follows the default.")


class ChangeConversationBody(Body):
    """What changes of a conversation: a field or a key of the intent that is missing stays, null resets it."""

    title: Title | None = None
    intent: Intent | None = Field(None, description="Merged key by key; null as a whole resets every key.")

    def apply_to(self, conversation: Conversation) -> Conversation:
        """The conversation as it is to be."""
        title = self.title if "title" in self.model_fields_set else conversation.title
        intent = merge_intent(conversation.intent, self.intent) if "intent" in self.model_fields_set else conversation.intent
        return replace(conversation, title=title, intent=intent)


class ForkBody(Body):
    """Where a conversation branches off."""

    message_id: str | None = Field(
        None,
        description="A final answer: the copy ends with it. A user's message: the copy ends before it, so that it can be asked"
        " differently. Missing: every turn that has ended.",
    )
