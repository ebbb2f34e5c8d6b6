"""Who speaks when in one contact with the hospital."""

from polyclinic.clinics.frontdesk.flow.contact import flow

__all__ = ["flow"]
