"""The transcript: the events of an episode as a list. Judges, reports and viewers read nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ConfigDict, TypeAdapter

from polyclinic.core.note import Note, NoteT, PayloadT, get_payload, read_kept
from polyclinic.core.transcript.events import Ended, Event, EventBase, EventT, Noted, Said
from polyclinic.core.value import json_bytes

_EVENTS: TypeAdapter[list[Event]] = TypeAdapter(list[Event], config=ConfigDict(defer_build=True))


class Transcript:
    """The events of one episode, in order."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.events: list[Event] = list(events)
        self._sorted: dict[type[EventBase], list[Any]] = {}
        self._notes: dict[type[Note], list[Any]] = {}
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
            self._sorted, self._notes, self._counted = {}, {}, len(self.events)
        found = self._sorted.get(kind)
        if found is None:
            found = self._sorted[kind] = [event for event in self.events if event.__class__ is kind]
        return found

    def said(self, speaker: str | None = None) -> list[Said]:
        """What was said, by one speaker or by all."""
        return [event for event in self._all(Said) if speaker is None or event.speaker == speaker]

    def notes(self, kind: type[NoteT]) -> list[NoteT]:
        """The notes of one type, in order."""
        events = self._all(Noted)
        if kind not in self._notes:
            self._notes[kind] = [read_kept(kind, event.data) for event in events if event.topic == kind.topic]
        return list(self._notes[kind])

    def last_note(self, kind: type[NoteT]) -> NoteT | None:
        """The last note of one type; None when there is none."""
        found = self.notes(kind)
        return found[-1] if found else None

    def dialogue(self) -> str:
        """The spoken words as plain lines, for judges and readers."""
        return "\n".join(f"{event.speaker}: {event.text}" for event in self.of(Said))

    def outcome(self) -> str:
        """How the episode ended; empty if it has not ended."""
        ended = self.of(Ended)
        return ended[-1].outcome if ended else ""

    def ended_with(self, kind: type[PayloadT]) -> PayloadT | None:
        """The payload of this type that the episode ended with, if any."""
        ended = self.of(Ended)
        return get_payload(kind, ended[-1].data) if ended else None

    def to_json(self) -> bytes:
        """All events as a JSON array, numbered."""
        return json_bytes([event.numbered(number) for number, event in enumerate(self.events)])

    @classmethod
    def from_json(cls, text: bytes | str) -> Transcript:
        """The reverse of `to_json`."""
        return cls(_EVENTS.validate_json(text))
