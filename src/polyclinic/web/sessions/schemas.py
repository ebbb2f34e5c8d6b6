"""The types of requests and answers over HTTP, except those that a clinic's service defines itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, Field, StringConstraints

from polyclinic.core.live import ByStaff, CaseWords, Heard
from polyclinic.store.posts import Post, PostStatus


class RemarkBody(ByStaff):
    """How a case was closed."""

    remark: Annotated[str, StringConstraints(min_length=1, max_length=2_000, strip_whitespace=True)]


class QueuedCase(BaseModel):
    """A case in the queue: the reason as it was recorded, why it is there in words for staff, the words that led to
    it, and who took it. `rings` until it is acknowledged or taken.
    """

    id: str
    session: str
    queue: str
    key: str
    status: PostStatus
    taken_by: str
    remark: str
    created_ms: int
    reason: str
    why: str
    words: str
    utterance: str
    body: dict[str, Any]
    rings: bool = False

    @classmethod
    def from_post(cls, post: Post, rings: bool, why: Callable[[str, Mapping[str, Any]], str]) -> QueuedCase:
        """Make a case from a stored hand-over; `why` explains it in words for staff."""
        told = CaseWords.from_message(post.body)
        return cls(
            id=case_id(post),
            session=post.episode,
            queue=post.queue,
            key=post.key,
            status=post.status,
            taken_by=post.taken_by,
            remark=post.remark,
            created_ms=post.created_ms,
            reason=told.reason,
            why=why(post.queue, post.body),
            words=told.words,
            utterance=told.utterance,
            body=post.body,
            rings=rings,
        )


def case_id(post: Post) -> str:
    """The id of a case within its service."""
    return case_name(post.episode, post.queue, post.key)


def case_name(session: str, queue: str, key: str) -> str:
    """The id of a case, made from its session, queue and key."""
    return f"{session}.{queue}.{key}"


class ProblemShown(BaseModel):
    """An error, in one line. If a visitor's request was refused, also the words for them."""

    detail: str
    said: list[Heard] = Field([], description="show these words to the visitor")


class BrokenShown(ProblemShown):
    """A failure of the service, with the safe words for the visitor."""

    said: list[Heard] = Field(description="show these words to the visitor")
