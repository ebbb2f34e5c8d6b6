"""Whether a conclusion is the record's diagnosis: names are found by an exact table, everything else is decided by the
reader."""

from __future__ import annotations

import re

from polyclinic.clinics.patient.readings import DIAGNOSIS
from polyclinic.clinics.patient.scenario.record import Record
from polyclinic.core.reading import Reads
from polyclinic.text.normal import normalise
from polyclinic.text.phrases import mentioned

_CLAUSES = re.compile(r"[,;:.!\n]|(?=\b(?:rather than|instead of)\b)", re.IGNORECASE)
_DENIES = re.compile(
    r"\b(?:no|not|never|without|nor|neither|cannot|unlikely|excluded?|excludes|ruled out|rule out|rather than"
    r"|instead of)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(r"no|not|never", re.IGNORECASE)
_UNSETTLED = re.compile(r"\b(?:or|versus|vs|maybe|perhaps|unless|but)\b|\?")


async def is_right(reads: Reads, diagnosis: str, record: Record) -> bool:
    """Whether a diagnosis is right. A name or abbreviation of the disease is right, unless other words may reverse it:
    "heart attack, not reflux" is, "no heart attack: anxiety" is not.

    In doubt the reader decides. A broader name ("bowel obstruction") is a leak if a patient says it, but it is no
    diagnosis.
    """
    if is_named(diagnosis, record) and not _UNSETTLED.search(normalise(diagnosis)):
        return True
    if normalise(diagnosis).strip(" .") in {normalise(name) for name in record.disease.broader}:
        return False
    (found,) = await reads(diagnosis, [DIAGNOSIS.ask(diagnosis=record.diagnosis)])
    return found.yes


def is_named(diagnosis: str, record: Record) -> bool:
    """Whether the right diagnosis is among those that are named and not denied."""
    return bool(mentioned(_affirmed(diagnosis), _names(record)))


def _affirmed(diagnosis: str) -> str:
    """The clauses of a diagnosis that deny nothing. Empty if one is only "no": it takes back the words before it."""
    clauses = [clause.strip() for clause in _CLAUSES.split(diagnosis)]
    if any(_TAKEN_BACK.fullmatch(clause) for clause in clauses):
        return ""
    return ", ".join(clause for clause in clauses if not _DENIES.search(clause))


def _names(record: Record) -> tuple[str, ...]:
    return (*record.disease.diagnoses, record.diagnosis)
