"""The prompts of the desk: one typed class per template. A prompt begins with the parts that stay the same and ends
with the parts that change.

No patient's prompt has a field for the right department, and `diagnosis` is empty for a patient who does not know it.
Speech is plain text. A form has one field for each value, and fixed choices (see `replies`).
"""

from __future__ import annotations

from polyclinic.clinics.frontdesk.prompts.intake import StaffIntake, StaffRecord
from polyclinic.clinics.frontdesk.prompts.patient import PatientBooking, PatientCalls, PatientIntake
from polyclinic.clinics.frontdesk.prompts.staff import StaffBooks, StaffChanges, StaffReasons

PROMPTS = (
    PatientIntake,
    StaffIntake,
    StaffRecord,
    PatientBooking,
    PatientCalls,
    StaffBooks,
    StaffChanges,
    StaffReasons,
)
