"""Runs over HTTP."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from polyclinic.core.transcript import Score, Started
from polyclinic.errors import UserError
from polyclinic.eval.compare import Arm, compare
from polyclinic.eval.found import FOUND
from polyclinic.eval.overview import TRANSCRIPTS, same_rules
from polyclinic.eval.report import RunReport
from polyclinic.eval.sections import sections_to_plain
from polyclinic.eval.validity import grounds
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.registry import load_clinic
from polyclinic.runner.reports import report_of
from polyclinic.runner.results import load_results, people_in
from polyclinic.store.store import Store
from polyclinic.web.once import Key, Once
from polyclinic.web.runs.episode import (
    CallInFull,
    EpisodeInFull,
    ScoreShown,
    call_in_full,
    calls_shown,
    events_shown,
)
from polyclinic.web.runs.index import EpisodePage, Indexes, Wanted
from polyclinic.web.runs.jobs import Going, Jobs
from polyclinic.web.streams import ALIVE, event, stream

WITH_TRANSCRIPTS = 2_000
"""A run of more episodes is summed up from its scores alone."""
MOST_REPORTS = 8
SORTS = ("number", "scenario", "variant", "outcome", "status", "calls", "cost_usd", "elapsed_ms")


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


class StartRun(BaseModel):
    """A new run."""

    model_config = ConfigDict(extra="forbid")

    clinic: str = Field(max_length=100)
    variants: list[str] = Field(default_factory=list, max_length=50)
    scenarios: str = Field("", max_length=300)
    trials: int = Field(1, ge=1, le=1_000)
    seed: int = Field(0, ge=0, lt=2**63)
    cast: str = Field("all=understudy", max_length=1_000)
    max_cost_usd: float | None = Field(None, gt=0)


class Begun(BaseModel):
    """Where a new run is."""

    id: str


class RunPages:
    """Everything about runs that this server keeps in memory."""

    def __init__(self, store: Store) -> None:
        self.store, self.indexes, self.jobs = store, Indexes(store), Jobs(store)
        self._reports: OrderedDict[tuple[Any, ...], bytes] = OrderedDict()

    async def report(self, run: str) -> bytes:
        """A run's page as JSON, worked out once for each state of the run."""
        count = await self.store.runs.counts(run)
        key = (run, *sorted(count.items()))
        if key not in self._reports:
            whole = sum(count.values()) <= WITH_TRANSCRIPTS
            results = await load_results(self.store, run, transcripts=whole)
            self._reports[key] = await asyncio.to_thread(_summed_up, results, whole)
            while len(self._reports) > MOST_REPORTS:
                self._reports.popitem(last=False)
        return self._reports[key]


def _pages(request: Request) -> RunPages:
    found: RunPages = request.app.state.runs
    return found


Pages = Annotated[RunPages, Depends(_pages)]


def run_routes() -> APIRouter:
    """The routes."""
    router = APIRouter(prefix="/api", tags=["runs"])

    @router.get("/runs", summary="All runs, newest first")
    async def listed(pages: Pages) -> list[RunShown]:
        rows = await pages.store.runs.all()
        counts = await pages.store.runs.all_counts()
        return [await _shown(pages, row.id, counts.get(row.id, {})) for row in rows]

    @router.post("/runs", status_code=201, summary="Start a run")
    async def start(body: StartRun, request: Request, pages: Pages, key: Key = "") -> Begun:
        async def work() -> Begun:
            values = {**body.model_dump(), "variants": tuple(body.variants), "store": pages.store.url}
            return Begun(id=await pages.jobs.start(make_config(values)))

        once: Once = request.app.state.once
        return await once.do(key, Begun, work)

    @router.post("/runs/{run}/stop", summary="Stop a run; it can be resumed")
    async def stop(run: str, pages: Pages) -> Going:
        await pages.jobs.stop(run)
        return await pages.jobs.going(run)

    @router.post("/runs/{run}/resume", summary="Go on with a run")
    async def resume(run: str, pages: Pages) -> Going:
        await pages.jobs.resume(run)
        return await pages.jobs.going(run)

    @router.get("/runs/{run}", summary="A run")
    async def one(run: str, pages: Pages) -> RunShown:
        row = await pages.store.runs.get(run)
        return await _shown(pages, row.id, await pages.store.runs.counts(row.id))

    @router.get("/runs/{run}/report", summary="What a run showed: headline, metrics with intervals, sections")
    async def report(run: str, pages: Pages) -> Response:
        row = await pages.store.runs.get(run)
        return Response(await pages.report(row.id), media_type="application/json")

    @router.get("/runs/{run}/events", summary="Follow a run", response_class=StreamingResponse)
    async def events(run: str, pages: Pages) -> StreamingResponse:
        row = await pages.store.runs.get(run)
        return stream(_progress(pages.jobs, row.id))

    @router.get("/runs/{run}/episodes", summary="Its episodes: filtered, sorted, one page")
    async def episodes(run: str, pages: Pages, wanted: Annotated[Wanted, Depends(_wanted)]) -> EpisodePage:
        row = await pages.store.runs.get(run)
        return await pages.indexes.page(row.id, wanted)

    @router.get("/runs/{run}/episodes/{episode}", summary="An episode as a conversation")
    async def episode(run: str, episode: str, pages: Pages) -> EpisodeInFull:
        return await _in_full(pages.store, run, episode)

    @router.get("/runs/{run}/episodes/{episode}/calls/{number}", summary="The prompt and raw reply of a call")
    async def call(run: str, episode: str, number: int, pages: Pages) -> CallInFull:
        row = await pages.store.runs.get(run)
        return await call_in_full(pages.store, row.id, episode, number)

    @router.get("/compare", summary="Two variants or runs on the same scenarios")
    async def compared(left: str, right: str, pages: Pages) -> Response:
        arms = [await _arm(pages.store, left), await _arm(pages.store, right)]
        if arms[0].results.clinic != arms[1].results.clinic:
            raise UserError("only runs of one clinic can be compared")
        found = await asyncio.to_thread(compare, arms[0], arms[1], None)
        body = {
            "rows": [asdict(item) for item in found],
            "tested": not all(same_rules(arm.results) for arm in arms),
            "about": {m.name: {"about": m.about, "up": m.higher_is_better} for m in arms[0].results.metrics},
        }
        return Response(orjson.dumps(body, option=orjson.OPT_SERIALIZE_NUMPY), media_type="application/json")

    return router


