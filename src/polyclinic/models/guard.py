"""Make sure that every call ends: deadlines for each attempt, one retry policy for all attempts, slots for whole calls.

A `MakesCall` makes one attempt and tells its `Deadline` whenever something arrived. `GuardedModel` makes it a `Model`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import Protocol

from polyclinic.core.model import Completion, ModelKind, Request, Usage, total
from polyclinic.core.seed import stream
from polyclinic.models.accounting import CallCharges
from polyclinic.models.failure import AttemptFailed, CallFailed
from polyclinic.models.limiter import Limiter
from polyclinic.models.spec import Options

_FIRST_WAIT_S = 0.25
_LONGEST_WAIT_S = 20.0
LONGEST_ASKED_S = 60.0


class Deadline:
    """A wall-clock deadline and an idle deadline in one. The earlier of the two ends the work inside ``async with``.

    A stream that sends a little data for ever never reaches the idle deadline, but the wall-clock deadline ends it.
    `bill` gives the cost of the attempt so far.
    """

    def __init__(self, wall_s: float, idle_s: float) -> None:
        self._wall_s, self._idle_s = wall_s, idle_s
        self._timeout: asyncio.Timeout | None = None
        self._wall = self._heard = 0.0
        self.bill: Callable[[], Usage] = Usage

    async def __aenter__(self) -> Deadline:
        now = asyncio.get_running_loop().time()
        self._wall, self._heard = now + self._wall_s, now
        self._timeout = asyncio.timeout_at(min(self._wall, now + self._idle_s))
        await self._timeout.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timeout is None:
            return
        try:
            await self._timeout.__aexit__(kind, error, trace)
        except TimeoutError:
            raise AttemptFailed(self._why(), "deadline", usage=self.bill()) from None

    def heard(self) -> None:
        """Called when something arrived; restarts the idle deadline."""
        now = asyncio.get_running_loop().time()
        if self._timeout is not None and now - self._heard > 0.05 * self._idle_s:
            self._heard = now
            self._timeout.reschedule(min(self._wall, now + self._idle_s))

    def _why(self) -> str:
        if asyncio.get_running_loop().time() >= self._wall - 0.001:
            return f"no complete answer within {self._wall_s:g} s (timeout_s)"
        return f"no data for {self._idle_s:g} s (idle_s)"


class MakesCall(Protocol):
    """Makes one attempt at a call. Raises `AttemptFailed`."""

    @property
    def name(self) -> str:
        """The name as in the cast."""
        ...

    @property
    def hears(self) -> bool:
        """Whether answers arrive in parts, so that the idle deadline applies."""
        ...

    async def attempt(self, request: Request, number: int, deadline: Deadline) -> Completion:
        """One attempt. `number` counts from 0; a repeated attempt has another seed."""
        ...

    def limit(self, request: Request) -> int:
        """The token limit that would be sent with this request now."""
        ...


def _nobody(why: str) -> None:
    """Nobody wants to know."""


class GuardedModel:
    """A caller as a model: slots, attempts, waits and deadlines. The whole call ends within `total_s` after it got its
    slot.
    """

    kind: ModelKind = "llm"

    def __init__(self, caller: MakesCall, limiter: Limiter, options: Options, purse: CallCharges | None = None) -> None:
        self._caller, self._limiter, self._options, self._purse = caller, limiter, options, purse
        self.trained = False
        self.retries = 0
        self.unreached: Callable[[str], None] = _nobody

    @property
    def name(self) -> str:
        """The name as in the cast."""
        return self._caller.name

    async def answer(self, request: Request) -> Completion:
        """The answer, after as many attempts as the policy allows."""
        spent: list[Usage] = []
        async with self._limiter.slot():
            try:
                return await self._attempts(request, spent)
            except BaseException:
                if self._purse is not None:
                    self._purse.lose(total(spent))
                raise

    async def _attempts(self, request: Request, spent: list[Usage]) -> Completion:
        """The answer. `spent` is filled with what the attempts without an answer have cost."""
        loop = asyncio.get_running_loop()
        ends = loop.time() + self._options.total_s
        number = failed = 0
        while True:
            try:
                if not self._limiter.starts_now():
                    await self._start(ends)
                completion = await self._attempt(request, number, max(0.0, ends - loop.time()), spent)
                self._limiter.succeeded()
                return replace(completion, usage=total([completion.usage, *spent])) if spent else completion
            except AttemptFailed as failure:
                number += 1
                failed += failure.trouble != "adapted"
                wait_s = self._wait_s(failure, request, failed)
                if not failure.retriable:
                    raise self._named(failure, str(failure), spent) from failure
                if failed >= self._options.tries or loop.time() + wait_s >= ends:
                    raise self._gave_up(failure, failed, spent) from failure
                if failure.trouble == "connection":
                    self.unreached(self._with_name(str(failure)))
            self.retries += 1
            await asyncio.sleep(wait_s)

    async def _attempt(self, request: Request, number: int, left_s: float, spent: list[Usage]) -> Completion:
        """One attempt. Its worst case is reserved before it; its cost is counted after it, even if it failed."""
        held = await self._purse.hold(request, self._caller.limit(request)) if self._purse is not None else None
        deadline = self._deadline(left_s)
        usage = Usage()
        try:
            async with deadline:
                completion = await self._caller.attempt(request, number, deadline)
            usage = completion.usage
            return completion
        except (AttemptFailed, asyncio.CancelledError) as error:
            usage = error.usage if isinstance(error, AttemptFailed) else deadline.bill()
            if usage != Usage():
                spent.append(usage)
            raise
        finally:
            if self._purse is not None and held is not None:
                self._purse.settle(held, usage)

    def _deadline(self, left_s: float) -> Deadline:
        wall_s = min(self._options.timeout_s, left_s)
        return Deadline(wall_s, self._options.idle_s if self._caller.hears else wall_s)

    async def _start(self, ends: float) -> None:
        left_s = ends - asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(max(0.0, left_s)):
                await self._limiter.start()
        except TimeoutError:
            message = f"{self.name}: the endpoint asked to wait longer than the call may last"
            raise AttemptFailed(message, "throttled") from None

    def _wait_s(self, failure: AttemptFailed, request: Request, number: int) -> float:
        """How long to wait before the next attempt: doubling, with a random factor that depends only on the request.

        An endpoint may ask for a longer wait, up to a limit: a wait of a day would stop the run.
        """
        if failure.trouble == "adapted":
            return 0.0
        asked = min(failure.retry_after_s or 0.0, LONGEST_ASKED_S)
        if failure.trouble == "throttled":
            self._limiter.throttled(asked)
        spread = 0.5 + stream("wait", request.key, number).random()
        own = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2.0 ** (number - 1)) * spread
        return max(own, asked)

    def _gave_up(self, failure: AttemptFailed, number: int, spent: list[Usage]) -> CallFailed:
        tries = "1 try" if number == 1 else f"{number} tries"
        asked = failure.retry_after_s or 0.0
        long = (
            f"; it asked to wait {asked:,.0f} s, and {LONGEST_ASKED_S:g} s is the most"
            if asked > LONGEST_ASKED_S
            else ""
        )
        return self._named(failure, f"{failure}; gave up after {tries}{long}", spent)

    def _named(self, failure: AttemptFailed, said: str, spent: list[Usage]) -> CallFailed:
        return CallFailed(self._with_name(said), total(spent))

    def _with_name(self, said: str) -> str:
        """A reason, after the model's name where it does not begin with it."""
        return said if said.startswith(self.name) else f"{self.name}: {said}"
