"""What checks of case files share: their type, two simple forms of a check, and how a fact is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from polyclinic.clinics.patient.scenario.record import Fact, Record

RecordCheck = Callable[[Record], Iterator[str]]


def whole(wrong: Callable[[Record], object], says: str) -> RecordCheck:
    """A check of a record as a whole. `says` may print its values, such as ``{record.age_text}``."""

    def check(record: Record) -> Iterator[str]:
        if wrong(record):
            yield says.format(record=record)

    return check


def each_line(wrong: Callable[[Record, Fact], object], says: str) -> RecordCheck:
    """A check of every spoken line. `says` may also print the ``{line}``."""

    def check(record: Record) -> Iterator[str]:
        for fact in record.spoken:
            if wrong(record, fact):
                yield says.format(record=record, line=short(fact))

    return check


def short(fact: Fact) -> str:
    """A fact's text, cut if it is long."""
    return fact.text if len(fact.text) <= 70 else fact.text[:69] + "…"
