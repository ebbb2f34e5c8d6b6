"""Simple medical knowledge for offline players: which disease or tests a text names, or which disease its clues point
to."""

from __future__ import annotations

import re
from functools import lru_cache

from polyclinic.clinics.patient.scenario.record import Disease
from polyclinic.clinics.patient.scenario.shipped import diseases, shipped_records
from polyclinic.text.phrases import mentioned, name_pattern, phrase_pattern
from polyclinic.text.questions import OF_ALL

_ANY_TEST = {
    *("ultrasound", "X-ray", "CT", "MRI", "scan", "ECG", "heart tracing", "biopsy", "endoscopy", "swab"),
    *("blood count", "blood test", "bloods", "blood work", "blood sample", "urine sample"),
}
_SOME_TEST = re.compile(
    r"\b(?!(?:the|an?|any|this|that|these|those|your|his|her|my|all|some|other|more|which|what|of|for|to|no|test|every)\b)"
    r"[a-z]+ (?:test|scan)s?\b",
    re.IGNORECASE,
)
"""A test that is in no record, such as a copper test."""
_TEST = re.compile(r"\b(?:tests?|tested|testing)\b", re.IGNORECASE)
_RANGE = re.compile(r"^\d.*\(.*\d.*\)$")
_NO_NAME = re.compile(r"(?:left|right|first|sample)\b", re.IGNORECASE)


@lru_cache(maxsize=4_096)
def suspects(text: str) -> tuple[tuple[Disease, int], ...]:
    """The diseases with at least one clue in the text, the most clues first."""
    low = text.lower()
    scored = [(disease, sum(clue in low for clue in disease.clues)) for disease in diseases()]
    return tuple(sorted(((d, hits) for d, hits in scored if hits), key=lambda pair: (-pair[1], pair[0].name)))


@lru_cache(maxsize=4_096)
def named(text: str) -> str:
    """The first disease that a text names; empty if there is none."""
    return next((name for disease in diseases() for name in mentioned(text, disease.names)), "")


@lru_cache(maxsize=1)
def _tests() -> tuple[str, ...]:
    """What tests are called, the longest name first."""
    known = {test.name for record in shipped_records() for test in record.investigations}
    return tuple(sorted(known | _ANY_TEST, key=lambda name: (-len(name), name)))


@lru_cache(maxsize=1)
def _measures() -> tuple[str, ...]:
    """What laboratories measure: what has a normal range after its value. A side or a sample is no name."""
    items = (item for record in shipped_records() for test in record.investigations for item in test.items.items())
    return tuple(sorted({name for name, value in items if _RANGE.search(value) and not _NO_NAME.match(name)}))


def names_measure(text: str) -> bool:
    """Whether a text names something that a laboratory measures."""
    return bool(phrase_pattern(*_measures(), loose=" -", possessive=True).search(text))


def names_test(text: str) -> bool:
    """Whether a text names a test, or has the word "test"."""
    return bool(_TEST.search(without_tests(text)))


def without_tests(text: str) -> str:
    """The text with "test" instead of each test's name."""
    for name in _tests():
        text = name_pattern(name).sub("test", text)
    return _SOME_TEST.sub("test", text)


def asks_for_all(text: str) -> bool:
    """Whether a text asks for all of something."""
    return bool(OF_ALL.search(text))


def hunch(text: str) -> str:
    """The disease with the most clues in a text; empty if there is none."""
    ranked = suspects(text)
    return ranked[0][0].name if ranked else ""
