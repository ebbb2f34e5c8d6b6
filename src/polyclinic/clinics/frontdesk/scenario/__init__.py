"""What a hospital campaign starts from: schema, config, diseases, synthesis, loaders."""

from polyclinic.clinics.frontdesk.scenario.authoring import WRITINGS
from polyclinic.clinics.frontdesk.scenario.load import lint, scenarios
from polyclinic.clinics.frontdesk.scenario.schema import Contact

__all__ = ["WRITINGS", "Contact", "lint", "scenarios"]
