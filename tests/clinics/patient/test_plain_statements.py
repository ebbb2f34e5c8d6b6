"""Every record says what a person would simply know: habits, fever, weight, travel, earlier times, operations, home."""

from __future__ import annotations

import re

import pytest

from polyclinic.clinics.patient.scenario.record import Record, Topic
from polyclinic.clinics.patient.scenario.shipped import shipped_records

GROWN_UP = 13
FERTILE = range(13, 56)
PLAIN = {
    "smoking": r"smok|cigarette|\bvape",
    "alcohol": r"alcohol|\bwine|\bbeer|vodka|whisky|brand(?:y|ies)|sherry|drink",
    "drugs": r"\bdrugs|cocaine|cannabis",
    "fever": r"fever|chills|shiver|temperature|\bhot\b",
    "weight": r"weight|kilos|\bthin\b|trousers|clothes",
    "travel or contact": r"travelled|abroad|flight|\bis ill\b|infection",
    "earlier times": r"before|first time|same pain|similar|shorter attacks|like this once|spells|six times|milder",
    "periods or pregnancy": r"period|pregnan|birth|hysterectomy|I had a baby",
    "operations": r"operat|spleen|stent|tonsils|hysterectomy|replacement|piece of the small intestine",
    "work": r"\bI (?:am|was|used to|manage|work|drive|run|teach|keep|lay|study|share|started|do)\b|[Jj]ob|school",
    "home": r"\bliv(?:e|es|ing)\b|share a flat|widow|at home with",
}
WHERE = {"alcohol": (Topic.HABITS,), "work": (Topic.SOCIAL,), "home": (Topic.SOCIAL,)}


def _asked_of(record: Record) -> set[str]:
    """What this patient can be asked: no work or drink of a child, no periods of a man."""
    left = set() if record.age >= GROWN_UP else {"alcohol", "drugs", "work"}
    return set(PLAIN) - left - ({"periods or pregnancy"} if _no_periods(record) else set())


def _no_periods(record: Record) -> bool:
    return record.sex == "male" or record.age not in FERTILE


@pytest.mark.parametrize("record", shipped_records(), ids=lambda record: record.id)
def test_a_record_is_silent_on_nothing_that_a_person_would_know(record: Record) -> None:
    silent = [
        name
        for name in sorted(_asked_of(record))
        if not any(
            re.search(PLAIN[name], fact.text) and fact.topic in WHERE.get(name, tuple(Topic)) for fact in record.spoken
        )
    ]
    assert not silent
