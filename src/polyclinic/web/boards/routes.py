"""Boards over HTTP: the list of boards, one board, the records behind a booking, and the what-if."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field

from polyclinic.core.board import Board, BoardRoom, Dial
from polyclinic.core.live import Body
from polyclinic.core.records import RecordsError
from polyclinic.errors import UnknownName, UserError
from polyclinic.eval.evaluation import DialQuestion
from polyclinic.eval.sections import sections_to_plain
from polyclinic.fhir.store import FhirStore
from polyclinic.runner.registry import clinics_with, load_clinic, read_scenarios
from polyclinic.store.run_rows import StoredEpisode
from polyclinic.store.store import Store
from polyclinic.web.access.allowed import must, seen_runs
from polyclinic.web.of_request import store_of

router = APIRouter(prefix="/api/boards", tags=["boards"])
MOST_RUNS, TRIALS, STEPS = 100, 12, 5
_Unit = Annotated[str, Query(max_length=300)]


class BoardClinic(BaseModel):
    """A clinic that has a board, and the dials of its what-if."""

    clinic: str
    title: str
    dials: tuple[Dial, ...]


class BoardRun(BaseModel):
    """A run that can be watched: each unit is one hospital under one variant."""

    run: str
    clinic: str
    begun_ms: int
    units: list[str]


class BoardsShown(BaseModel):
    """The data of the page of boards."""

    clinics: list[BoardClinic]
    runs: list[BoardRun]


class BoardShown(BaseModel):
    """A board with what the run has done so far; `left` counts the unfinished episodes."""

    board: Board
    unit: str
    done: int
    left: int


class BookingShown(BaseModel):
    """The records behind a booking, as FHIR JSON."""

    resources: list[dict[str, Any]]


class Turned(Body):
    """The dials with a fixed value, the dial that varies, and a limit for the days that patients wait."""

    fixed: dict[str, float] = Field(default_factory=dict, max_length=40)
    vary: str = Field(max_length=60)
    wait_days: float | None = Field(None, ge=0, le=1000)


class WhatIfShown(BaseModel):
    """The result of the what-if, as sections of a report."""

    sections: list[dict[str, Any]]


@router.get("", summary="Clinics with a board, and the runs to watch")
async def page(request: Request) -> BoardsShown:
    store, clinics = store_of(request), clinics_with("board")
    runs = []
    for row in [row for row in await seen_runs(request) if row.clinic in clinics][:MOST_RUNS]:
        units = _units(await store.runs.episodes(row.id))
        if units:
            runs.append(BoardRun(run=row.id, clinic=row.clinic, begun_ms=row.created_ms, units=list(units)))
    rooms = [BoardClinic(clinic=name, title=load_clinic(name).title, dials=_room(name).dials) for name in clinics]
    return BoardsShown(clinics=rooms, runs=runs)


@router.get("/{run}", summary="A board")
async def one(run: str, request: Request, unit: _Unit = "") -> BoardShown:
    await must(request, "run", "see", run)
    store = store_of(request)
    row = await store.runs.get(run)
    units = _units(await store.runs.episodes(row.id))
    name, episodes = _unit(units, unit, row.id)
    bodies = await store.runs.scenarios(row.id)
    clinic = load_clinic(row.clinic)
    wanted = {episode.spec.scenario: bodies[episode.spec.scenario] for episode in episodes}
    effects = await store.runs.effects(row.id, name)
    found = await asyncio.to_thread(
        lambda: _room(row.clinic).board(
            list(read_scenarios(clinic, wanted).values()),
            effects,
            {episode.spec.scenario: episode.spec.id for episode in episodes},
        )
    )
    over = sum(episode.status in ("done", "failed") for episode in episodes)
    return BoardShown(board=found, unit=name, done=over, left=len(episodes) - over)


@router.get("/{run}/bookings/{booking}", summary="The records behind a booking")
async def booking(run: str, booking: str, request: Request, unit: _Unit = "") -> BookingShown:
    await must(request, "run", "see", run)
    store = store_of(request)
    row = await store.runs.get(run)
    _, episodes = _unit(_units(await store.runs.episodes(row.id)), unit, row.id)
    keys = _room(row.clinic).records(episodes[0].spec, booking)
    return BookingShown(resources=await _resources(store, keys))


@router.post("/whatif/{clinic}", summary="The same patients under other settings")
async def whatif(clinic: str, body: Turned) -> WhatIfShown:
    room, found = _room(clinic), load_clinic(clinic)
    if found.whatif is None:
        raise UserError(f"{clinic} has no what-if: it does not simulate its operation")
    dials = {dial.name: dial for dial in room.dials}
    if body.vary not in dials:
        raise UnknownName("dial", body.vary, dials)
    asked = DialQuestion(
        vary={body.vary: _values(dials[body.vary], body.fixed.get(body.vary, dials[body.vary].value))},
        fixed={name: value for name, value in body.fixed.items() if name != body.vary},
        hold={"wait_days": body.wait_days} if body.wait_days is not None else {},
        trials=TRIALS,
    )
    answer = await asyncio.to_thread(found.whatif, asked)
    return WhatIfShown(sections=sections_to_plain(answer.sections))


def _values(dial: Dial, around: float) -> tuple[float, ...]:
    """Some values around the given value, within the dial's range."""
    step = 1.0 if dial.whole and dial.high - dial.low <= 4 * STEPS else (dial.high - dial.low) / (4 * STEPS)
    step = max(1.0, round(step)) if dial.whole else step
    found = (around + step * number for number in range(-2, STEPS - 2))
    return tuple(sorted({round(min(max(value, dial.low), dial.high), 6) for value in found}))


def _room(clinic: str) -> BoardRoom:
    room = load_clinic(clinic).board
    if room is None:
        raise UserError(f"{clinic} has no board")
    return room


def _units(episodes: list[StoredEpisode]) -> dict[str, list[StoredEpisode]]:
    """The campaigns of a run, each with its episodes in order."""
    found: dict[str, list[StoredEpisode]] = {}
    for episode in sorted(episodes, key=lambda one: one.spec.position):
        if episode.spec.campaign:
            found.setdefault(episode.unit, []).append(episode)
    return found


def _unit(units: dict[str, list[StoredEpisode]], wanted: str, run: str) -> tuple[str, list[StoredEpisode]]:
    name = wanted or next(iter(units), "")
    if name not in units:
        raise UnknownName("hospital in {1}", name, units, of=run)
    return name, units[name]


async def _resources(store: Store, keys: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """The resources among these that exist."""
    records = await FhirStore.open(store.database)
    found = []
    for kind, id in keys:
        try:
            found.append(dict(await records.read(kind, id)))
        except RecordsError:
            continue  # missing if nobody waits, or nobody has come yet
    return found
