from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from polyclinic.clinics.demo import clinic as demo
from polyclinic.core.clinic import Clinic
from polyclinic.core.episode import Campaign, Episode, EpisodeSpec
from polyclinic.core.journal import MemoryJournal
from polyclinic.core.limits import Limits, Meter
from polyclinic.core.model import Completion, ModelKind, Request, Usage
from polyclinic.core.services import Services
from polyclinic.core.switchboard import Switchboard


class Scripted:
    """A model that gives the scripted replies in order, and then repeats the last one."""

    name = "scripted"
    kind: ModelKind = "llm"

    def __init__(self, *replies: str | Completion | Exception) -> None:
        self.replies, self.requests = list(replies), list[Request]()

    async def answer(self, request: Request) -> Completion:
        self.requests.append(request)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, Completion) else Completion(text=reply, usage=Usage(input_tokens=1))


class Table:
    """Players by role."""

    def __init__(self, **models: Scripted) -> None:
        self.models = models

    def model(self, role: str) -> Scripted:
        return self.models[role.partition("-")[0]]

    def describe(self) -> dict[str, str]:
        return {role: model.name for role, model in self.models.items()}


OpenEpisode = Callable[..., Awaitable[Episode]]


@pytest.fixture
def open_episode() -> OpenEpisode:
    async def open_(
        *,
        journal: MemoryJournal | None = None,
        limits: Limits | None = None,
        clinic: Clinic = demo,
        campaign: Campaign | None = None,
        variant: str = "tool",
        position: int = 0,
        **models: Scripted,
    ) -> Episode:
        scenario = clinic.scenarios("1", 0)[0]
        meter = Meter(limits or Limits(), "episode")
        spec = EpisodeSpec("e", clinic.name, scenario.id, variant, 0, 0, position=position)
        board = await Switchboard.open("e", Table(**models), journal or MemoryJournal(), (meter,))
        return Episode(
            spec, clinic, scenario, clinic.variant(variant), board, Services(), campaign or Campaign(), meter
        )

    return open_


def scripted(*replies: Any) -> Scripted:
    return Scripted(*replies)
