"""A library as one episode sees it. Reads see the shared library; changes are made at the episode's end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic

from pydantic import ValidationError

from polyclinic.core.files import first_fault
from polyclinic.core.library import Entry, Found, LessonT, Library, Operation, Provenance, entry_id, stored


class LibraryView(Generic[LessonT]):
    """An episode's access to a library. Reads see the shared library; changes are made at the episode's end."""

    def __init__(
        self,
        lesson: type[LessonT],
        library: Library,
        stage: Callable[[str, Operation], None],
        provenance: Provenance,
    ) -> None:
        self.library, self._lesson, self._stage, self._provenance = library, lesson, stage, provenance

    def __len__(self) -> int:
        return len(self.library)

    def lessons(self) -> Iterator[LessonT]:
        """The lessons of all entries, oldest first."""
        return (self._read(entry) for entry in self.library)

    def nearest(self, text: str, k: int = 1, threshold: float = -1.0) -> list[Found[LessonT]]:
        """Like `Library.nearest`, with the lessons that the entries hold."""
        return [
            Found(match.entry, match.similarity, self._read(match.entry))
            for match in self.library.nearest(text, k, threshold)
        ]

    def add(
        self,
        key: str,
        lesson: LessonT,
        quality: float = 0.0,
        call: str = "",
        unless_near: float | None = None,
    ) -> Entry:
        """Add a lesson at the episode's end. With `unless_near`, it is added only if no similar entry is as good."""
        provenance = self._provenance.model_copy(update={"call": call})
        value = stored(lesson)
        entry = Entry(id=entry_id(key, value), key=key, value=value, quality=quality, provenance=provenance)
        self._stage(self.library.name, Operation(action="add", entry=entry, unless_near=unless_near))
        return entry

    @staticmethod
    def id_of(key: str, lesson: LessonT) -> str:
        """The id that this lesson has under this key."""
        return entry_id(key, stored(lesson))

    def remove(self, id: str, reason: str) -> None:
        """Remove an entry, and record the reason."""
        self._stage(self.library.name, Operation(action="remove", id=id, reason=reason))

    def used(self, id: str, good: bool | None = None) -> None:
        """Count a use, and whether it turned out well."""
        self._stage(self.library.name, Operation(action="use", id=id, good=good))

    def _read(self, entry: Entry) -> LessonT:
        try:
            return entry.value.as_a(self._lesson)
        except ValidationError as error:
            raise first_fault(error, f"library {self.library.name}, entry {entry.id}") from None
