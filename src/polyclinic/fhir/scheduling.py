"""The life cycle of an appointment: each step is a list of changes that are made together.

Each function is pure: it takes resources as they were read and returns a list of changes. `Records.transact` makes all
of them or none. Every change of a slot names the version that was read. So the whole booking fails if somebody else
has taken a slot. A cancelled appointment stays, with its reason, its date and its history; a moved one keeps its id.

What the states of an appointment mean:

- `proposed`: it is a wish.
- `waitlist`: it waits for an earlier time, or for any time.
- `pending`: its slots are held, but it is not confirmed.
- `booked`: it is fixed.
- `arrived`: the patient is here.
- `fulfilled`: it took place.
- `noshow`: the patient did not come.
- `cancelled`: it will not take place.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from typing import Literal

from polyclinic.core.records import Create, RecordChange, RecordConflict, Resource, Update, reference_to, version_of
from polyclinic.fhir.datatypes import Code, moment
from polyclinic.fhir.dates import instant, instant_text, microseconds
from polyclinic.fhir.resources import CANCELLATION_REASONS, AppointmentStatus, SlotStatus

CancellationReason = Literal["pat", "prov", "maint", "meds-inc", "other", "oth-cms", "oth-err", "oth-fin", "oth-weath"]
_REASONS: dict[CancellationReason, str] = {
    "pat": "Patient",
    "prov": "Provider",
    "maint": "Equipment Maintenance/Repair",
    "meds-inc": "Prep/Med Incomplete",
    "other": "Other",
    "oth-cms": "Other: CMS Therapy Cap Service Not Authorized",
    "oth-err": "Other: Error",
    "oth-fin": "Other: Financial",
    "oth-weath": "Other: Weather",
}
_OF_THE_VISIT = ("serviceType", "specialty", "subject", "participant")
# From each state to the states that may follow it; a state that is not a key is final.
_FOLLOWING: dict[str, tuple[AppointmentStatus, ...]] = {
    "proposed": ("pending", "booked", "waitlist", "cancelled"),
    "waitlist": ("pending", "booked", "cancelled"),
    "pending": ("booked", "waitlist", "cancelled"),
    "booked": ("arrived", "checked-in", "fulfilled", "noshow", "cancelled"),
    "arrived": ("checked-in", "fulfilled", "noshow", "cancelled"),
    "checked-in": ("fulfilled", "cancelled"),
}


def book(appointment: Resource, slots: Sequence[Resource]) -> list[RecordChange]:
    """Turn free slots and a new or waiting appointment into a booking.

    The slots must be free and follow one another without a gap; the appointment gets their time. A new appointment is
    created. A stored one is updated, but only if it still has the version that was read.
    """
    return _occupy(appointment, slots, "booked")


def reserve(appointment: Resource, slots: Sequence[Resource]) -> list[RecordChange]:
    """Hold slots for an appointment that still has to be confirmed.

    The appointment becomes `pending`, the slots `busy-tentative`.
    """
    return _occupy(appointment, slots, "pending")


def _occupy(
    appointment: Resource, slots: Sequence[Resource], status: Literal["booked", "pending"]
) -> list[RecordChange]:
    stored = bool(version_of(appointment))
    if stored:
        _may_become(appointment, status)
    taken = _occupied(slots, "busy" if status == "booked" else "busy-tentative")
    booked = {**appointment, "status": status, **span(slots)}
    return [*taken, Update(booked, version_of(appointment)) if stored else Create(booked)]


def cancel(
    appointment: Resource, slots: Sequence[Resource], *, at: datetime, reason: CancellationReason = "pat"
) -> list[RecordChange]:
    """Cancel an appointment and free its slots (`slots` are those it holds, as read)."""
    changed = cancelled(appointment, microseconds(at), reason=reason)
    return [*_free(slots), Update({**changed, "cancellationDate": moment(at)}, version_of(appointment))]


def cancelled(appointment: Resource, now: int, *, reason: CancellationReason = "pat") -> Resource:
    """Return the appointment as cancelled. Raises RecordConflict when it cannot be cancelled."""
    _may_become(appointment, "cancelled")
    why = Code(CANCELLATION_REASONS, reason, _REASONS[reason]).concept()
    return {
        **appointment,
        "status": "cancelled",
        "cancellationReason": why,
        "cancellationDate": instant_text(now),
    }


def wait_for_earlier(id_: str, booked: Resource, *, at: datetime) -> Resource:
    """An appointment on the waiting list that asks for an earlier time than `booked`, which it would replace."""
    kept: Resource = {name: booked[name] for name in _OF_THE_VISIT if name in booked}
    return {
        "resourceType": "Appointment",
        "id": id_,
        "status": "waitlist",
        **kept,
        "replaces": [{"reference": reference_to(booked)}],
        "requestedPeriod": [{"start": moment(at), "end": booked["start"]}],
        "created": moment(at),
    }


def move(appointment: Resource, old_slots: Sequence[Resource], new_slots: Sequence[Resource]) -> list[RecordChange]:
    """Give an appointment other slots; its id and its state stay. A slot in both lists is kept."""
    if appointment["status"] not in ("booked", "pending"):
        raise RecordConflict(f"{reference_to(appointment)} is {appointment['status']} and cannot be moved")
    kept = {slot["id"] for slot in old_slots} & {slot["id"] for slot in new_slots}
    status: SlotStatus = "busy" if appointment["status"] == "booked" else "busy-tentative"
    return [
        *_free([slot for slot in old_slots if slot["id"] not in kept]),
        *_occupied([slot for slot in new_slots if slot["id"] not in kept], status),
        Update({**appointment, **span(new_slots)}, version_of(appointment)),
    ]


def mark(
    appointment: Resource, status: Literal["arrived", "checked-in", "fulfilled", "noshow", "waitlist"]
) -> list[RecordChange]:
    """Record what happened to an appointment.

    Raises RecordConflict when this status cannot follow the present one.
    """
    _may_become(appointment, status)
    return [Update({**appointment, "status": status}, version_of(appointment))]


def _may_become(appointment: Resource, status: AppointmentStatus) -> None:
    if status not in _FOLLOWING.get(appointment["status"], ()):
        raise RecordConflict(f"{reference_to(appointment)} is {appointment['status']} and cannot become {status}")


def span(slots: Sequence[Resource]) -> Resource:
    """Start, end and slots of an appointment on these slots.

    Raises RecordConflict unless the slots follow each other in one schedule.
    """
    ordered = _contiguous(slots)
    return {
        "start": ordered[0]["start"],
        "end": ordered[-1]["end"],
        "slot": [{"reference": reference_to(slot)} for slot in ordered],
    }


def _occupied(slots: Sequence[Resource], status: SlotStatus) -> list[RecordChange]:
    for slot in slots:
        if slot["status"] != "free":
            raise RecordConflict(f"{reference_to(slot)} is not free but {slot['status']}")
    return [Update({**slot, "status": status}, version_of(slot)) for slot in slots]


def _contiguous(slots: Sequence[Resource]) -> list[Resource]:
    """The slots in order. Raises RecordConflict unless they follow each other in one schedule."""
    if not slots:
        raise RecordConflict("an appointment needs at least one slot")
    ordered = sorted(slots, key=lambda slot: instant(slot["start"]))
    for earlier, later in pairwise(ordered):
        if earlier["schedule"]["reference"] != later["schedule"]["reference"]:
            raise RecordConflict(f"{reference_to(earlier)} and {reference_to(later)} belong to different schedules")
        if instant(earlier["end"]) != instant(later["start"]):
            raise RecordConflict(f"{reference_to(earlier)} and {reference_to(later)} do not follow one another")
    return ordered


def _free(slots: Sequence[Resource]) -> list[RecordChange]:
    return [Update({**slot, "status": "free"}, version_of(slot)) for slot in slots if slot["status"].startswith("busy")]
