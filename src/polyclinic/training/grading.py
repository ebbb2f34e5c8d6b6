"""Grade outputs of a model with the clinic's own reward, through the engine's journal.

Each output is graded as an episode of its own, whose name is a hash of the reward's name, the context and the output.
So a judgement is never paid for twice, even if the same text comes again or the process was killed.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from polyclinic.core.clinic import Clinic
from polyclinic.core.dataset import OutputReward, TrainingData
from polyclinic.core.execute import JudgeBench
from polyclinic.core.journal import CallKey, CallRecord, Journal, MemoryJournal, PostKey
from polyclinic.core.model import Completion
from polyclinic.core.reading import READER
from polyclinic.core.switchboard import Players, Switchboard
from polyclinic.core.transcript import Event
from polyclinic.errors import ConfigError, OwnedError, UnknownName
from polyclinic.models.cast import choose_models, open_cast
from polyclinic.models.spec import parse_cast
from polyclinic.runner.build.built_run import reader_of
from polyclinic.store.store import Store
from polyclinic.training.room import dataset_room

GRADES = "grades"
"""The name of the run under which a store keeps the judgements of outputs."""


class Grader:
    """Grades outputs, many at a time. `failures` counts the outputs that no judge could grade, by reason."""

    def __init__(
        self, data: TrainingData[Any], players: Players, journal: Journal, reward: str = "", concurrency: int = 32
    ) -> None:
        if reward and reward not in data.rewards:
            raise UnknownName("reward", reward, data.rewards)
        self._data, self._players, self._reward = data, players, reward
        self._journal = _Counting(journal)
        self._gate = asyncio.Semaphore(concurrency)
        self._asked: dict[str, asyncio.Future[OutputReward | None]] = {}
        self.failures: Counter[str] = Counter()

    @property
    def paid(self) -> int:
        """How many new calls of the judge were made, not answered from a journal."""
        return self._journal.judged

    async def grade(self, context: str, output: str) -> OutputReward | None:
        """The reward of one output; None if the judge failed, so that nobody takes it for a bad output."""
        name = hashlib.sha256("\0".join((self._reward, context, output)).encode()).hexdigest()[:32]
        if name not in self._asked:
            self._asked[name] = asyncio.ensure_future(self._ask(name, context, output))
        return await self._asked[name]

    async def _ask(self, name: str, context: str, output: str) -> OutputReward | None:
        async with self._gate:
            board = await Switchboard.open(name, self._players, self._journal)
            heard: list[Event] = []
            try:
                made = await self._data.grade(context, output, JudgeBench(board, heard, 0, GRADES), self._reward)
            except OwnedError as error:
                self.failures[str(error)[:200]] += 1
                return None
            finally:
                await board.written()
        return made

    async def grade_some(self, contexts: Sequence[str], outputs: Sequence[str]) -> list[OutputReward | None]:
        """The rewards of outputs, in order."""
        pairs = zip(contexts, outputs, strict=True)
        return list(await asyncio.gather(*(self.grade(context, output) for context, output in pairs)))

    async def grade_all(self, contexts: Sequence[str], outputs: Sequence[str]) -> list[OutputReward | None]:
        """The rewards of a batch, in order. Raises an error if the judge fails on every output."""
        grades = await self.grade_some(contexts, outputs)
        see_that_some_are_graded(grades, self.failures)
        return grades


def see_that_some_are_graded(grades: Sequence[OutputReward | None], failures: Counter[str]) -> None:
    """Raise an error if the judge has failed on a whole batch."""
    if grades and all(grade is None for grade in grades):
        reason = failures.most_common(1)[0][0]
        raise ConfigError(f"the judge failed on all {len(grades)} outputs, so nothing can be learned: {reason}")


class _Counting:
    """A journal that counts new calls of the judge."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.judged = 0

    async def load(self, episode: str) -> Mapping[CallKey, Completion]:
        """As in the wrapped journal."""
        return await self._journal.load(episode)

    def record(self, call: CallRecord) -> Awaitable[None]:
        """As in the wrapped journal, and counted; calls of a reader are not counted."""
        self.judged += call.request.role != READER
        return self._journal.record(call)

    async def post(self, episode: str, queue: str, key: str, body: Mapping[str, Any]) -> None:
        """As in the wrapped journal."""
        await self._journal.post(episode, queue, key, body)

    async def posted(self, episode: str) -> Mapping[PostKey, Mapping[str, Any]]:
        """As in the wrapped journal."""
        return await self._journal.posted(episode)


@asynccontextmanager
async def open_grader(
    clinic: Clinic, cast: str = "", store: Store | None = None, *, reward: str = "", local_only: bool = False
) -> AsyncIterator[Grader]:
    """A grader with the judge and the reader of a cast; other roles of the cast are not opened."""
    data = dataset_room(clinic)
    if not data.rewards:
        raise ConfigError(f"{clinic.name} has no reward for single outputs")
    understudies = {role: understudy() for role, understudy in clinic.understudies.items()}
    chosen = choose_models(
        parse_cast(cast or "all=understudy"),
        [role.name for role in clinic.roles],
        understudies,
        [mistake.name for mistake in clinic.mistakes],
        reads=True,
        local_only=local_only,
    )
    asked = {role: spec for role, spec in chosen.items() if role == READER or clinic.role(role).side == "judge"}
    players = open_cast(asked, understudies, reader=reader_of(clinic))
    players.check()
    try:
        yield Grader(data, players, store.journal(GRADES) if store is not None else MemoryJournal(), reward)
    finally:
        await players.close()
