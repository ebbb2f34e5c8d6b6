"""What an interview starts from: a medical record, the person to play, and the case's place in a campaign."""

from polyclinic.clinics.patient.scenario.authoring import WRITINGS
from polyclinic.clinics.patient.scenario.select import PatientScenario, left_out, lint, load_records, scenarios

__all__ = ["WRITINGS", "PatientScenario", "left_out", "lint", "load_records", "scenarios"]
