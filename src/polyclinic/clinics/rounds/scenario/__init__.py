"""What a round starts from: cases (shipped, from files, from other collections), their pictures, and their linter."""

from polyclinic.clinics.rounds.scenario.authoring import WRITINGS
from polyclinic.clinics.rounds.scenario.case import TeachingCase
from polyclinic.clinics.rounds.scenario.checks import lint
from polyclinic.clinics.rounds.scenario.choose import scenarios

__all__ = ["WRITINGS", "TeachingCase", "lint", "scenarios"]
