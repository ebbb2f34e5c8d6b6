"""Offline players for every prompt. Baselines, never to be taken for a language model."""

from __future__ import annotations

from polyclinic.clinics.rounds.understudies.author import AuthorUnderstudy
from polyclinic.clinics.rounds.understudies.judge import JudgeUnderstudy
from polyclinic.clinics.rounds.understudies.patient import PatientUnderstudy
from polyclinic.clinics.rounds.understudies.specialist import SpecialistUnderstudy
from polyclinic.clinics.rounds.understudies.student import StudentUnderstudy
from polyclinic.clinics.rounds.understudies.supervisor import SupervisorUnderstudy
from polyclinic.clinics.rounds.understudies.tutor import TutorUnderstudy
from polyclinic.core.clinic import Mistake
from polyclinic.core.understudy import Understudy

UNDERSTUDIES: dict[str, type[Understudy]] = {
    "patient": PatientUnderstudy,
    "student": StudentUnderstudy,
    "tutor": TutorUnderstudy,
    "specialist": SpecialistUnderstudy,
    "supervisor": SupervisorUnderstudy,
    "author": AuthorUnderstudy,
    "judge": JudgeUnderstudy,
}
MISTAKES = (
    Mistake("leak", "tutor", "names the answer; the leak check holds it back", metric="leak_attempts"),
    Mistake("false_fact", "tutor", "states a common error as fact and no more", metric="cs_1"),
    Mistake(
        "harm",
        "tutor",
        "says something unsafe or demeaning and no more; most of it is taken for a leak and held back",
        metric="mps",
        variant="without-supervisor",
        scenarios="3",
    ),
    Mistake("tells", "tutor", "explains instead of asking", metric="ets"),
    Mistake("ignores", "tutor", "speaks to one student only", metric="msm"),
    Mistake("aimless", "tutor", "asks nothing that leads to the next step", metric="learning_gain", scenarios="4"),
    Mistake("bad_form", "tutor", "breaks the form of its thinking", metric="reward"),
    Mistake("stubborn", "tutor", "does not correct a refused draft", metric="withheld_share", variant="plain-tutor"),
    Mistake("silent", "student", "reports next to nothing", metric="steps_held"),
    Mistake("blabs", "patient", "names the treatment", rule="patient_leak"),
    Mistake("lectures", "patient", "talks like a doctor", rule="patient_jargon"),
    Mistake("nonsense", "specialist", "gives an unreadable reply; nothing is approved", metric="withheld_share"),
    Mistake("nonsense", "supervisor", "gives an unreadable reply; nothing is approved", metric="withheld_share"),
    Mistake("misquote", "judge", "quotes words that nobody said", owner="judge"),
    Mistake("off_scale", "judge", "gives a number outside the scale", owner="judge"),
)
