"""Named operations: hold slots, validate without storing. Those on appointments are in `appointments`.

Also what a client may ask about a subscription: its status, and the events that it missed.
"""

from __future__ import annotations

from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from polyclinic.core.database import Transaction
from polyclinic.core.records import RecordConflict, RecordInvalid, RecordMissing, Resource
from polyclinic.fhir import outbox, slot_holds, storage
from polyclinic.fhir.dates import instant_text
from polyclinic.fhir.notifications import notification
from polyclinic.fhir.server import outcomes
from polyclinic.fhir.server.access import OPEN, Access, access_of
from polyclinic.fhir.server.exchange import (
    Handlers,
    base_url,
    body_resource,
    require_json,
    resource_id,
    resource_type,
    respond,
)
from polyclinic.fhir.server.inputs import BadParameters, Parameters
from polyclinic.fhir.store import sweep
from polyclinic.fhir.unit_of_work import opaque_id
from polyclinic.fhir.validate import problems, structural_problems
from polyclinic.fhir.write_buffer import WriteBuffer

MAX_HOLD_MINUTES = 24 * 60
DEFAULT_HOLD_MINUTES = 5


class Operations(Handlers):
    """Holds on slots, and validation."""

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


class Subscriptions(Handlers):
    """The operations of subscriptions."""

    async def status(self, request: Request) -> Response:
        """GET Subscription/id/$status."""
        require_json(request)
        subscription, count = await self._subscription(request)
        bundle = notification(base_url(request), subscription, count, "query-status", ())
        return respond({"resourceType": "Bundle", "type": "searchset", "entry": bundle["entry"]})

    async def events(self, request: Request) -> Response:
        """GET Subscription/id/$events: the events between two numbers that are still kept, a limited number at once."""
        require_json(request)
        first, last = (_number(request, name) for name in ("eventsSinceNumber", "eventsUntilNumber"))
        subscription, count = await self._subscription(request)
        access = access_of(request)
        access.require_events(subscription)
        load = partial(
            outbox.events, subscription=subscription["id"], first=first or 0, last=last, limit=outbox.KEPT_EVENTS
        )
        chosen = await self.store.database.read(load)
        # The topic may have been another one when these events were noticed.
        for type_ in {event.changed.type for event in chosen}:
            access.require_all_patients(type_, "r")
        return respond(notification(base_url(request), subscription, count, "query-event", chosen))

    async def _subscription(self, request: Request) -> tuple[Resource, int]:
        """The subscription, and the number of its events so far."""
        id_ = resource_id(request)
        stored = await self.store.database.read(lambda transaction: storage.read(transaction, "Subscription", id_))
        subscription: Resource = stored.resource()
        access_of(request).check(subscription, "r")
        progress = await self.store.database.read(lambda transaction: outbox.progress_of(transaction, id_))
        return subscription, 0 if progress is None else progress.noticed


def _number(request: Request, name: str) -> int | None:
    text = request.query_params.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        raise BadParameters(f"'{name}' must be a number, not '{text}'")
    return int(text)
