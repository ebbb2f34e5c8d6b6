"""Notify subscribers: send changes since the last check to the webhooks of the subscriptions they concern.

The store itself is checked, so changes of a run in another process are seen like those over HTTP. A change gets its
time when its transaction begins, but it can be seen only after the commit. So each check goes back some seconds and
skips what was already seen. Delivery is at least once, and in order for each subscription. If an endpoint fails again
and again, the subscription gets the status `error`.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import httpx

from polyclinic.core.database import Transaction
from polyclinic.core.records import RecordsError, Resource, Update
from polyclinic.fhir.codec import dumps, loads_stored
from polyclinic.fhir.dates import instant_text
from polyclinic.fhir.store import FhirStore
from polyclinic.fhir.topics import built_in_topics, check_subscription, concerns, topic_types

LOOK_BACK_US = 10_000_000
MAX_FAILURES = 5
KEPT_EVENTS = 1000
_CHUNK = 1000
_TIMEOUT_S = 10.0
_log = logging.getLogger("polyclinic.fhir")


class Changed(NamedTuple):
    """One version of a resource, and the version before it."""

    type: str
    id: str
    version: int
    updated: int
    before: Resource | None
    after: Resource | None


class NumberedChange(NamedTuple):
    """A change, with the event number that it has in one subscription."""

    number: int
    changed: Changed


@dataclass
class Subscriber:
    """A subscription that gets notifications."""

    subscription: Resource
    topic: Resource
    count: int = 0
    failures: int = 0
    waiting: deque[NumberedChange] = field(default_factory=deque)
    past: deque[NumberedChange] = field(default_factory=lambda: deque(maxlen=KEPT_EVENTS))


class Notifier:
    """Looks for changes and sends them. `base` is the server's address; every notification contains it."""

    def __init__(self, store: FhirStore, base: str, http: httpx.AsyncClient | None = None) -> None:
        self.store, self.base = store, base
        self._http = http or httpx.AsyncClient(timeout=_TIMEOUT_S)
        self._mark = self._began = store.now()
        self._seen: dict[tuple[str, str, int], int] = {}
        self.subscribers: dict[str, Subscriber] = {}

    async def run(self, every_s: float = 1.0) -> None:
        """Check for changes again and again, until cancelled."""
        while True:
            try:
                await self.step()
            except (RecordsError, httpx.HTTPError):
                _log.exception("looking for changes failed")
            await asyncio.sleep(every_s)

    async def step(self) -> int:
        """Check once: start requested subscriptions and send changes. Returns the number of new events."""
        topics = {
            topic["url"]: topic
            for topic in (await self.store.search("SubscriptionTopic", {"status": "active"})).matches
        }
        topics |= {topic["url"]: topic for topic in built_in_topics() if topic["url"] not in topics}
        await self._begin(topics)
        changes = await self._changes(sorted({t for s in self.subscribers.values() for t in topic_types(s.topic)}))
        new = 0
        for subscriber in self.subscribers.values():
            for changed in changes:
                if concerns(subscriber.topic, subscriber.subscription, changed.before, changed.after):
                    subscriber.count += 1
                    new += 1
                    subscriber.waiting.append(NumberedChange(subscriber.count, changed))
        await asyncio.gather(*(self._deliver(subscriber) for subscriber in list(self.subscribers.values())))
        return new

    async def _begin(self, topics: dict[str, Resource]) -> None:
        """Send the handshake to new subscriptions; drop those that are no longer requested or active."""
        found = (await self.store.search("Subscription", {"status": "requested,active"})).matches
        listed = {subscription["id"]: subscription for subscription in found}
        for id_ in [id_ for id_ in self.subscribers if id_ not in listed]:
            del self.subscribers[id_]
        for id_, subscription in listed.items():
            topic = topics.get(subscription["topic"].partition("|")[0])
            try:
                check_subscription(subscription, topic)
            except RecordsError as error:
                await self._set_status(subscription, "error", str(error))
                continue
            if topic is not None and id_ in self.subscribers:
                self.subscribers[id_].subscription, self.subscribers[id_].topic = subscription, topic
            elif topic is not None:
                self.subscribers[id_] = Subscriber(subscription, topic)
            if subscription["status"] == "requested":
                await self._shake_hands(self.subscribers[id_])

    async def _shake_hands(self, subscriber: Subscriber) -> None:
        if await self._send(subscriber, "handshake", ()):
            subscriber.subscription = await self._set_status(subscriber.subscription, "active")
        else:
            await self._set_status(subscriber.subscription, "error", "the endpoint did not answer the handshake")
            self.subscribers.pop(subscriber.subscription["id"], None)

    async def _set_status(self, subscription: Resource, status: str, reason: str = "") -> Resource:
        changed = {**subscription, "status": status} | ({"reason": reason} if reason else {})
        made = (await self.store.transact([Update(changed)]))[0]
        return made or changed

    async def _changes(self, types: Sequence[str]) -> list[Changed]:
        """New versions of these types since the last check, in order of time."""
        since, now = self._mark - LOOK_BACK_US, self.store.now()
        found: list[Changed] = []
        for type_ in types:
            found += await self.store.database.read(partial(_versions, type_=type_, since=since))
        fresh = [c for c in found if (c.type, c.id, c.version) not in self._seen and c.updated >= self._began]
        self._seen = {(c.type, c.id, c.version): c.updated for c in found}
        self._mark = now
        return sorted(fresh, key=lambda c: (c.updated, c.type, c.id, c.version))

    async def _deliver(self, subscriber: Subscriber) -> None:
        while subscriber.waiting:
            most = int(subscriber.subscription.get("maxCount", 100))
            events = [subscriber.waiting[i] for i in range(min(most, len(subscriber.waiting)))]
            if not await self._send(subscriber, "event-notification", events):
                subscriber.failures += 1
                if subscriber.failures >= MAX_FAILURES:
                    await self._set_status(subscriber.subscription, "error", "the endpoint accepts no notifications")
                    self.subscribers.pop(subscriber.subscription["id"], None)
                return
            subscriber.failures = 0
            for event in events:
                subscriber.waiting.popleft()
                subscriber.past.append(event)

    async def _send(self, subscriber: Subscriber, kind: str, events: Sequence[NumberedChange]) -> bool:
        subscription = subscriber.subscription
        headers = {"Content-Type": subscription.get("contentType", "application/fhir+json")}
        headers |= {p["name"]: p["value"] for p in subscription.get("parameter", ())}
        body = dumps(notification(self.base, subscriber, kind, events))
        try:
            answer = await self._http.post(subscription["endpoint"], content=body, headers=headers)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            _log.warning("notification to %s failed: %s", subscription["endpoint"], error)
            return False
        return answer.is_success

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()


