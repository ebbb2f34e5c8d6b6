"""What a shift starts from: schema and loaders."""

from polyclinic.clinics.duty.scenario.select import lint, scenarios

__all__ = ["lint", "scenarios"]
