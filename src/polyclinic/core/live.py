"""Live sessions of a clinic: what its room ``service`` must offer, so that any front end can serve them. A session is
an episode in which people play one role. Whenever the flow asks that role, the session waits for an *action*; the
action's body becomes the role's reply, is journalled like any model's reply, and the flow goes on. So a session
survives a restart. The front end needs to know nothing about the clinic: addresses, forms and states come from here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Generic, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, StringConstraints
from typing_extensions import TypeVar

from polyclinic.core.reply import ReplyModel
from polyclinic.core.scenario import S
from polyclinic.core.services import Services
from polyclinic.core.transcript import Event, Said, Transcript

CLOSED = "closed"
"""The state of every session that is over."""

LAST_WORDS = (
    "Something went wrong here, and people have been told. Please contact a person directly. In an emergency call your "
    "local emergency number now."
)
"""What a visitor is told after a fault if the clinic has no text of its own."""

REFUSED_WORDS = (
    "What you sent here was not read. Please send it again, in shorter parts. In an emergency call your local "
    "emergency number now."
)
"""What a visitor is told whose request was refused, if the clinic has no text of its own."""

WAITING_WORDS = "Your answer takes longer than usual. In an emergency call your local emergency number now."
"""What a visitor is told while an answer takes long, if the clinic has no text of its own."""

WhyRefused = Literal["too long", "unreadable", "too fast", "not now", "closed", "no session"]
"""Why something that a visitor sent was not taken."""

MOST_CHARS = 4_000
"""The longest message of a visitor."""

Words = Annotated[str, StringConstraints(min_length=1, max_length=MOST_CHARS, strip_whitespace=True)]
Who = Annotated[str, StringConstraints(min_length=1, max_length=100, strip_whitespace=True)]
Actor = Literal["visitor", "staff"]


class Body(BaseModel):
    """Base of the bodies of requests. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class NoBody(Body):
    """The body of an action that needs nothing but its name."""


class ByStaff(Body):
    """The member of staff who acts. The service fills in the name of the account that is logged in."""

    by: Annotated[str, StringConstraints(max_length=100)] = ""


class PassOn(ByStaff):
    """The member of staff to whom a session is passed."""

    to: Who


class CaseWords(NamedTuple):
    """What a queue shows of a message to people: why the message is there, which words show it, and what was said.

    A message without such fields shows nothing there.
    """

    reason: str = ""
    words: str = ""
    utterance: str = ""

    @classmethod
    def from_message(cls, body: Mapping[str, Any]) -> CaseWords:
        """Read these fields from a message as the store keeps it."""
        return cls(*(str(body.get(name, "")) for name in cls._fields))


class Heard(BaseModel):
    """Something said aloud. `number` counts within the session and is the id in the stream."""

    number: int
    speaker: str
    text: str


class SessionView(BaseModel):
    """The state of a session. `control` is one of the service's states; `holder` is the person who holds it, if any."""

    id: str
    control: str
    holder: str = ""
    outcome: str = ""
    heard: int = 0


B = TypeVar("B", bound=Body)
StartT = TypeVar("StartT", bound=Body, default=Any)
ViewT = TypeVar("ViewT", bound=SessionView, default=Any)


@dataclass(frozen=True)
class Action(Generic[B]):
    """One thing that people can do in a session.

    `reply` turns the body into what the asked role answers. The action is refused unless the session is in one of the
    states `when`; an action by staff is also refused while somebody else holds the session. `cases` says what the
    action does to the session's cases in the queues (``pass``: they go to the person whom a `PassOn` names); `remark`
    is kept with a closed case.
    """

    name: str
    title: str
    about: str
    body: type[B]
    reply: Callable[[B], ReplyModel | str]
    when: tuple[str, ...]
    by: Actor = "visitor"
    cases: Literal["keep", "take", "pass", "close"] = "keep"
    remark: str = ""


class LiveService(Generic[S, StartT, ViewT]):
    """How a clinic serves live sessions; a clinic offers one object of a subclass as ``service.service``.

    `role` is the role that people play; the cast plays all others. `visitor` is the speaker's name for the visitor's
    own words in the transcript. A session begins in the first of `states`; `CLOSED` is one of them. `queues` are the
    queues into which the flow posts cases for people; an open case in one of `alerts` raises an alarm until somebody
    acknowledges it. `speaks` names the action with which a visitor says something; its body needs only `text`.
    """

    role: ClassVar[str]
    visitor: ClassVar[str]
    variant: ClassVar[str] = ""
    states: ClassVar[tuple[str, ...]]
    queues: ClassVar[tuple[str, ...]] = ()
    alerts: ClassVar[tuple[str, ...]] = ()
    actions: ClassVar[tuple[Action[Any], ...]]
    speaks: ClassVar[str] = ""
    heard: ClassVar[type[Heard]] = Heard
    opening: type[StartT]
    view: type[ViewT]

    def scenario(self, session: str, body: StartT, known: Mapping[str, str], options: Mapping[str, str]) -> S:
        """What a new session starts from: what `remember` kept of this person, and the settings of the service."""
        raise NotImplementedError

    def why(self, queue: str, message: Mapping[str, Any]) -> str:
        """Why a message waits in a queue, in words for staff."""
        return CaseWords.from_message(message).reason

    def safe_words(self, scenario: S) -> str:
        """What the visitor is told after any failure. No model writes it, and it needs no store."""
        return LAST_WORDS

    def refused_words(self, scenario: S, why: WhyRefused) -> str:
        """What the visitor is told whose request was refused. No model writes it, and it needs no store."""
        return REFUSED_WORDS

    def waiting_words(self, scenario: S) -> str:
        """What the visitor is told while an answer takes long. No model writes it, and it needs no store."""
        return WAITING_WORDS

    async def must_be_heard(self, text: str) -> str:
        """The part of a refused message, of at most `MOST_CHARS` characters, that must be handled all the same because
        somebody may be in danger. Empty if there is none.
        """
        return ""

    def begin(self, session: str, scenario: S) -> ViewT:
        """The state of a session before anything has happened."""
        raise NotImplementedError

    def follow(self, view: ViewT, event: Event) -> None:
        """Bring the view up to date with one event of the flow."""

    def hear(self, number: int, said: Said, view: ViewT) -> Heard:
        """Something said aloud, as people get it."""
        return self.heard(number=number, speaker=said.speaker, text=said.text)

    def person(self, body: StartT) -> str:
        """The name under which later sessions find what this one left; empty if nothing is remembered."""
        return ""

    def remember(self, transcript: Transcript) -> dict[str, str]:
        """What a finished session leaves for the person's next one."""
        return {}

    def warm(self, services: Services) -> None:
        """Load beforehand what the first answer would otherwise wait for."""
