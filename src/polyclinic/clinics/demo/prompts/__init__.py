"""One typed class for each template in this folder."""

from __future__ import annotations

from polyclinic.clinics.demo.prompts.caller import CallerAsks, CallerReacts
from polyclinic.clinics.demo.prompts.nurse import NurseAdvises

PROMPTS = (CallerAsks, NurseAdvises, CallerReacts)
