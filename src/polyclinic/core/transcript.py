"""The transcript: a list of typed events, told apart by `kind`. Judges, reports and viewers read nothing else.

Events carry no wall-clock time, so that the same episode always yields the same bytes; timings live beside the journal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Annotated, Any, Literal, TypeVar, cast

from pydantic import Field, TypeAdapter

from polyclinic.core.model import Completion, Request, Usage
from polyclinic.core.note import Note, NoteT, PayloadT, get_payload, read_kept
from polyclinic.core.value import Value, json_bytes
from polyclinic.errors import OwnedError, Owner


class _Event(Value):
    seq: int = -1


class Started(_Event):
    """The episode opened."""

    kind: Literal["started"] = "started"
    clinic: str
    scenario: str
    variant: str
    trial: int
    seed: int
    cast: dict[str, str]


class Called(_Event):
    """A model answered: which role, which prompt, which words. `key` and `occurrence` find the full request in the
    journal.

    `fault` says why the reply was not taken (`cut`, `run-on`, `form`, `empty`, or what the prompt's own check names);
    it is empty for one that was. `adapted` is as in `Completion`.
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
        """The event of one answered request."""
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


class Said(_Event):
    """Something was said aloud in the simulated world. `data` is a payload as plain data."""

    kind: Literal["said"] = "said"
    speaker: str
    text: str
    to: str = ""
    data: dict[str, Any] = field(default_factory=dict)

    def get(self, kind: type[PayloadT]) -> PayloadT | None:
        """The payload of this type; None when the line carries none."""
        return get_payload(kind, self.data)


class ToolUsed(_Event):
    """An agent used a tool."""

    kind: Literal["tool"] = "tool"
    role: str
    tool: str
    effect: Literal["read", "write"]
    arguments: dict[str, Any]
    result: Any = None
    error: str = ""


class Noted(_Event):
    """Anything else a clinic wants to keep: a plan, a phase, what was retrieved, an inner thought."""

    kind: Literal["noted"] = "noted"
    topic: str
    data: dict[str, Any] = field(default_factory=dict)

    def as_note(self, kind: type[NoteT]) -> NoteT | None:
        """The note as its class; None when it is about another topic."""
        return read_kept(kind, self.data) if self.topic == kind.topic else None


class Changed(_Event):
    """A piece of the world's state changed."""

    kind: Literal["changed"] = "changed"
    what: str
    before: Any = None
    after: Any = None


class Reviewed(_Event):
    """A reviewer's verdict on a draft."""

    kind: Literal["reviewed"] = "reviewed"
    draft: int
    reviewer: str
    approved: bool
    code: str = ""
    feedback: str = ""
    error: str = ""


class Violated(_Event):
    """A rule was broken, by whom, how badly, and the words it rests on."""

    kind: Literal["violated"] = "violated"
    rule: str
    by: str
    severity: int = 1
    words: str = ""
    rationale: str = ""


class Learned(_Event):
    """A library changed."""

    kind: Literal["learned"] = "learned"
    library: str
    action: Literal["added", "removed", "used", "replaced"]
    entry: str
    reason: str = ""


class Posted(_Event):
    """Something was handed to people; it was committed before the episode continued."""

    kind: Literal["posted"] = "posted"
    queue: str
    key: str
    body: dict[str, Any]

    def get(self, kind: type[PayloadT]) -> PayloadT | None:
        """The message as its type; None when it is of another type."""
        return get_payload(kind, self.body)


FAULT_OWNERS: tuple[Owner, ...] = ("model", "tool", "engine")
"""Whose failures are faults of the machinery; the others answered, but not in a way that could be read or scored."""


class Failed(_Event):
    """Something failed and one party owns it.

    Where replies to a question could not be read, `prompt` names the question and `calls` the calls that gave them, by
    their keys in the journal.
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
        """The event of an error: its owner's, or the engine's where nobody was named."""
        if not isinstance(error, OwnedError):
            return cls(owner="engine", error=words, where=where, fatal=fatal)
        return cls(owner=error.owner, error=words, where=where, fatal=fatal, prompt=error.prompt, calls=error.calls)


class Score(Value):
    """One judge's number for one metric of one episode, with its reason and the words it rests on."""

    metric: str
    value: float
    judge: str
    sample: int = 0
    subject: str = ""
    reason: str = ""
    evidence: tuple[str, ...] = ()
    weight: float = 1.0


class Scored(_Event):
    """A judge spoke."""

    kind: Literal["scored"] = "scored"
    score: Score


class Ended(_Event):
    """The episode closed. `data` holds all payloads that the flow concluded with, as plain data."""

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
EVENT: TypeAdapter[Event] = TypeAdapter(Event)
EventT = TypeVar("EventT", bound=_Event)


def _with_number(event: Event, number: int) -> Event:
    """A copy with its number; `dataclasses.replace` takes five times as long, and every event comes through here."""
    made = object.__new__(type(event))
    made.__dict__.update(event.__dict__)
    made.__dict__["seq"] = number
    return made


class Transcript:
    """The events of one episode, in order."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.events: list[Event] = list(events)
        self._sorted: dict[type[_Event], list[Event]] = {}
        self._notes: dict[type[Note], list[Note]] = {}
        self._counted = 0

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def __len__(self) -> int:
        return len(self.events)

    def of(self, kind: type[EventT]) -> list[EventT]:
        """The events of one type, in order."""
        return list(self._all(kind))

    def _all(self, kind: type[EventT]) -> list[EventT]:
        if self._counted != len(self.events):
            self._sorted, self._notes = {}, {}
            for event in self.events:
                self._sorted.setdefault(type(event), []).append(event)
            self._counted = len(self.events)
        return cast("list[EventT]", self._sorted.get(kind, []))

    def said(self, speaker: str | None = None) -> list[Said]:
        """What was said, by one speaker or by all."""
        return [event for event in self._all(Said) if speaker is None or event.speaker == speaker]

    def notes(self, kind: type[NoteT]) -> list[NoteT]:
        """The notes of one type, in order."""
        events = self._all(Noted)
        if kind not in self._notes:
            self._notes[kind] = [note for event in events if (note := event.as_note(kind)) is not None]
        return list(cast("list[NoteT]", self._notes[kind]))

    def last_note(self, kind: type[NoteT]) -> NoteT | None:
        """The last note of one type; None when there is none."""
        found = self.notes(kind)
        return found[-1] if found else None

    def dialogue(self) -> str:
        """The spoken words as plain lines, for judges and readers."""
        return "\n".join(f"{event.speaker}: {event.text}" for event in self.of(Said))

    def outcome(self) -> str:
        """How it ended; empty while it has not."""
        ended = self.of(Ended)
        return ended[-1].outcome if ended else ""

    def ended_with(self, kind: type[PayloadT]) -> PayloadT | None:
        """The payload of this type that the episode ended with, if any."""
        ended = self.of(Ended)
        return get_payload(kind, ended[-1].data) if ended else None

    def numbered(self) -> Transcript:
        """The same with `seq` filled in: events get their numbers when their episode is over."""
        return Transcript(_with_number(event, index) for index, event in enumerate(self.events))

    def to_json(self) -> bytes:
        """All events as a JSON array."""
        return json_bytes(self.events)

    @classmethod
    def from_json(cls, text: bytes | str) -> Transcript:
        """The reverse of `to_json`."""
        return cls(_EVENTS.validate_json(text))


_EVENTS: TypeAdapter[list[Event]] = TypeAdapter(list[Event])
