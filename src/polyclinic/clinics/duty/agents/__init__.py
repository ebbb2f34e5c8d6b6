"""The cast: members of staff, who speak under norms, traits, memory and learned lines, and the patient."""

from polyclinic.clinics.duty.agents.patient import Patient
from polyclinic.clinics.duty.agents.staff import Staff
from polyclinic.clinics.duty.agents.views import role_view, spoken, trait_lines

__all__ = ["Patient", "Staff", "role_view", "spoken", "trait_lines"]
