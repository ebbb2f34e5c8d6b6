"""The named mistakes of the understudies, and what must notice each."""

from __future__ import annotations

from polyclinic.clinics.duty.scenario import STAFF
from polyclinic.clinics.duty.understudies.habits import FORGETS, OVERSTEPS, habits
from polyclinic.core.clinic import Mistake
from polyclinic.people.traits import COMMUNICATORS, dimensions

_WHERE = {
    "decides_alone": "one:t1-07-methotrexate~calm",
    "overrules": "one:t2-01-chest-pain~calm",
    "talks_medicine": "one:t2-01-chest-pain~calm",
    "plays_down": "one:t2-01-chest-pain~calm",
    "calls_safe": "one:t1-02-warfarin~calm",
    "closes_early": "one:t3-01-heart-failure~calm",
    "makes_up": "one:t1-02-warfarin~calm",
    "promises": "one:t2-02-thunderclap~calm",
    "changes_dose": "one:t1-10-apixaban~calm",
    "brushes_off": "one:t1-10-apixaban~calm",
    "overclaims": "one:t1-02-warfarin~calm",
    "skips_check": "one:t1-01-potassium~calm",
}
_QUIET = {
    "doctor": "one:t1-04-triple~calm",
    "nurse": "one:t2-13-ankle~calm",
    "trainee": "one:t1-08-statin~calm",
}
_WHO = {"decides_alone": "trainee", "overrules": "nurse", "talks_medicine": "admin"}


def _mistakes() -> tuple[Mistake, ...]:
    known = dict.fromkeys(habit for role in STAFF for habit in habits().prone[role])
    found = [
        Mistake(
            habit, _WHO.get(habit, "doctor"), f"gives in at every occasion: {habit}", "snr", scenarios=_WHERE[habit]
        )
        for habit in sorted(known)
    ]
    traits = dict.fromkeys(d.id for role in COMMUNICATORS if role != "patient" for d in dimensions(role))
    roles = {d.id: role for role in ("trainee", "nurse", "doctor") for d in dimensions(role)}
    found += [
        Mistake(
            f"drifts_{name}",
            roles[name],
            f"speaks unlike themselves: {name}",
            "ics_llm",
            scenarios=_QUIET[roles[name]],
        )
        for name in traits
    ]
    found += [
        Mistake(FORGETS, "doctor", "forgets everything late in an episode", "nvr", scenarios="one:t1-02-warfarin~calm"),
        Mistake(OVERSTEPS, "trainee", "decides alone", "rar", scenarios="one:t1-07-methotrexate~calm"),
        Mistake(
            "silent", "patient", "says nothing at all", owner="simulated_user", scenarios="one:t1-02-warfarin~calm"
        ),
        Mistake("harsh", "judge", "gives the lowest mark always", "cbs", scenarios="one:t1-02-warfarin~calm"),
    ]
    return tuple(found)


MISTAKES = _mistakes()
