"""All sessions of this server: started, found again, and removed from memory when unused for a while."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace

from polyclinic.core.clinic import Clinic
from polyclinic.core.judge import Case
from polyclinic.core.transcript import Transcript
from polyclinic.errors import ConfigError, UserError
from polyclinic.eval.sections import Section
from polyclinic.runner.api import outcome_of, save_run
from polyclinic.runner.plan.config import RunConfig
from polyclinic.runner.plan.run_plan import RunPlan, plan_run
from polyclinic.runner.registry import load_clinic
from polyclinic.runner.results import (
    OwnFigures,
    figures_beside_feedback,
    load_results,
    own_feedback,
    people_in,
    time_taken,
    valid_figures,
)
from polyclinic.store.run_rows import RunRow
from polyclinic.store.store import Store
from polyclinic.web.practise.ready import ReadyClinics
from polyclinic.web.practise.session import PracticeSession
from polyclinic.web.practise.view import LineListener, SeenLine

MOST, IDLE_S, LOOK_S = 400, 60.0, 10.0
"""How many sessions are in memory, how long an unused one stays there, and how often this is checked (in seconds)."""


@dataclass(frozen=True)
class EndedSession:
    """A session that is over: what was said, the feedback, and figures."""

    clinic: Clinic
    part: str
    outcome: str
    lines: list[SeenLine]
    sections: list[Section]
    figures: dict[str, float]
    not_valid: tuple[str, ...]
    elapsed_ms: int
    transcript: Transcript


class Sessions:
    """Sessions by the id of their run."""

    def __init__(self, store: Store, *, rehearses: bool = False) -> None:
        self.store = store
        self.ready = ReadyClinics(rehearses=rehearses)
        self._plans: dict[str, RunPlan] = {}
        self._open: dict[str, PracticeSession] = {}
        self._opening: dict[str, asyncio.Task[PracticeSession | None]] = {}

    async def start(self, config: RunConfig, case: str = "") -> str:
        """Start a new session in the named case of the selection, or in its first case.

        The first question is made when somebody opens the session.
        """
        await self.ready.wait(config.clinic)
        plan = await plan_run(self.store, config)
        if not plan.episodes:
            raise ConfigError(f"“{config.scenarios}” selects no case")
        named = tuple(one for one in plan.episodes if one[1].scenario == case)
        run, kept = await save_run(self.store, replace(plan, episodes=named or plan.episodes), only=1)
        self._plans[run] = replace(kept, scenarios=(), episodes=())
        for forgotten in list(self._plans)[:-MOST]:
            del self._plans[forgotten]
        return run

    async def row(self, run: str) -> tuple[RunRow, str]:
        """The run and the seat that a person takes in it."""
        row = await self.store.runs.get(run)
        seats = people_in(row)
        if not seats:
            raise UserError(f"no person plays a role in {row.id}")
        return row, seats[0]

    async def find(self, run: str) -> PracticeSession | None:
        """The session, continued from where it was left; None if it is over."""
        found = self._in_memory(run)
        return found if found is not None else await self.open(*await self.row(run))

    async def open(self, row: RunRow, seat: str) -> PracticeSession | None:
        """As `find`, for a run that was read already.

        Several sessions can open at the same time; each is opened only once.
        """
        await self.ready.wait(row.clinic)
        found = self._in_memory(row.id)
        if found is not None:
            return found
        opening = self._opening.get(row.id)
        if opening is None:
            opening = self._opening[row.id] = asyncio.create_task(self._opened(row.id, seat))
            opening.add_done_callback(lambda _: self._opening.pop(row.id))
        return await asyncio.shield(opening)

    def _in_memory(self, run: str) -> PracticeSession | None:
        """The session, if it is in memory and not over."""
        found = self._open.get(run)
        if found is None or found.over or run in self._opening:
            return None
        found.used = time.monotonic()
        return found

    async def _opened(self, run: str, seat: str) -> PracticeSession | None:
        if not (await outcome_of(self.store, run)).left:
            return None
        if len(self._open) >= MOST:
            await self._make_room()
        self._open[run] = session = PracticeSession(self.store, run, seat, self._plans.pop(run, None))
        await self._as_in_class(session)
        return session

    async def _as_in_class(self, session: PracticeSession) -> None:
        """Apply what a session gets from its class: hints, and the end of the class."""
        kept = await self.store.classes.session(session.run)
        if kept is None:
            return
        for hint in await self.store.classes.hints([session.run]):
            session.take_hint(hint)
        if (await self.store.classes.get(kept.class_id)).ended_ms:
            session.shut()

    def peek(self, run: str) -> PracticeSession | None:
        """The session if it is in memory; otherwise None. It is not opened."""
        return self._open.get(run)

    async def ended(self, run: str, language: str = "en") -> EndedSession:
        """A session that is over; its feedback is in this language."""
        row, seat = await self.row(run)
        clinic = load_clinic(row.clinic)
        results, taken = await asyncio.gather(load_results(self.store, row.id), time_taken(self.store, row.id))
        if not results.episodes:
            raise UserError(f"{row.id} has not ended")
        episode = results.episodes[0]
        variant = clinic.variant(episode.variant)
        case = Case(results.scenarios[episode.scenario], variant, episode.transcript, episode.trial)
        heard = LineListener(seat)
        for event in episode.transcript:
            heard.hear(event)
        done = episode.status == "done"
        own = valid_figures(results, clinic, seat, case) if done else OwnFigures({}, ())
        shown = figures_beside_feedback(own, clinic, seat, case)
        return EndedSession(
            clinic=clinic,
            part=seat,
            outcome=episode.outcome,
            lines=heard.lines,
            sections=own_feedback(clinic, seat, case, language, results) if done else [],
            figures=shown.valid,
            not_valid=shown.left_out,
            elapsed_ms=taken[episode.id],
            transcript=episode.transcript,
        )

    async def watch(self) -> None:
        """While the server runs, remove unused sessions from memory."""
        while True:
            await asyncio.sleep(LOOK_S)
            await self._let_go(IDLE_S)

    async def close(self) -> None:
        """Remove all sessions from memory."""
        await self._let_go(-1.0)

    async def _make_room(self) -> None:
        await self._let_go(20.0)
        if len(self._open) >= MOST:
            raise UserError(f"{MOST} sessions are already running: try again in a minute")

    async def _let_go(self, idle_s: float) -> None:
        now = time.monotonic()
        old = [
            run
            for run, session in self._open.items()
            if session.over or idle_s < 0 or (not session.listening + session.watching and now - session.used > idle_s)
        ]
        await asyncio.gather(*(self._open.pop(run).close() for run in old))
