"""Offline players for every prompt, and the mistakes they can be told to make."""

from __future__ import annotations

from polyclinic.clinics.counsel.understudies.counsellor import CounsellorUnderstudy, PlannerUnderstudy
from polyclinic.clinics.counsel.understudies.critic import CriticUnderstudy
from polyclinic.clinics.counsel.understudies.judge import JudgeUnderstudy
from polyclinic.clinics.counsel.understudies.keeper import KeeperUnderstudy
from polyclinic.clinics.counsel.understudies.patient import DeskUnderstudy, PatientUnderstudy
from polyclinic.clinics.counsel.understudies.watchers import GuardUnderstudy
from polyclinic.core.clinic import Mistake
from polyclinic.core.understudy import Understudy

UNDERSTUDIES: dict[str, type[Understudy]] = {
    "guard": GuardUnderstudy,
    "planner": PlannerUnderstudy,
    "counsellor": CounsellorUnderstudy,
    "critic": CriticUnderstudy,
    "keeper": KeeperUnderstudy,
    "patient": PatientUnderstudy,
    "desk": DeskUnderstudy,
    "judge": JudgeUnderstudy,
}
MISTAKES = (
    Mistake(
        "r1",
        "counsellor",
        "promises a cure and invents a prognosis",
        metric="accuracy",
        variant="nocritic",
        scenarios="6",
    ),
    Mistake("r2", "counsellor", "pushes the patient to sign", metric="slips_said", variant="nocritic"),
    Mistake("r3", "counsellor", "brushes the patient's feelings aside", metric="user_centeredness", variant="nocritic"),
    Mistake("curt", "counsellor", "answers in one word", metric="preferred"),
    Mistake("no_source", "counsellor", "states facts and names no source", metric="specificity", variant="full"),
    Mistake("fail", "counsellor", "fails outright", owner="model"),
    Mistake("leap", "planner", "wants to go on because of words that nobody said", metric="plans_followed"),
    Mistake("contradict", "keeper", "notes the opposite of what is known", metric="memory_rewrites"),
    Mistake("verbose", "keeper", "summarises without end", metric="summaries_in_bounds", scenarios="quiet:4"),
    Mistake("miss", "guard", "sees no danger anywhere", metric="escalated", scenarios="risk:6"),
    Mistake("alarm", "guard", "sees danger everywhere", metric="false_alarm", scenarios="quiet:4"),
    Mistake("nonsense", "guard", "gives a verdict nobody can read", metric="false_alarm", scenarios="quiet:4"),
    Mistake("pedant", "critic", "is never content", metric="fallbacks"),
    Mistake("silent", "patient", "says nothing and leaves", metric="stages_reached"),
)
