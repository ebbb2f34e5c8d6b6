"""How the status of slots follows from appointments: pure rules, the same for stored and for staged changes.

An appointment in a holding state occupies its slots. It can take a slot only if the slot is free or is released in the
same transaction. A slot that it gives up becomes free. A transaction may set the status of a slot itself; otherwise
these rules set it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from polyclinic.core.records import RecordConflict, Resource
from polyclinic.fhir.extract import split_reference

Key = tuple[str, str]
# In these states an appointment occupies its slots, also when it is over.
HOLDING = ("arrived", "booked", "checked-in", "fulfilled", "noshow", "pending")


class SlotChanges(NamedTuple):
    """Slots that change their status, and who holds each slot that the changed appointments occupy."""

    statuses: dict[str, str]
    holders: dict[str, str]


def slots_of(appointment: Resource | None) -> list[str]:
    """Ids of the slots that an appointment occupies in its present state."""
    if appointment is None or appointment.get("status") not in HOLDING:
        return []
    pairs = [split_reference(slot.get("reference", "")) for slot in appointment.get("slot", ())]
    return list(dict.fromkeys([id_ for type_, id_ in pairs if type_ == "Slot"]))


def slot_changes(
    before: Callable[[Key], Resource | None],
    after: Mapping[Key, Resource | None],
    may_take: Callable[[str, str], bool] = lambda slot, status: False,
) -> SlotChanges:
    """How the changed appointments in `after` change slots. `may_take` says which slots that are not free may be taken.

    Raises RecordConflict when a slot would be held twice.
    """
    appointments = sorted(key for key in after if key[0] == "Appointment")
    held = {key: slots_of(before(key)) for key in appointments}
    wanted = {key: slots_of(after[key]) for key in appointments}
    released = {slot for key in appointments for slot in held[key] if slot not in wanted[key]}
    result = SlotChanges({}, {})
    for key in appointments:
        for slot in wanted[key]:
            if slot in result.holders:
                raise RecordConflict(f"Slot/{slot} is taken by both {result.holders[slot]} and Appointment/{key[1]}")
            result.holders[slot] = f"Appointment/{key[1]}"
            if slot not in held[key]:
                _take(slot, after[key], before, after, slot in released, may_take, result)
    for slot in sorted(released - result.holders.keys()):
        was = before(("Slot", slot))
        if ("Slot", slot) not in after and was is not None and was["status"] in ("busy", "busy-tentative"):
            result.statuses[slot] = "free"
    return result


def _take(
    slot: str,
    appointment: Resource | None,
    before: Callable[[Key], Resource | None],
    after: Mapping[Key, Resource | None],
    released: bool,
    may_take: Callable[[str, str], bool],
    result: SlotChanges,
) -> None:
    was = before(("Slot", slot))
    free = was is None or released or was["status"] == "free"
    if was is not None and not free and not may_take(slot, was["status"]):
        raise RecordConflict(f"Slot/{slot} is not free but {was['status']}")
    becomes = after.get(("Slot", slot), was)
    if becomes is None:
        return  # the slot is not kept in this store
    status = "busy-tentative" if appointment is not None and appointment["status"] == "pending" else "busy"
    if becomes["status"] in ("free", "busy-tentative") and becomes["status"] != status:
        result.statuses[slot] = status
