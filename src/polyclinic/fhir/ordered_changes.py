"""Changes that depend on the current state of resources, applied in order inside an open transaction.

A step reads some resources and returns the changes to make. Each step sees the changes of the steps before it. Steps
that touch different resources are read under one lock and written together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from polyclinic.core.records import Change, Consequence, Delete, Resource
from polyclinic.fhir.plain_changes import carry_out, is_plain, make, touched
from polyclinic.fhir.slot_rules import Key
from polyclinic.fhir.unit_of_work import UnitOfWork

Step: TypeAlias = tuple[Sequence[Key], Consequence]


def apply_in_order(begin: Callable[[], UnitOfWork], steps: Sequence[Step]) -> list[Resource | None]:
    """Apply every step or raise; returns the new versions in the order of the changes."""
    made: list[Resource | None] = []
    while steps:
        results, count = _apply_together(begin(), steps)
        made += results
        steps = steps[count:]
    return made


def _apply_together(work: UnitOfWork, steps: Sequence[Step]) -> tuple[list[Resource | None], int]:
    """Apply as many of the first steps as can be applied together.

    Returns the results and how many steps were applied.
    """
    found = work.read(key for keys, _ in steps for key in keys)
    together: list[Change] = []
    locked: set[Key] = set()
    for count, (keys, consequence) in enumerate(steps):
        if not locked.isdisjoint(keys):
            return carry_out(work, together), count
        changes = consequence([found[key] for key in keys])
        if not all(map(_known, changes)):
            return (carry_out(work, together), count) if count else (make(work, changes), 1)
        touching = work.lock(*touched(changes))
        if not locked.isdisjoint(touching):
            return carry_out(work, together), count
        together += changes
        locked |= touching
    return carry_out(work, together), len(steps)


def _known(change: Change) -> bool:
    """Whether everything that a change touches is known before the change is made. This is false for a deletion."""
    return is_plain(change) and not isinstance(change, Delete)
