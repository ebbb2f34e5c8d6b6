"""Holding and booking appointments in one transaction: what `$hold` and `$book` do in the store."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from polyclinic.core.database import Transaction
from polyclinic.core.records import RecordConflict, RecordMissing, Resource
from polyclinic.fhir import slot_holds, storage
from polyclinic.fhir.conditional import Finder, has_conditional, resolved
from polyclinic.fhir.extract import split_reference
from polyclinic.fhir.references import refuse_dangling
from polyclinic.fhir.scheduling import cancelled, span
from polyclinic.fhir.server.access import OPEN, Access
from polyclinic.fhir.server.inputs import BadParameters
from polyclinic.fhir.slot_rules import slots_of
from polyclinic.fhir.store import settle
from polyclinic.fhir.transactions import TransactionEntry, perform
from polyclinic.fhir.validate import check


def hold(
    transaction: Transaction, appointment: Resource, now: int, *, until: int, base: str = "", access: Access = OPEN
) -> Resource:
    """Store an appointment as `pending` until a given time."""
    held = _fix(transaction, appointment, "pending", now, base=base, access=access)
    slot_holds.place(transaction, slots_of(held), f"Appointment/{held['id']}", until)
    return held


def book(
    transaction: Transaction,
    appointment: Resource,
    token: str | None,
    now: int,
    *,
    base: str = "",
    instead: str | None = None,
    access: Access = OPEN,
) -> Resource:
    """Book an appointment on the slots it names and at their time; cancel `instead` in the same transaction."""
    if token is not None and slot_holds.is_of_appointment(token):
        raise RecordConflict("'hold' must be the token that Slot/$hold gave; book a held appointment by its id")
    given_up = [] if instead is None else [storage.read(transaction, "Appointment", instead).resource()]
    return _fix(transaction, appointment, "booked", now, base=base, token=token, given_up=given_up, access=access)


def _fix(
    transaction: Transaction,
    appointment: Resource,
    status: str,
    now: int,
    *,
    base: str,
    token: str | None = None,
    given_up: Sequence[Resource] = (),
    access: Access = OPEN,
) -> Resource:
    settle(transaction, now)
    id_ = appointment.get("id")
    stored = storage.find(transaction, "Appointment", id_, lock=True) if id_ else None
    current = stored.resource() if stored is not None and stored.body is not None else None
    for known in (*given_up, *([current] if current is not None else [])):
        access.check(known, "r", "u")
    if has_conditional(appointment):
        appointment = resolved(appointment, {}, Finder(transaction, base, access))
    if current is not None:
        if current["status"] not in ("proposed", "pending", "waitlist"):
            raise RecordConflict(f"Appointment/{id_} is {current['status']} and cannot be {status} again")
        appointment = _joined(current, appointment)
    elif id_ and "slot" not in appointment:
        raise RecordMissing(f"Appointment/{id_} was neither offered here nor stored")
    access.check(appointment, "c" if current is None else "u")
    slots = [storage.read(transaction, "Slot", slot).resource() for slot in _slot_ids(appointment)]
    fixed = {**appointment, "status": status, **span(slots)}
    check(fixed)
    operations = [_operation(fixed, current)]
    operations += [TransactionEntry("PUT", "Appointment", each["id"], cancelled(each, now)) for each in given_up]
    if status == "booked" and current is not None:
        ours = set(slots_of(current))
        busy = [{**slot, "status": "busy"} for slot in slots if slot["id"] in ours and slot["status"] != "busy"]
        operations += [TransactionEntry("PUT", "Slot", slot["id"], slot) for slot in busy]
    complete = partial(refuse_dangling, base=base)
    done = perform(transaction, operations, now, hold=token, complete=complete, resolve=False)[0].resource
    if done is None:
        raise RecordMissing("the appointment was not stored")
    return done


def _joined(current: Resource, chosen: Resource) -> Resource:
    """The stored appointment with what the request adds. The patient stays the same, and so do physician and place,
    unless the request names others.
    """
    ours, theirs = _patients(current), _patients(chosen)
    if ours and theirs and ours != theirs:
        raise RecordConflict(f"Appointment/{current['id']} is for another patient")
    joined = {**current, **chosen}
    named = chosen.get("participant", [])
    if not all(map(is_patient, named)):
        return joined
    patients = named or [p for p in current.get("participant", []) if is_patient(p)]
    return {**joined, "participant": [*patients, *(p for p in current.get("participant", []) if not is_patient(p))]}


def _operation(fixed: Resource, current: Resource | None) -> TransactionEntry:
    if current is not None:
        return TransactionEntry("PUT", "Appointment", fixed["id"], fixed)
    return TransactionEntry("POST", "Appointment", None, {k: v for k, v in fixed.items() if k != "id"})


def _slot_ids(appointment: Resource) -> list[str]:
    pairs = [split_reference(slot.get("reference", "")) for slot in appointment.get("slot", [])]
    ids = [id_ for type_, id_ in pairs if type_ == "Slot"]
    if not ids or len(ids) != len(pairs) or len(set(ids)) != len(ids):
        raise BadParameters("the Appointment's 'slot' must name one or more Slots of this server, without repeats")
    return sorted(ids)


def _patients(appointment: Resource) -> set[str]:
    """The ids of an appointment's patients."""
    actors = [participant.get("actor", {}) for participant in appointment.get("participant", [])]
    pairs = [split_reference(actor.get("reference", "")) for actor in (appointment.get("subject", {}), *actors)]
    return {id_ for type_, id_ in pairs if type_ == "Patient"}


def is_patient(participant: Resource) -> bool:
    """Whether a participant of an appointment is the patient."""
    return split_reference(participant.get("actor", {}).get("reference", ""))[0] == "Patient"
