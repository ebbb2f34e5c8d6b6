"""A phrase is searched in the background: a page comes soon with the first results, and says whether these are all."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest

from polyclinic.errors import StoreError
from polyclinic.web.runs import phrases
from polyclinic.web.runs.phrases import PhraseSearch

ALL = np.arange(10)


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phrases, "AT_ONCE", 2)
    monkeypatch.setattr(phrases, "ANSWER_S", 0.02)


class Gate:
    """Lets a search do a number of steps; every even number contains the phrase."""

    def __init__(self, steps: int) -> None:
        self._left = asyncio.Semaphore(steps)
        self.seen: list[int] = []

    async def __call__(self, numbers: Sequence[int]) -> set[int]:
        await self._left.acquire()
        self.seen += numbers
        return {number for number in numbers if number % 2 == 0}

    def open(self) -> None:
        for _ in ALL:
            self._left.release()


async def test_a_page_is_returned_as_soon_as_it_is_full_and_the_search_continues() -> None:
    gate = Gate(2)
    search = PhraseSearch("state", "number", gate, ALL.tolist())
    found, whole = await search.among(ALL, "number", 2)
    assert (found.tolist(), whole) == ([0, 2], False)
    found, whole = await search.among(ALL, "number", 50)
    assert (found.tolist(), whole) == ([0, 2], False), "after a moment with what there is"
    gate.open()
    while not whole:
        found, whole = await search.among(ALL[::-1], "another order", 50)
    assert found.tolist() == [8, 6, 4, 2, 0] and gate.seen == ALL.tolist(), "each episode is read once"


async def test_the_first_step_is_always_waited_for_so_a_small_run_is_searched_completely() -> None:
    gate = Gate(0)
    search = PhraseSearch("state", "number", gate, [4, 5])
    waiting = asyncio.create_task(search.among(ALL, "number", 50))
    done, _ = await asyncio.wait([waiting], timeout=0.1)
    assert not done
    gate.open()
    found, whole = await waiting
    assert (found.tolist(), whole) == ([4], True)


async def test_a_stopped_search_gives_what_it_found_and_a_failed_one_says_so() -> None:
    gate = Gate(1)
    search = PhraseSearch("state", "number", gate, ALL.tolist())
    await search.among(ALL, "number", 1)
    search.stop()
    found, whole = await search.among(ALL, "number", 50)
    assert (found.tolist(), whole) == ([0], False) and search.failed()

    async def broken(numbers: Sequence[int]) -> set[int]:
        raise StoreError("the disk is gone")

    failing = PhraseSearch("state", "number", broken, ALL.tolist())
    with pytest.raises(StoreError, match="gone"):
        await failing.among(ALL, "number", 1)
    assert failing.failed()
