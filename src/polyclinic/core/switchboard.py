"""The switchboard between agents and models: each call is looked up in the journal, metered, made, and kept.

An answer that cost money or somebody's time is committed before it is used, together with all answers before it.
Understudies and the built-in reader can give exactly the same answer again at any time. So their answers are kept with
the next answer that cost something, or at the end. No episode ends, and no message is handed over to staff, before all
its answers are committed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from polyclinic.core.journal import CallKey, CallRecord, Journal, PostKey
from polyclinic.core.limits import Meter
from polyclinic.core.memo import Memo
from polyclinic.core.model import Completion, Model, Request, Usage, answers_again, role_of, total
from polyclinic.errors import PASS_THROUGH, blamed


class Players(Protocol):
    """Who plays which role."""

    def model(self, role: str) -> Model:
        """The model of a role; ``student-2`` falls back to ``student``."""
        ...

    def describe(self) -> dict[str, str]:
        """The name of the model for each role, for transcripts and reports."""
        ...


async def _all_kept(records: Sequence[Awaitable[None]]) -> None:
    """Wait until every record is written or has failed, then raise the first error."""
    if len(records) == 1:
        await records[0]
        return
    for fault in await asyncio.gather(*records, return_exceptions=True):
        if isinstance(fault, BaseException):
            raise fault


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
        self.memo = Memo()
        self._asked: dict[str, int] = {}
        self._answered: dict[str, list[Usage]] = {}
        self._failed: dict[str, list[Usage]] = {}
        self._unwritten: list[CallRecord] = []

    @property
    def usage(self) -> dict[str, Usage]:
        """What each role's answers cost, including failed calls that were billed."""
        roles = dict.fromkeys([*self._answered, *self._failed])
        return {role: total([*self._answered.get(role, ()), *self._failed.get(role, ())]) for role in roles}

    @property
    def calls(self) -> dict[str, int]:
        """How many answers each role gave."""
        return {role: len(used) for role, used in self._answered.items()}

    @classmethod
    async def open(
        cls, episode: str, players: Players, journal: Journal, meters: tuple[Meter, ...] = (), *, fresh: bool = False
    ) -> Switchboard:
        """A switchboard with this episode's journal loaded; `fresh` when it is known that nothing was recorded yet."""
        recorded = {} if fresh else await journal.load(episode)
        posted = {} if fresh else await journal.posted(episode)
        return cls(episode, players, journal, meters, recorded, posted)

    async def post(self, queue: str, key: str, body: Mapping[str, Any]) -> None:
        """Hand a message over to staff; it is committed, and handed over only once."""
        if (queue, key) not in self.posted:
            await self.written()
            await self.journal.post(self.episode, queue, key, body)
            self.posted[(queue, key)] = body

    async def call(self, request: Request) -> tuple[Completion, int, str]:
        """Make a call, or take it from the journal. Returns the completion, its occurrence and the model's name."""
        key = request.key
        occurrence = self._asked.get(key, 0)
        self._asked[key] = occurrence + 1
        completion = self._recorded.get((key, occurrence)) if self._recorded else None
        model = self.players.model(request.role)
        name = model.name
        if completion is None:
            for meter in self.meters:
                if meter.spending:
                    meter.check()
            if occurrence:
                request = replace(request, occurrence=occurrence)
            started = time.monotonic()
            try:
                completion = await model.answer(request)
            except PASS_THROUGH as failure:
                self._bill(request.role, failure)
                raise
            except Exception as error:
                raise blamed("model", f"{name} as {request.role}", error) from error
            latency_ms = round((time.monotonic() - started) * 1000)
            record = CallRecord(self.episode, occurrence, request, name, completion, latency_ms)
            self._unwritten.append(record)
            if not answers_again(model):
                await self.written()
        for meter in self.meters:
            meter.spend(completion.usage)
        self._answered.setdefault(role_of(request.role), []).append(completion.usage)
        return completion, occurrence, name

    def take_unwritten(self) -> list[CallRecord]:
        """Take out the answers that are not in the journal yet; from now on the caller is responsible for them."""
        given, self._unwritten = self._unwritten, []
        return given

    async def written(self) -> None:
        """Hand the answers of this episode to the journal, and wait until they are committed."""
        given = self.take_unwritten()
        if not given:
            return
        try:
            await _all_kept([self.journal.record(record) for record in given])
        except PASS_THROUGH:
            raise
        except Exception as error:
            raise blamed("engine", "journal", error) from error

    def _bill(self, role: str, failure: Exception) -> None:
        """Count the cost of a failed call, because it is billed too."""
        usage = getattr(failure, "usage", None)
        if isinstance(usage, Usage):
            for meter in self.meters:
                meter.spend(usage)
            self._failed.setdefault(role_of(role), []).append(usage)
