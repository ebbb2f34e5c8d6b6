"""One typed class for each template in this folder. A role only gets what its class has fields for.

Everything that somebody says is plain text (`Prompt[str]`): reports, guidance, a patient's words. Decisions are small
forms. `words` is the most words of a reply. `cue` steers offline players and is never printed.
"""

from polyclinic.clinics.rounds.prompts.author import WritesMemories, WritesScript, WritesStep
from polyclinic.clinics.rounds.prompts.exam import AnswersExam
from polyclinic.clinics.rounds.prompts.patient import PatientAnswers, PatientOpens
from polyclinic.clinics.rounds.prompts.reviewers import AnswersKnowledge, ChecksFacts, ChecksSafety
from polyclinic.clinics.rounds.prompts.student import StudentActs, StudentAnalyses, StudentChooses
from polyclinic.clinics.rounds.prompts.tutor import (
    TutorAsks,
    TutorGuides,
    TutorHelps,
    TutorLectures,
    TutorRevises,
    TutorThinks,
)

PROMPTS = (
    WritesStep,
    WritesScript,
    WritesMemories,
    PatientOpens,
    PatientAnswers,
    StudentAnalyses,
    StudentActs,
    StudentChooses,
    TutorGuides,
    TutorThinks,
    TutorAsks,
    TutorHelps,
    TutorLectures,
    TutorRevises,
    ChecksFacts,
    ChecksSafety,
    AnswersKnowledge,
    AnswersExam,
)
