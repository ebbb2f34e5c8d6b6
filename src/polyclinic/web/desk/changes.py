"""A desk and a session as streams of events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial

from pydantic import BaseModel, SerializeAsAny

from polyclinic.core.live import Heard, SessionView
from polyclinic.web.desk.shown import desk_now
from polyclinic.web.sessions.live import Live
from polyclinic.web.sessions.service import Service
from polyclinic.web.streams import ALIVE, each_change, event

LOOK_S = 1.0


def desk_changes(service: Service) -> AsyncIterator[str]:
    """The whole desk each time that something on it changes."""
    return each_change("desk", partial(desk_now, service), LOOK_S)


class SaidNow(BaseModel):
    """One thing that was said."""

    heard: SerializeAsAny[Heard]


class Viewed(BaseModel):
    """The state of the session."""

    view: SerializeAsAny[SessionView]


async def session_changes(live: Live, after: int) -> AsyncIterator[str]:
    """What is said after the line with this number, and the state of the session each time that it changes."""
    told = ""
    while True:
        view: SessionView = live.state
        while after < len(live.heard):
            after += 1
            heard: Heard = live.heard[after - 1]
            yield event("heard", SaidNow(heard=heard), heard.number)
        text = view.model_dump_json()
        if text != told:
            told = text
            yield event("view", Viewed(view=view))
        if live.closed:
            return
        await asyncio.sleep(LOOK_S / 2)
        yield ALIVE
