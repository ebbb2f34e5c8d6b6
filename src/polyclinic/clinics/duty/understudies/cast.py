"""Offline players with explicit habits, for every prompt, and their named mistakes. Baselines, never to be
taken for a language model.
"""

from __future__ import annotations

from polyclinic.clinics.duty.understudies.judge import JudgeUnderstudy
from polyclinic.clinics.duty.understudies.patient import PatientUnderstudy
from polyclinic.clinics.duty.understudies.reflector import ReflectorUnderstudy
from polyclinic.clinics.duty.understudies.staff import StaffUnderstudy
from polyclinic.core.clinic import Mistake
from polyclinic.core.understudy import Understudy

# Only mistakes that an exact rule or a judge's scores are certain to show. Whether the other habits of offline staff
# (`data/habits.yaml`) are noticed depends on the reader that is cast, and on how often it is right about norms.
_CHEST = "one:t2-01-chest-pain~calm"
_STATIN = "one:t1-08-statin~calm"
MISTAKES = (
    Mistake("plays_down", "doctor", "lowers the urgency at every occasion", "snr", scenarios=_CHEST),
    Mistake("plays_down", "doctor", "decides a level that is not safe", "tsr", scenarios=_CHEST),
    Mistake("silent", "patient", "says nothing at all", owner="simulated_user", scenarios=_STATIN),
    Mistake("harsh", "judge", "gives the lowest mark for working together", "cbs", scenarios=_STATIN),
    Mistake("harsh", "judge", "gives the lowest mark for keeping to one's part", "rar", scenarios=_STATIN),
    Mistake("estranged", "judge", "takes everybody for another person", "ics_llm", scenarios=_STATIN),
)
UNDERSTUDIES: dict[str, type[Understudy]] = {
    "doctor": StaffUnderstudy,
    "nurse": StaffUnderstudy,
    "trainee": StaffUnderstudy,
    "admin": StaffUnderstudy,
    "patient": PatientUnderstudy,
    "reflector": ReflectorUnderstudy,
    "judge": JudgeUnderstudy,
}
