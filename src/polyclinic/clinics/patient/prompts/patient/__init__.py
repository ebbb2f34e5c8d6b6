"""What the patient's side is asked: the complaint, the answers by each method, a crisis. Speech is plain text."""

from __future__ import annotations

from polyclinic.clinics.patient.prompts.patient.answers import (
    Aligns,
    AnswersAttended,
    AnswersOverall,
    AnswersStepwise,
    Interviewed,
    PicksAnswer,
    Thinks,
)
from polyclinic.clinics.patient.prompts.patient.attention import (
    Attends,
    Merges,
)
from polyclinic.clinics.patient.prompts.patient.complaint import (
    Blurs,
    Complains,
    Panics,
)
from polyclinic.clinics.patient.prompts.patient.facts import (
    Known,
    Memory,
    Player,
)
from polyclinic.clinics.patient.prompts.patient.replies import (
    NONE,
    Picked,
    Plans,
    Thought,
    lines_of,
)

__all__ = [
    "NONE",
    "Aligns",
    "AnswersAttended",
    "AnswersOverall",
    "AnswersStepwise",
    "Attends",
    "Blurs",
    "Complains",
    "Interviewed",
    "Known",
    "Memory",
    "Merges",
    "Panics",
    "Picked",
    "PicksAnswer",
    "Plans",
    "Player",
    "Thinks",
    "Thought",
    "lines_of",
]
