"""What a client may ask about a subscription: its status, and the events that it missed."""

from __future__ import annotations

from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from polyclinic.core.records import Resource
from polyclinic.fhir import outbox, storage
from polyclinic.fhir.notifications import notification
from polyclinic.fhir.server.access import access_of
from polyclinic.fhir.server.exchange import base_url, require_json, resource_id, respond
from polyclinic.fhir.server.inputs import BadParameters
from polyclinic.fhir.store import FhirStore


class Subscriptions:
    """Handlers over one store."""

    def __init__(self, store: FhirStore) -> None:
        self.store = store

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
