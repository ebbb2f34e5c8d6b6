"""Which patients need emergency help now: one definition for our own hospitals and for imported ones.

An emergency is somebody with a disease that cannot wait and that nobody has diagnosed yet, or with something that is
happening now (`data/emergencies.toml`). A patient with a warning sign may need help now or may not. Nobody can tell
from the symptoms alone, so this patient counts neither as an emergency nor as a possible false alarm.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from polyclinic.core.files import package_data
from polyclinic.text.normal import straight
from polyclinic.text.words import words


@lru_cache(maxsize=1)
def _diseases() -> frozenset[str]:
    return frozenset(straight(name).lower() for name in _listed("cannot_wait"))


@lru_cache(maxsize=1)
def _signs() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(sign.split()) for sign in _listed("warning_signs"))


def _listed(name: str) -> list[str]:
    return list(package_data("polyclinic.clinics.frontdesk", "data/emergencies.toml")[name])


@lru_cache(maxsize=1024)
def cannot_wait(disease: str) -> bool:
    """Whether this disease cannot wait for an appointment."""
    return straight(disease).lower() in _diseases()


def has_warning_sign(symptoms: Sequence[str]) -> bool:
    """Whether one of these symptoms is a warning sign."""
    return True in map(_is_warning_sign, symptoms)


@lru_cache(maxsize=4096)
def _is_warning_sign(symptom: str) -> bool:
    said = frozenset(words(straight(symptom).lower()))
    return any(sign <= said for sign in _signs())
