"""What can happen in an episode: typed events, distinguished by `kind`.

They hold no wall-clock time, so that the same episode always gives the same bytes; timings are kept with the journal.
"""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Any, Literal, TypeVar

from pydantic import ConfigDict, Field, TypeAdapter

from polyclinic.core.model import Completion, Request, Usage
from polyclinic.core.note import HeardBy, InRound, NoteT, PayloadT, get_payload, read_kept
from polyclinic.core.value import Value
from polyclinic.errors import OwnedError, Owner

EventT = TypeVar("EventT", bound="EventBase")


class EventBase(Value):
    """Base of all events. `seq` is its number in the transcript, filled in when the transcript is written."""

    seq: int = field(default=-1, compare=False)

    def numbered(self, number: int) -> dict[str, Any]:
        """The fields as a transcript writes them."""
        return {**self.__dict__, "seq": number}


class Started(EventBase):
    """The episode started."""

    kind: Literal["started"] = "started"
    clinic: str
    scenario: str
    variant: str
    trial: int
    seed: int
    cast: dict[str, str]


class Called(EventBase):
    """A model answered: which role, which prompt, which words. `key` and `occurrence` find the full request in the
    journal.

    `fault` says why the reply was refused (`cut`, `run-on`, `form`, `empty`, or a name from the prompt's own check); it
    is empty for an accepted reply. `adapted` is as in `Completion`.
    """

    kind: Literal["called"] = "called"
    role: str
    prompt: str
    model: str
    key: str
    occurrence: int
    text: str
    tool_calls: tuple[str, ...] = ()
    attempt: int = 0
    usage: Usage = Usage()
    fault: str = ""
    adapted: tuple[str, ...] = ()

    @classmethod
    def from_reply(
        cls, request: Request, completion: Completion, model: str, occurrence: int, attempt: int, fault: str = ""
    ) -> Called:
        """The event for one answered request."""
        return cls(
            role=request.role,
            prompt=request.prompt.prompt_name(),
            model=model,
            key=request.key,
            occurrence=occurrence,
            text=completion.text,
            tool_calls=tuple([call.name for call in completion.tool_calls]),
            attempt=attempt,
            usage=completion.usage,
            fault=fault,
            adapted=completion.adapted,
        )


class Said(EventBase):
    """Something was said aloud in the simulated world. `data` is a payload as plain data."""

    kind: Literal["said"] = "said"
    speaker: str
    text: str
    to: str = ""
    data: dict[str, Any] = field(default_factory=dict)

    def get(self, kind: type[PayloadT]) -> PayloadT | None:
        """The payload of this type; None if the line has none."""
        return get_payload(kind, self.data)

    @property
    def round(self) -> int | None:
        """The round in which it was said; None if the clinic does not count rounds."""
        found = self.get(InRound)
        return found.round if found is not None else None

    def is_heard_by(self, role: str) -> bool:
        """Whether a role hears it; everybody does, unless the clinic says who."""
        found = self.get(HeardBy)
        return found is None or role in found.heard_by


class ToolUsed(EventBase):
    """An agent used a tool."""

    kind: Literal["tool"] = "tool"
    role: str
    tool: str
    effect: Literal["read", "write"]
    arguments: dict[str, Any]
    result: Any = None
    error: str = ""


class Noted(EventBase):
    """Anything else a clinic wants to keep: a plan, a phase, what was retrieved, an inner thought."""

    kind: Literal["noted"] = "noted"
    topic: str
    data: dict[str, Any] = field(default_factory=dict)

    def as_note(self, kind: type[NoteT]) -> NoteT | None:
        """The note as its class; None when it is about another topic."""
        return read_kept(kind, self.data) if self.topic == kind.topic else None


class Changed(EventBase):
    """A piece of the world's state changed."""

    kind: Literal["changed"] = "changed"
    what: str
    before: Any = None
    after: Any = None


class Reviewed(EventBase):
    """A reviewer's verdict on a draft."""

    kind: Literal["reviewed"] = "reviewed"
    draft: int
    reviewer: str
    approved: bool
    code: str = ""
    feedback: str = ""
    error: str = ""


class Violated(EventBase):
    """A rule was broken: by whom, how badly, and the words that show it.

    `sure` is how likely the breach is to the reader who found it. It is None, and not written, where no number is
    known: the rule is exact, or the reader is a language model or a person.
    """

    kind: Literal["violated"] = "violated"
    rule: str
    by: str
    severity: int = 1
    words: str = ""
    rationale: str = ""
    sure: float | None = None

    def numbered(self, number: int) -> dict[str, Any]:
        """The fields as a transcript writes them."""
        fields = super().numbered(number)
        if self.sure is None:
            del fields["sure"]
        return fields


class Learned(EventBase):
    """A library changed."""

    kind: Literal["learned"] = "learned"
    library: str
    action: Literal["added", "removed", "used", "replaced"]
    entry: str
    reason: str = ""


class Posted(EventBase):
    """A message was handed over to staff; it was committed before the episode continued."""

    kind: Literal["posted"] = "posted"
    queue: str
    key: str
    body: dict[str, Any]

    def get(self, kind: type[PayloadT]) -> PayloadT | None:
        """The message as its type; None when it is of another type."""
        return get_payload(kind, self.body)


FAULT_OWNERS: tuple[Owner, ...] = ("model", "tool", "engine")
"""Owners whose failures are technical faults.

The other owners gave an answer, but it could not be read or scored.
"""


class Failed(EventBase):
    """Something failed, and one party is responsible (the owner). If replies to a prompt could not be read, `prompt`
    names it and `calls` lists the calls by their keys in the journal.
    """

    kind: Literal["failed"] = "failed"
    owner: Owner
    error: str
    where: str = ""
    fatal: bool = True
    prompt: str = ""
    calls: tuple[str, ...] = ()

    @classmethod
    def because(cls, error: Exception, words: str, where: str, *, fatal: bool = True) -> Failed:
        """The event for an error. If the error has no owner, the engine is the owner."""
        if not isinstance(error, OwnedError):
            return cls(owner="engine", error=words, where=where, fatal=fatal)
        return cls(owner=error.owner, error=words, where=where, fatal=fatal, prompt=error.prompt, calls=error.calls)


class Score(Value):
    """One judge's number for one metric of one episode, with its reason and the words that support it."""

    metric: str
    value: float
    judge: str
    sample: int = 0
    subject: str = ""
    reason: str = ""
    evidence: tuple[str, ...] = ()
    weight: float = 1.0


class Scored(EventBase):
    """A judge gave a score."""

    kind: Literal["scored"] = "scored"
    score: Score


EpisodeStatus = Literal["done", "failed"]
"""How an episode ended for the engine. Its outcome says how it ended for the clinic."""


class Ended(EventBase):
    """The episode ended. `data` holds all payloads that the flow concluded, as plain data."""

    kind: Literal["ended"] = "ended"
    outcome: str
    data: dict[str, Any] = field(default_factory=dict)


Event = Annotated[
    Started
    | Called
    | Said
    | ToolUsed
    | Noted
    | Changed
    | Reviewed
    | Violated
    | Learned
    | Posted
    | Failed
    | Scored
    | Ended,
    Field(discriminator="kind"),
]
EVENT: TypeAdapter[Event] = TypeAdapter(Event, config=ConfigDict(defer_build=True))
