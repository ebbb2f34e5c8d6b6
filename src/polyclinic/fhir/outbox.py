"""The events of subscriptions in the database: which changes were noticed, their numbers, and what was delivered.

Since they are stored, a server that starts again continues where it ended. No event is lost or numbered twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from polyclinic.core.database import Transaction
from polyclinic.fhir.changes import VersionChange, VersionKey, read_changes

KEPT_EVENTS = 1000


class OutboxProgress(NamedTuple):
    """How far a subscription has come.

    It gets events since `since`; the changes until `looked` were looked through, and gave `noticed` events; those up to
    the number `sent` were delivered.
    """

    since: int
    looked: int
    noticed: int = 0
    sent: int = 0


class NumberedChange(NamedTuple):
    """A change, with the event number that it has in one subscription."""

    number: int
    changed: VersionChange


def progress_of(transaction: Transaction, subscription: str) -> OutboxProgress | None:
    """The progress of a subscription; None if it never had events to wait for."""
    found = transaction.execute(
        "SELECT since, looked, count, sent FROM fhir_subscriber WHERE subscription = ?", (subscription,)
    )
    return OutboxProgress(*found[0]) if found else None


def begin(transaction: Transaction, subscription: str, since: int) -> OutboxProgress:
    """Start to keep events for a subscription."""
    progress = OutboxProgress(since, since)
    transaction.execute(
        "INSERT INTO fhir_subscriber (subscription, since, looked, count, sent) VALUES (?, ?, ?, ?, ?)",
        (subscription, *progress),
    )
    return progress


def names(transaction: Transaction) -> list[str]:
    """The subscriptions for which events are kept."""
    return [row[0] for row in transaction.execute("SELECT subscription FROM fhir_subscriber ORDER BY subscription")]


def forget(transaction: Transaction, subscriptions: Sequence[str]) -> None:
    """Delete the events and the progress of subscriptions."""
    for name in subscriptions:
        for table in ("fhir_event", "fhir_subscriber"):
            transaction.execute(f"DELETE FROM {table} WHERE subscription = ?", (name,))


def add(transaction: Transaction, noticed: Mapping[str, Sequence[NumberedChange]]) -> None:
    """Store new events of several subscriptions."""
    for name, events in noticed.items():
        transaction.executemany(
            "INSERT INTO fhir_event (subscription, number, type, id, version, updated) VALUES (?, ?, ?, ?, ?, ?)",
            [(name, event.number, *event.changed.key, event.changed.updated) for event in events],
        )
        if events:
            transaction.execute(
                "UPDATE fhir_subscriber SET count = ? WHERE subscription = ?", (events[-1].number, name)
            )


def set_looked(transaction: Transaction, subscriptions: Sequence[str], looked: int) -> None:
    """Note until when the changes were looked through."""
    for name in subscriptions:
        transaction.execute("UPDATE fhir_subscriber SET looked = ? WHERE subscription = ?", (looked, name))


def set_sent(transaction: Transaction, subscription: str, number: int, keep_from: int) -> None:
    """Note a delivery. Old events are deleted, but not those since the time `keep_from`."""
    transaction.execute("UPDATE fhir_subscriber SET sent = ? WHERE subscription = ?", (number, subscription))
    transaction.execute(
        "DELETE FROM fhir_event WHERE subscription = ? AND number <= ? AND updated < ?",
        (subscription, number - KEPT_EVENTS, keep_from),
    )


def noticed_since(transaction: Transaction, subscription: str, updated: int) -> dict[VersionKey, int]:
    """The changes since a time that are events already, each with its time."""
    found = transaction.execute(
        "SELECT type, id, version, updated FROM fhir_event WHERE subscription = ? AND updated >= ?",
        (subscription, updated),
    )
    return {(row[0], row[1], row[2]): row[3] for row in found}


def events(
    transaction: Transaction, subscription: str, first: int, last: int | None, limit: int
) -> list[NumberedChange]:
    """The kept events from one number to another (None: to the newest), at most `limit`."""
    bound = "" if last is None else " AND number <= ?"
    found = transaction.execute(
        f"SELECT number, type, id, version FROM fhir_event WHERE subscription = ? AND number >= ?{bound}"
        f" ORDER BY number LIMIT {limit:d}",
        (subscription, first, *(() if last is None else (last,))),
    )
    changes = read_changes(transaction, [(row[1], row[2], row[3]) for row in found])
    return [NumberedChange(row[0], changed) for row, changed in zip(found, changes, strict=True)]
