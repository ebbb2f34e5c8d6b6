"""Branches of one episode that run concurrently.

Each branch keeps its own events and findings until all branches are joined. So the transcript and the questions to the
reader never depend on which branch was quicker.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Coroutine, Iterable, Sequence
from contextvars import ContextVar
from typing import Any, Generic, Self, TypeVar

from polyclinic.core.agent import Agent
from polyclinic.core.memo import Memo
from polyclinic.core.read_text import read_text
from polyclinic.core.reading import READER, Finding, Question
from polyclinic.core.seed import derive
from polyclinic.core.switchboard import Switchboard
from polyclinic.core.transcript import Event
from polyclinic.core.turns import cancel_all
from polyclinic.errors import ReaderError

T = TypeVar("T")

_branch: ContextVar[list[Event] | None] = ContextVar("polyclinic_branch", default=None)
_memo: ContextVar[Memo | None] = ContextVar("polyclinic_memo", default=None)


def events_of_branch(trunk: list[Event]) -> list[Event]:
    """The list that an event is added to now: that of the running branch, or the trunk's if no branch runs."""
    branch = _branch.get()
    return trunk if branch is None else branch


def memo_of_branch(trunk: Memo) -> Memo:
    """The findings that are known in the running branch, or in the trunk if no branch runs."""
    return _memo.get() or trunk


class Alongside(Generic[T]):
    """Branches that start one by one while the trunk continues, and are joined when the block ends.

    At that point their events and findings are added to the trunk, in the order the branches were started. A block that
    fails cancels them.
    """

    def __init__(self, trunk: list[Event], memo: Memo) -> None:
        self._target, self._known = events_of_branch(trunk), memo_of_branch(memo)
        self._buffers: list[list[Event]] = []
        self._memos: list[Memo] = []
        self._branches: list[Coroutine[Any, Any, T]] = []
        self._tasks: list[asyncio.Task[T]] = []
        self.results: list[T] = []
        """The results of the branches, in the order they were started; available when the block has ended."""

    def start(self, branch: Coroutine[Any, Any, T]) -> None:
        """Start one branch. It knows the findings that the trunk knows now."""
        buffer: list[Event] = []
        own = self._known.branch()
        self._buffers.append(buffer)
        self._memos.append(own)
        self._branches.append(branch)
        self._tasks.append(asyncio.create_task(_run_branch(buffer, own, branch)))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Let all branches finish; the first failure, in the order they were started, is then raised."""
        if kind is not None:
            await self._cancel()
            return
        try:
            results = await asyncio.gather(*self._tasks, return_exceptions=True)
        except asyncio.CancelledError:
            await self._cancel()
            raise
        for buffer in self._buffers:
            self._target.extend(buffer)
        for own in self._memos:
            self._known.own.update(own.own)
        for result in results:
            if isinstance(result, BaseException):
                raise result
        self.results = [result for result in results if not isinstance(result, BaseException)]

    async def _cancel(self) -> None:
        """Cancel what runs. A branch that never began is closed in any case, also if this is itself cancelled."""
        try:
            await cancel_all(self._tasks)
        finally:
            for branch in self._branches:
                if inspect.getcoroutinestate(branch) == inspect.CORO_CREATED:
                    branch.close()


async def _run_branch(buffer: list[Event], own: Memo, branch: Awaitable[T]) -> T:
    _branch.set(buffer)
    _memo.set(own)
    return await branch


async def join_branches(trunk: list[Event], memo: Memo, branches: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Run branches concurrently. Their events are kept in the order of the branches, not in the order of time.

    All branches finish first; then the first failure, in that same order, is raised.
    """
    side: Alongside[T] = Alongside(trunk, memo)
    async with side:
        for branch in branches:
            side.start(branch)
    return side.results


class ReadingBench:
    """A bench that reads texts. Its events go to `events`, its findings to the memo of the switchboard."""

    def __init__(self, board: Switchboard, events: list[Event], seed: int) -> None:
        self._board, self._events, self._seed = board, events, seed

    async def reads(self, text: str, questions: Sequence[Question]) -> tuple[Finding, ...]:
        """Ask the reader what a text means. A question that was asked before is not asked again. If the reader's
        replies stayed unreadable, this raises `ReaderError`: nobody is judged by what was not read.
        """
        reader = Agent(READER, self._board, self.record, "reader", derive(self._seed, READER) % 2**31)
        found = await read_text(reader, memo_of_branch(self._board.memo), text, questions)
        for question, finding in zip(questions, found, strict=True):
            if finding.unread:
                raise ReaderError(f"the reader's replies about {question.kind} stayed unreadable")
        return found

    async def together(self, *branches: Coroutine[Any, Any, T]) -> list[T]:
        """Run branches concurrently, as an episode does."""
        return await join_branches(self._events, self._board.memo, branches)

    def record(self, event: Event) -> None:
        """Record an event in its branch."""
        events_of_branch(self._events).append(event)
