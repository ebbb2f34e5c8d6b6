"""Simple medical knowledge for offline players: which disease or tests a text names, or which disease its clues point
to."""

from __future__ import annotations

from functools import lru_cache

from polyclinic.clinics.patient.scenario.record import Disease
from polyclinic.clinics.patient.scenario.shipped import diseases, shipped_records
from polyclinic.text.phrases import mentioned, name_pattern

_ANY_TEST = {"ultrasound", "X-ray", "CT", "MRI", "ECG", "biopsy", "endoscopy", "blood count", "blood test"}


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


def names_test(text: str) -> bool:
    """Whether a text names a test, or has the word "test"."""
    return "test" in without_tests(text).lower()


def without_tests(text: str) -> str:
    """The text with "test" instead of each test's name."""
    for name in _tests():
        text = name_pattern(name).sub("test", text)
    return text


def hunch(text: str) -> str:
    """The disease with the most clues in a text; empty if there is none."""
    ranked = suspects(text)
    return ranked[0][0].name if ranked else ""
