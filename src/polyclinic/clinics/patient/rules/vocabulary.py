"""The words that the rules look for: body parts, symptoms, medical terms, refusals, diseases, tests and their other
names."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from polyclinic.clinics.patient.scenario.record import Record
from polyclinic.clinics.patient.scenario.shipped import data, diseases
from polyclinic.text.phrases import name_pattern, phrase_pattern
from polyclinic.text.words import STOP_WORDS, ContentWords

WordList = Literal[
    "body_parts",
    "symptoms",
    "examination_terms",
    "concept_terms",
    "jargon",
    "diseases",
    "items",
]

_SAME = {"kilo": "weight", "kilos": "weight", "kg": "weight", "temperature": "fever"}
_GENERIC_TESTS = ("biopsy", "ultrasound", "MRI", "CT", "X-ray", "endoscopy")


@lru_cache(maxsize=1)
def _lists() -> dict[str, list[str]]:
    raw = data("vocabulary.yaml")
    lists = {name: list(words) for name, words in raw.items() if name != "tests"}
    shipped = [name for disease in diseases() for name in disease.names]
    lists["diseases"] = list(dict.fromkeys([*lists["diseases"], *shipped]))
    return lists


@lru_cache(maxsize=1)
def _content() -> ContentWords:
    return ContentWords(STOP_WORDS | set(_lists()["stop_words"]), same=_SAME, decimals=True)


@lru_cache(maxsize=1)
def known_tests() -> dict[str, tuple[str, ...]]:
    """Every test that is known by name, with its other names."""
    raw = data("vocabulary.yaml")
    return {name: tuple(others) for name, others in raw["tests"].items()}


def test_names(test: str) -> tuple[str, ...]:
    """A known test's name and its other names."""
    return (test, *known_tests()[test])


@lru_cache(maxsize=16)
def _pattern(name: WordList) -> re.Pattern[str]:
    return phrase_pattern(*sorted(_lists()[name], key=len, reverse=True), loose=" ", acronyms=True)


@lru_cache(maxsize=8_192)
def found(text: str, name: WordList) -> tuple[str, ...]:
    """The words of a list that occur in the text, in the order they occur, each once."""
    return tuple(dict.fromkeys(match.lower() for match in _pattern(name).findall(text)))


def content_words(text: str) -> frozenset[str]:
    """The words with meaning, cut to a simple stem, so that 'hurts' matches 'hurt'."""
    return _content()(text)


def overlap(part: str, whole: str) -> float:
    """The share of the first text's content words that the second one has."""
    return _content().overlap(part, whole)


@lru_cache(maxsize=8_192)
def asked_tests(question: str) -> tuple[str, ...]:
    """The known tests a question names."""
    return tuple(
        test
        for test, others in known_tests().items()
        if any(name_pattern(name).search(question) for name in (test, *others))
    )


def tests_in_record(question: str, record: Record) -> list[str]:
    """The record's investigations that a question names: by name, by another name, or by kind if nothing more exact is
    said."""
    own = [test.name for test in record.investigations]
    exact = [name for name in own if name in asked_tests(question) or name_pattern(name).search(question)]
    if exact:
        return exact
    if asked_tests(question):
        return []
    for kind in _GENERIC_TESTS:
        if name_pattern(kind).search(question):
            return [name for name in own if name_pattern(kind).search(name)][:1]
    return []


def names_a_test(question: str) -> bool:
    """Whether a question names any test, in the record or not."""
    return bool(asked_tests(question)) or any(name_pattern(kind).search(question) for kind in _GENERIC_TESTS)
