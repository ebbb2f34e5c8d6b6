"""Between agents and models: each call is looked up in the journal, metered, made, and committed before it is used."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from polyclinic.core.journal import CallKey, CallRecord, Journal, PostKey
from polyclinic.core.limits import Meter
from polyclinic.core.model import Completion, Model, Request, Usage
from polyclinic.errors import boundary


class Players(Protocol):
    """Who plays which role."""

    def model(self, role: str) -> Model:
        """The model of a role; ``student-2`` falls back to ``student``."""
        ...

    def describe(self) -> dict[str, str]:
        """Role to model name, for transcripts and reports."""
        ...


class Switchboard:
    """The calls of one episode. Create it with `open`, which loads what the journal already holds."""

    def __init__(
        self,
        episode: str,
        players: Players,
        journal: Journal,
        meters: tuple[Meter, ...],
        recorded: Mapping[CallKey, Completion],
        posted: Mapping[PostKey, Mapping[str, Any]],
    ) -> None:
        self.episode, self.players, self.journal, self.meters = episode, players, journal, meters
        self._recorded = recorded
        self.posted = dict(posted)
        self._asked: Counter[str] = Counter()
        self.usage: dict[str, Usage] = {}
        self.calls: Counter[str] = Counter()

    @classmethod
    async def open(
        cls, episode: str, players: Players, journal: Journal, meters: tuple[Meter, ...] = ()
    ) -> Switchboard:
        """A switchboard with this episode's journal loaded."""
        recorded = await journal.load(episode)
        posted = await journal.posted(episode)
        return cls(episode, players, journal, meters, recorded, posted)

    async def post(self, queue: str, key: str, body: Mapping[str, Any]) -> None:
        """Hand something to people, durably, once."""
        if (queue, key) not in self.posted:
            await self.journal.post(self.episode, queue, key, body)
            self.posted[(queue, key)] = body

    async def call(self, request: Request) -> tuple[Completion, int]:
        """The completion and which occurrence of this request it is."""
        occurrence = self._asked[request.key]
        self._asked[request.key] += 1
        completion = self._recorded.get((request.key, occurrence))
        if completion is None:
            for meter in self.meters:
                meter.check()
            model = self.players.model(request.role)
            if occurrence:
                request = replace(request, occurrence=occurrence)
            started = time.monotonic()
            with boundary("model", f"{model.name} as {request.role}"):
                completion = await model.answer(request)
            latency_ms = round((time.monotonic() - started) * 1000)
            with boundary("engine", "journal"):
                await self.journal.record(
                    CallRecord(self.episode, occurrence, request, model.name, completion, latency_ms)
                )
        for meter in self.meters:
            meter.spend(completion.usage)
        base = request.role.partition("-")[0]
        self.usage[base] = self.usage.get(base, Usage()) + completion.usage
        self.calls[base] += 1
        return completion, occurrence
