"""Named operations: hold slots, validate without storing. Those on appointments are in `appointments`."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from polyclinic.core.database import Transaction
from polyclinic.core.records import RecordConflict, RecordInvalid, RecordMissing, Resource
from polyclinic.fhir import slot_holds, storage
from polyclinic.fhir.dates import instant_text
from polyclinic.fhir.server import outcomes
from polyclinic.fhir.server.access import OPEN, Access, access_of
from polyclinic.fhir.server.exchange import (
    body_resource,
    require_json,
    resource_id,
    resource_type,
    respond,
)
from polyclinic.fhir.server.inputs import BadParameters, Parameters
from polyclinic.fhir.store import FhirStore, sweep
from polyclinic.fhir.unit_of_work import opaque_id
from polyclinic.fhir.validate import problems, structural_problems
from polyclinic.fhir.write_buffer import WriteBuffer

MAX_HOLD_MINUTES = 24 * 60
DEFAULT_HOLD_MINUTES = 5


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
        access = access_of(request)
        held = await self.store.database.write(
            lambda transaction: hold(transaction, slots, token, now, expires, access)
        )
        parameter: list[Resource] = [
            {"name": "hold", "valueString": token},
            {"name": "expires", "valueInstant": instant_text(expires)},
        ]
        parameter += [{"name": "slot", "resource": slot} for slot in held]
        return respond({"resourceType": "Parameters", "parameter": parameter})

    async def validate(self, request: Request) -> Response:
        """POST Type/$validate: report what is wrong with a resource, without storing it."""
        require_json(request)
        type_ = resource_type(request)
        body = await body_resource(request)
        resource = Parameters(body).resource("resource", type_) if body.get("resourceType") == "Parameters" else body
        if resource.get("resourceType") != type_:
            raise RecordInvalid(f"the body must be a {type_}", expression="Resource.resourceType")
        return respond(outcomes.of_problems(problems(resource) or structural_problems(resource)))


def hold(
    transaction: Transaction, slots: list[str], token: str, now: int, expires: int, access: Access = OPEN
) -> list[Resource]:
    """Hold free slots. Raises RecordConflict when one is not free."""
    sweep(transaction, now)
    held, writes = [], WriteBuffer(transaction, now)
    for id_ in sorted(set(slots)):
        stored = storage.find(transaction, "Slot", id_, lock=True)
        if stored is None:
            raise RecordMissing(f"there is no Slot/{id_}")
        slot = stored.resource()
        access.check(slot, "r", "u")
        if slot["status"] != "free":
            raise RecordConflict(f"Slot/{id_} is not free but {slot['status']}")
        held.append(writes.update(stored, {**slot, "status": "busy-tentative"}, slot))
    writes.flush()
    slot_holds.place(transaction, [slot["id"] for slot in held], token, expires)
    return held
