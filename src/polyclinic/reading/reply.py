"""Plain features of a line that answers somebody: who it speaks of, what it takes over, and whether it is speech."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polyclinic.text.normal import normalise
from polyclinic.text.persons import I_SHORT, I_WORDS, WE_WORDS, YOU_SHORT, YOU_WORDS, YOURSELF, without_persons
from polyclinic.text.sentences import is_question, sentences
from polyclinic.text.words import spoken_words

_YOU = YOU_WORDS | YOU_SHORT | YOURSELF
_I = I_WORDS | I_SHORT | WE_WORDS
_MARKS = re.compile(r"[\[\]*{}#_<>]")
_FIGURE = re.compile(r"\d")
_QUOTES = re.compile(r'["“”]')


def reply_features(text: str, said: str) -> NDArray[np.float32]:
    """How often the line says "you" and "I", how much of it was said before, and signs of forms and questions."""
    mine, theirs = spoken_words(normalise(text)), spoken_words(normalise(said))
    parts = sentences(text)
    size = max(len(mine), 1)
    row = [
        *(sum(word in people for word in mine) / size for people in (_YOU, _I)),
        *(float(not people.isdisjoint(mine)) for people in (_YOU, _I)),
        *(_shared(mine, theirs, length) for length in (1, 2, 3, 4)),
        _shared(theirs, mine, 2),
        _shared(without_persons(mine, _YOU | _I), without_persons(theirs, _YOU | _I), 3),
        *(float(pattern.search(text) is not None) for pattern in (_MARKS, _FIGURE, _QUOTES)),
        float(":" in text),
        float(is_question(text)),
        float(is_question(said)),
        sum(map(is_question, parts)) / max(len(parts), 1),
    ]
    return np.asarray(row, dtype=np.float32)


def _shared(words: Sequence[str], others: Sequence[str], length: int) -> float:
    """Which part of the word sequences of this length is also among the others'."""
    own = _runs(words, length)
    return len(own & _runs(others, length)) / max(len(own), 1)


def _runs(words: Sequence[str], length: int) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + length]) for at in range(len(words) - length + 1)}
