"""Branches of one episode that run side by side: each keeps its own events and its own findings until all are joined.

So what is kept, and what is asked, never depends on which branch was quicker.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine, Sequence
from contextvars import ContextVar
from typing import Any, TypeVar

from polyclinic.core.agent import Agent
from polyclinic.core.reading import READER, Finding, Memo, Question, read_text
from polyclinic.core.seed import derive
from polyclinic.core.switchboard import Switchboard
from polyclinic.core.transcript import Event

T = TypeVar("T")

_branch: ContextVar[list[Event] | None] = ContextVar("polyclinic_branch", default=None)
_memo: ContextVar[Memo | None] = ContextVar("polyclinic_memo", default=None)


def events_of_branch(trunk: list[Event]) -> list[Event]:
    """Where an event goes now: to the running branch, or to the trunk outside of all branches."""
    branch = _branch.get()
    return trunk if branch is None else branch


def memo_of_branch(trunk: Memo) -> Memo:
    """The findings that are known now."""
    return _memo.get() or trunk


async def join_branches(trunk: list[Event], memo: Memo, branches: tuple[Coroutine[Any, Any, T], ...]) -> list[T]:
    """Run branches side by side; their events are kept in the order the branches were given, not as they came.

    All branches are let finish; the first failure, in that same order, is then raised.
    """
    target, known = events_of_branch(trunk), memo_of_branch(memo)
    buffers: list[list[Event]] = [[] for _ in branches]
    memos = [known.branch() for _ in branches]

    async def run(buffer: list[Event], own: Memo, branch: Awaitable[T]) -> T:
        _branch.set(buffer)
        _memo.set(own)
        return await branch

    tasks = [asyncio.create_task(run(*parts)) for parts in zip(buffers, memos, branches, strict=True)]
    try:
        results = await asyncio.gather(*tasks, return_exceptions=True)
    except asyncio.CancelledError:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for branch in branches:
            branch.close()
        raise
    for buffer in buffers:
        target.extend(buffer)
    for own in memos:
        known.own.update(own.own)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if not isinstance(result, BaseException)]


class ReadingBench:
    """A bench that reads, with calls side by side: its events go to `events`, its findings to the board's memo."""

    def __init__(self, board: Switchboard, events: list[Event], seed: int) -> None:
        self._board, self._events, self._seed = board, events, seed

    async def reads(self, text: str, questions: Sequence[Question]) -> tuple[Finding, ...]:
        """What a text means; what was asked before is known already."""
        reader = Agent(READER, self._board, self.record, "reader", derive(self._seed, READER) % 2**31)
        return await read_text(reader, memo_of_branch(self._board.memo), text, questions)

    async def together(self, *branches: Coroutine[Any, Any, T]) -> list[T]:
        """Branches side by side, as an episode runs them."""
        return await join_branches(self._events, self._board.memo, branches)

    def record(self, event: Event) -> None:
        """Keep an event, in its branch."""
        events_of_branch(self._events).append(event)
