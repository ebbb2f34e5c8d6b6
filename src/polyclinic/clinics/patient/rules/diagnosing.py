"""Whether a conclusion is the record's diagnosis: names are found by an exact table, everything else is decided by the
reader."""

from __future__ import annotations

import re

from polyclinic.clinics.patient.readings import DIAGNOSIS
from polyclinic.clinics.patient.scenario.record import Record
from polyclinic.core.reading import Reads
from polyclinic.text.normal import normalise
from polyclinic.text.phrases import mentioned

_DENIED = r"no|not|never|without|nor|neither|unlikely|excluded?|excludes|ruled out|rule out|rather than|instead of"
_DENIES = re.compile(rf"\b(?:{_DENIED})\b")
_UNSETTLED = re.compile(rf"\b(?:{_DENIED}|or|versus|vs|maybe|perhaps|unless|but)\b|\?")


async def is_right(reads: Reads, diagnosis: str, record: Record) -> bool:
    """Whether a diagnosis is right. A name or abbreviation of the disease is right, unless other words may reverse it.

    In doubt the reader decides. A broader name ("bowel obstruction") is a leak if a patient says it, but it is no
    diagnosis.
    """
    if mentioned(diagnosis, _names(record)) and not _UNSETTLED.search(normalise(diagnosis)):
        return True
    if normalise(diagnosis).strip(" .") in {normalise(name) for name in record.disease.broader}:
        return False
    (found,) = await reads(diagnosis, [DIAGNOSIS.ask(diagnosis=record.diagnosis)])
    return found.yes


def is_named(diagnosis: str, record: Record) -> bool:
    """Whether the right diagnosis is among those that are named, and nothing is denied."""
    return bool(mentioned(diagnosis, _names(record))) and not _DENIES.search(normalise(diagnosis))


def _names(record: Record) -> tuple[str, ...]:
    return (*record.disease.diagnoses, record.diagnosis)
