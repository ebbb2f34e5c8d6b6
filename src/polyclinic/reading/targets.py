"""What a question is about (its target), and where a text names it."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from polyclinic.core.reading import Compared, Question, ReadingKind
from polyclinic.reading.vectors import tokens, whole
from polyclinic.reading.words import NEGATIONS, STOP, concepts, content


class Target(NamedTuple):
    """What a question is about: the whole, its two parts, rivals that the text might mean instead, the known mistakes
    of a case, each with what is right, and the letter of an option in lower case.
    """

    whole: str
    first: str
    second: str
    rivals: tuple[str, ...]
    pitfalls: tuple[tuple[str, str], ...] = ()
    letter: str = ""


@lru_cache(maxsize=4096)
def target_of(kind: ReadingKind, question: Question) -> Target:
    """The target of a question: what the text is compared with."""
    facts = dict(question.facts)
    parts = [facts[name] for name in kind.open if facts.get(name)]
    compared = question.compared
    if compared.pitfalls:
        parts = ["; ".join(found) for found in zip(*compared.pitfalls, strict=True)]
    first, last = (parts[0], parts[-1]) if parts else ("", "")
    return Target(" ".join(parts), first, last, compared.rivals, compared.pitfalls, compared.letter.lower())


@lru_cache(maxsize=2048)
def rival_questions(kind: ReadingKind, question: Question) -> tuple[Question, ...]:
    """The same question about each other option of the case; empty if it is not asked about an option."""
    facts, options = dict(question.facts), question.compared.options
    return tuple(
        kind.ask(Compared.with_option(option, options), **{**facts, name: str(option)})
        for name in kind.open
        for option in options
        if str(option) != facts[name]
    )


@lru_cache(maxsize=16_384)
def _is_near(word: str, target: str) -> bool:
    """Whether some word of the target means nearly the same as this word."""
    units = tokens(target).units
    return bool(len(units)) and float((units @ whole(word)).max()) > 0.6


@lru_cache(maxsize=1024)
def _of_rivals(target: Target) -> frozenset[str]:
    """Words of the rivals that the target does not have."""
    return frozenset().union(*map(content, target.rivals)) - content(target.whole)


def blanked(text: str, target: Target) -> list[str]:
    """The text's words; words of the target become ``=``, words near it ``~``, and words of rivals ``%``."""
    wanted, others = content(target.whole), _of_rivals(target)
    row: list[str] = []
    for word in concepts(text):
        if word in STOP or word in NEGATIONS:
            row.append(word)
        elif word in wanted:
            row.append("=")
        elif word in others:
            row.append("%")
        elif _is_near(word, target.whole):
            row.append("~")
        else:
            row.append(word)
    if target.letter:
        row = ["=" if word == target.letter else word for word in row]
    return [word for place, word in enumerate(row) if place == 0 or word != row[place - 1] or word not in "=~%"]


def standing(text: str, target: Target) -> list[float]:
    """Whether the target or a rival is named last, and whether each is negated."""
    wanted, others = content(target.whole), _of_rivals(target)
    mine = theirs = -1
    denied = theirs_denied = 0.0
    last_no = -9
    row = concepts(text)
    for place, word in enumerate(row):
        if word in NEGATIONS:
            last_no = place
        if word in wanted or (word == target.letter != "a"):
            mine, denied = place, float(place - last_no <= 4)
        elif word in others:
            theirs, theirs_denied = place, float(place - last_no <= 4)
    size = max(len(row), 1)
    return [
        float(mine >= 0), float(mine > theirs), float(theirs > mine), denied, theirs_denied,
        float(mine > theirs and not denied), float(theirs > mine and not theirs_denied), (mine + 1) / size,
    ]  # fmt: skip


def compares(kind: ReadingKind) -> bool:
    """Whether the same text is asked about many targets. Then only what it says about each target may count."""
    return bool(kind.open) and not kind.listed and not kind.bound


def words_before(kind: ReadingKind, question: Question) -> str:
    """What was said before the text, if the context holds it."""
    return "" if kind.listed else question.context.partition(": ")[2]
