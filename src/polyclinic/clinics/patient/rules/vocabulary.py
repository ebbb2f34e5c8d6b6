"""The words the rules look for: body parts, symptoms, medical terms, refusals, diseases, tests and their other names."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from polyclinic.clinics.patient.scenario.casefile import parse_yaml
from polyclinic.clinics.patient.scenario.names import name_pattern
from polyclinic.clinics.patient.scenario.record import Record
from polyclinic.clinics.patient.scenario.shipped import data_text, diseases

WordList = Literal[
    "body_parts",
    "symptoms",
    "examination_terms",
    "concept_terms",
    "jargon",
    "refusals",
    "diseases",
    "items",
]

_SAME = {"kilo": "weight", "kilos": "weight", "kg": "weight", "temperature": "fever"}
_WORD = re.compile(r"[a-z0-9]+(?:\.[0-9]+)?")
_GENERIC_TESTS = ("biopsy", "ultrasound", "MRI", "CT", "X-ray", "endoscopy")


@lru_cache(maxsize=1)
def _lists() -> dict[str, list[str]]:
    raw = parse_yaml(data_text("vocabulary.yaml"), "vocabulary.yaml")
    lists = {name: list(words) for name, words in raw.items() if name != "tests"}
    shipped = [name for disease in diseases() for name in disease.names]
    lists["diseases"] = list(dict.fromkeys([*lists["diseases"], *shipped]))
    return lists


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    return frozenset(_lists()["stop_words"])


@lru_cache(maxsize=1)
def known_tests() -> dict[str, tuple[str, ...]]:
    """Every test that is known by name, with its other names."""
    raw = parse_yaml(data_text("vocabulary.yaml"), "vocabulary.yaml")
    return {name: tuple(others) for name, others in raw["tests"].items()}


@lru_cache(maxsize=16)
def _pattern(name: WordList) -> re.Pattern[str]:
    words = sorted(_lists()[name], key=len, reverse=True)
    acronyms = [re.escape(word) for word in words if word.isupper() and len(word) <= 5]
    others = [re.escape(word).replace(r"\ ", r"[\s\-]+") for word in words if not (word.isupper() and len(word) <= 5)]
    parts = [f"(?i:{'|'.join(others)})"] if others else []
    if acronyms:
        parts.append("|".join(acronyms))
    return re.compile(rf"(?<!\w)(?:{'|'.join(parts)})(?!\w)")


@lru_cache(maxsize=65_536)
def found(text: str, name: WordList) -> tuple[str, ...]:
    """The words of a list that occur in the text, in the order they occur, each once."""
    return tuple(dict.fromkeys(match.lower() for match in _pattern(name).findall(text)))


@lru_cache(maxsize=65_536)
def content_words(text: str) -> frozenset[str]:
    """The words that carry meaning, cut to a stem of sorts so that 'hurts' meets 'hurt'."""
    stop = _stop_words()
    return frozenset(_stem(word) for word in _WORD.findall(text.lower()) if word not in stop and len(word) > 1)


def _stem(word: str) -> str:
    if word[0].isdigit():
        return word
    word = _SAME.get(word, word)
    for ending in ("ing", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def overlap(part: str, whole: str) -> float:
    """The share of the first text's content words that the second one has."""
    words = content_words(part)
    return len(words & content_words(whole)) / len(words) if words else 0.0


@lru_cache(maxsize=8_192)
def _asked_tests(question: str) -> tuple[str, ...]:
    named = [
        name
        for name, others in known_tests().items()
        if any(name_pattern(candidate).search(question) for candidate in (name, *others))
    ]
    return tuple(dict.fromkeys(named))


def asked_tests(question: str) -> tuple[str, ...]:
    """The known tests a question names."""
    return _asked_tests(question)


def tests_in_record(question: str, record: Record) -> list[str]:
    """The record's investigations that a question names: by name, by another name, or by kind when nothing finer is said."""
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
    """Whether a question names any test, be it in the record or not."""
    return bool(asked_tests(question)) or any(name_pattern(kind).search(question) for kind in _GENERIC_TESTS)
