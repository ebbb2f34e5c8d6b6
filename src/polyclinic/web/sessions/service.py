"""The sessions of one service. Each session is an episode of one growing run in the store, so it survives a restart.

A session's flow runs as a task and takes what people do from its inbox, through the role that the clinic's service
names. What they do is journalled like any model's reply. After a restart, the service replays the journal of every open
session to the point where it waits for people, and goes on from there. A fault ends no session: the visitor gets the
safe words, people are informed, and the next action in the session replays the journal again.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Coroutine
from typing import Any

from polyclinic.core.episode import EpisodeSpec
from polyclinic.core.execute import RunContext, run_episode
from polyclinic.core.live import Action, Body, Heard, NoBody, PassOn
from polyclinic.core.scenario import Scenario
from polyclinic.core.transcript import Event
from polyclinic.core.turns import cancel_all, forever
from polyclinic.errors import EngineError, PolyclinicError, StoreError, UnknownName, UserError
from polyclinic.runner.registry import read_scenarios
from polyclinic.store.journal import now_ms
from polyclinic.store.leases import LEASE_S, LeaseLost, Leases, this_process
from polyclinic.store.staff import Account, token_digest
from polyclinic.store.store import Store
from polyclinic.web.sessions.alerts import Alert, Alerts, alert_for
from polyclinic.web.sessions.cases import Cases
from polyclinic.web.sessions.emergency import Telling
from polyclinic.web.sessions.known import KnownPeople, person_tag
from polyclinic.web.sessions.limits import ServiceLimits
from polyclinic.web.sessions.live import Live
from polyclinic.web.sessions.lost import at_risk, safe_numbers, unread
from polyclinic.web.sessions.refusals import Refusals
from polyclinic.web.sessions.rescue import Broken, Rescue
from polyclinic.web.sessions.rooms import service_name, service_room
from polyclinic.web.sessions.trail import Trail

_LOG = logging.getLogger(__name__)
ACKNOWLEDGE = "acknowledge"
RESTORE_S, LOOK_S, CATCH_UP_S = 10.0, 1.0, 3.0
"""In seconds: how long a start waits for open sessions, and how often open cases and emergency files are checked."""


class NotNow(UserError):
    """The session is not in a state that allows this."""


class Service:
    """Opens, resumes and closes sessions."""

    def __init__(self, store: Store, run: str, context: RunContext, limits: ServiceLimits) -> None:
        self._store, self._run, self._context = store, run, context
        self._clinic, self._room, self._limits = context.clinic, service_room(context.clinic), limits
        self._sessions: dict[str, Live] = {}
        self._leases = Leases(store.database, run, this_process())
        self._known = KnownPeople(store.runs, run, self._clinic, self._room)
        self._working: set[asyncio.Task[object]] = set()
        self.answer_s, self.why = limits.answer_s, self._room.why
        self.staff, self.trail = store.staff, Trail(store.audit_log, store.url)
        self.cases = Cases(store.posts, service_name(self._clinic.name), self._room.alerts)
        telling = Telling(context.journal, (*self._room.queues, "")[0], store.url)
        self.rescue = Rescue(self._room, telling, self.cases, store.posts)
        options = context.services.options
        self.refusals = Refusals(self._room, context.journal, self.rescue, options, self.act, self.answer_s)
        self.alerts = Alerts(self._ringing, self.rescue.alerts, limits.webhook)

    # -- sessions ------------------------------------------------------------------------------------------------------
    async def start(self, body: Body) -> tuple[Live, str]:
        """Start a new session; returns it and the token that opens it."""
        session, token = secrets.token_hex(8), secrets.token_urlsafe(24)
        person, options = self._room.person(body), self._context.services.options
        scenario: Scenario = self._room.scenario(session, body, {}, options)
        live = Live(session, self._room, scenario, token_digest(token), person)
        if len(self._sessions) >= self._limits.open_sessions:
            raise Broken([live.say_safely()], (), f"the limit of {self._limits.open_sessions} open sessions is reached")
        try:
            async with asyncio.timeout(self.answer_s), live.busy:
                made = self._room.scenario(session, body, await self._known.facts(person), options)
                tags = (*made.tags, f"token:{live.token_digest}", person_tag(person))
                live.scenario = made.model_copy(update={"tags": tags})
                variant = self._room.variant or self._clinic.first_variant
                spec = EpisodeSpec(session, self._clinic.name, session, variant, 0, 0, self._run)
                await self._store.runs.append(self._run, live.scenario, session, spec)
                await self._open(live, spec)
        except Exception as fault:
            raise await self.rescue.stopped(live, "", fault) from fault
        return live, token

    async def _open(self, live: Live, spec: EpisodeSpec) -> None:
        """Run a session's flow until it waits for people."""
        self._sessions[live.id] = live
        live.safe |= await safe_numbers(self._context.journal, live.id)
        live.task = asyncio.create_task(self._hold(spec, live))
        await live.idle.wait()
        live.faults.clear()  # faults in the replayed journal were reported before
        if live.broken:
            raise live.fault or EngineError(f"session {live.id} ended: {live.state.outcome}")
        live.ready()

    async def _hold(self, spec: EpisodeSpec, live: Live) -> None:
        """Run a session's flow to its end and commit that end. After a fault the session stays open in the store.

        If nobody waits for an answer, this function informs people of the fault.
        """
        began = time.monotonic()
        try:
            if await self._leases.claim(spec.id) is None:
                raise LeaseLost(f"session {spec.id} is open in another process")
            result = await run_episode(self._context, spec, live.scenario)
            if result.status == "failed":
                raise EngineError("; ".join(failure.error for failure in result.failures if failure.fatal))
            elapsed_ms = round((time.monotonic() - began) * 1000)
            await self._store.runs.finish(self._run, spec.id, result, self._leases.owner, elapsed_ms)
            self._known.learn(live.person, result.transcript)
            live.end(result.outcome)
            self._sessions.pop(live.id, None)
        except asyncio.CancelledError:
            raise
        except Exception as fault:
            _LOG.exception("session %s stopped", spec.id)
            waited_for, live.fault = live.busy.locked(), fault
            live.stop()
            if not waited_for:
                await self.rescue.stopped(live, "", fault)

    async def _reopen(self, live: Live) -> None:
        """Replay the journal again, after a fault or a restart that could not finish."""
        rows = await self._store.runs.episodes(self._run, 0, self._clinic.name, status="pending")
        spec = next((row.spec for row in rows if row.spec.id == live.id), None)
        if spec is None:
            raise live.fault or EngineError(f"session {live.id} ended: {live.state.outcome or 'by a fault'}")
        if live.task is not None:
            await asyncio.wait([live.task])
        live.begin_again()
        await self._open(live, spec)

    async def _catch_up(self, live: Live, now: str = "") -> None:
        """Give the flow what the visitor did while something failed: the guard must read it before the talk goes on.

        `now` comes next anyway: an application may have sent the same message again.
        """
        unstored = {case.key: case.lost for case in self.rescue.unstored() if case.session == live.id}
        for reply in await unread(self._context.journal, live.id, unstored):
            if reply != now:
                await live.put(reply)

    def hear(self, session: str, event: Event) -> None:
        """Handle an event of a session's flow. If a fault comes after the answer, this function informs people."""
        live = self._sessions[session]
        live.take(event)
        if live.faults and not live.busy.locked():
            what = f"a fault occurred after the reply was sent: {live.faults.pop().error}"
            self._later(self.rescue.telling.tell(session, "", what))

    def _later(self, work: Coroutine[Any, Any, object]) -> None:
        task = asyncio.create_task(work)
        self._working.add(task)
        task.add_done_callback(self._working.discard)

    def open_session(self, session: str) -> Live:
        """A session whose flow runs."""
        return self._sessions[session]

    async def get(self, session: str) -> Live:
        """A session by its id: an open session from memory, a closed one from the store."""
        if session in self._sessions:
            return self._sessions[session]
        body = await self._store.runs.scenario(self._run, session)
        if body is None:
            raise UnknownName("session", session)
        live = self._made(session, read_scenarios(self._clinic, {session: body})[session])
        live.safe |= await safe_numbers(self._context.journal, session)
        for event in await self._store.runs.transcript(self._run, session):
            live.take(event)
        return live

    def _made(self, session: str, scenario: Scenario) -> Live:
        tags = dict(tag.partition(":")[::2] for tag in scenario.tags)
        return Live(session, self._room, scenario, tags.get("token", ""), tags.get("patient", ""))

    def running(self, session: str) -> Live | None:
        """A session whose flow runs, if there is one with this id."""
        return self._sessions.get(session)

    def all(self) -> list[Live]:
        """Every open session."""
        return list(self._sessions.values())

    # -- what people do ------------------------------------------------------------------------------------------------
    async def act(self, live: Live, action: Action[Body], body: Body, who: Account | None = None) -> list[Heard]:
        """Do an action in a session, one at a time; returns what was said because of it.

        Actions of the staff (`who`) are written to the audit log, also when they are refused.
        """
        if who is None:
            return await self._act(live, action, body, None)
        async with self.trail.act(who, action.name, f"session/{live.id}"):
            return await self._act(live, action, body.model_copy(update={"by": who.name}), who)

    async def _act(self, live: Live, action: Action[Body], body: Body, who: Account | None) -> list[Heard]:
        given, reply = body.model_dump(), action.reply(body)
        words, began_ms = str(given.get("text", "")), now_ms()
        reply = reply if isinstance(reply, str) else reply.model_dump_json()
        keep = who is None and action.body is not NoBody
        lost = at_risk(live.heard, self._room.visitor, words, reply) if keep else None
        try:
            async with asyncio.timeout(self.answer_s), live.busy:
                again = live.broken or (live.task is None and not live.closed)
                new, before = live.task is None, len(live.heard)
                if again:
                    await self._reopen(live)
                    before = len(live.heard) if new else before
                if again and who is None:
                    await self._catch_up(live, reply)
                await self._check(live, action, body, who)
                await live.put(reply)
                if again and who is not None:  # staff come first: then no machine answers
                    await self._catch_up(live)
                said = live.heard[before:]
                if live.broken:
                    raise live.fault or EngineError(f"session {live.id} ended: {live.state.outcome}")
        except NotNow:
            raise
        except Exception as fault:
            raise await self.rescue.stopped(live, words, fault, lost) from fault
        if live.faults:
            raise await self.rescue.faulty(live, said, words, began_ms)
        await self.cases.follow(live.id, action, given)
        return said

    async def _check(self, live: Live, action: Action[Body], body: Body, who: Account | None) -> None:
        """Check an action: only the holder or an administrator may act, and only permitted staff may get a session."""
        if who is not None and live.state.holder not in ("", who.name) and not who.may("administer"):
            raise NotNow(f"{live.state.holder} holds this session: ask them to pass it on")
        if live.state.control not in action.when:
            raise NotNow(f"the session is {live.state.control}; this needs it to be {' or '.join(action.when)}")
        if isinstance(body, PassOn):
            found = await self.staff.find(body.to)
            if found is None or not found[0].may("take_over"):
                raise NotNow(f"nobody called {body.to} may take sessions over")

    async def acknowledge(self, case: str, who: Account) -> None:
        """Acknowledge the alert for a case: it does not ring again, not even after a restart."""
        async with self.trail.act(who, ACKNOWLEDGE, f"case/{case}"):
            if case not in {alert.case for alert in self.rescue.alerts()}:
                await self.cases.find(case)
            self.alerts.acknowledge({case})

    async def last_resort(self, session: str, fault: Exception, tell: bool) -> Broken:
        """Handle an unexpected fault. `tell`: a visitor was waiting for an answer."""
        options = self._context.services.options
        return await self.rescue.last_resort(session, self._sessions.get(session), options, fault, tell)

    async def healthy(self) -> bool:
        """Whether nothing failed recently, alerts get through, and the store can be written to."""
        return await self.rescue.healthy(self.alerts)

    async def _ringing(self) -> list[Alert]:
        return [alert_for(post) for post in await self.cases.ringing()]

    # -- the process ---------------------------------------------------------------------------------------------------
    async def restore(self) -> int:
        """Open every session that was open when the last process ended; returns how many.

        Staff are informed about sessions that cannot go on. These do not stop other sessions from starting.
        """
        try:
            await self.rescue.telling.bring_in()
        except OSError:
            _LOG.exception("the emergency files could not be read yet")
        heard = await self.trail.log.targets(ACKNOWLEDGE)
        self.alerts.acknowledge({alert.case for alert in await self._ringing() if f"case/{alert.case}" in heard})
        for row in await self._store.runs.episodes(self._run, 0, self._clinic.name, status="pending"):
            body = await self._store.runs.scenario(self._run, row.spec.scenario)
            try:
                scenario = read_scenarios(self._clinic, {row.spec.id: body or ""})[row.spec.id]
            except PolyclinicError as fault:
                await self.rescue.telling.tell(row.spec.id, "", f"this session cannot be read: {fault}")
                continue
            self._sessions[row.spec.id] = live = self._made(row.spec.id, scenario)
            self._later(self._settle(live, row.spec))
        if self._working:
            await asyncio.wait(list(self._working), timeout=RESTORE_S)
        return len(self._sessions)

    async def _settle(self, live: Live, spec: EpisodeSpec) -> None:
        try:
            async with asyncio.timeout(self.answer_s), live.busy:
                await self._open(live, spec)
                await self._catch_up(live)
        except Exception as fault:
            await self.rescue.stopped(live, "", fault)

    async def watch(self) -> None:
        """In the background: ring for open cases, store emergencies, keep leases. A failure stops none of these."""
        await asyncio.gather(
            forever(self.alerts.ring, LOOK_S),
            forever(self.rescue.telling.bring_in, CATCH_UP_S),
            forever(self._renew, LEASE_S / 3),
        )

    async def _renew(self) -> None:
        await self._leases.renew([live.id for live in self._sessions.values() if not (live.closed or live.stopped)])

    async def stop(self) -> None:
        """Stop all sessions without ending them; the journal holds them."""
        flows = [live.task for live in self._sessions.values() if live.task is not None and not live.task.done()]
        await cancel_all((*self._working, *flows, *self.alerts.calls))
        for live in self._sessions.values():
            try:
                await self._leases.release(live.id)
            except StoreError:
                _LOG.exception("the lease of session %s stays until it expires", live.id)
