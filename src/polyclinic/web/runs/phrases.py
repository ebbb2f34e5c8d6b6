"""Which episodes of a run hold a phrase: searched in the background, while a page shows what was found so far.

The search reads transcripts, and 100,000 transcripts take about a second. So an answer comes once it has enough rows,
or after a moment, and says whether all transcripts were searched.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Sequence
from contextlib import suppress
from functools import partial

import numpy as np
import numpy.typing as npt

from polyclinic.core.database import Database
from polyclinic.web.runs.columns import with_phrase

_Search = Callable[[Sequence[int]], Awaitable[set[int]]]
Numbers = npt.NDArray[np.int64]
MOST_PHRASES = 8
AT_ONCE = 2_048
"""How many transcripts are searched at a time: about 20 ms, so that nobody else waits long for the store."""
ANSWER_S = 0.15


class PhraseSearch:
    """Searches for one phrase in the background, in the order of these episodes. `stamp` is the state of their run."""

    def __init__(self, stamp: Hashable, order: Hashable, search: _Search, numbers: Sequence[int]) -> None:
        self.stamp, self.order = stamp, order
        self._held: Numbers = np.empty(0, np.int64)
        self._begun = False
        self._moved = asyncio.Event()
        self._task = asyncio.create_task(self._go_through(search, numbers))
        self._task.add_done_callback(lambda _: self._moved.set())

    async def _go_through(self, search: _Search, numbers: Sequence[int]) -> None:
        for first in range(0, len(numbers), AT_ONCE):
            found = await search(numbers[first : first + AT_ONCE])
            self._held = np.concatenate((self._held, np.fromiter(found, np.int64, len(found))))
            self._begun = True
            self._moved.set()

    async def among(self, numbers: Numbers, order: Hashable, enough: int) -> tuple[Numbers, bool]:
        """The episodes among these that hold the phrase, and whether all were searched.

        If a page has the same order as the search, it can show the first results at once. In another order it waits a
        moment for the whole search.
        """
        until = time.monotonic() + ANSWER_S
        while True:
            found = numbers[np.isin(numbers, self._held)]
            if self._task.done():
                if not self._task.cancelled():
                    self._task.result()  # raises the error that stopped the search
                return found, not self._task.cancelled()
            left = until - time.monotonic() if self._begun else ANSWER_S
            if left <= 0 or (order == self.order and len(found) >= enough):
                return found, False
            self._moved.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._moved.wait(), left)

    def failed(self) -> bool:
        """Whether the search has failed and must be started again."""
        return self._task.done() and (self._task.cancelled() or self._task.exception() is not None)

    def stop(self) -> asyncio.Task[None]:
        """Stop the search. Callers that wait get what was found so far."""
        self._task.cancel()
        return self._task


class SearchCache:
    """The latest searches, cached. Another page, order or filter of the same search reads no transcript again."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: OrderedDict[tuple[str, str], PhraseSearch] = OrderedDict()

    def search(self, run: str, phrase: str, stamp: Hashable, order: Hashable, numbers: Numbers) -> PhraseSearch:
        """Find the search for a phrase, or start a new one if there is none for this state of the run."""
        known = self._known.pop((run, phrase), None)
        if known is None or known.stamp != stamp or known.failed():
            if known is not None:
                known.stop()
            known = PhraseSearch(stamp, order, partial(self._holding, run, phrase), numbers.tolist())
        self._known[run, phrase] = known
        while len(self._known) > MOST_PHRASES:
            self._known.popitem(last=False)[1].stop()
        return known

    async def _holding(self, run: str, phrase: str, numbers: Sequence[int]) -> set[int]:
        return await self._database.read(partial(with_phrase, run=run, numbers=numbers, phrase=phrase))

    async def close(self) -> None:
        """Stop all searches."""
        await asyncio.gather(*(search.stop() for search in self._known.values()), return_exceptions=True)
