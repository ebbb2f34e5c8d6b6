"""A library: what is learned in one episode and used in later ones. Versioned, inspectable, reversible.

A library is the result of its operations. Each operation is plain data (`Operation`). So a library is stored, resumed,
diffed, merged and rolled back by replaying operations, and every change is recorded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, Generic, Literal, TypeVar

import orjson
from pydantic import ConfigDict, RootModel

from polyclinic.core.campaign import Effect
from polyclinic.core.embedding import Embedder, VectorIndex, Vectors
from polyclinic.core.message import Frozen
from polyclinic.core.value import Value, plain, unchanging

LibraryAction = Literal["add", "remove", "use"]


class Lesson(Value):
    """Base of what a clinic learns: one class for each library, with `library` as its name.

    An entry holds the fields as plain data. A field that is added later needs a default, because libraries are kept.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="ignore")
    library: ClassVar[str]


LessonT = TypeVar("LessonT", bound=Lesson)


class Provenance(Frozen):
    """Where an entry came from."""

    run: str = ""
    episode: str = ""
    scenario: str = ""
    call: str = ""


class StoredLesson(RootModel[dict[str, Any]]):
    """A lesson as a library keeps it, before its clinic has read it. In JSON it is just the lesson's fields."""

    model_config = ConfigDict(frozen=True)

    def as_a(self, kind: type[LessonT]) -> LessonT:
        """The lesson as its class. Raises pydantic's `ValidationError`."""
        return kind.read(self.root)

    def texts(self) -> Iterator[tuple[str, str]]:
        """The texts in the lesson, by the name of their field."""
        for name, inside in self.root.items():
            if isinstance(inside, str) and inside.strip():
                yield name, inside
            elif isinstance(inside, list) and inside and all(isinstance(one, str) for one in inside):
                yield name, "\n".join(inside)


class Entry(Frozen):
    """One learned lesson: the text by which it is found, its content, where it came from, and its quality."""

    id: str
    key: str
    value: StoredLesson
    quality: float = 0.0
    provenance: Provenance = Provenance()


class Operation(Frozen):
    """One change of a library.

    An addition with `unless_near` is decided when it is applied. If the library already has an entry at least that
    similar, only the better of the two stays; with equal quality, the older one. So the same lesson learned in parallel
    is stored once.
    """

    action: LibraryAction
    entry: Entry | None = None
    id: str = ""
    reason: str = ""
    good: bool | None = None
    unless_near: float | None = None


class TrackRecord(Frozen):
    """How well an entry has worked: how often it was used, and how often with a good or a poor outcome."""

    uses: int = 0
    good: int = 0
    poor: int = 0


class Removed(Frozen):
    """An entry that was removed, and why."""

    entry: Entry
    reason: str
    version: int


@unchanging
class Match:
    """An entry that was found, and how similar its key is to the text searched for."""

    entry: Entry
    similarity: float


@unchanging
class Found(Match, Generic[LessonT]):
    """A match, and the lesson that its entry holds."""

    lesson: LessonT


class LibraryChanged(Effect):
    """An operation on one of the campaign's libraries."""

    kind = "library"
    library: str
    operation: Operation


def stored(lesson: Lesson) -> StoredLesson:
    """A lesson as a library keeps it."""
    return StoredLesson(plain(lesson))


