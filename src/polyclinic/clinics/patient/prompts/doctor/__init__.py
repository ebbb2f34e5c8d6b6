"""What the doctor's side is asked: triage, questions, calling in others, cheating to test the patient, conclusions.

What a doctor says is plain text. Decisions have fixed choices, which come from the prompt's own fields.
"""

from __future__ import annotations

from polyclinic.clinics.patient.prompts.doctor.colleagues import (
    EarlierTriage,
    Recruits,
    Triages,
)
from polyclinic.clinics.patient.prompts.doctor.conclusion import (
    Advises,
    Concludes,
    Studies,
)
from polyclinic.clinics.patient.prompts.doctor.interview import (
    AsksQuestion,
    Cheats,
    Consults,
    Interviewing,
    Soothes,
    TrickSetting,
    Turns,
)
from polyclinic.clinics.patient.prompts.doctor.replies import (
    CONCLUDE,
    CONCLUDES,
    NOBODY,
    QUESTION_TYPES,
    Colleagues,
    Conclusion,
    Sent,
    wants_to_conclude,
)

__all__ = [
    "CONCLUDE",
    "CONCLUDES",
    "NOBODY",
    "QUESTION_TYPES",
    "Advises",
    "AsksQuestion",
    "Cheats",
    "Colleagues",
    "Concludes",
    "Conclusion",
    "Consults",
    "EarlierTriage",
    "Interviewing",
    "Recruits",
    "Sent",
    "Soothes",
    "Studies",
    "Triages",
    "TrickSetting",
    "Turns",
    "wants_to_conclude",
]
