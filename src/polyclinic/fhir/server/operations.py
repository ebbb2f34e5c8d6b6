"""The named operations: hold a slot, book an appointment, validate without storing."""

from __future__ import annotations

from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from polyclinic.core.database import Transaction
from polyclinic.core.records import RecordConflict, RecordInvalid, RecordMissing, RecordsError, Resource
from polyclinic.fhir import slot_holds, storage
from polyclinic.fhir.dates import instant_text
from polyclinic.fhir.extract import split_reference
from polyclinic.fhir.references import refuse_dangling
from polyclinic.fhir.scheduling import span
from polyclinic.fhir.server import outcomes
from polyclinic.fhir.server.exchange import (
    base_url,
    body_resource,
    preference,
    require_json,
    resource_id,
    resource_type,
    respond,
)
from polyclinic.fhir.server.interactions import representation
from polyclinic.fhir.store import FhirStore, sweep
from polyclinic.fhir.transactions import Operation, perform
from polyclinic.fhir.unit_of_work import opaque_id
from polyclinic.fhir.validate import check, problems, structural_problems
from polyclinic.fhir.write_buffer import WriteBuffer

MAX_HOLD_MINUTES = 24 * 60
DEFAULT_HOLD_MINUTES = 5


class BadParameters(RecordsError):
    """An operation's input is not what it takes."""

    code = "invalid"


class Operations:
    """Handlers over one store."""

    def __init__(self, store: FhirStore) -> None:
        self.store = store

    async def hold(self, request: Request) -> Response:
        """POST Slot/$hold: make free slots busy-tentative for some minutes; answers with the token to book with."""
        require_json(request)
        given = Parameters(await body_resource(request))
        slots = given.references("slot", "Slot")
        if "id" in request.path_params:
            slots.append(resource_id(request))
        if not slots:
            raise BadParameters("$hold needs at least one 'slot'")
        minutes = given.integer("minutes", DEFAULT_HOLD_MINUTES, MAX_HOLD_MINUTES)
        now, token = self.store.now(), opaque_id()
        expires = now + minutes * 60_000_000
        held = await self.store.database.write(lambda transaction: hold(transaction, slots, token, now, expires))
        parameter: list[Resource] = [
            {"name": "hold", "valueString": token},
            {"name": "expires", "valueInstant": instant_text(expires)},
        ]
        parameter += [{"name": "slot", "resource": slot} for slot in held]
        return respond({"resourceType": "Parameters", "parameter": parameter})

    async def book(self, request: Request) -> Response:
        """POST Appointment/$book: turn an Appointment with slots into a booking, all or nothing."""
        require_json(request)
        body = await body_resource(request)
        given = Parameters(body) if body.get("resourceType") == "Parameters" else None
        appointment = given.resource("appointment", "Appointment") if given else body
        if appointment.get("resourceType") != "Appointment":
            raise RecordInvalid("$book takes an Appointment", expression="Resource.resourceType")
        check({**appointment, "status": "proposed"})
        token, now = given.text("hold") if given else None, self.store.now()
        base = base_url(request)
        booked = await self.store.database.write(lambda transaction: book(transaction, appointment, token, now, base))
        return representation(booked, base, 201, preference(request, "return"))

    async def validate(self, request: Request) -> Response:
        """POST Type/$validate: what is wrong with a resource, without storing it."""
        require_json(request)
        type_ = resource_type(request)
        body = await body_resource(request)
        resource = Parameters(body).resource("resource", type_) if body.get("resourceType") == "Parameters" else body
        if resource.get("resourceType") != type_:
            raise RecordInvalid(f"the body must be a {type_}", expression="Resource.resourceType")
        return respond(outcomes.of_problems(problems(resource) or structural_problems(resource)))


