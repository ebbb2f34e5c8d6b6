"""Whether a clause names a disease: in any word order and spelling, with one slip of the pen in a long word, or with
another name for the same thing that the thesaurus knows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from polyclinic.reading.words import STOP, concepts
from polyclinic.text.normal import HANGUL, letters, straight, without_accents
from polyclinic.text.phrases import is_acronym, mentioned, phrase_pattern
from polyclinic.text.words import words

_CAPITALS = re.compile(r"\b[A-Z]{2,}\b")
_WORD = re.compile(r"[a-z0-9][a-z0-9-]*")
_QUALIFIERS = {"acute", "severe", "primary", "of", "the", "a", "an", "in", "on", "with"}
_OWNER = re.compile(r"(?<=\w)'s?(?: disease| syndrome)?\b")
_ENDING = re.compile(r"(?:sia|sis|tic|ism|us)$")
_SHORT = {
    "appy": "appendicitis",
    "sy": "syndrome",
    **dict.fromkeys(("ca", "carcinoma", "adenoca", "adenocarcinoma"), "cancer"),
}
_ENDED, _LONG, _LONGER = 6, 8, 11
_SHORT_CLAUSE, _KIND, _TWO = 4, 5, 2
_ILLNESS = re.compile(
    r"\b(?:\w+(?:itis|osis|oma|emia)|torsion|dissection|ulcers?|fracture|rupture|abscess|hernia|obstruction|syndrome|disease"
    r"|cancer|infarct(?:ion)?|embol(?:us|ism)|colic|migraine|asthma|failure|attack|stroke|bleed|hypertension|anxiety"
    r"|reflux|infection|palsy|tumou?r)\b",
    re.IGNORECASE,
)

_SAYS = re.compile(
    r"\b(?:i|think|believe|say|it|this|that|is|it's|he|she|they|has|have|had|he's|she's|patient|probably|likely|most|my|final"
    r"|diagnosis|looks|like|seems|be|new|mild|moderate|severe|acute|some|kind|form|case|sort|of)\b|[^\w\s-]",
    re.IGNORECASE,
)
"""The words around a name that add nothing to it."""
_KIND_OF = re.compile(r"\b([a-z][\w-]{3,})(?:'s)? (?:syndrome|disease|disorder)\b", re.IGNORECASE)


def named_in(clauses: Iterable[str], names: Iterable[str]) -> set[str]:
    """The names that are written in one of the clauses."""
    said = list(clauses)
    return {name for name in names if any(_written(clause, name) for clause in said)}


def meant_in(clauses: Iterable[str], names: Iterable[str]) -> bool:
    """Whether one of the clauses has another name for one of these, by the thesaurus."""
    rows, groups = [_row(clause) for clause in clauses], [set(_row(name)) for name in names]
    return any(
        set(row[at : at + len(group)]) == group for row in rows for group in groups if group for at in range(len(row))
    )


def same_words(text: str, name: str) -> bool:
    """Whether a text has the words of a name and no others, in any order and spelling."""
    if HANGUL.search(name) or HANGUL.search(text):
        return letters(text) == letters(name)
    said, known = sorted(_words(text)), sorted(_words(name))
    return len(said) == len(known) > 0 and all(map(_same, said, known))


def only_names(clauses: Iterable[str], names: Iterable[str]) -> bool:
    """Whether all that clauses say is one of these names: "I think it is severe hyperthyroidism, most likely"."""
    own = [left for clause in clauses if (left := _SAYS.sub(" ", straight(clause))).strip()]
    return bool(own) and all(any(same_words(left, name) for name in names) for left in own)


def kind_in(clauses: Iterable[str], name: str) -> bool:
    """Whether one of the clauses has a word that says which kind a disease is: "septic" of "septic arthritis"."""
    kinds = {word for word in _words(name)[:-1] if len(word) >= _KIND}
    return any(not kinds.isdisjoint(_words(clause)) for clause in clauses)


def names_another(clause: str, names: Iterable[str]) -> bool:
    """Whether a clause has a word for an illness that none of these names has: "torsion" for an ectopic pregnancy, or
    "nephritic syndrome" for a nephrotic one.
    """
    own = {word for name in names for word in _words(name)}
    said = [*_ILLNESS.findall(clause), *(kind for kind in _KIND_OF.findall(clause) if kind.casefold() not in STOP)]
    return any(own.isdisjoint(_words(word)) for word in said)


def without_others(text: str, others: Sequence[str]) -> str:
    """A text without the names of other illnesses that hold a name of the disease: no "stroke" is left of
    "haemorrhagic stroke".
    """
    if not others:
        return text
    korean = any(HANGUL.search(each) for each in others) and HANGUL.search(text) is not None
    kept = phrase_pattern(*others, loose=" -", possessive=True, open_end=korean).sub(" ", straight(text))
    return text if kept == straight(text) else " ".join(kept.split())


@lru_cache(maxsize=4_096)
def _written(clause: str, name: str) -> bool:
    if HANGUL.search(name):
        return letters(name) in letters(clause)
    said = _words(clause)
    if mentioned(clause, [name]) or _initials(name) in _CAPITALS.findall(clause.replace(".", "")):
        return True
    if is_acronym(name):
        return name.casefold() in said and len(said) <= _SHORT_CLAUSE
    return _side_by_side(_words(name), said)


def _initials(name: str) -> str:
    """The first letters of a name of at least three words: "GBS" is the Guillain-Barré syndrome. Two letters say too
    little: "CT" is no coronary thrombosis.
    """
    found = [word for word in words(without_accents(name)) if word not in _QUALIFIERS and word != "s"]
    return "".join(word[0] for word in found).upper() if len(found) > _TWO else ""


def _side_by_side(name: Sequence[str], said: Sequence[str]) -> bool:
    """Whether the words of a name are next to each other, in any order."""
    if not name:
        return False
    joined, plain = {"".join(said[at : at + count]) for count in (2, 3) for at in range(len(said))}, "".join(name)
    slips = 1 if len(name) > 1 and len(plain) >= _LONG else 0
    if any(_within(plain, each, slips) for each in joined):
        return True
    windows = [said[at : at + len(name)] for at in range(len(said) - len(name) + 1)]
    return any(all(any(_same(word, other) for other in window) for word in name) for window in windows)


@lru_cache(maxsize=4_096)
def _words(text: str) -> tuple[str, ...]:
    """The words of a text in one spelling ("haem" is "hem"), without qualifiers and endings."""
    plain = _OWNER.sub("", without_accents(straight(text)))
    found = [letters(word) for word in _WORD.findall(plain)]
    return tuple(_root(word) for word in found if word and word not in _QUALIFIERS)


def _root(word: str) -> str:
    plain = re.sub(r"our$", "or", re.sub(r"[ao]e", "e", _SHORT.get(word, word)))
    return (_ENDING.sub("", plain) if len(plain) > _ENDED else plain).removesuffix("s")


@lru_cache(maxsize=16_384)
def _same(word: str, other: str) -> bool:
    """Whether two words are the same but for a letter too many or too few. Another letter makes another word:
    "nephritic" is not "nephrotic"."""
    if word == other:
        return True
    slips = 2 if len(word) >= _LONGER else 1 if len(word) >= _LONG else 0
    return _within(word, other, slips)


@lru_cache(maxsize=16_384)
def _within(word: str, other: str, slips: int) -> bool:
    """Whether two words are the same but for so many letters too many or too few."""
    if word == other:
        return True
    if not slips or abs(len(word) - len(other)) > slips or word[0] != other[0]:
        return False
    row = list(range(len(other) + 1))
    for left, letter in enumerate(word, start=1):
        before, row[0] = row[0], left
        for place, mark in enumerate(other, start=1):
            before, row[place] = row[place], before if letter == mark else min(row[place], row[place - 1]) + 1
    return row[-1] <= slips


@lru_cache(maxsize=4_096)
def _row(text: str) -> tuple[str, ...]:
    plain = " ".join(word for word in text.split() if word.casefold() not in _QUALIFIERS)
    return tuple(word for word in concepts(plain) if word not in STOP)
