"""Which reader a path names: none is the built-in one, a file is other weights for it, a folder a fine-tuned model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from polyclinic.core.reading import ReadingKind
from polyclinic.reading.reader import BuiltInReader
from polyclinic.reading.tuned import TunedReader


def open_reader(kinds: Mapping[str, ReadingKind], path: str) -> BuiltInReader | TunedReader:
    """The reader; a fine-tuned one is loaded at its first question."""
    return TunedReader(path) if Path(path).is_dir() and path else BuiltInReader(kinds, path)
