"""The sessions of one service. Each is an episode of one growing run in the store, so it survives a restart.

A session's flow runs as a task and takes what people do from its inbox through the role ``desk``. What the desk said is
journalled like any model's reply; a service that starts again lets every open session run through its journal to the point
where it waits for people, and goes on from there.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from polyclinic.clinics.counsel.prompts import DeskSays
from polyclinic.clinics.counsel.scenario import Lines, Persona, Talk
from polyclinic.clinics.counsel.tools import knowledge
from polyclinic.core.episode import EpisodeSpec
from polyclinic.core.execute import Stage, run_episode
from polyclinic.core.model import Completion, Model, ModelKind, Request
from polyclinic.core.switchboard import Players
from polyclinic.core.transcript import Ended, Event, Transcript
from polyclinic.errors import ConfigError, UnknownName, UserError
from polyclinic.runner.api import describe_players
from polyclinic.runner.build import build
from polyclinic.runner.config import RunConfig
from polyclinic.runner.registry import load_clinic
from polyclinic.store.leases import LEASE_S, LeaseLost, Leases, this_process
from polyclinic.store.posts import Post
from polyclinic.store.store import Store
from polyclinic.web.sessions.live import Live
from polyclinic.web.sessions.schemas import Heard, StartBody

CLINIC, VARIANT = "counsel", "full"
RUN = "counsel-service"
_LOG = logging.getLogger(__name__)


class NotNow(UserError):
    """The session is not in a state that allows this."""


class DeskModel:
    """The role ``desk``: what people do in a session, in the order they do it."""

    name = "desk"
    kind: ModelKind = "human"

    def __init__(self, sessions: dict[str, Live]) -> None:
        self._sessions = sessions

    async def answer(self, request: Request) -> Completion:
        """Wait for the next thing that happens in this session."""
        live = self._sessions[request.episode]
        live.wait_for_people()
        return Completion(text=(await live.inbox.get()).model_dump_json())


class ServicePlayers:
    """The cast, with people at the desk."""

    def __init__(self, cast: Players, desk: DeskModel) -> None:
        self._cast, self._desk = cast, desk

    def model(self, role: str) -> Model:
        """Who plays this role."""
        return self._desk if role == "desk" else self._cast.model(role)

    def describe(self) -> dict[str, str]:
        """Role to model name."""
        return {**self._cast.describe(), "desk": self._desk.name}


class Service:
    """Opens, resumes and closes sessions."""

    def __init__(self, store: Store, run: str, stage: Stage, sessions: dict[str, Live], open_sessions: int) -> None:
        self._store, self._run, self._stage, self._sessions = store, run, stage, sessions
        self._leases = Leases(store.database, run, this_process())
        self._most = open_sessions
        self._facts: dict[str, dict[str, str]] = {}

    # -- sessions ------------------------------------------------------------------------------------------------------
    async def start(self, body: StartBody) -> tuple[Live, str]:
        """A new session and the token that opens it."""
        if sum(not live.outcome for live in self._sessions.values()) >= self._most:
            raise NotNow(f"there are already {self._most} open sessions")
        session, token = secrets.token_hex(8), secrets.token_urlsafe(24)
        talk = Talk(
            id=session,
            tags=(f"token:{_digest(token)}", f"patient:{body.patient}"),
            persona=_visitor(body, session),
            lang=body.lang,
            turns=1_000,
            live=True,
            known=self._facts.get(body.patient, {}) if body.patient else {},
        )
        spec = EpisodeSpec(session, CLINIC, session, VARIANT, 0, 0, self._run)
        await self._store.runs.append(self._run, talk, session, spec)
        live = self._open(spec, talk)
        await live.idle.wait()
        return live, token

    def _open(self, spec: EpisodeSpec, talk: Talk) -> Live:
        tags = dict(tag.partition(":")[::2] for tag in talk.tags)
        live = Live(spec.id, talk, tags.get("token", ""), tags.get("patient", ""))
        self._sessions[spec.id] = live
        live.task = asyncio.create_task(self._hold(spec, talk, live))
        return live

    async def _hold(self, spec: EpisodeSpec, talk: Talk, live: Live) -> None:
        """Run a session's flow to its end and commit that end."""
        began = time.monotonic()
        try:
            if await self._leases.claim(spec.id) is None:
                raise LeaseLost(f"session {spec.id} is held by another process")
            result = await run_episode(self._stage, spec, talk)
            elapsed_ms = round((time.monotonic() - began) * 1000)
            await self._store.runs.finish(self._run, spec.id, result, self._leases.owner, elapsed_ms)
            self._remember(live, result.transcript)
            live.end(result.outcome)
        except asyncio.CancelledError:
            raise
        except Exception:
            _LOG.exception("session %s stopped", spec.id)
            live.end("stopped")

    def _remember(self, live: Live, transcript: Transcript) -> None:
        ended = transcript.of(Ended)
        if live.patient and ended:
            self._facts[live.patient] = {fact["subject"]: fact["value"] for fact in ended[-1].data.get("facts", ())}

    def get(self, session: str) -> Live:
        """A session by its id."""
        if session not in self._sessions:
            raise UnknownName("session", session, ())
        return self._sessions[session]

    def all(self) -> list[Live]:
        """Every session of this process."""
        return list(self._sessions.values())

    async def act(self, live: Live, event: DeskSays, *, when: tuple[str, ...]) -> list[Heard]:
        """Let somebody do something, one at a time; returns what was said because of it."""
        async with live.busy:
            if live.control not in when:
                raise NotNow(f"the session is {live.control}; this needs it to be {' or '.join(when)}")
            return await live.put(event)

    # -- the queue -----------------------------------------------------------------------------------------------------
    async def cases(self, queue: str = "", status: str = "") -> list[Post]:
        """Cases of this service, oldest first."""
        found = await self._store.posts.waiting(queue, status or None)  # type: ignore[arg-type]
        return [post for post in found if post.run == self._run]

    async def case(self, case: str) -> Post:
        """One case by its id."""
        for post in await self.cases():
            if f"{post.episode}.{post.queue}.{post.key}" == case:
                return post
        raise UnknownName("case", case, ())

    async def take_cases(self, session: str, who: str) -> None:
        """Whoever takes a session over takes its open cases too."""
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
        bodies = await self._store.runs.scenarios(self._run)
        opened = []
        for row in await self._store.runs.episodes(self._run, 0, CLINIC):
            talk = Talk.model_validate_json(bodies[row.spec.scenario])
            if row.status == "pending":
                opened.append(self._open(row.spec, talk))
            elif row.status == "done":
                await self._reread(row.spec, talk)
        await asyncio.gather(*(live.idle.wait() for live in opened))
        return len(opened)

    async def _reread(self, spec: EpisodeSpec, talk: Talk) -> None:
        tags = dict(tag.partition(":")[::2] for tag in talk.tags)
        live = Live(spec.id, talk, tags.get("token", ""), tags.get("patient", ""))
        transcript = await self._store.runs.transcript(self._run, spec.id)
        for event in transcript:
            live.take(event)
        self._sessions[spec.id] = live
        self._remember(live, transcript)

    async def beat(self) -> None:
        """Keep the leases of open sessions."""
        while True:
            await asyncio.sleep(LEASE_S / 3)
            await self._leases.renew([live.id for live in self._sessions.values() if not live.outcome])

    async def stop(self) -> None:
        """Leave every session as it is; the journal holds it."""
        tasks = [live.task for live in self._sessions.values() if live.task is not None and not live.task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for live in self._sessions.values():
            if not live.outcome:
                await self._leases.release(live.id)


@asynccontextmanager
async def open_service(store: Store, config: RunConfig, open_sessions: int = 1_000) -> AsyncIterator[Service]:
    """The service on a store: its run is found or made, its open sessions are resumed."""
    clinic = load_clinic(CLINIC)
    if "desk=" in config.cast:
        raise ConfigError("cast desk=…: in a service the desk is played by the people who use it; leave it out")
    sessions: dict[str, Live] = {}

    def heard(episode: str, event: Event) -> None:
        sessions[episode].take(event)

    run = await _service_run(store, config)
    async with build(clinic, config, store.journal(run), store, listener=heard) as built:
        players = ServicePlayers(built.stage.players, DeskModel(sessions))
        stage = replace(built.stage, players=players, judges=())
        knowledge(stage.services.embedder, stage.services.options.get("documents", ""))
        service = Service(store, run, stage, sessions, open_sessions)
        await service.restore()
        beat = asyncio.create_task(service.beat())
        try:
            yield service
        finally:
            beat.cancel()
            await asyncio.gather(beat, return_exceptions=True)
            await service.stop()


async def _service_run(store: Store, config: RunConfig) -> str:
    """The store's service run for this cast: sessions of another cast are another run's."""
    name = f"{RUN}-{hashlib.sha256(config.cast.encode()).hexdigest()[:6]}"
    if name in {row.id for row in await store.runs.all()}:
        return name
    clinic = load_clinic(CLINIC)
    async with build(clinic, config, store.journal(""), store) as built:
        players = describe_players(clinic, built.cast)
    return await store.runs.create(name, CLINIC, config.model_dump(mode="json"), players, (), ())


def _visitor(body: StartBody, session: str) -> Persona:
    """A real person: nothing is assumed about them but their country."""
    blank = Lines(misunderstanding="", worry="", value="", question="")
    told = dict.fromkeys(
        (
            "region",
            "dialect",
            "faith",
            "family",
            "values",
            "restraint",
            "work",
            "money",
            "burden",
            "speech",
            "diagnosis",
        ),
        "not told",
    )
    return Persona.model_validate(
        {
            **told,
            "id": body.patient or f"visitor-{session}",
            "name": "visitor",
            "age": 0,
            "sex": "not told",
            "country": body.country,
            "misunderstanding": "not told",
            "leaning": "comfort",
            "lines": {"en": blank, "ko": blank},
        }
    )


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def token_fits(live: Live, token: str) -> bool:
    """Whether a token opens this session."""
    return secrets.compare_digest(_digest(token), live.token_digest)
