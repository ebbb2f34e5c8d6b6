"""Which option a person chooses in free words. What the words reject is left out; in doubt, no option is chosen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from polyclinic.clinics.rounds.readings import CHOICE
from polyclinic.core.reading import Question
from polyclinic.reading.words import NEGATIONS, content, words
from polyclinic.text.normal import normalise

if TYPE_CHECKING:
    from polyclinic.reading.reader import BuiltInReader

SURELY = 0.82
"""How sure the reader must be of the meaning of words that name no option."""
_REASON = re.compile(r"\b(?:because|since)\b.*", re.IGNORECASE | re.DOTALL)
_PARTS = re.compile(
    r"[,;:!\n]|\.(?!\d)|\s[-–—]+\s|\b(?:but|so|therefore)\b|(?=\b(?:rather than|instead of)\b)", re.IGNORECASE
)
_AGAINST = re.compile(
    r"\b(?:rather than|instead of|against|avoid|exclude|reject|refuse|useless|wrong)\b", re.IGNORECASE
)
_UNDECIDED = re.compile(r"\b(?:or|either|except|maybe)\b")
_REJECTS = NEGATIONS - {"rather", "instead"}


def affirmed(choice: str, options: Iterable[str] = ()) -> list[str]:
    """The parts of a choice that reject nothing, without the reason. A "no" of an option's own rejects nothing."""
    parts = [part.strip() for part in _PARTS.split(_REASON.sub("", choice)) if part.strip()]
    with_no = [normalise(option) for option in options if _rejects(option)]
    return [part for part in parts if not _rejects(_without(with_no, normalise(part)))]


def _rejects(text: str) -> bool:
    return bool(_AGAINST.search(text)) or not _REJECTS.isdisjoint(words(text))


def _without(names: Iterable[str], text: str) -> str:
    for name in names:
        text = text.replace(name, " ")
    return text


def chosen_letter(choice: str, options: Mapping[str, str], asked: Sequence[Question]) -> str:
    """The option that a person chooses: by its letter, in its words, or by meaning; empty if that is not clear.

    `asked` holds the reader's question for each option, in order.
    """
    whole = choice.strip().strip("().:").upper()
    if whole in options:
        return whole
    same = [letter for letter, text in options.items() if normalise(text) == normalise(choice).strip(" .")]
    rest = _without([normalise(text) for text in options.values()], normalise(_REASON.sub("", choice)))
    parts = [] if same or _UNDECIDED.search(rest) else affirmed(choice, options.values())
    found = {letter for part in parts for letter in _named(part, options) or _meant(part, options, asked)}
    return next(iter(same or found)) if len(same or found) == 1 else ""


def _named(part: str, options: Mapping[str, str]) -> list[str]:
    """The options that share the most words with this part."""
    shared = {letter: len(content(part) & content(text)) for letter, text in options.items()}
    best = max(shared.values(), default=0)
    return [letter for letter, count in shared.items() if count == best > 0]


def _meant(part: str, options: Mapping[str, str], asked: Sequence[Question]) -> list[str]:
    """The option that the reader is sure of, if there is one."""
    if not content(part):
        return []
    sure = [letter for letter, each in zip(options, asked, strict=True) if _reader().probability(part, each) >= SURELY]
    return sure if len(sure) == 1 else []


@lru_cache(maxsize=1)
def _reader() -> BuiltInReader:
    from polyclinic.reading.reader import BuiltInReader

    return BuiltInReader({CHOICE.name: CHOICE})
