"""The reader for a path. No path: the built-in reader; `sentences`: with its network for whole sentences. A file: other
weights for it. A folder: a fine-tuned model.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from polyclinic.core.part import OUT_OF_PART
from polyclinic.core.reading import SENTENCES, Question, ReadingKind
from polyclinic.reading.reader import BuiltInReader
from polyclinic.reading.tuned import TunedReader
from polyclinic.reading.weights import weights_file


def open_reader(kinds: Mapping[str, ReadingKind], path: str) -> BuiltInReader | TunedReader:
    """The reader; weights are loaded at its first question. A missing file is an error at once."""
    if path == SENTENCES:
        return _built_in(tuple(kinds.items()), "", sentences=True)
    if path and Path(path).is_dir():
        return TunedReader(path)
    if path:
        weights_file(path)
    return _built_in(tuple(kinds.items()), path)


def reads_line(line: str, question: Question) -> bool:
    """Whether the answer about a line is yes. Always by the weights in the package."""
    return _built_in(((OUT_OF_PART.name, OUT_OF_PART),), "").read(line, question)[0] == "yes"


@lru_cache(maxsize=16)
def _built_in(kinds: tuple[tuple[str, ReadingKind], ...], path: str, *, sentences: bool = False) -> BuiltInReader:
    """One built-in reader for all runs of a process. They share its cache, and its memory stays bounded however many
    runs there are.
    """
    return BuiltInReader(dict(kinds), path, sentences=sentences)
