"""One typed class for each template in this folder: those of the patient's side, the doctor's side and the scribe."""

from __future__ import annotations

from typing import Any

from polyclinic.clinics.patient.prompts.doctor.colleagues import Recruits, Triages
from polyclinic.clinics.patient.prompts.doctor.conclusion import Advises, Concludes, Studies
from polyclinic.clinics.patient.prompts.doctor.interview import AsksQuestion, Cheats, Consults, Soothes
from polyclinic.clinics.patient.prompts.patient.answers import (
    Aligns,
    AnswersAttended,
    AnswersOverall,
    AnswersStepwise,
    PicksAnswer,
    Thinks,
)
from polyclinic.clinics.patient.prompts.patient.attention import Attends, Merges
from polyclinic.clinics.patient.prompts.patient.complaint import Blurs, Complains, Panics
from polyclinic.clinics.patient.prompts.scribe.summary import Summarises
from polyclinic.core.prompt import Prompt

PROMPTS: tuple[type[Prompt[Any]], ...] = (
    Blurs,
    Complains,
    Attends,
    Merges,
    AnswersAttended,
    AnswersOverall,
    AnswersStepwise,
    Thinks,
    PicksAnswer,
    Aligns,
    Panics,
    Triages,
    AsksQuestion,
    Consults,
    Recruits,
    Cheats,
    Soothes,
    Concludes,
    Advises,
    Studies,
    Summarises,
)
