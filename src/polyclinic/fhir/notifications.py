"""Notify subscribers: send changes since the last check to the webhooks of the subscriptions they concern.

The store itself is checked, so changes of a run in another process are seen like those over HTTP. A change gets its
time when its transaction begins, but it can be seen only after the commit. So each check goes back some seconds and
skips what was already seen. Events are stored before they are sent (see `outbox`), so none is lost if the server stops.
Delivery is at least once, and in order for each subscription. If an endpoint fails again and again, the subscription
gets the status `error`; if it is requested again, it continues with the events that it missed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import httpx

from polyclinic.core.database import Transaction
from polyclinic.core.records import RecordsError, Resource, Update
from polyclinic.fhir import outbox
from polyclinic.fhir.changes import Mark, VersionChange, VersionKey, changes_after
from polyclinic.fhir.codec import dumps
from polyclinic.fhir.dates import instant, instant_text
from polyclinic.fhir.outbox import NumberedChange, OutboxProgress
from polyclinic.fhir.store import FhirStore
from polyclinic.fhir.topics import built_in_topics, check_subscription, concerns, topic_types

LOOK_BACK_US = 10_000_000
MAX_FAILURES = 5
_TIMEOUT_S = 10.0
_log = logging.getLogger("polyclinic.fhir")


@dataclass
class Subscriber:
    """A subscription that gets notifications. `seen` are the newest changes that were looked at, with their times."""

    subscription: Resource
    topic: Resource
    progress: OutboxProgress
    seen: dict[VersionKey, int]
    failures: int = 0

    def noted(self, changes: Sequence[VersionChange], events: int) -> None:
        """Remember that these changes were looked at, and that so many of them are events."""
        self.seen |= {change.key: change.updated for change in changes}
        self.progress = self.progress._replace(noticed=self.progress.noticed + events)


class Notifier:
    """Looks for changes and sends them. `base` is the server's address; every notification contains it."""

    def __init__(self, store: FhirStore, base: str, http: httpx.AsyncClient | None = None) -> None:
        self.store, self.base = store, base
        self._http = http or httpx.AsyncClient(timeout=_TIMEOUT_S)
        self._began = store.now()
        self.subscribers: dict[str, Subscriber] = {}

    async def run(self, every_s: float = 1.0) -> None:
        """Check for changes again and again, until cancelled. After an error, the next check starts from the store."""
        while True:
            try:
                await self.step()
            except Exception:
                _log.exception("looking for changes failed")
            await asyncio.sleep(every_s)

    async def step(self) -> int:
        """Check once: start requested subscriptions and send changes. Returns the number of new events."""
        topics = {
            topic["url"]: topic
            for topic in (await self.store.search("SubscriptionTopic", {"status": "active"})).matches
        }
        topics |= {topic["url"]: topic for topic in built_in_topics()}
        await self._begin(topics)
        try:
            new = await self._look()
        except Exception:
            # What was stored is not known, so everything is read again.
            self.subscribers.clear()
            raise
        await asyncio.gather(*(self._deliver(subscriber) for subscriber in list(self.subscribers.values())))
        return new

    async def _begin(self, topics: dict[str, Resource]) -> None:
        """Send the handshake to new subscriptions; drop those that are no longer requested or active."""
        found = (await self.store.search("Subscription", {"status": "requested,active,error"})).matches
        listed = {each["id"]: each for each in found if each["status"] != "error"}
        for id_ in [id_ for id_ in self.subscribers if id_ not in listed]:
            del self.subscribers[id_]
        kept = {each["id"] for each in found}
        over = [id_ for id_ in await self.store.database.read(outbox.names) if id_ not in kept]
        if over:
            await self.store.database.write(partial(outbox.forget, subscriptions=over))
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
                self.subscribers[id_] = await self.store.database.write(partial(self._resumed, subscription, topic))
            if subscription["status"] == "requested":
                await self._shake_hands(self.subscribers[id_])

    def _resumed(self, subscription: Resource, topic: Resource, transaction: Transaction) -> Subscriber:
        """A subscriber that continues where it ended; a new one begins when it was requested."""
        progress = outbox.progress_of(transaction, subscription["id"])
        if progress is None:
            new = subscription["status"] == "requested"
            since = instant(subscription["meta"]["lastUpdated"]) if new else self._began
            progress = outbox.begin(transaction, subscription["id"], since)
        noticed = outbox.noticed_since(transaction, subscription["id"], progress.looked - LOOK_BACK_US)
        return Subscriber(subscription, topic, progress, noticed)

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

    async def _look(self) -> int:
        """Look through all changes since the last check, and store the events. Returns their number."""
        subscribers, now, new, fresh = self.subscribers, self.store.now(), 0, False
        if not subscribers:
            return 0
        types = sorted({type_ for each in subscribers.values() for type_ in topic_types(each.topic)})
        known = set.intersection(*(set(each.seen) for each in subscribers.values()))
        mark: Mark | None = (min(each.progress.looked for each in subscribers.values()) - LOOK_BACK_US, "", "", 0)
        while mark is not None:
            page = await self.store.database.read(partial(changes_after, types=types, mark=mark, known=known))
            fresh = fresh or bool(page.changes)
            noticed = {id_: _events(subscriber, page.changes) for id_, subscriber in subscribers.items()}
            if any(noticed.values()):
                await self.store.database.write(partial(outbox.add, noticed=noticed))
            for id_, events in noticed.items():
                subscribers[id_].noted(page.changes, len(events))
                new += len(events)
            mark = page.following
        if fresh:
            await self.store.database.write(partial(outbox.set_looked, subscriptions=list(subscribers), looked=now))
            for subscriber in subscribers.values():
                subscriber.progress = subscriber.progress._replace(looked=now)
                subscriber.seen = {key: at for key, at in subscriber.seen.items() if at >= now - LOOK_BACK_US}
        return new

    async def _deliver(self, subscriber: Subscriber) -> None:
        id_ = subscriber.subscription["id"]
        most = int(subscriber.subscription.get("maxCount", 100))
        while subscriber.progress.sent < subscriber.progress.noticed:
            first = subscriber.progress.sent + 1
            load = partial(outbox.events, subscription=id_, first=first, last=None, limit=most)
            events = await self.store.database.read(load)
            if not await self._send(subscriber, "event-notification", events):
                subscriber.failures += 1
                if subscriber.failures >= MAX_FAILURES:
                    await self._set_status(subscriber.subscription, "error", "the endpoint accepts no notifications")
                    self.subscribers.pop(id_, None)
                return
            subscriber.failures = 0
            last, kept = events[-1].number, subscriber.progress.looked - LOOK_BACK_US
            await self.store.database.write(partial(outbox.set_sent, subscription=id_, number=last, keep_from=kept))
            subscriber.progress = subscriber.progress._replace(sent=last)

    async def _send(self, subscriber: Subscriber, kind: str, events: Sequence[NumberedChange]) -> bool:
        subscription = subscriber.subscription
        headers = {"Content-Type": subscription.get("contentType", "application/fhir+json")}
        headers |= {p["name"]: p["value"] for p in subscription.get("parameter", ())}
        body = dumps(notification(self.base, subscription, subscriber.progress.noticed, kind, events))
        try:
            answer = await self._http.post(subscription["endpoint"], content=body, headers=headers)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            _log.warning("notification to %s failed: %s", subscription["endpoint"], error)
            return False
        return answer.is_success

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()


def _events(subscriber: Subscriber, changes: Sequence[VersionChange]) -> list[NumberedChange]:
    """The changes that are new events of a subscription, numbered."""
    chosen = [
        changed
        for changed in changes
        if changed.updated >= subscriber.progress.since
        and changed.key not in subscriber.seen
        and concerns(subscriber.topic, subscriber.subscription, changed.before, changed.after)
    ]
    return [NumberedChange(number, changed) for number, changed in enumerate(chosen, subscriber.progress.noticed + 1)]


def notification(
    base: str, subscription: Resource, count: int, kind: str, events: Sequence[NumberedChange]
) -> Resource:
    """A notification as FHIR defines it: a Bundle whose first entry is the SubscriptionStatus.

    `count` is the number of all events so far.
    """
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
        "eventsSinceSubscriptionStart": str(count),
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
