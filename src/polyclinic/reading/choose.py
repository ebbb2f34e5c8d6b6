"""Which reader a path names: no path the built-in one, a file other weights for it, a folder a fine-tuned model."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from polyclinic.core.reading import ReadingKind
from polyclinic.reading.reader import BuiltInReader
from polyclinic.reading.tuned import TunedReader


def open_reader(kinds: Mapping[str, ReadingKind], path: str) -> BuiltInReader | TunedReader:
    """The reader; a fine-tuned one is loaded at its first question."""
    return TunedReader(path) if Path(path).is_dir() and path else _built_in(tuple(kinds.items()), path)


@lru_cache(maxsize=16)
def _built_in(kinds: tuple[tuple[str, ReadingKind], ...], path: str) -> BuiltInReader:
    """One for all runs of a process: what one of them has read the others need not read again, and what is remembered
    stays within one bound however many runs go on.
    """
    return BuiltInReader(dict(kinds), path)
