"""A shipped case by its id."""

from __future__ import annotations

from polyclinic.clinics.rounds.scenario.case import TeachingCase
from polyclinic.clinics.rounds.scenario.shipped import shipped_case


def case_named(case_id: str) -> TeachingCase:
    """The shipped case with this id."""
    case = shipped_case(case_id)
    assert case is not None, case_id
    return case
