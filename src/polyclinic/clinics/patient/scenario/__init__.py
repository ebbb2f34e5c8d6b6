"""What an interview starts from: a medical record, a person to be, and where the case belongs."""

from polyclinic.clinics.patient.scenario.authoring import WRITINGS
from polyclinic.clinics.patient.scenario.select import PatientScenario, lint, load_records, scenarios

__all__ = ["WRITINGS", "PatientScenario", "lint", "load_records", "scenarios"]
