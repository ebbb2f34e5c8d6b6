"""Whether a conclusion is the record's diagnosis: names by an exact table, everything else by the reader."""

from __future__ import annotations

import re

from polyclinic.clinics.patient.readings import DIAGNOSIS
from polyclinic.clinics.patient.rules.meaning import Reads
from polyclinic.clinics.patient.scenario.record import Record
from polyclinic.text.normal import normalise
from polyclinic.text.phrases import mentioned

_UNSETTLED = re.compile(
    r"\b(?:no|not|never|without|nor|neither|unlikely|excluded?|excludes|ruled out|rule out|rather than|instead of"
    r"|or|versus|vs|maybe|perhaps|unless|but)\b|\?"
)


async def is_right(reads: Reads, diagnosis: str, record: Record) -> bool:
    """A name of the disease (or its abbreviation) is right unless other words could turn it round; those are read.

    A broader name ("bowel obstruction") gives a case away when a patient says it, and is still no diagnosis.
    """
    names = (*record.disease.diagnoses, record.diagnosis)
    if mentioned(diagnosis, names) and not _UNSETTLED.search(normalise(diagnosis)):
        return True
    if normalise(diagnosis).strip(" .") in {normalise(name) for name in record.disease.broader}:
        return False
    (found,) = await reads(diagnosis, [DIAGNOSIS.ask(diagnosis=record.diagnosis)])
    return found.yes
