"""The services of the clinics that have live sessions, opened when they are first looked at.

A service that has sessions in the store is opened at once, so that open cases ring again after a restart. What its
first session needs is loaded in a thread first, so that no other session has to wait.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack
from typing import Annotated

from fastapi import Depends, Request

from polyclinic.errors import PolyclinicError
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.registry import clinics_with
from polyclinic.store.store import Store
from polyclinic.web.practise.ready import ReadyClinics
from polyclinic.web.sessions.limits import ServiceLimits
from polyclinic.web.sessions.opening import open_service
from polyclinic.web.sessions.rooms import refuse_unserved, service_name
from polyclinic.web.sessions.service import Service

_LOG = logging.getLogger(__name__)


class Desks:
    """Services by the name of their clinic."""

    def __init__(self, store: Store, ready: ReadyClinics) -> None:
        self._store, self._ready = store, ready
        self._open: dict[str, Service] = {}
        self._stack = AsyncExitStack()
        self._opening = asyncio.Lock()

    async def get(self, clinic: str) -> Service:
        """The service of a clinic."""
        if clinic in self._open:
            return self._open[clinic]
        refuse_unserved(clinic)
        await self._ready.wait(clinic, rehearses=True)
        async with self._opening:
            if clinic not in self._open:
                own = {"clinic": clinic, "cast": "all=understudy", "store": self._store.url, "judges": ("none",)}
                config = make_config(own)
                opened = open_service(self._store, config, ServiceLimits())
                self._open[clinic] = await self._stack.enter_async_context(opened)
            return self._open[clinic]

    async def restore(self) -> None:
        """Open every service that has sessions."""
        known = {row.id for row in await self._store.runs.all()}
        for clinic in clinics_with("service"):
            if service_name(clinic) in known:
                try:
                    await self.get(clinic)
                except PolyclinicError:
                    _LOG.exception("the desk of %s cannot be opened", clinic)

    async def close(self) -> None:
        """Close every service. The sessions stay as they are in the store."""
        await self._stack.aclose()


async def _service(clinic: str, request: Request) -> Service:
    desks: Desks = request.app.state.desks
    return await desks.get(clinic)


ChosenService = Annotated[Service, Depends(_service)]
