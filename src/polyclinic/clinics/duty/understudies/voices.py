"""The offline players' two voices: two wordings of everything they say. No judge and no rule reads these files."""

from __future__ import annotations

from functools import cache

from polyclinic.core.files import package_data
from polyclinic.core.message import Frozen


class Move(Frozen):
    """One part of a message: how it is said well, and how it is said when a habit wins. Without a habit it is always
    said well.
    """

    good: str
    habit: str = ""
    bad: str = ""


class Manner(Frozen):
    """What a person with a strong trait says, and what one without it says."""

    shows: str
    lacks: str


class PatientWords(Frozen):
    """The patient's own phrases."""

    worry: str
    back: str
    nothing: str


class Voice(Frozen):
    """Everything an offline player can say."""

    moves: dict[str, Move]
    manner: dict[str, Manner]
    patient: PatientWords


@cache
def voice(name: str) -> Voice:
    """One of the two voices."""
    return Voice.model_validate(package_data("polyclinic.clinics.duty", f"data/voices/{name}.yaml"))
