"""What can be counted exactly about a round: questions, names, shares. Meaning is left to the reader."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from polyclinic.clinics.rounds.scenario.case import TeachingCase
from polyclinic.text.phrases import contains_phrase
from polyclinic.text.sentences import is_question, sentences

_LETTER = re.compile(r"\W*([A-Za-z])\W*")


def question_share(texts: Iterable[str]) -> float:
    """The share of questions among all sentences; 0 when nothing was said."""
    said = [sentence for text in texts for sentence in sentences(text)]
    return sum(map(is_question, said)) / len(said) if said else 0.0


def asked_in(text: str) -> str:
    """The questions of a text, found by their question marks."""
    return " ".join(sentence for sentence in sentences(text) if is_question(sentence))


def stated_in(text: str) -> str:
    """The text without its questions."""
    return " ".join(sentence for sentence in sentences(text) if not is_question(sentence))


def names_in(text: str, names: Iterable[str]) -> list[str]:
    """The names that occur in the text, in the given order."""
    return [name for name in names if contains_phrase(text, name)]


def letter_of(case: TeachingCase, choice: str) -> str:
    """The option that a choice names by its letter alone; empty for free text."""
    found = _LETTER.fullmatch(choice)
    letter = found[1].upper() if found else ""
    return letter if letter in case.options else ""


def balance(counts: Sequence[float]) -> float:
    """1 minus the Gini coefficient: 1 if all have the same share, near 0 if one has everything; 1 for one person."""
    total, n = sum(counts), len(counts)
    if n <= 1:
        return 1.0
    if total <= 0:
        return 0.0
    ordered = sorted(counts)
    gini = sum((2 * i - n + 1) * value for i, value in enumerate(ordered)) / (n * total)
    return 1.0 - gini * n / (n - 1)
