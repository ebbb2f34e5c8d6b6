"""Tentative reservations: a slot is `busy-tentative` until it is booked with the hold's token or the hold expires.

Only the client that placed the hold knows its token; the Slot shows nothing but its status. A slot with an expired
hold can be taken at once, and `sweep` sets its status back to free.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from polyclinic.core.database import Transaction

_CHUNK = 400
_APPOINTMENT = "Appointment/"


class Hold(NamedTuple):
    """A reservation of one slot."""

    slot: str
    token: str
    expires: int


def find(transaction: Transaction, slot: str) -> Hold | None:
    """The hold on a slot, even if it has expired; None if there is none."""
    found = transaction.execute("SELECT slot, token, expires FROM fhir_hold WHERE slot = ?", (slot,))
    return Hold(*found[0]) if found else None


def is_of_appointment(token: str) -> bool:
    """Whether a token stands for a held appointment. Such tokens are not secret, so nobody can book with them."""
    return token.startswith(_APPOINTMENT)


def place(transaction: Transaction, slots: Sequence[str], token: str, expires: int) -> None:
    """Record holds on slots; an older one on the same slot is replaced."""
    forget(transaction, slots)
    transaction.executemany(
        "INSERT INTO fhir_hold (slot, token, expires) VALUES (?, ?, ?)", [(slot, token, expires) for slot in slots]
    )


def forget(transaction: Transaction, slots: Sequence[str]) -> None:
    """Drop the holds on slots."""
    for start in range(0, len(slots), _CHUNK):
        chunk = slots[start : start + _CHUNK]
        transaction.execute(f"DELETE FROM fhir_hold WHERE slot IN ({', '.join('?' * len(chunk))})", chunk)


def expired_appointments(transaction: Transaction, now: int) -> list[str]:
    """Appointments whose hold has expired, in order. The token of such a hold names its appointment."""
    found = transaction.execute(
        "SELECT DISTINCT token FROM fhir_hold WHERE expires <= ? AND token LIKE ? ORDER BY token",
        (now, f"{_APPOINTMENT}%"),
    )
    return [str(row[0]).removeprefix(_APPOINTMENT) for row in found]


def expired(transaction: Transaction, now: int) -> list[str]:
    """Slots whose hold has expired, in order."""
    return [
        row[0] for row in transaction.execute("SELECT slot FROM fhir_hold WHERE expires <= ? ORDER BY slot", (now,))
    ]