def _wanted(
    variant: str = "",
    outcome: str = "",
    owner: str = "",
    status: str = "",
    scenario: str = "",
    metric: str = "",
    low: float | None = None,
    high: float | None = None,
    words: Annotated[str, Query(max_length=200)] = "",
    sort: str = "number",
    down: bool = False,
    page: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    size: Annotated[int, Query(ge=1, le=500)] = 50,
) -> Wanted:
    if sort not in SORTS and not sort.startswith("metric:"):
        raise UserError(f"episodes cannot be sorted by {sort}")
    return Wanted(variant, outcome, owner, status, scenario, metric, low, high, words, sort, down, page, size)


async def _shown(pages: RunPages, run: str, count: dict[str, int]) -> RunShown:
    row = await pages.store.runs.get(run) if not count else await pages.store.runs.row(run)
    return RunShown(
        id=row.id,
        clinic=row.clinic,
        title=_title(row.clinic),
        cast=row.config.get("cast", ""),
        variants=list(row.config.get("variants") or ()),
        begun_ms=row.created_ms,
        done=count.get("done", 0),
        failed=count.get("failed", 0),
        left=count.get("pending", 0),
        going=pages.jobs.is_going(row.id),
        person=bool(people_in(row)),
    )


def _title(clinic: str) -> str:
    try:
        return load_clinic(clinic).title
    except UserError:
        return clinic


def _summed_up(results: Any, whole: bool) -> bytes:
    """Headline, metrics, and the report's sections; a clinic's own need transcripts."""
    made: RunReport = report_of(results, transcripts=0, own_sections=whole)
    ground = grounds(results)
    sections = [section for section in made.all_sections if section.title != TRANSCRIPTS]
    first = next((section for section in sections if section.title == FOUND), None)
    metrics = []
    for name in results.metric_names():
        metric = results.metric(name)
        finite = metric.high - metric.low < 100
        metrics.append(
            {
                "name": name,
                "about": metric.about,
                "up": metric.higher_is_better,
                "low": metric.low if finite else None,
                "high": metric.high if finite else None,
                "rests_on": ground[name].about,
                "valid": ground[name].valid,
                "values": {
                    variant: found[name].to_plain() for variant, found in made.summary.variants.items() if name in found
                },
            }
        )
    body = {
        "headline": sections_to_plain([first])[0]["body"] if first else [],
        "variants": [{"name": n, "about": results.variant_about.get(n, "")} for n in results.variant_names()],
        "metrics": metrics,
        "cast": [asdict(member) for member in results.cast],
        "failures": made.summary.failures,
        "usage": made.summary.to_plain()["usage"],
        "sections": sections_to_plain([section for section in sections if section.title not in (FOUND, "Results")]),
        "config": {name: value for name, value in results.config.items() if value not in ("", None, [], {}, ())},
    }
    return orjson.dumps(body, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS)


async def _in_full(store: Store, run: str, episode: str) -> EpisodeInFull:
    row = await store.runs.get(run)
    transcript = await store.runs.transcript(row.id, episode)
    stored = next(each for each in await store.runs.episodes(row.id) if each.spec.id == episode)
    clinic = load_clinic(row.clinic)
    body = await store.runs.scenario(row.id, stored.spec.scenario)
    timings = (await store.runs.timings(row.id)).get(episode, {})
    scores: list[Score] = await store.scores.of_episode(row.id, episode)
    started = transcript.of(Started)
    return EpisodeInFull(
        run=row.id,
        id=episode,
        clinic=row.clinic,
        scenario=stored.spec.scenario,
        variant=stored.spec.variant,
        trial=stored.spec.trial,
        outcome=stored.outcome or stored.status,
        introduction=clinic.scenario_type.model_validate_json(body).introduction() if body else "",
        cast=dict(started[0].cast) if started else {},
        events=events_shown(transcript),
        scores=[
            ScoreShown(
                metric=score.metric,
                value=score.value,
                judge=score.judge,
                subject=score.subject,
                reason=score.reason,
                evidence=list(score.evidence),
            )
            for score in scores
        ],
        calls=calls_shown(transcript, timings),
    )


async def _arm(store: Store, text: str) -> Arm:
    run, _, variant = text.partition("/")
    results = await load_results(store, run)
    names = results.variant_names()
    if not names:
        raise UserError(f"{run} has no finished episode")
    return Arm(results, variant or names[0])


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
