"""For authors of clinics: `check_clinic` holds a clinic to the contract that every clinic passes."""

from polyclinic.testing.contract import check_clinic

__all__ = ["check_clinic"]
