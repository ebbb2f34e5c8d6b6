"""One typed class for each template in this folder."""

from __future__ import annotations

from polyclinic.clinics.duty.prompts.people import ActTurn, PatientTurn
from polyclinic.clinics.duty.prompts.reflection import HearsTraits, JudgesIdentity, PrefersIdentity, ReviewsBreach
from polyclinic.clinics.duty.prompts.replies import (
    HEARD,
    BreachReviewed,
    Correction,
    Diagnosed,
    IdentityJudged,
    Preferred,
    TraitsHeard,
)
from polyclinic.clinics.duty.prompts.views import (
    Limit,
    MemoryView,
    PatientSteers,
    PreferenceSteers,
    RoleView,
    ScaleLine,
    Spoken,
    StaffSteers,
    TraitLine,
)

PROMPTS = (ActTurn, PatientTurn, ReviewsBreach, HearsTraits, PrefersIdentity, JudgesIdentity)

__all__ = [
    "HEARD",
    "PROMPTS",
    "ActTurn",
    "BreachReviewed",
    "Correction",
    "Diagnosed",
    "HearsTraits",
    "IdentityJudged",
    "JudgesIdentity",
    "Limit",
    "MemoryView",
    "PatientSteers",
    "PatientTurn",
    "PreferenceSteers",
    "Preferred",
    "PrefersIdentity",
    "ReviewsBreach",
    "RoleView",
    "ScaleLine",
    "Spoken",
    "StaffSteers",
    "TraitLine",
    "TraitsHeard",
]