def entry_id(key: str, lesson: StoredLesson) -> str:
    """An id from the content alone: the same lesson learned twice has the same id."""
    content = orjson.dumps([key, lesson.root], option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(content).hexdigest()[:12]


class Library:
    """A library: entries that are found by their embedded key. Its version is the number of operations so far."""

    def __init__(
        self, name: str, embedder: Embedder, index: Callable[[int], VectorIndex], operations: Iterable[Operation] = ()
    ) -> None:
        self.name, self.embedder, self._new_index = name, embedder, index
        self.operations: list[Operation] = []
        self._entries: dict[str, Entry] = {}
        self._track_records: dict[str, TrackRecord] = {}
        self._removed: list[Removed] = []
        self._rows: list[str] = []
        self._row_of: dict[str, int] = {}
        self._index = index(embedder.dimensions)
        self.extend(operations)

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    def __contains__(self, id: object) -> bool:
        return id in self._entries

    @property
    def version(self) -> int:
        """How many operations made this library."""
        return len(self.operations)

    def get(self, id: str) -> Entry:
        """The entry with this id."""
        return self._entries[id]

    def track_record(self, id: str) -> TrackRecord:
        """How well an entry has worked."""
        return self._track_records.get(id, TrackRecord())

    @property
    def removed(self) -> list[Removed]:
        """The removed entries with the reasons, oldest first."""
        return list(self._removed)

    def nearest(self, text: str, k: int = 1, threshold: float = -1.0) -> list[Match]:
        """Up to k entries nearest to the text, none below the threshold, best first."""
        if not self._entries or k < 1:
            return []
        return self.nearest_to(self.embedder.embed([text])[0], k, threshold)

    def nearest_to(self, vector: Vectors, k: int = 1, threshold: float = -1.0) -> list[Match]:
        """Like `nearest`, for a text that is already embedded."""
        found = self._index.nearest(vector, k)
        return [Match(self._entries[self._rows[row]], near) for row, near in found if near >= threshold]

    def extend(self, operations: Iterable[Operation]) -> None:
        """Apply operations in order. Consecutive additions are embedded together."""
        batch: list[Entry] = []
        for operation in operations:
            if operation.action == "add" and operation.entry is not None and operation.unless_near is None:
                batch.append(operation.entry)
                self.operations.append(operation)
                continue
            self._add(batch)
            batch = []
            self.operations.append(operation)
            if operation.action == "add" and operation.entry is not None and operation.unless_near is not None:
                self._add_unless_near(operation.entry, operation.unless_near)
            elif operation.action == "remove":
                self._remove(operation.id, operation.reason)
            elif operation.action == "use":
                self._use(operation.id, operation.good)
        self._add(batch)

    def apply(self, operation: Operation) -> None:
        """Apply one operation."""
        self.extend([operation])

    def at(self, version: int) -> Library:
        """The library as it was after its first `version` operations."""
        if not 0 <= version <= self.version:
            raise ValueError(f"library {self.name} has versions 0 to {self.version}, not {version}")
        return Library(self.name, self.embedder, self._new_index, self.operations[:version])

    def rollback(self, version: int, reason: str) -> list[Operation]:
        """The operations that restore this library's entries as of `version`. The history is kept."""
        before = self.at(version)
        undo = [Operation(action="remove", id=id, reason=reason) for id in self._entries if id not in before]
        undo += [Operation(action="add", entry=entry) for entry in before if entry.id not in self._entries]
        return undo

    def diff(self, other: Library) -> tuple[list[Entry], list[Entry]]:
        """(entries only in this library, entries only in the other)."""
        return [e for e in self if e.id not in other], [e for e in other if e.id not in self]

    def _add(self, entries: list[Entry]) -> None:
        fresh = list({entry.id: entry for entry in entries if entry.id not in self._entries}.values())
        if not fresh:
            return
        import numpy as np  # slow to import, and few runs have a library

        vectors = self.embedder.embed([entry.key for entry in fresh])
        self._index.add(np.ascontiguousarray(vectors, dtype=np.float32))
        for entry in fresh:
            self._entries[entry.id] = entry
            self._row_of[entry.id] = len(self._rows)
            self._rows.append(entry.id)

    def _add_unless_near(self, entry: Entry, threshold: float) -> None:
        near = self.nearest(entry.key, 1, threshold)
        if near and near[0].entry.quality >= entry.quality:
            return
        if near:
            self._remove(near[0].entry.id, f"a similar entry of higher quality replaced it: {entry.id}")
        self._add([entry])

    def _remove(self, id: str, reason: str) -> None:
        entry = self._entries.pop(id, None)
        if entry is None:
            return
        self._index.remove(self._row_of.pop(id))
        self._removed.append(Removed(entry=entry, reason=reason, version=self.version))

    def _use(self, id: str, good: bool | None) -> None:
        if id not in self._entries:
            return
        old = self.track_record(id)
        self._track_records[id] = TrackRecord(
            uses=old.uses + 1, good=old.good + (good is True), poor=old.poor + (good is False)
        )
