"""The cast: guard, planner, counsellor, critic and keeper on one side, the patient (or the live desk) on the other."""

from polyclinic.clinics.counsel.agents.counsellor import Counsellor, SignalReader
from polyclinic.clinics.counsel.agents.critic import Critic
from polyclinic.clinics.counsel.agents.guard import Guard
from polyclinic.clinics.counsel.agents.memory import Recollection
from polyclinic.clinics.counsel.agents.other import Other

__all__ = ["Counsellor", "Critic", "Guard", "Other", "Recollection", "SignalReader"]
