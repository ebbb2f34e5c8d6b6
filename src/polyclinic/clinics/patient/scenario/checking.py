"""What checks of case files share: their type, their names, and how a fact is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from polyclinic.clinics.patient.scenario.record import Fact, Record

Check = Callable[[Record], Iterator[str]]


def named(*checks: Check) -> dict[str, Check]:
    """The checks by name. A check's name is the function's name, with spaces instead of underscores."""
    return {check.__name__.strip("_").replace("_", " "): check for check in checks}


def short(fact: Fact) -> str:
    """A fact's text, cut if it is long."""
    return fact.text if len(fact.text) <= 70 else fact.text[:69] + "…"
