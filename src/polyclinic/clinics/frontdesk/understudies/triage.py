"""A desk's rule of thumb: which department a complaint points to. It errs, as rules of thumb do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from polyclinic.clinics.frontdesk.scenario.diseases import packaged_diseases, spoken_names
from polyclinic.core.files import package_data


@lru_cache(maxsize=1)
def _words() -> Mapping[str, Mapping[str, int]]:
    table: Mapping[str, Mapping[str, int]] = package_data("polyclinic.clinics.frontdesk", "data/triage.toml")
    return table


@lru_cache(maxsize=1)
def _directory() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Known diagnoses, longest names first, so that "type 2 diabetes" is not taken for another kind."""
    names = [(name, disease.departments) for disease in packaged_diseases() for name in spoken_names(disease.name)]
    return tuple(sorted(names, key=lambda entry: (-len(entry[0]), entry[0])))


def rank(text: str, departments: Sequence[str]) -> list[tuple[int, str]]:
    """The hospital's departments by how strongly the words point to each, strongest first; ties in the given order."""
    lowered = text.lower()
    scores = [
        (sum(weight for word, weight in _words().get(name, {}).items() if word in lowered), name)
        for name in departments
    ]
    return sorted(scores, key=lambda entry: -entry[0])


def for_diagnosis(text: str, departments: Sequence[str]) -> str:
    """The department for a diagnosis that is named in these words; empty when none is known here."""
    lowered = text.lower()
    for name, treats in _directory():
        if name in lowered:
            return next((department for department in treats if department in departments), "")
    return ""