def hold(transaction: Transaction, slots: list[str], token: str, now: int, expires: int) -> list[Resource]:
    """Hold free slots. Raises RecordConflict when one is not free."""
    sweep(transaction, now)
    held, writes = [], WriteBuffer(transaction, now)
    for id_ in sorted(set(slots)):
        stored = storage.find(transaction, "Slot", id_, lock=True)
        if stored is None:
            raise RecordMissing(f"there is no Slot/{id_}")
        slot = stored.resource()
        if slot["status"] != "free":
            raise RecordConflict(f"Slot/{id_} is not free but {slot['status']}")
        held.append(writes.update(stored, {**slot, "status": "busy-tentative"}, slot))
    writes.flush()
    slot_holds.place(transaction, [slot["id"] for slot in held], token, expires)
    return held


def book(transaction: Transaction, appointment: Resource, token: str | None, now: int, base: str = "") -> Resource:
    """Book an appointment on the slots it names; its time is theirs."""
    pairs = [split_reference(slot.get("reference", "")) for slot in appointment.get("slot", [])]
    ids = [id_ for type_, id_ in pairs if type_ == "Slot"]
    if not ids or len(ids) != len(pairs) or len(set(ids)) != len(ids):
        raise BadParameters("$book needs an Appointment whose 'slot' names one or more Slots of this server, each once")
    slots = [storage.read(transaction, "Slot", id_).resource() for id_ in sorted(ids)]
    booked = {**appointment, "status": "booked", **span(slots)}
    id_ = appointment.get("id")
    current = storage.find(transaction, "Appointment", id_, lock=True) if id_ else None
    if current is not None and current.body is not None:
        status = current.resource()["status"]
        if status not in ("proposed", "pending", "waitlist"):
            raise RecordConflict(f"Appointment/{id_} is {status} and cannot be booked again")
        operation = Operation("PUT", "Appointment", id_, booked)
    else:
        operation = Operation("POST", "Appointment", None, {k: v for k, v in booked.items() if k != "id"})
    complete = partial(refuse_dangling, base=base)
    done = perform(transaction, [operation], now, hold=token, complete=complete)[0].resource
    if done is None:
        raise RecordMissing("the appointment was not stored")
    return done


class Parameters:
    """The input of an operation, read strictly."""

    def __init__(self, body: Resource) -> None:
        if body.get("resourceType") != "Parameters":
            raise BadParameters("the body must be a Parameters resource")
        listed = body.get("parameter", [])
        if not isinstance(listed, list) or not all(isinstance(p, dict) for p in listed):
            raise BadParameters("'parameter' must be an array of objects")
        self._listed: list[dict[str, Any]] = listed

    def _named(self, name: str) -> list[dict[str, Any]]:
        return [p for p in self._listed if p.get("name") == name]

    def references(self, name: str, type_: str) -> list[str]:
        """The ids of all references of a name."""
        ids = []
        for parameter in self._named(name):
            value = parameter.get("valueReference")
            text = value.get("reference") if isinstance(value, dict) else None
            found = split_reference(text) if isinstance(text, str) else ("", "")
            if found[0] != type_:
                raise BadParameters(f"'{name}' must be a valueReference to a {type_}")
            ids.append(found[1])
        return ids

    def integer(self, name: str, default: int, maximum: int) -> int:
        """A positive number."""
        for parameter in self._named(name):
            value = parameter.get("valuePositiveInt", parameter.get("valueInteger"))
            if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= maximum:
                raise BadParameters(f"'{name}' must be a valuePositiveInt of at most {maximum}")
            return value
        return default

    def text(self, name: str) -> str | None:
        """A string."""
        for parameter in self._named(name):
            value = parameter.get("valueString")
            if not isinstance(value, str):
                raise BadParameters(f"'{name}' must be a valueString")
            return value
        return None

    def resource(self, name: str, type_: str) -> Resource:
        """A resource of a type."""
        for parameter in self._named(name):
            value = parameter.get("resource")
            if isinstance(value, dict) and value.get("resourceType") == type_:
                return value
        raise BadParameters(f"'{name}' must be a resource of type {type_}")
