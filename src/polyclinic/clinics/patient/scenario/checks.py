"""The linter for case files: what is missing, what contradicts itself, what would give the diagnosis away.

Findings are sentences with the record, the place and the fix; an empty list means that a case is fit for use. Each
check has a name and looks for one kind of fault; `CHECKS` holds them all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from polyclinic.clinics.patient.scenario.checking import RecordCheck
from polyclinic.clinics.patient.scenario.checks_body import BODY_CHECKS
from polyclinic.clinics.patient.scenario.checks_shape import SHAPE_CHECKS
from polyclinic.clinics.patient.scenario.checks_words import WORD_CHECKS
from polyclinic.clinics.patient.scenario.record import Record

CHECKS: dict[str, RecordCheck] = {**SHAPE_CHECKS, **WORD_CHECKS, **BODY_CHECKS}


def lint_records(records: Sequence[Record]) -> list[str]:
    """Every finding over a set of records."""
    findings = [
        f"{id}: the id is used {count} times" for id, count in Counter(r.id for r in records).items() if count > 1
    ]
    for record in records:
        for check in CHECKS.values():
            findings += [f"{record.id}: {finding}" for finding in check(record)]
    return findings
