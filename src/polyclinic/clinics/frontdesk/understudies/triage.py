"""A desk's rule of thumb: which department a complaint points to. It makes mistakes, as rules of thumb do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from polyclinic.clinics.frontdesk.scenario.diseases import packaged_diseases, spoken_names
from polyclinic.core.files import package_data
from polyclinic.text.normal import straight
from polyclinic.text.phrases import contains_phrase
from polyclinic.text.sentences import sentences
from polyclinic.text.words import STOP_WORDS, spoken_words, stem, words_and_numbers

_SHORTEST = 3


@lru_cache(maxsize=1)
def _words() -> Mapping[str, Mapping[str, int]]:
    table: Mapping[str, Mapping[str, int]] = package_data("polyclinic.clinics.frontdesk", "data/triage.toml")
    return table


@lru_cache(maxsize=1)
def _directory() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Known diagnoses, longest names first, so that "type 2 diabetes" is not taken for another kind.

    They come from our table, and from a list of others that are common at a front desk.
    """
    others: Mapping[str, Sequence[str]] = package_data("polyclinic.clinics.frontdesk", "data/directory.toml")
    names: dict[str, tuple[str, ...]] = {
        name: (department,) for department, listed in others.items() for name in listed
    }
    for disease in packaged_diseases():
        names |= {straight(name): disease.departments for name in spoken_names(disease.name)}
    return tuple(sorted(names.items(), key=lambda entry: (-len(entry[0]), entry[0])))


@lru_cache(maxsize=4096)
def telling_words(text: str) -> frozenset[str]:
    """The words that may point to a department, without their endings."""
    words = set(words_and_numbers(text)) - STOP_WORDS
    return frozenset(stem(word) for word in words if len(word) >= _SHORTEST and word.isalpha() and word.isascii())


def rank(texts: Iterable[str], departments: Sequence[str]) -> Sequence[tuple[int, str]]:
    """The hospital's departments with points for how well the words fit, best first; ties in the given order."""
    return _ranked(frozenset().union(*map(telling_words, texts)), tuple(departments))


@lru_cache(maxsize=4096)
def _ranked(heard: frozenset[str], departments: tuple[str, ...]) -> tuple[tuple[int, str], ...]:
    """Computes the ranking. The result is cached, because it is needed again after every answer of the patient."""
    table = _words()
    scores = []
    for name in departments:
        points = table.get(name, {})
        scores.append((sum([points[word] for word in heard if word in points]), name))
    return tuple(sorted(scores, key=lambda entry: -entry[0]))


_URGENT = 4
"""How many points from the list of danger signs make a complaint urgent."""


@lru_cache(maxsize=1)
def _danger_signs() -> Mapping[str, Sequence[tuple[frozenset[str], int]]]:
    """The danger signs with their points, under one of their words; every word of a sign is a key."""
    found: dict[str, list[tuple[frozenset[str], int]]] = {}
    for sign, points in _words()["emergency"].items():
        beginnings = sign.split()
        for word in beginnings:
            found.setdefault(word, [])
        found[beginnings[0]].append((frozenset(beginnings), points))
    return found


@lru_cache(maxsize=4096)
def _beginnings(word: str) -> tuple[str, ...]:
    """The words of danger signs that begin this word."""
    signs = _danger_signs()
    return tuple([word[:end] for end in range(1, len(word) + 1) if word[:end] in signs])


@lru_cache(maxsize=4096)
def _signs_in(statement: str) -> Mapping[frozenset[str], int]:
    """The danger signs of one statement: every word of a sign begins a word of the same sentence."""
    found: dict[frozenset[str], int] = {}
    signs = _danger_signs()
    for sentence in sentences(statement):
        heard = {begins for word in spoken_words(straight(sentence)) for begins in _beginnings(word)}
        for begins in heard:
            found.update([entry for entry in signs[begins] if entry[0] <= heard])
    return found


def sounds_urgent(statements: Iterable[str]) -> bool:
    """Whether the words sound urgent: danger signs, each counted once, and that something is happening now."""
    found: dict[frozenset[str], int] = {}
    for statement in statements:
        found.update(_signs_in(statement))
    return sum(found.values()) >= _URGENT


def for_diagnosis(text: str, departments: Sequence[str]) -> str:
    """The department for a diagnosis that is named in these words; empty if no diagnosis is known here."""
    return next((department for department in _treating(text) if department in departments), "")


@lru_cache(maxsize=4096)
def _treating(text: str) -> tuple[str, ...]:
    """The departments that treat the diagnosis in these words. Each round asks again, so the result is cached."""
    lowered = straight(text).lower()
    named = (treats for name, treats in _directory() if name in lowered and contains_phrase(lowered, name))
    return next(named, ()) if text else ()


def for_unknown_diagnosis(text: str, departments: Sequence[str]) -> str:
    """The department that the words of an unknown diagnosis point to; empty when they point nowhere clearly."""
    ranked = rank([text], departments)
    return ranked[0][1] if ranked[0][0] > 0 and (len(ranked) == 1 or ranked[0][0] > ranked[1][0]) else ""
