"""What a client may ask about a subscription: its status, and the events that it missed."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from polyclinic.core.records import Resource
from polyclinic.fhir import storage
from polyclinic.fhir.notifications import Notifier, Subscriber, notification
from polyclinic.fhir.server.access import access_of
from polyclinic.fhir.server.exchange import base_url, require_json, resource_id, respond
from polyclinic.fhir.server.inputs import BadParameters
from polyclinic.fhir.store import FhirStore


class Subscriptions:
    """Handlers over one store and its notifier, if there is one."""

    def __init__(self, store: FhirStore, notifier: Notifier | None) -> None:
        self.store, self._notifier = store, notifier

    async def status(self, request: Request) -> Response:
        """GET Subscription/id/$status."""
        require_json(request)
        subscriber = await self._subscriber(request)
        bundle = notification(base_url(request), subscriber, "query-status", ())
        return respond({"resourceType": "Bundle", "type": "searchset", "entry": bundle["entry"]})

    async def events(self, request: Request) -> Response:
        """GET Subscription/id/$events: the events between two numbers that are still kept."""
        require_json(request)
        first, last = (_number(request, name) for name in ("eventsSinceNumber", "eventsUntilNumber"))
        subscriber = await self._subscriber(request)
        kept = [*subscriber.past, *subscriber.waiting]
        chosen = [e for e in kept if (first is None or e.number >= first) and (last is None or e.number <= last)]
        return respond(notification(base_url(request), subscriber, "query-event", chosen))

    async def _subscriber(self, request: Request) -> Subscriber:
        id_ = resource_id(request)
        stored = await self.store.database.read(lambda transaction: storage.read(transaction, "Subscription", id_))
        subscription: Resource = stored.resource()
        access_of(request).check(subscription, "r")
        served = self._notifier.subscribers.get(id_) if self._notifier is not None else None
        if served is None:
            return Subscriber(subscription, {})
        return served


def _number(request: Request, name: str) -> int | None:
    text = request.query_params.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        raise BadParameters(f"'{name}' must be a number, not '{text}'")
    return int(text)
