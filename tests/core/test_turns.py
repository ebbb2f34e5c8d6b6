"""Long computations in the event loop let other tasks run in between."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from polyclinic.core.turns import SLICE_S, give_way, in_thread, parts_in_thread


def test_other_tasks_run_between_slices_of_long_work() -> None:
    heard: list[str] = []

    async def thinks(name: str, each_s: float) -> None:
        for _ in range(3):
            await give_way()
            ends = time.perf_counter() + each_s
            while time.perf_counter() < ends:
                pass
            heard.append(name)

    async def both(each_s: float) -> list[str]:
        await asyncio.sleep(2 * SLICE_S)
        await give_way()
        heard.clear()
        await asyncio.gather(thinks("one", each_s), thinks("other", each_s))
        return list(heard)

    long = asyncio.run(both(2 * SLICE_S))
    assert long != ["one"] * 3 + ["other"] * 3 and sorted(long) == ["one"] * 3 + ["other"] * 3


async def test_short_work_waits_for_one_part_of_long_work_only() -> None:
    done: list[str] = []

    def part(name: str) -> Callable[[], str]:
        def work() -> str:
            done.append(name)
            return name

        return work

    long = [asyncio.create_task(parts_in_thread([part(f"{who}{n}") for n in range(20)])) for who in "ab"]
    await asyncio.sleep(0)
    short = await in_thread(lambda: list(done))
    assert len(short) <= 2
    assert await asyncio.gather(*long) == [[f"{who}{n}" for n in range(20)] for who in "ab"]
