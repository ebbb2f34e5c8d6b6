"""Every call ends in time: deadlines, retries, waits and slots, against a server that misbehaves."""

from __future__ import annotations

import asyncio
import time

import pytest

from polyclinic.core.model import Completion, Request
from polyclinic.core.reply import read_reply
from polyclinic.errors import ModelError
from polyclinic.models import guard
from polyclinic.models.cast import Cast, build_cast
from polyclinic.models.failure import AttemptFailed
from polyclinic.models.guard import Deadline, GuardedModel
from polyclinic.models.limiter import Limiter
from polyclinic.models.spec import Options, parse_cast
from polyclinic.testing.fault_server import FAULTS, FaultServer, ServerFault

from .conftest import Ask, Judges, Verdict

QUICK = "?timeout_s=1.2&idle_s=0.6&total_s=60"


pytestmark = pytest.mark.usefixtures("short_waits")


def cast_on(server: FaultServer, options: str = QUICK) -> Cast:
    return build_cast(parse_cast(f"all={server.url}:any{options}"), ["staff"], {})


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault not in ("wrong_schema", "empty")])
@pytest.mark.parametrize("stream", ["", "&stream=false"])
async def test_one_fault_of_each_kind_is_survived(ask: Ask, fault: ServerFault, stream: str) -> None:
    async with FaultServer(script=[fault], stall_s=5.0) as server:
        slow = fault in ("drip", "stall")
        cast = cast_on(server, (QUICK if slow else "?timeout_s=30") + stream)
        completion = await cast.model("staff").answer(ask("Judge.", Judges(case="x")))
        await cast.close()
    assert isinstance(read_reply(completion.text, Verdict), Verdict)
    assert server.counts[fault] == 1
    assert server.counts["answered"] >= 1


@pytest.mark.parametrize(
    ("fault", "options", "said"),
    [
        ("drip", "?timeout_s=0.4&idle_s=0.2&tries=2&total_s=5", "no complete answer within 0.4 s"),
        ("stall", "?timeout_s=5&idle_s=0.2&tries=2&total_s=5", "no data for 0.2 s"),
        ("stall", "?timeout_s=0.2&idle_s=5&tries=2&total_s=5&stream=false", "no complete answer within 0.2 s"),
        ("stall", "?timeout_s=0.3&idle_s=0.3&tries=50&total_s=0.7", "gave up"),
        ("server_error", "?tries=3", "answered 500.*gave up after 3 tries"),
        ("reset", "?tries=2", "connection broke.*gave up after 2 tries"),
        ("truncated", "?tries=2", "gave up after 2 tries"),
    ],
)
async def test_a_fault_that_never_ends_becomes_one_clear_failure_in_time(
    ask: Ask, fault: ServerFault, options: str, said: str
) -> None:
    async with FaultServer(faults=1.0, kinds=[fault], stall_s=30.0) as server:
        cast = cast_on(server, options)
        started = time.monotonic()
        with pytest.raises(ModelError, match=said) as caught:
            await cast.model("staff").answer(ask())
        assert time.monotonic() - started < 6.0
        assert "any" in str(caught.value)
        await cast.close()


async def test_a_requested_wait_is_respected_and_the_endpoints_slots_are_halved(ask: Ask) -> None:
    limiter = Limiter(8)
    caller = Stubborn(AttemptFailed("too many", "throttled", retry_after_s=0.15))
    started = time.monotonic()
    await GuardedModel(caller, limiter, Options()).answer(ask())
    assert time.monotonic() - started >= 0.15
    assert limiter.allowed < 8


async def test_a_requested_wait_of_a_day_is_shortened_retried_and_reported(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "LONGEST_ASKED_S", 0.05)
    day = AttemptFailed("too many", "throttled", retry_after_s=86_400.0)
    limiter = Limiter(8)
    completion = await GuardedModel(Stubborn(day), limiter, Options()).answer(ask())
    assert completion.text == "done"
    assert limiter.starts_now()
    with pytest.raises(ModelError, match=r"asked to wait 86,400 s, and 0\.05 s is the most"):
        await GuardedModel(Stubborn(day, day), limiter, Options(tries=2)).answer(ask())


async def test_a_wait_longer_than_the_call_may_last_is_not_waited_for(ask: Ask) -> None:
    async with FaultServer(faults=1.0, kinds=["rate_limit"], retry_after_s=60) as server:
        cast = cast_on(server, "?total_s=1")
        started = time.monotonic()
        with pytest.raises(ModelError, match="429"):
            await cast.model("staff").answer(ask())
        assert time.monotonic() - started < 2.0
        await cast.close()


async def test_many_calls_with_one_fault_in_five_all_succeed_in_time(ask: Ask) -> None:
    longest = 0.0

    async def one(cast: Cast, number: int) -> Completion:
        nonlocal longest
        started = time.monotonic()
        completion = await cast.model("staff").answer(ask(f"Judge {number}.", Judges(case="x")))
        longest = max(longest, time.monotonic() - started)
        return completion

    async with FaultServer(faults=0.2, seed=3, stall_s=30.0, retry_after_s=0.01) as server:
        cast = cast_on(server, "?timeout_s=3&idle_s=1.5&total_s=40&tries=12")
        done = await asyncio.gather(*(one(cast, number) for number in range(160)))
        await cast.close()
    assert len(done) == 160
    assert longest < 41.0
    assert sum(server.counts[fault] for fault in FAULTS) >= 20


class Stubborn:
    """A model that fails in a given way a number of times."""

    name = "stubborn"
    hears = True

    def __init__(self, *failures: AttemptFailed) -> None:
        self.failures = list(failures)
        self.numbers: list[int] = []

    def limit(self, request: Request) -> int:
        return 1

    async def attempt(self, request: Request, number: int, deadline: Deadline) -> Completion:
        self.numbers.append(number)
        if self.failures:
            raise self.failures.pop(0)
        return Completion(text="done")


async def test_attempts_are_numbered_and_stop_at_the_first_answer(ask: Ask) -> None:
    caller = Stubborn(AttemptFailed("a", "server"), AttemptFailed("b", "connection"))
    completion = await GuardedModel(caller, Limiter(1), Options()).answer(ask())
    assert (completion.text, caller.numbers) == ("done", [0, 1, 2])


async def test_a_refused_request_is_not_retried(ask: Ask) -> None:
    caller = Stubborn(AttemptFailed("no", "refused"))
    with pytest.raises(ModelError, match="no"):
        await GuardedModel(caller, Limiter(1), Options()).answer(ask())
    assert caller.numbers == [0]


async def test_a_failed_call_releases_its_slot(ask: Ask) -> None:
    limiter = Limiter(1)
    with pytest.raises(ModelError):
        await GuardedModel(Stubborn(AttemptFailed("no", "refused")), limiter, Options()).answer(ask())
    assert limiter.busy == 0


async def test_an_attempt_that_receives_data_is_not_idle() -> None:
    async with Deadline(5.0, 0.15) as deadline:
        for _ in range(4):
            await asyncio.sleep(0.06)
            deadline.heard()
    with pytest.raises(AttemptFailed, match="no data for"):
        async with Deadline(5.0, 0.05):
            await asyncio.sleep(1.0)


async def test_a_cancelled_call_is_cancelled_not_failed() -> None:
    async def work() -> None:
        async with Deadline(5.0, 5.0):
            await asyncio.sleep(5.0)

    task = asyncio.ensure_future(work())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
