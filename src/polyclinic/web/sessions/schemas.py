"""What goes in and out over HTTP."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from polyclinic.clinics.counsel.scenario import Lang
from polyclinic.clinics.counsel.state import Control
from polyclinic.store.posts import Post, PostStatus

Words = Annotated[str, StringConstraints(min_length=1, max_length=4_000, strip_whitespace=True)]
Who = Annotated[str, StringConstraints(min_length=1, max_length=100, strip_whitespace=True)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class StartBody(_Body):
    """Opens a session. `patient` names somebody whose earlier sessions are to be remembered."""

    lang: Lang = "en"
    country: Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}$")] = Field(
        "KR", description="decides the crisis contacts"
    )
    patient: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{0,64}$")] = ""


class SayBody(_Body):
    """The patient's words."""

    text: Words


class PersonBody(_Body):
    """Who of the care team acts."""

    by: Who


class SpeakBody(PersonBody):
    """What a person of the care team says to the patient."""

    text: Words


class ReasonBody(_Body):
    """Why a person is wanted."""

    reason: Annotated[str, StringConstraints(max_length=1_000)] = ""


class RemarkBody(PersonBody):
    """How a case was closed."""

    remark: Annotated[str, StringConstraints(max_length=2_000)] = ""


class Heard(BaseModel):
    """Something said aloud. `number` counts within the session and is the id in the stream."""

    number: int
    speaker: Literal["patient", "counsellor", "service", "person"]
    text: str
    turn: int = 0
    stage: str = ""
    sources: list[str] = Field(default_factory=list)


class SessionState(BaseModel):
    """Where a session stands."""

    id: str
    lang: Lang
    country: str
    control: Control
    holder: str
    stage: str
    turn: int
    outcome: str
    heard: int = Field(description="how many utterances there are so far")


class Started(SessionState):
    """A new session, with the token that opens this session and no other."""

    token: str


class Answered(BaseModel):
    """What followed: the state, and what was said since."""

    state: SessionState
    said: list[Heard]


class Case(BaseModel):
    """A case in the queue: why it is there, the words, and who took it."""

    id: str
    session: str
    queue: str
    key: str
    status: PostStatus
    taken_by: str
    remark: str
    created_ms: int
    reason: str
    words: str
    utterance: str
    body: dict[str, Any]

    @classmethod
    def of(cls, post: Post, session: str) -> Case:
        """A stored hand-over as a case."""
        return cls(
            id=f"{session}.{post.queue}.{post.key}",
            session=session,
            queue=post.queue,
            key=post.key,
            status=post.status,
            taken_by=post.taken_by,
            remark=post.remark,
            created_ms=post.created_ms,
            reason=str(post.body.get("reason", "")),
            words=str(post.body.get("words", "")),
            utterance=str(post.body.get("utterance", "")),
            body=post.body,
        )


class Problem(BaseModel):
    """An error, in one line."""

    detail: str
