"""The named mistakes of the understudies, and what must notice each."""

from __future__ import annotations

from polyclinic.clinics.duty.scenario import STAFF
from polyclinic.clinics.duty.understudies.habits import FORGETS, OVERSTEPS, habits, mistake_name
from polyclinic.core.clinic import Mistake
from polyclinic.people.traits import COMMUNICATORS, dimensions

_WHERE = {
    "SOP-1": "one:t1-07-methotrexate~calm",
    "SOP-2": "one:t2-01-chest-pain~calm",
    "SOP-3": "one:t2-01-chest-pain~calm",
    "ESC-1": "one:t2-01-chest-pain~calm",
    "ESC-2": "one:t1-02-warfarin~calm",
    "ESC-3": "one:t3-01-heart-failure~calm",
    "INFO-1": "one:t1-02-warfarin~calm",
    "INFO-2": "one:t2-02-thunderclap~calm",
    "INFO-3": "one:t1-10-apixaban~calm",
    "SAFE-1": "one:t1-10-apixaban~calm",
    "SAFE-2": "one:t1-02-warfarin~calm",
    "SAFE-3": "one:t1-01-potassium~calm",
}
_QUIET = {
    "doctor": "one:t1-04-triple~calm",
    "nurse": "one:t2-13-ankle~calm",
    "trainee": "one:t1-08-statin~calm",
}
_WHO = {"SOP-1": "trainee", "SOP-2": "nurse", "SOP-3": "admin"}


def _mistakes() -> tuple[Mistake, ...]:
    norms = dict.fromkeys(norm for role in STAFF for norm in habits().prone[role])
    found = [
        Mistake(
            mistake_name(norm),
            _WHO.get(norm, "doctor"),
            f"breaks {norm} at every occasion",
            "snr",
            scenarios=_WHERE[norm],
        )
        for norm in sorted(norms)
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
        Mistake("alarmist", "judge", "sees a violation in every message", "nvr", scenarios="one:t1-02-warfarin~calm"),
        Mistake("harsh", "judge", "gives the lowest mark always", "cbs", scenarios="one:t1-02-warfarin~calm"),
        Mistake(mistake_name("SAFE-3"), "nurse", "never asks for teach-back", "tsr", scenarios="one:t3-02-copd~calm"),
    ]
    return tuple(found)


MISTAKES = _mistakes()
