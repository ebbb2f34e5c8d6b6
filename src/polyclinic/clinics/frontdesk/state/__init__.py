"""What changes while a hospital runs: diaries, appointments, waiting lists. Only committed effects change it."""

from __future__ import annotations

from polyclinic.clinics.frontdesk.scenario.diary import (
    NEXT_STATUSES,
    OPEN_STATUSES,
    Appointment,
    Diary,
    Status,
    plain_name,
    starts_of,
)
from polyclinic.clinics.frontdesk.state.hospital import (
    Booked,
    Cancelled,
    ClockMoved,
    HospitalState,
    Moved,
    Waiting,
    open_campaign,
)

__all__ = [
    "NEXT_STATUSES",
    "OPEN_STATUSES",
    "Appointment",
    "Booked",
    "Cancelled",
    "ClockMoved",
    "Diary",
    "HospitalState",
    "Moved",
    "Status",
    "Waiting",
    "open_campaign",
    "plain_name",
    "starts_of",
]