def _versions(transaction: Transaction, type_: str, since: int) -> list[Changed]:
    """Versions of a type since a time, superseded ones too, each with the version before it."""
    found = []
    for table, condition in (("fhir_resource", "type || '' = ?"), ("fhir_history", "type = ?")):
        rows = transaction.execute(
            f"SELECT id, version, updated, body FROM {table} WHERE {condition} AND updated >= ?"
            f" ORDER BY updated, id, version LIMIT {_CHUNK * 20:d}",
            (type_, since),
        )
        for id_, version, updated, body in rows:
            earlier = transaction.execute(
                "SELECT body FROM fhir_history WHERE type = ? AND id = ? AND version = ?", (type_, id_, version - 1)
            )
            before = loads_stored(earlier[0][0]) if earlier and earlier[0][0] is not None else None
            after = loads_stored(body) if body is not None else None
            found.append(Changed(type_, id_, version, updated, before, after))
    return found


def notification(base: str, subscriber: Subscriber, kind: str, events: Sequence[NumberedChange]) -> Resource:
    """A notification as FHIR defines it: a Bundle whose first entry is the SubscriptionStatus."""
    subscription = subscriber.subscription
    content = subscription.get("content", "id-only")
    listed, entries = [], []
    for event in events:
        changed = event.changed
        focus = f"{base}/{changed.type}/{changed.id}"
        one: Resource = {"eventNumber": str(event.number), "timestamp": instant_text(changed.updated)}
        if content != "empty":
            one["focus"] = {"reference": focus}
            method = "DELETE" if changed.after is None else "POST" if changed.before is None else "PUT"
            entry: Resource = {
                "fullUrl": focus,
                "request": {"method": method, "url": f"{changed.type}/{changed.id}"},
                "response": {"status": "201" if method == "POST" else "200"},
            }
            if content == "full-resource" and changed.after is not None:
                entry["resource"] = changed.after
            entries.append(entry)
        listed.append(one)
    status: Resource = {
        "resourceType": "SubscriptionStatus",
        "status": subscription["status"],
        "type": kind,
        "eventsSinceSubscriptionStart": str(subscriber.count),
        "subscription": {"reference": f"{base}/Subscription/{subscription['id']}"},
        "topic": subscription["topic"],
    }
    if listed:
        status["notificationEvent"] = listed
    first: Resource = {
        "fullUrl": f"{base}/Subscription/{subscription['id']}/$status",
        "resource": status,
        "request": {"method": "GET", "url": f"Subscription/{subscription['id']}/$status"},
        "response": {"status": "200"},
    }
    return {"resourceType": "Bundle", "type": "subscription-notification", "entry": [first, *entries]}
