"""One shift: who speaks when (`order.py`), and what happens in each message (`shift.py`)."""

from polyclinic.clinics.duty.flow.shift import flow

__all__ = ["flow"]
