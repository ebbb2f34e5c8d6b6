"""The twenty disciplines a patient can be sent to, with what each looks after."""

from __future__ import annotations

from functools import lru_cache

from pydantic import TypeAdapter

from polyclinic.clinics.patient.scenario.shipped import data
from polyclinic.core.message import Frozen

DISCIPLINES: tuple[str, ...] = (
    "Internal Medicine",
    "Surgery",
    "Obstetrics and Gynecology",
    "Pediatrics",
    "Ophthalmology",
    "Otorhinolaryngology",
    "Stomatology",
    "Dermatology",
    "Psychiatry",
    "Oncology",
    "Infectious Diseases",
    "Emergency Medicine",
    "Rehabilitation",
    "Traditional Chinese Medicine",
    "Anesthesiology",
    "Radiology",
    "Pathology",
    "Laboratory Medicine",
    "Nutrition",
    "Preventive Medicine",
)


class Discipline(Frozen):
    """One discipline: what its doctor is good at, the words that point to it, and what it tends to ask."""

    name: str
    expertise: str
    signs: tuple[str, ...]
    questions: tuple[str, ...]


@lru_cache(maxsize=1)
def disciplines() -> dict[str, Discipline]:
    """All twenty disciplines, by name."""
    raw = data("disciplines.yaml")
    found = TypeAdapter(tuple[Discipline, ...]).validate_python(raw["disciplines"])
    return {discipline.name: discipline for discipline in found}
