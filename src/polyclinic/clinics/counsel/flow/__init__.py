"""How one conversation goes."""

from polyclinic.clinics.counsel.flow.room import Room, flow

__all__ = ["Room", "flow"]
