"""The cast of a round: patient, students, tutor, specialist, supervisor, and an author for what a case lacks."""

from polyclinic.clinics.rounds.agents.author import Author
from polyclinic.clinics.rounds.agents.people import Learner, Patient
from polyclinic.clinics.rounds.agents.teachers import Draft, Specialist, Supervisor, Tutor

__all__ = ["Author", "Draft", "Learner", "Patient", "Specialist", "Supervisor", "Tutor"]
