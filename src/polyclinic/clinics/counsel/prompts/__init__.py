"""One typed class for each pair of templates in this folder: every prompt exists in English and in Korean.

Speech is plain text. Decisions are small, flat forms; the prompt's own data say which choices are allowed.
"""

from __future__ import annotations

from polyclinic.clinics.counsel.prompts.counsellor import (
    CounsellorCites,
    CounsellorComforts,
    CounsellorReplies,
    PlannerPlans,
    SingleReplies,
)
from polyclinic.clinics.counsel.prompts.keeper import KeeperRemembers, KeeperSummarises
from polyclinic.clinics.counsel.prompts.other import DeskWaits, PatientSpeaks
from polyclinic.clinics.counsel.prompts.replies import (
    NONE,
    NOTHING,
    Cited,
    Criticism,
    Cue,
    DeskSays,
    Fault,
    GuardVerdict,
    Plan,
    Remembers,
    SourceShown,
)
from polyclinic.clinics.counsel.prompts.reviewers import CriticJudges, GuardChecks

PROMPTS = (
    GuardChecks,
    PlannerPlans,
    CounsellorReplies,
    CounsellorComforts,
    CounsellorCites,
    CriticJudges,
    KeeperRemembers,
    KeeperSummarises,
    SingleReplies,
    PatientSpeaks,
    DeskWaits,
)

__all__ = [
    "NONE",
    "NOTHING",
    "PROMPTS",
    "Cited",
    "CounsellorCites",
    "CounsellorComforts",
    "CounsellorReplies",
    "CriticJudges",
    "Criticism",
    "Cue",
    "DeskSays",
    "DeskWaits",
    "Fault",
    "GuardChecks",
    "GuardVerdict",
    "KeeperRemembers",
    "KeeperSummarises",
    "PatientSpeaks",
    "Plan",
    "PlannerPlans",
    "Remembers",
    "SingleReplies",
    "SourceShown",
]
