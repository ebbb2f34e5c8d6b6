"""Typed data that a flow keeps for judges and reports, one small class for each kind. A `Note` is a separate event,
found by its topic. A `Payload` belongs to something else: a line that is said, a message to people, the end of the
episode.

::

    class Offered(Note):
        topic = "offer"
        stage: int
        via: str

    class DoseTold(Payload):
        tablets: int

    episode.note(Offered(stage=1, via="tool"))
    episode.say("nurse", "Take two.", payload=DoseTold(tablets=2))

    [offered.via for offered in case.transcript.notes(Offered)]
    [told.tablets for said in case.transcript.said("nurse") if (told := said.get(DoseTold)) is not None]

A transcript holds the fields as plain data, so it can be read without the clinic. A field that is added later needs a
default, because older transcripts do not have it. A field that was removed is ignored when they are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, ClassVar, TypeVar

from pydantic import ConfigDict, ValidationError

from polyclinic.core.files import first_fault
from polyclinic.core.value import ATOMS, Value, json_bytes, plain


class Note(Value):
    """Base of a clinic's notes. `topic` names the note in transcripts and never changes."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="ignore")
    topic: ClassVar[str]


class Payload(Value):
    """Base of what is kept with a line, a message to people or an episode's end.

    A field that is None by default is not written while it is None. An event has a payload if it has all fields without
    a default.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="ignore")
    _needed: ClassVar[frozenset[str]]
    _optional: ClassVar[frozenset[str]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        declared = fields(cls)
        cls._needed = frozenset(field.name for field in declared if field.default is MISSING)
        cls._optional = frozenset(field.name for field in declared if field.default is None)

    def written(self) -> dict[str, Any]:
        """The payload as plain data, as an event keeps it."""
        return {
            name: value if value.__class__ in ATOMS else plain(value)
            for name, value in self.__dict__.items()
            if value is not None or name not in self._optional
        }

    @classmethod
    def is_in(cls, data: Mapping[str, Any]) -> bool:
        """Whether an event with this data has such a payload."""
        return cls._needed <= data.keys()


class InRound(Payload):
    """The round in which a line was said.

    A clinic that counts rounds keeps this payload, or a subclass, with each line.
    """

    round: int


class PlayedBy(Payload):
    """The role that said a line in the speaker's name. Payloads of lines may have this field."""

    played_by: str


class HeardBy(Payload):
    """The roles that hear a line. Payloads of lines that not everybody hears may have this field."""

    heard_by: tuple[str, ...]


class RoundBegan(Note):
    """A round begins. For clinics in which somebody is asked before anything is said in a round."""

    topic = "round"
    round: int


NoteT = TypeVar("NoteT", bound=Note)
PayloadT = TypeVar("PayloadT", bound=Payload)
KeptT = TypeVar("KeptT", bound=Value)


def get_payload(kind: type[PayloadT], data: Mapping[str, Any]) -> PayloadT | None:
    """The payload of this type in an event's data; None if the event has none."""
    return read_kept(kind, data) if kind.is_in(data) else None


def read_kept(kind: type[KeptT], data: Mapping[str, Any]) -> KeptT:
    """A note or payload as its class, from the plain data of an event."""
    try:
        return kind.read(data)
    except ValidationError:
        pass
    try:  # a reply inside it is strict: it accepts a list for a tuple only from JSON
        return kind.from_json(json_bytes(data))
    except ValidationError as error:
        raise first_fault(error, kind.__name__, fix="another version of this clinic wrote it") from None
