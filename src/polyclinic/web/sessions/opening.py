"""Opening a service on a store: its run is found or made, open sessions are resumed, and background tasks run.

People are one of the players: what they do in a session is the reply of the role that they play.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial

from polyclinic.core.model import Completion, Model, ModelKind, Request, Wrapper, answers_again
from polyclinic.core.switchboard import Players
from polyclinic.core.transcript import Event
from polyclinic.core.turns import cancel_all, in_thread
from polyclinic.errors import ConfigError
from polyclinic.models.understudy import UnderstudyModel
from polyclinic.reading.reader import BuiltInReader
from polyclinic.runner.build.built_run import build
from polyclinic.runner.plan.config import RunConfig
from polyclinic.runner.plan.run_plan import RunPlan, parse_plan, refuse_wrong_settings
from polyclinic.store.store import Store, open_store
from polyclinic.web.sessions.limits import ServiceLimits
from polyclinic.web.sessions.live import Live
from polyclinic.web.sessions.rooms import service_room, service_run
from polyclinic.web.sessions.service import Service


class PeopleModel:
    """The model for the role that people play. Its replies are what they do in a session, in order."""

    kind: ModelKind = "human"

    def __init__(self, role: str, session: Callable[[str], Live]) -> None:
        self.name, self._session = role, session

    async def answer(self, request: Request) -> Completion:
        """Wait for the next thing that happens in this session."""
        live = self._session(request.episode)
        live.wait_for_people()
        return Completion(text=await live.inbox.get())


class InThread(Wrapper):
    """An offline player or reader that computes in a thread. Requests of other visitors are answered meanwhile."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.answers_again = answers_again(model)

    async def answer(self, request: Request) -> Completion:
        """The model's own answer."""
        return await in_thread(partial(_answered, self._model, request))


def _answered(model: Model, request: Request) -> Completion:
    """The answer of a model that waits for nothing but its next turn: no event loop is needed for that."""
    answering = model.answer(request)
    while True:
        try:
            answering.send(None)
        except StopIteration as end:
            answer: Completion = end.value
            return answer


class ServicePlayers:
    """The cast, with people in one role."""

    def __init__(self, cast: Players, people: PeopleModel) -> None:
        self._cast, self._people = cast, people
        self._models: dict[str, Model] = {}

    def model(self, role: str) -> Model:
        """Who plays this role."""
        if role == self._people.name:
            return self._people
        if role not in self._models:
            model = self._cast.model(role)
            self._models[role] = InThread(model) if isinstance(model, BuiltInReader | UnderstudyModel) else model
        return self._models[role]

    def describe(self) -> dict[str, str]:
        """The model name of each role."""
        return {**self._cast.describe(), self._people.name: self._people.name}


def service_plan(config: RunConfig) -> RunPlan:
    """The plan of a service. What cannot be served is refused here, before anything is announced or saved."""
    plan = parse_plan(config)
    refuse_wrong_settings(plan.clinic, config)
    role = service_room(plan.clinic).role
    if plan.cast[role].role == role:
        raise ConfigError(f"cast {role}=…: in a service the people who use it play {role}; leave it out")
    return plan


async def make_ready(config: RunConfig) -> None:
    """Make the service's run in the store. Raises if a new store cannot be written to, before a server is started."""
    async with open_store(config.store) as store:
        await service_run(store, service_plan(config))


async def check_service(config: RunConfig) -> None:
    """Raise if it is known that the first call of a model would fail: no key, no package, no file."""
    async with open_store("sqlite://:memory:") as store, build(service_plan(config), store.journal(""), store) as built:
        built.check()


@asynccontextmanager
async def open_service(store: Store, config: RunConfig, limits: ServiceLimits) -> AsyncIterator[Service]:
    """Open the service on a store."""
    plan = service_plan(config)
    room = service_room(plan.clinic)
    opened: list[Service] = []

    def heard(episode: str, event: Event) -> None:
        opened[0].hear(episode, event)

    def session(episode: str) -> Live:
        return opened[0].open_session(episode)

    run = await service_run(store, plan)
    async with build(plan, store.journal(run), store, listener=heard) as built:
        players = ServicePlayers(built.context.players, PeopleModel(room.role, session))
        context = replace(built.context, players=players, judges=())
        room.warm(context.services)
        service = Service(store, run, context, limits)
        opened.append(service)
        await service.restore()
        watch = asyncio.create_task(service.watch())
        try:
            yield service
        finally:
            await cancel_all([watch])
            await service.stop()
