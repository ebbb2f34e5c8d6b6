"""The sessions of one service. Each is an episode of one growing run in the store, so it survives a restart.

A session's flow runs as a task and takes what people do from its inbox, through the role that the clinic's service
names. What they did is journalled like any model's reply; a service that starts again lets every open session run
through its journal to the point where it waits for people, and goes on from there.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from polyclinic.core.clinic import Clinic
from polyclinic.core.episode import EpisodeSpec
from polyclinic.core.execute import RunContext, run_episode
from polyclinic.core.live import Action, Body, Heard, LiveService
from polyclinic.core.reply import ReplyModel
from polyclinic.core.scenario import Scenario
from polyclinic.core.transcript import Event, Transcript
from polyclinic.errors import ConfigError, PolyclinicError, UnknownName, UserError
from polyclinic.runner.build.built_run import build
from polyclinic.runner.plan.config import RunConfig
from polyclinic.runner.plan.run_plan import RunPlan, parse_plan, refuse_unknown_settings
from polyclinic.runner.registry import clinics_with, read_scenarios
from polyclinic.store.leases import LEASE_S, LeaseLost, Leases, this_process
from polyclinic.store.posts import Post, PostStatus
from polyclinic.store.store import Store
from polyclinic.web.sessions.emergency import Telling, now_ms
from polyclinic.web.sessions.limits import ServiceLimits
from polyclinic.web.sessions.live import STOPPED, Live
from polyclinic.web.sessions.people import PeopleModel, ServicePlayers
from polyclinic.web.sessions.schemas import case_id

_LOG = logging.getLogger(__name__)
CLOSED_KEPT = 64
FAULT_SHOWS_S = 600
"""How long a fault keeps the service from calling itself up."""


class NotNow(UserError):
    """The session is not in a state that allows this."""


class Broken(PolyclinicError):
    """The machinery failed while somebody was being answered. They heard the safe words, and people were told."""

    def __init__(self, said: Sequence[Heard], told: Sequence[str]) -> None:
        super().__init__("the service failed; people have been told")
        self.said, self.told = list(said), tuple(told)


class Service:
    """Opens, resumes and closes sessions."""

    def __init__(
        self, store: Store, run: str, context: RunContext, sessions: dict[str, Live], limits: ServiceLimits, place: str
    ) -> None:
        self._store, self._run, self._context, self._sessions = store, run, context, sessions
        self._clinic, self._room = context.clinic, service_room(context.clinic)
        self._telling = Telling(context.journal, (*self._room.queues, "")[0], place)
        self._answer_s = limits.answer_s
        self._leases = Leases(store.database, run, this_process())
        self._most = limits.open_sessions
        self._known: dict[str, dict[str, str]] = {}

    # -- sessions ------------------------------------------------------------------------------------------------------
    async def start(self, body: Body) -> tuple[Live, str]:
        """A new session and the token that opens it."""
        if sum(not live.closed for live in self._sessions.values()) >= self._most:
            raise NotNow(f"the limit of {self._most} open sessions is reached")
        session, token = secrets.token_hex(8), secrets.token_urlsafe(24)
        person = self._room.person(body)
        known = await self._facts_of(person)
        made = self._room.scenario(session, body, known, self._context.services.options)
        tags = (*made.tags, f"token:{_digest(token)}", f"patient:{person}")
        scenario = made.model_copy(update={"tags": tags})
        variant = self._room.variant or self._clinic.first_variant
        spec = EpisodeSpec(session, self._clinic.name, session, variant, 0, 0, self._run)
        try:
            async with asyncio.timeout(self._answer_s):
                await self._store.runs.append(self._run, scenario, session, spec)
                live = self._open(spec, scenario)
                await live.idle.wait()
        except Exception as fault:
            live = self._sessions.get(session) or Live(session, self._room, scenario, _digest(token), person)
            raise await self._broken(live, "", fault) from fault
        if live.broken:
            raise await self._broken(live, "", live.fault)
        return live, token

    def _open(self, spec: EpisodeSpec, scenario: Scenario) -> Live:
        live = self._live(spec, scenario)
        live.task = asyncio.create_task(self._hold(spec, scenario, live))
        return live

    def _live(self, spec: EpisodeSpec, scenario: Scenario) -> Live:
        closed = [name for name, live in self._sessions.items() if live.closed]
        for name in closed[:-CLOSED_KEPT]:
            del self._sessions[name]
        self._sessions[spec.id] = live = self._made(spec.id, scenario)
        return live

    def _made(self, session: str, scenario: Scenario) -> Live:
        tags = dict(tag.partition(":")[::2] for tag in scenario.tags)
        return Live(session, self._room, scenario, tags.get("token", ""), tags.get("patient", ""))

    async def _hold(self, spec: EpisodeSpec, scenario: Scenario, live: Live) -> None:
        """Run a session's flow to its end and commit that end."""
        began = time.monotonic()
        try:
            if await self._leases.claim(spec.id) is None:
                raise LeaseLost(f"session {spec.id} is open in another process")
            result = await run_episode(self._context, spec, scenario)
            elapsed_ms = round((time.monotonic() - began) * 1000)
            await self._store.runs.finish(self._run, spec.id, result, self._leases.owner, elapsed_ms)
            self._remember(live, result.transcript)
            live.end(result.outcome)
        except asyncio.CancelledError:
            raise
        except Exception as fault:
            _LOG.exception("session %s stopped", spec.id)
            live.fault = fault
            live.end(STOPPED)

    def _remember(self, live: Live, transcript: Transcript) -> None:
        if live.person:
            self._known[live.person] = self._room.remember(transcript)

    async def get(self, session: str) -> Live:
        """A session by its id: an open one from memory, a closed one from the store."""
        if session in self._sessions:
            return self._sessions[session]
        scenarios = read_scenarios(self._clinic, await self._store.runs.scenarios(self._run))
        if session not in scenarios:
            raise UnknownName("session", session, ())
        live = self._made(session, scenarios[session])
        for event in await self._store.runs.transcript(self._run, session):
            live.take(event)
        return live

    def all(self) -> list[Live]:
        """Every open session, and the few that were closed last."""
        return list(self._sessions.values())

    async def act(self, live: Live, action: Action[Body], body: Body) -> list[Heard]:
        """Let somebody do something, one at a time; returns what was said because of it."""
        given = body.model_dump()
        words = str(given.get("text", ""))
        async with live.busy:
            if live.broken:
                raise await self._broken(live, words, live.fault)
            if live.state.control not in action.when:
                raise NotNow(f"the session is {live.state.control}; this needs it to be {' or '.join(action.when)}")
            try:
                async with asyncio.timeout(self._answer_s):
                    said = await live.put(_as_text(action.reply(body)))
            except Exception as fault:
                raise await self._broken(live, words, fault) from fault
            if live.broken:
                raise await self._broken(live, words, live.fault)
        if action.cases == "take":
            await self.take_cases(live.id, str(given.get("by", "")))
        elif action.cases == "close":
            await self.close_cases(live.id, action.remark.format(**given))
        return said

    async def _broken(self, live: Live, words: str, fault: Exception | None) -> Broken:
        """The visitor hears the safe words and people are told, whatever it was that broke."""
        if live.task is not None and not live.task.done():
            live.task.cancel()
        live.fault = fault
        live.end(STOPPED)
        said = live.say_safely()
        what = f"{type(fault).__name__}: {fault}" if fault is not None else live.state.outcome
        told = await self._telling.tell(live.id, words, what)
        return Broken([said], told)

    async def healthy(self) -> bool:
        """Whether nothing broke lately and the store takes a write."""
        if now_ms() - self._telling.last_ms < FAULT_SHOWS_S * 1_000:
            return False
        try:
            async with asyncio.timeout(5):
                await self._store.posts.probe()
        except Exception:
            _LOG.exception("the store takes no write")
            return False
        return True

    async def _facts_of(self, person: str) -> dict[str, str]:
        """What earlier sessions of this person left: from memory, else from the newest one in the store."""
        if not person or person in self._known:
            return self._known.get(person, {})
        scenarios = read_scenarios(self._clinic, await self._store.runs.scenarios(self._run))
        rows = await self._store.runs.episodes(self._run, 0, self._clinic.name)
        theirs = [r for r in rows if r.status == "done" and f"patient:{person}" in scenarios[r.spec.scenario].tags]
        if theirs:
            self._known[person] = self._room.remember(await self._store.runs.transcript(self._run, theirs[-1].spec.id))
        return self._known.get(person, {})

    # -- the queue -----------------------------------------------------------------------------------------------------
    async def cases(self, queue: str = "", status: PostStatus | None = None) -> list[Post]:
        """Cases of this service, oldest first."""
        found = await self._store.posts.waiting(queue, status)
        return [post for post in found if post.run.startswith(service_name(self._clinic.name))]

    async def case(self, case: str) -> Post:
        """One case by its id."""
        for post in await self.cases():
            if case_id(post) == case:
                return post
        raise UnknownName("case", case, ())

    async def take_cases(self, session: str, who: str) -> None:
        """Who takes over a session also takes its open cases."""
        for post in await self.cases(status="open"):
            if post.episode == session:
                await self._store.posts.take(post, who)

    async def close_cases(self, session: str, remark: str) -> None:
        """A session that is handed back or closed leaves no case behind."""
        for post in await self.cases():
            if post.episode == session and post.status != "closed":
                await self._store.posts.close(post, remark)

    async def take_case(self, post: Post, who: str) -> None:
        """Someone takes one case."""
        await self._store.posts.take(post, who)

    async def close_case(self, post: Post, remark: str) -> None:
        """One case is done."""
        await self._store.posts.close(post, remark)

    # -- the process ---------------------------------------------------------------------------------------------------
    async def restore(self) -> int:
        """Open every session that was open when the last process ended; returns how many."""
        scenarios = read_scenarios(self._clinic, await self._store.runs.scenarios(self._run))
        opened = []
        for row in await self._store.runs.episodes(self._run, 0, self._clinic.name):
            scenario = scenarios[row.spec.scenario]
            if row.status == "pending":
                opened.append(self._open(row.spec, scenario))
        await asyncio.gather(*(live.idle.wait() for live in opened))
        return len(opened)

    async def beat(self) -> None:
        """Keep the leases of open sessions."""
        while True:
            await asyncio.sleep(LEASE_S / 3)
            await self._leases.renew([live.id for live in self._sessions.values() if not live.closed])

    async def stop(self) -> None:
        """Leave every session as it is; the journal holds it."""
        tasks = [live.task for live in self._sessions.values() if live.task is not None and not live.task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for live in self._sessions.values():
            if not live.closed:
                await self._leases.release(live.id)


def service_room(clinic: Clinic) -> LiveService:
    """What the clinic says about its live sessions; an error with the clinics that have any, when it has none."""
    if clinic.service is None:
        raise UnknownName("clinic that serves live sessions", clinic.name, clinics_with("service"))
    return clinic.service


@asynccontextmanager
async def open_service(store: Store, config: RunConfig, limits: ServiceLimits) -> AsyncIterator[Service]:
    """The service on a store: its run is found or made, its open sessions are resumed."""
    plan = parse_plan(config)
    refuse_unknown_settings(plan.clinic, config)
    room = service_room(plan.clinic)
    if plan.cast[room.role].role == room.role:
        raise ConfigError(f"cast {room.role}=…: in a service the people who use it play {room.role}; leave it out")
    sessions: dict[str, Live] = {}

    def heard(episode: str, event: Event) -> None:
        sessions[episode].take(event)

    run = await _service_run(store, plan)
    async with build(plan, store.journal(run), store, listener=heard) as built:
        players = ServicePlayers(built.context.players, PeopleModel(room.role, sessions))
        context = replace(built.context, players=players, judges=())
        room.warm(context.services)
        service = Service(store, run, context, sessions, limits, config.store)
        await service.restore()
        beat = asyncio.create_task(service.beat())
        try:
            yield service
        finally:
            beat.cancel()
            await asyncio.gather(beat, return_exceptions=True)
            await service.stop()


def service_name(clinic: str) -> str:
    """The run that holds a clinic's live sessions. It belongs to the service: a restart with another cast finds it."""
    return f"{clinic}-service"


async def _service_run(store: Store, plan: RunPlan) -> str:
    """The store's service run; one that an older version kept for a cast is taken on."""
    config, clinic = plan.config, plan.clinic.name
    known = [row.id for row in await store.runs.all() if row.id.startswith(service_name(clinic))]
    if known:
        return known[0]
    return await store.runs.create(service_name(clinic), clinic, config.model_dump(mode="json"), plan.players, (), ())


def _as_text(reply: ReplyModel | str) -> str:
    return reply if isinstance(reply, str) else reply.model_dump_json()


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def token_fits(live: Live, token: str) -> bool:
    """Whether a token opens this session."""
    return secrets.compare_digest(_digest(token), live.token_digest)
