"""What follows from resources as they are, step after step, inside an open transaction.

A step sees what the steps before it did. Those that touch nothing in common need not wait for each other: they are read
together, with one lock on everything, and made together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from polyclinic.core.records import Change, Consequence, Delete, Resource
from polyclinic.fhir.diary import Key
from polyclinic.fhir.transactions import carry_out, is_plain, make, touched
from polyclinic.fhir.work import Work

Step: TypeAlias = tuple[Sequence[Key], Consequence]


def follow(begin: Callable[[], Work], steps: Sequence[Step]) -> list[Resource | None]:
    """Make every step or raise; the new versions in the order of the changes."""
    made: list[Resource | None] = []
    while steps:
        results, count = _follow_some(begin(), steps)
        made += results
        steps = steps[count:]
    return made


def _follow_some(work: Work, steps: Sequence[Step]) -> tuple[list[Resource | None], int]:
    """Make as many of the first steps as can be made together: their results, and how many these are."""
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
    """Whether all that a change touches is known before it is made: a deletion is about whoever refers to it, too."""
    return is_plain(change) and not isinstance(change, Delete)
