"""What kind of visit a slot is for: its codes, kept once for all slots of the same kind.

A hospital has tens of thousands of slots, but a dozen kinds. A slot's row names its kind; the index holds the codes
under the kind's id. This id begins with a character that no resource's id has. Slots of older stores have index rows of
their own instead, so a search looks for both.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache

import orjson

from polyclinic.core.database import Transaction
from polyclinic.core.records import Resource
from polyclinic.fhir.extract import IndexValue, IndexValues, emitter
from polyclinic.fhir.index import walk
from polyclinic.fhir.parameters import KIND, parameters

_ELEMENTS = ("appointmentType", "serviceCategory", "serviceType", "specialty")
_CHUNK = 200
_INSERT = "INSERT INTO fhir_index (type, id, parameter, value, system, low, high) VALUES (?, ?, ?, ?, ?, ?, ?)"


def kind_of(slot: Resource) -> str | None:
    """The id of a slot's kind; None if the slot has no codes that name a kind."""
    said = {name: slot[name] for name in _ELEMENTS if name in slot}
    return _kind(orjson.dumps(said, default=str)) if said else None


def same_kind(before: Resource, after: Resource) -> bool:
    """Whether two versions of a slot have the same kind."""
    return all(before.get(name) == after.get(name) for name in _ELEMENTS)


def kind_values(slot: Resource) -> Sequence[IndexValue]:
    """The codes of a slot's kind as index values under the kind's id."""
    kind = kind_of(slot)
    return (
        () if kind is None else _values(orjson.dumps({name: slot.get(name) for name in _ELEMENTS}, default=str), kind)
    )


@lru_cache(maxsize=1024)
def _kind(said: bytes) -> str:
    return f"~{hashlib.sha256(said).hexdigest()[:24]}"


@lru_cache(maxsize=1024)
def _values(said: bytes, kind: str) -> tuple[IndexValue, ...]:
    slot = orjson.loads(said)
    found: IndexValues = {}
    for code in KIND["Slot"]:
        parameter = parameters("Slot")[code]
        for path in parameter.paths:
            emit = emitter("Slot", parameter, path)
            for node in walk(slot, path.steps):
                if isinstance(node, dict):
                    emit(kind, node, found)
    return tuple(found)


def add_kinds(transaction: Transaction, kinds: Mapping[str, Resource]) -> None:
    """Add these kinds to the index, each read from one of its slots.

    Two writers may add the same kind at the same time; searches still work.
    """
    names = sorted(kinds)
    for start in range(0, len(names), _CHUNK):
        chunk = names[start : start + _CHUNK]
        marks = ", ".join("?" * len(chunk))
        known = transaction.execute(
            f"SELECT DISTINCT id FROM fhir_index WHERE type = 'Slot' AND id IN ({marks})", chunk
        )
        missing = set(chunk) - {row[0] for row in known}
        rows = [value for kind in sorted(missing) for value in kind_values(kinds[kind])]
        if rows:
            transaction.executemany(_INSERT, rows)
