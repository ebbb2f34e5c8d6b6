"""Opening a service on a store: its run is found or made, open sessions are resumed, and background tasks run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from polyclinic.core.transcript import Event
from polyclinic.errors import ConfigError
from polyclinic.runner.build.built_run import build
from polyclinic.runner.plan.config import RunConfig
from polyclinic.runner.plan.run_plan import parse_plan, refuse_wrong_settings
from polyclinic.store.store import Store
from polyclinic.web.sessions.limits import ServiceLimits
from polyclinic.web.sessions.live import Live
from polyclinic.web.sessions.people import PeopleModel, ServicePlayers
from polyclinic.web.sessions.rooms import service_room, service_run
from polyclinic.web.sessions.service import Service


@asynccontextmanager
async def open_service(store: Store, config: RunConfig, limits: ServiceLimits) -> AsyncIterator[Service]:
    """Open the service on a store."""
    plan = parse_plan(config)
    refuse_wrong_settings(plan.clinic, config)
    room = service_room(plan.clinic)
    if plan.cast[room.role].role == room.role:
        raise ConfigError(f"cast {room.role}=…: in a service the people who use it play {room.role}; leave it out")
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
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)
            await service.stop()
