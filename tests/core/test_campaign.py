from __future__ import annotations

import asyncio
import random

import pytest

from polyclinic.core.campaign import ALL_LANES, Effect, NothingShared, Turnstile
from polyclinic.errors import EngineError

NAMES = ("a", "b", "c")


async def play(seed: int) -> int:
    """Random episodes with random lanes, started in random order: each lane is served in arrival order, one by one."""
    chance = random.Random(seed)
    count = chance.randint(1, 30)
    may = [tuple(chance.sample(NAMES, chance.randint(0, 3))) for _ in range(count)]
    pick = [chance.choice(names or (*NAMES, ALL_LANES)) if chance.random() < 0.9 else None for names in may]
    pauses = [(chance.randint(0, 5), chance.randint(0, 5)) for _ in range(count)]
    turnstile = Turnstile(may)
    served: list[tuple[int, str]] = []
    holding: set[str] = set()

    async def episode(position: int) -> None:
        for _ in range(pauses[position][0]):
            await asyncio.sleep(0)
        lane = pick[position]
        if lane is not None:
            await turnstile.enter(position, lane)
            assert not any(ALL_LANES in (held, lane) or held == lane for held in holding), "two in one lane"
            holding.add(lane)
            served.append((position, lane))
            for _ in range(pauses[position][1]):
                await asyncio.sleep(0)
            holding.discard(lane)
        turnstile.leave(position)

    order = list(range(count))
    chance.shuffle(order)
    await asyncio.wait_for(asyncio.gather(*(episode(position) for position in order)), 5)
    for lane in NAMES:
        seen = [position for position, taken in served if taken in (lane, ALL_LANES)]
        assert seen == sorted(seen)
    assert sorted(position for position, _ in served) == [i for i in range(count) if pick[i] is not None]
    return len(served)


async def test_every_lane_is_served_in_arrival_order_and_one_at_a_time() -> None:
    assert sum([await play(seed) for seed in range(300)]) > 300


async def test_an_undecided_episode_blocks_only_the_lanes_it_may_take() -> None:
    turnstile = Turnstile([("a",), ("b",), ("a", "b")])
    await asyncio.wait_for(turnstile.enter(1, "b"), 1)
    waiting = asyncio.create_task(turnstile.enter(2, "a"))
    await asyncio.sleep(0)
    assert not waiting.done()
    turnstile.leave(0)
    await asyncio.wait_for(waiting, 1)


async def test_a_second_lane_is_refused_and_a_foreign_lane_too() -> None:
    turnstile = Turnstile([("a", "b"), ()])
    await turnstile.enter(0, "a")
    await turnstile.enter(0, "a")
    with pytest.raises(ValueError, match="cannot also enter 'b'"):
        await turnstile.enter(0, "b")
    with pytest.raises(ValueError, match="may enter the lanes a, not 'z'"):
        await Turnstile([("a",)]).enter(0, "z")


async def test_an_episode_can_wait_for_the_end_of_an_earlier_one() -> None:
    turnstile = Turnstile([(), ()])
    waiting = asyncio.create_task(turnstile.ended(0))
    await asyncio.sleep(0)
    assert not waiting.done()
    turnstile.leave(0)
    await asyncio.wait_for(waiting, 1)
    await turnstile.ended(0)


def test_a_campaign_without_shared_state_refuses_effects() -> None:
    class Other(Effect):
        kind = "x"

    with pytest.raises(EngineError, match="without shared state"):
        NothingShared().apply(Other())
