"""What checks of case files share: their type, their names, and how a fact is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from polyclinic.clinics.patient.scenario.record import Fact, Record

RecordCheck = Callable[[Record], Iterator[str]]


def named(*checks: RecordCheck) -> dict[str, RecordCheck]:
    """The checks by name. A check's name is the function's name, with spaces instead of underscores."""
    return {check.__name__.strip("_").replace("_", " "): check for check in checks}


def short(fact: Fact) -> str:
    """A fact's text, cut if it is long."""
    return fact.text if len(fact.text) <= 70 else fact.text[:69] + "…"
