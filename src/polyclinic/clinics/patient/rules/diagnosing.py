"""A little medical sense: which diseases a story points to, by the clues that each is known for."""

from __future__ import annotations

from functools import lru_cache

from polyclinic.clinics.patient.scenario.record import Disease, Record
from polyclinic.clinics.patient.scenario.shipped import diseases
from polyclinic.text.phrases import mentioned


@lru_cache(maxsize=4_096)
def suspects(text: str) -> tuple[tuple[Disease, int], ...]:
    """The diseases with at least one clue in the text, the most clues first."""
    low = text.lower()
    scored = [(disease, sum(clue in low for clue in disease.clues)) for disease in diseases()]
    return tuple(sorted(((d, hits) for d, hits in scored if hits), key=lambda pair: (-pair[1], pair[0].name)))


def is_right(diagnosis: str, record: Record) -> bool:
    """Whether a diagnosis names the record's disease, by any of its names of more than one word or its own name."""
    names = [name for name in record.disease.names if " " in name or "-" in name or name == record.disease.name]
    strong = [*names, *(name for name in record.disease.synonyms if name.lower() in record.disease.name.lower())]
    return bool(mentioned(diagnosis, strong)) or diagnosis.strip().lower() == record.diagnosis.strip().lower()
