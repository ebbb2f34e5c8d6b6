"""One typed class for each pair of templates in this folder: every prompt exists in English and in Korean.

Speech is plain text. Decisions are small, flat forms; the prompt's own data say which choices are allowed.
"""

from polyclinic.clinics.counsel.prompts.counsellor import (
    CounsellorCites,
    CounsellorComforts,
    CounsellorReplies,
    PlannerPlans,
    SingleReplies,
)
from polyclinic.clinics.counsel.prompts.keeper import KeeperRemembers, KeeperSummarises
from polyclinic.clinics.counsel.prompts.other import DeskWaits, PatientSpeaks
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
