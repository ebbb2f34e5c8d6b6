"""What a question is about (its target), and where a text names it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from polyclinic.core.reading import Question, ReadingKind
from polyclinic.reading.vectors import tokens, whole
from polyclinic.reading.words import NEGATIONS, STOP, concepts, content

_OPTION = re.compile(r"\(([A-J])\)\s*([^;()]+)")
_PITFALL = re.compile(r"wrong: (.*?); right: (.*?)(?:; (?=wrong: )|$)")
_LETTER = re.compile(r"\(([A-J])\)")


class Target(NamedTuple):
    """What a question is about: the whole, its two parts, rivals that the text might mean instead, and the known
    mistakes of a case, each with what is right.
    """

    whole: str
    first: str
    second: str
    rivals: tuple[str, ...]
    pitfalls: tuple[tuple[str, str], ...] = ()


@lru_cache(maxsize=4096)
def target_of(kind: ReadingKind, question: Question) -> Target:
    """The target of a question: what the text is compared with."""
    facts = dict(question.facts)
    parts = [facts[name] for name in kind.open if facts.get(name)]
    _, several, options = question.context.partition("Options:")
    rivals: tuple[str, ...] = ()
    if parts and several:
        rivals = tuple(words.strip() for _, words in _OPTION.findall(options) if words.strip() not in parts[0])
    pitfalls: tuple[tuple[str, str], ...] = ()
    if parts and parts[0].startswith("wrong: "):
        pitfalls = tuple(_PITFALL.findall(parts[0]))
        parts = ["; ".join(found) for found in zip(*pitfalls, strict=True)]
    whole = " ".join(parts)
    return Target(whole, parts[0] if parts else "", parts[-1] if parts else "", rivals, pitfalls)


@lru_cache(maxsize=2048)
def rival_questions(kind: ReadingKind, question: Question) -> tuple[Question, ...]:
    """The same question about each other option of the case; empty if it is not asked about an option."""
    _, several, options = question.context.partition("Options:")
    if not several or len(kind.open) != 1 or not compares(kind):
        return ()
    (name,) = kind.open
    facts = {each: question.fact(each) for each in kind.fact_names}
    named = [f"({letter}) {words.strip()}" for letter, words in _OPTION.findall(options)]
    if facts[name] not in named:
        return ()
    return tuple(kind.ask(**{**facts, name: option}) for option in named if option != facts[name])


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
    letters = _LETTER.findall(target.first[:4])
    if letters:
        row = ["=" if word == letters[0].lower() else word for word in row]
    return [word for place, word in enumerate(row) if place == 0 or word != row[place - 1] or word not in "=~%"]


def standing(text: str, target: Target) -> list[float]:
    """Whether the target or a rival is named last, and whether each is negated."""
    wanted, others = content(target.whole), _of_rivals(target)
    letters = _LETTER.findall(target.first[:4])
    mine = theirs = -1
    denied = theirs_denied = 0.0
    last_no = -9
    row = concepts(text)
    for place, word in enumerate(row):
        if word in NEGATIONS:
            last_no = place
        if word in wanted or (letters and word == letters[0].lower() and word != "a"):
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
