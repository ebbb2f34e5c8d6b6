"""The cast: the patient, and staff whose messages depend on norms, traits, memory and learned prompt lines."""

from polyclinic.clinics.duty.agents.patient import Patient
from polyclinic.clinics.duty.agents.staff import Staff
from polyclinic.clinics.duty.agents.views import role_view, spoken, trait_lines

__all__ = ["Patient", "Staff", "role_view", "spoken", "trait_lines"]
