"""Offline players for every prompt: rules that read the typed prompt. They are only baselines."""

from __future__ import annotations

from polyclinic.clinics.patient.understudies.doctor import CheaterUnderstudy, DoctorUnderstudy
from polyclinic.clinics.patient.understudies.judge import JudgeUnderstudy
from polyclinic.clinics.patient.understudies.patient import PatientUnderstudy
from polyclinic.clinics.patient.understudies.staff import AttentionUnderstudy, ScribeUnderstudy, VaguenessUnderstudy
from polyclinic.core.clinic import Mistake
from polyclinic.core.understudy import Understudy

UNDERSTUDIES: dict[str, type[Understudy]] = {
    "patient": PatientUnderstudy,
    "attention": AttentionUnderstudy,
    "vagueness": VaguenessUnderstudy,
    "scribe": ScribeUnderstudy,
    "doctor": DoctorUnderstudy,
    "triage": DoctorUnderstudy,
    "cheater": CheaterUnderstudy,
    "judge": JudgeUnderstudy,
}
MISTAKES = (
    Mistake("leak", "patient", "names its disease whatever it is asked", metric="leak_free"),
    Mistake("babble", "patient", "pours out all it knows", metric="robustness"),
    Mistake("ramble", "patient", "uses many words for every answer", metric="words_per_answer"),
    Mistake(
        "first_is_best",
        "judge",
        "prefers whatever it reads first, so that every duel ends in a draw",
        metric="draws_cheat",
        variant="duel-few-shot-2",
        scenarios="4",
    ),
    Mistake("mute", "patient", "declines every question", metric="fair_refused"),
    Mistake("vague_questions", "doctor", "asks nothing in particular", metric="specificity", variant="doctor-profile"),
    Mistake("blind", "doctor", "always concludes with the same diagnosis", metric="right_diagnosis"),
    Mistake("tests_everything", "doctor", "only orders tests, never asks", metric="elicited", scenarios="8"),
)
