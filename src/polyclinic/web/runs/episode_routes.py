"""The episodes of a run over HTTP."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from polyclinic.core.transcript import Score, Started
from polyclinic.errors import UserError
from polyclinic.runner.registry import load_clinic
from polyclinic.store.store import Store
from polyclinic.web.runs.columns import WantedEpisodes
from polyclinic.web.runs.episode import (
    CallInFull,
    EpisodeInFull,
    ScoreShown,
    call_in_full,
    calls_shown,
    events_shown,
)
from polyclinic.web.runs.index import EpisodePage
from polyclinic.web.runs.pages import Pages

SORTS = ("number", "scenario", "variant", "outcome", "status", "calls", "cost_usd", "elapsed_ms")
router = APIRouter(prefix="/api/runs/{run}/episodes", tags=["runs"])


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
) -> WantedEpisodes:
    if sort not in SORTS and not sort.startswith("metric:"):
        raise UserError(f"episodes cannot be sorted by {sort}")
    return WantedEpisodes(variant, outcome, owner, status, scenario, metric, low, high, words, sort, down, page, size)


@router.get("", summary="Its episodes: filtered, sorted, one page")
async def episodes(run: str, pages: Pages, wanted: Annotated[WantedEpisodes, Depends(_wanted)]) -> EpisodePage:
    row = await pages.store.runs.get(run)
    return await pages.indexes.page(row.id, wanted)


@router.get("/{episode}", summary="An episode as a conversation")
async def episode(run: str, episode: str, pages: Pages) -> EpisodeInFull:
    return await _in_full(pages.store, run, episode)


@router.get("/{episode}/calls/{number}", summary="The prompt and raw reply of a call")
async def call(run: str, episode: str, number: int, pages: Pages) -> CallInFull:
    row = await pages.store.runs.get(run)
    return await call_in_full(pages.store, row.id, episode, number)


async def _in_full(store: Store, run: str, episode: str) -> EpisodeInFull:
    row = await store.runs.get(run)
    transcript = await store.runs.transcript(row.id, episode)
    stored = next(each for each in await store.runs.episodes(row.id) if each.spec.id == episode)
    clinic = load_clinic(row.clinic)
    body = await store.runs.scenario(row.id, stored.spec.scenario)
    timings = (await store.runs.timings(row.id)).get(episode, {})
    scores: list[Score] = await store.scores.of_episode(row.id, episode)
    started = transcript.of(Started)
    words = {metric.name: metric.about for judge in clinic.judges() for metric in judge.metrics}
    return EpisodeInFull(
        run=row.id,
        id=episode,
        clinic=row.clinic,
        scenario=stored.spec.scenario,
        variant=stored.spec.variant,
        trial=stored.spec.trial,
        outcome=stored.outcome or stored.status,
        introduction=clinic.read_scenario(body).introduction() if body else "",
        cast=dict(started[0].cast) if started else {},
        events=events_shown(transcript),
        scores=[
            ScoreShown(
                metric=score.metric,
                about=words.get(score.metric, ""),
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
