"""The sentences of understudies, in two voices. They belong to the players alone: no judge, reviewer or rule reads
them.
"""

from __future__ import annotations

from functools import lru_cache

from pydantic import Field

from polyclinic.clinics.rounds.scenario.case import TeachingCase
from polyclinic.clinics.rounds.scenario.shipped import PACKAGE, data_folder
from polyclinic.core.files import package_data
from polyclinic.core.message import Frozen


class TutorVoice(Frozen):
    """How the tutor thanks, links, asks, thinks and misbehaves."""

    thanks: tuple[str, ...]
    links: tuple[str, ...]
    alone: str
    bare: str
    lectures: str
    lecture_ends: str
    helps: str
    tells: str
    aimless: str
    ignores: str
    leaks: str
    harms: tuple[str, ...]
    history: str
    aim: str
    has: str
    has_none: str
    needs: str
    complete: str
    holding: str
    nobody: str
    blind: str
    picture: str
    no_picture: str


class StudentVoice(Frozen):
    """How a student reports, prefers an answer and asks. `says` are phrases that introduce a step, by how the student
    came to it; `history` are the questions that every student asks every patient, by topic.
    """

    manner: dict[str, str]
    leans: dict[str, str]
    hedge: str
    says: dict[str, str]
    lost: str
    lost_weak: str
    sheet: str
    again: str
    silent: str
    guess: str
    reasons: str
    history: dict[str, str]
    asks_stiff: str
    asks_warm: str
    asks_expert: str


class PatientVoice(Frozen):
    """How a patient, or somebody who speaks for one, begins, and what they say when they do not know something."""

    openers: dict[str, str]
    for_another: dict[str, str]
    unknown: str
    no_memory: str
    blabs: str
    lectures: str


class StepWords(Frozen):
    """One step in a player's own words: how a tutor asks for it and how a student says it."""

    asks: str
    says: str


class Voice(Frozen):
    """One voice of the whole cast. `steps` has the steps of cases for which it has its own words."""

    tutor: TutorVoice
    student: StudentVoice
    patient: PatientVoice
    steps: dict[str, tuple[StepWords, ...]] = Field(default_factory=dict)

    def step(self, case: TeachingCase | None, number: int) -> StepWords | None:
        """The step in this voice's own words; None if it has none and uses the case's words."""
        known = self.steps.get(case.id, ()) if case is not None else ()
        return known[number] if number < len(known) else None


@lru_cache(maxsize=4)
def voice(name: str) -> Voice:
    """The voice of that name."""
    plain = package_data(PACKAGE, f"data/voices/{name}.yaml")
    own = f"data/voices/{name}_steps.yaml"
    steps = package_data(PACKAGE, own) if data_folder().joinpath("voices", f"{name}_steps.yaml").is_file() else {}
    return Voice.model_validate({**plain, "steps": steps})
