"""Which parts of a run are still to do, and where each worker begins.

A unit is what one worker does alone: a whole campaign, or an episode that shares nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from polyclinic.models.placed import Host
from polyclinic.store.run_rows import StoredEpisode


@dataclass(frozen=True)
class WorkerShare:
    """The number of this worker among equal workers. It only decides with which units the worker begins.

    `hosts` are the local models that all workers share, by name. `led`: a process of the cluster leads this worker, and
    gives it its share of the run's budget.
    """

    index: int = 0
    of: int = 1
    hosts: Mapping[str, Host] = field(default_factory=dict)
    led: bool = False


def open_units(rows: Iterable[StoredEpisode]) -> dict[str, list[StoredEpisode]]:
    """The units that still have pending episodes, in planned order."""
    units: dict[str, list[StoredEpisode]] = {}
    for row in rows:
        units.setdefault(row.unit, []).append(row)
    return {unit: mine for unit, mine in units.items() if any(row.status == "pending" for row in mine)}


def own_part(
    units: dict[str, list[StoredEpisode]], share: WorkerShare
) -> tuple[dict[str, list[StoredEpisode]], list[str]]:
    """This worker's part of the units, and the names of the others.

    A worker tries its own part first, and the others later if they are still open. So workers rarely ask for the same
    unit, and never for one that another has finished meanwhile.
    """
    listed = list(units)
    first, end = len(listed) * share.index // share.of, len(listed) * (share.index + 1) // share.of
    own = listed[first:end]
    return {unit: units[unit] for unit in own}, listed[end:] + listed[:first]
