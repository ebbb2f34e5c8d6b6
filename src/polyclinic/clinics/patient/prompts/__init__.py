"""One typed class for each template in this folder: those of the patient's side, the doctor's side and the scribe."""

from __future__ import annotations

from typing import Any

from polyclinic.clinics.patient.prompts.doctor import (
    Advises,
    AsksQuestion,
    Cheats,
    Concludes,
    Consults,
    Recruits,
    Soothes,
    Studies,
    Triages,
)
from polyclinic.clinics.patient.prompts.patient import (
    Aligns,
    AnswersAttended,
    AnswersOverall,
    AnswersStepwise,
    Attends,
    Blurs,
    Complains,
    Merges,
    Panics,
    PicksAnswer,
    Thinks,
)
from polyclinic.clinics.patient.prompts.scribe import Summarises
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
