"""One typed class for each template in this folder."""

from polyclinic.clinics.duty.prompts.people import ActTurn, PatientTurn
from polyclinic.clinics.duty.prompts.reflection import HearsTraits, JudgesIdentity, PrefersIdentity, ReviewsBreach

PROMPTS = (ActTurn, PatientTurn, ReviewsBreach, HearsTraits, PrefersIdentity, JudgesIdentity)
