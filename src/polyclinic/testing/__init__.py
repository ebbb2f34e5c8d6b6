"""For authors of clinics: `check_clinic` checks a clinic against the contract that every clinic must meet."""

from polyclinic.testing.contract import check_clinic

__all__ = ["check_clinic"]
