"""One typed class for each template in this folder."""

from __future__ import annotations

from polyclinic.clinics.demo.prompts.caller import CallerAsks, CallerReacts
from polyclinic.clinics.demo.prompts.nurse import NurseAdvises
from polyclinic.clinics.demo.prompts.replies import Advice, Reaction

PROMPTS = (CallerAsks, NurseAdvises, CallerReacts)

__all__ = [
    "PROMPTS",
    "Advice",
    "CallerAsks",
    "CallerReacts",
    "NurseAdvises",
    "Reaction",
]
