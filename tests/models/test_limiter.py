"""Slots: never too many, first come first served, no slot lost, fewer slots after "too many requests"."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from polyclinic.models.limiter import MOST_SPREAD_S, Limiter


async def test_calls_start_in_order_and_never_more_than_allowed() -> None:
    limiter, most, order = Limiter(3), 0, []

    async def one(number: int) -> None:
        nonlocal most
        async with limiter.slot():
            most = max(most, limiter.busy)
            order.append(number)
            await asyncio.sleep(0)

    await asyncio.gather(*(one(number) for number in range(20)))
    assert most == 3
    assert order == list(range(20))
    assert limiter.busy == 0


async def test_a_cancelled_waiter_loses_no_slot() -> None:
    limiter = Limiter(1)
    async with limiter.slot():
        waiter = asyncio.ensure_future(limiter._acquire())
        other = asyncio.ensure_future(limiter._acquire())
        await asyncio.sleep(0)
        waiter.cancel()
        await asyncio.sleep(0)
    await asyncio.wait_for(other, 1)
    assert limiter.busy == 1


async def test_a_waiter_cancelled_just_after_its_turn_passes_the_slot_on() -> None:
    limiter = Limiter(1)
    slot = limiter.slot()
    await slot.__aenter__()
    waiter = asyncio.ensure_future(limiter._acquire())
    other = asyncio.ensure_future(limiter._acquire())
    await asyncio.sleep(0)
    await slot.__aexit__(None, None, None)
    waiter.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiter
    await asyncio.wait_for(other, 1)
    assert limiter.busy == 1


async def test_too_many_requests_halve_the_slots_and_success_regains_them() -> None:
    limiter = Limiter(16)
    limiter.throttled(None)
    limiter.throttled(None)
    assert limiter.allowed == 8
    for _ in range(200):
        limiter.succeeded()
    assert limiter.allowed == 16


async def test_a_rate_limit_spreads_the_starts_of_calls() -> None:
    limiter = Limiter(100, rpm=60 * 50)
    loop = asyncio.get_running_loop()
    started = loop.time()
    await asyncio.gather(*(limiter.start() for _ in range(6)))
    assert loop.time() - started >= 0.09


async def test_all_callers_wait_as_long_as_the_server_told_one_of_them() -> None:
    limiter = Limiter(8)
    loop = asyncio.get_running_loop()
    started = loop.time()
    limiter.throttled(0.1)
    await asyncio.gather(*(limiter.start() for _ in range(3)))
    assert loop.time() - started >= 0.1


async def test_of_calls_that_come_together_few_start_at_once() -> None:
    limiter = Limiter(100, spread=True)
    loop = asyncio.get_running_loop()
    began = loop.time()
    assert limiter.starts_now()
    await asyncio.gather(*(limiter.start() for _ in range(20)))
    assert 0.019 <= loop.time() - began < 1.0
    freely = Limiter(100)
    assert all(freely.starts_now() for _ in range(3))


@pytest.mark.parametrize(("busy_s", "apart_s"), [(0.0004, 0.0006), (0.5, MOST_SPREAD_S)])
async def test_calls_start_further_apart_when_each_keeps_the_process_longer_busy(
    busy_s: float, apart_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = itertools.count(0.0, 32 * busy_s)
    monkeypatch.setattr("polyclinic.models.limiter.time.thread_time", lambda: next(clock))
    limiter = Limiter(100, spread=True)
    loop = asyncio.get_running_loop()
    for _ in range(32):
        limiter._next_start = 0.0
        before = loop.time()
        assert limiter.starts_now()
    assert limiter._next_start - loop.time() <= apart_s + 1e-9
    assert limiter._next_start - before >= apart_s - 1e-9
