"""The desk that a path names, as a dependency for routes."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from polyclinic.web.desk.services import Desks
from polyclinic.web.sessions.service import Service


async def _service(clinic: str, request: Request) -> Service:
    desks: Desks = request.app.state.desks
    return await desks.get(clinic)


Chosen = Annotated[Service, Depends(_service)]
