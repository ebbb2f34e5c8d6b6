"""Free time as offers: proposed appointments on free slots that follow one another, earliest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polyclinic.core.database import Transaction
from polyclinic.core.records import Resource
from polyclinic.fhir import search as searching
from polyclinic.fhir.dates import instant, instant_text
from polyclinic.fhir.query import parse_search
from polyclinic.fhir.resources import capacity_per_hour
from polyclinic.fhir.scheduling import span

MAX_SCHEDULES = 500
MAX_SLOTS = 20_000
_MINUTE = 60_000_000


@dataclass(frozen=True)
class Wanted:
    """What to look for: schedules that meet these conditions, in a time range, with a visit length if given."""

    schedules: Sequence[tuple[str, str]]
    start: int
    end: int
    minutes: int | None
    limit: int


def find_offers(transaction: Transaction, wanted: Wanted) -> list[Resource]:
    """Proposed appointments without ids, ordered by start; at most as many as `wanted` allows."""
    schedules = {
        stored.id: stored.resource()
        for stored in searching.run_all(transaction, parse_search("Schedule", wanted.schedules), MAX_SCHEDULES)
    }
    if not schedules:
        return []
    offers = [
        offer
        for id_, slots in _free_slots(transaction, sorted(schedules), wanted).items()
        for offer in _offers(schedules[id_], slots, _length(transaction, schedules[id_], wanted))
    ]
    offers.sort(key=lambda offer: (instant(offer["start"]), offer["slot"][0]["reference"]))
    return offers[: wanted.limit]


def _free_slots(transaction: Transaction, schedules: Sequence[str], wanted: Wanted) -> dict[str, list[Resource]]:
    query = [
        ("schedule", ",".join(f"Schedule/{id_}" for id_ in schedules)),
        ("status", "free"),
        ("start", f"ge{instant_text(wanted.start)}"),
        ("start", f"lt{instant_text(wanted.end)}"),
        ("_sort", "start"),
    ]
    found: dict[str, list[Resource]] = {}
    for stored in searching.run_all(transaction, parse_search("Slot", query), MAX_SLOTS):
        slot = stored.resource()
        if instant(slot["end"]) <= wanted.end:
            found.setdefault(slot["schedule"]["reference"].partition("/")[2], []).append(slot)
    return found


def _length(transaction: Transaction, schedule: Resource, wanted: Wanted) -> int | None:
    """The length of a visit: as asked for, else from the practitioner's capacity, else None for one slot."""
    if wanted.minutes is not None:
        return wanted.minutes * _MINUTE
    actors = [str(actor.get("reference", "")) for actor in schedule["actor"]]
    for actor in actors:
        if actor.startswith("Practitioner/"):
            roles = searching.run_all(transaction, parse_search("PractitionerRole", [("practitioner", actor)]), 1)
            capacity = capacity_per_hour(roles[0].resource()) if roles else None
            return 60 * _MINUTE // capacity if capacity else None
    return None


def _offers(schedule: Resource, slots: Sequence[Resource], length: int | None) -> Iterator[Resource]:
    """Proposed appointments of this length, one after the other, on slots without gaps."""
    stretch: list[Resource] = []
    for slot in slots:
        if stretch and instant(stretch[-1]["end"]) != instant(slot["start"]):
            stretch = []
        stretch.append(slot)
        if length is None or instant(slot["end"]) - instant(stretch[0]["start"]) >= length:
            yield _proposed(schedule, stretch)
            stretch = []


def _proposed(schedule: Resource, slots: Sequence[Resource]) -> Resource:
    """A proposed appointment on these slots. If slot and schedule differ, the slot's details are used."""
    said = {name: slots[0].get(name, schedule.get(name)) for name in ("serviceCategory", "serviceType", "specialty")}
    return {
        "resourceType": "Appointment",
        "status": "proposed",
        **{name: value for name, value in said.items() if value},
        **span(slots),
        "participant": [{"actor": actor, "status": "needs-action"} for actor in schedule["actor"]],
    }
