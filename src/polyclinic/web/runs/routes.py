"""Runs over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator

from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, Field

from polyclinic.core.live import Body
from polyclinic.errors import UserError
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.registry import load_clinic
from polyclinic.runner.results import people_in
from polyclinic.web.access.allowed import seen_runs
from polyclinic.web.practise.start import Begun
from polyclinic.web.runs.jobs import Going, Jobs
from polyclinic.web.runs.pages import Pages, RunPages
from polyclinic.web.streams import ALIVE, event, stream

router = APIRouter(prefix="/api/runs", tags=["runs"])


class RunShown(BaseModel):
    """A run in the table of runs."""

    id: str
    clinic: str
    title: str
    cast: str
    variants: list[str]
    begun_ms: int
    done: int
    failed: int
    left: int
    going: bool
    person: bool


class StartRun(Body):
    """A new run."""

    clinic: str = Field(max_length=100)
    variants: list[str] = Field(default_factory=list, max_length=50)
    scenarios: str = Field("", max_length=300)
    trials: int = Field(1, ge=1, le=1_000)
    seed: int = Field(0, ge=0, lt=2**63)
    cast: str = Field("all=understudy", max_length=1_000)
    max_cost_usd: float | None = Field(None, gt=0)


@router.get("", summary="All runs, newest first")
async def listed(pages: Pages, request: Request) -> list[RunShown]:
    counts = await pages.store.runs.all_counts()
    return [await _shown(pages, row.id, counts.get(row.id, {})) for row in await seen_runs(request)]


@router.post("", status_code=201, summary="Start a run")
async def start(body: StartRun, pages: Pages) -> Begun:
    values = {**body.model_dump(), "variants": tuple(body.variants), "store": pages.store.url}
    return Begun(id=await pages.jobs.start(make_config(values)))


@router.post("/{run}/stop", summary="Stop a run; it can be resumed")
async def stop(run: str, pages: Pages) -> Going:
    await pages.jobs.stop(run)
    return await pages.jobs.going(run)


@router.post("/{run}/resume", summary="Go on with a run")
async def resume(run: str, pages: Pages) -> Going:
    await pages.jobs.resume(run)
    return await pages.jobs.going(run)


@router.get("/{run}", summary="A run")
async def one(run: str, pages: Pages) -> RunShown:
    row = await pages.store.runs.get(run)
    return await _shown(pages, row.id, await pages.store.runs.counts(row.id))


@router.get("/{run}/report", summary="What a run showed: headline, metrics with intervals, sections")
async def report(run: str, pages: Pages) -> Response:
    row = await pages.store.runs.get(run)
    return Response(await pages.report(row.id), media_type="application/json")


@router.get("/{run}/events", summary="Follow a run", response_class=StreamingResponse)
async def events(run: str, pages: Pages) -> StreamingResponse:
    row = await pages.store.runs.get(run)
    return stream(_progress(pages.jobs, row.id))


async def _shown(pages: RunPages, run: str, count: dict[str, int]) -> RunShown:
    row = await pages.store.runs.get(run) if not count else await pages.store.runs.row(run)
    title, first = _title_and_variant(row.clinic)
    return RunShown(
        id=row.id,
        clinic=row.clinic,
        title=title,
        cast=row.config.get("cast", ""),
        variants=list(row.config.get("variants") or first),
        begun_ms=row.created_ms,
        done=count.get("done", 0),
        failed=count.get("failed", 0),
        left=count.get("pending", 0),
        going=pages.jobs.is_going(row.id),
        person=bool(people_in(row)),
    )


def _title_and_variant(name: str) -> tuple[str, tuple[str, ...]]:
    """A clinic's title and default variant; only its name if it is not installed."""
    try:
        clinic = load_clinic(name)
    except UserError:
        return name, ()
    return clinic.title, (clinic.first_variant,)


async def _progress(jobs: Jobs, run: str) -> AsyncIterator[str]:
    told: Going | None = None
    while True:
        now = await jobs.going(run)
        if now != told:
            told = now
            yield event("progress", now)
        if not now.going:
            return
        if not await jobs.news.wait(1.0):
            yield ALIVE
