"""The episodes of a run as a table: filtered, sorted and counted in memory, one page of rows from the store."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from dataclasses import dataclass
from functools import partial

from pydantic import BaseModel

from polyclinic.core.database import Transaction
from polyclinic.core.turns import cancel_all
from polyclinic.store.store import Store
from polyclinic.web.runs.columns import Columns, EpisodeShown, WantedEpisodes, episodes_shown, read_columns, read_values
from polyclinic.web.runs.phrases import SearchCache

MOST_ROWS = 500_000
"""How many rows of the latest runs stay in memory: each takes about 60 bytes, and 8 more for each metric."""
SMALL = 5_000
REST = 10
"""While a larger run goes on, reading it again takes at most a tenth of the time."""
_LOG = logging.getLogger(__name__)
_State = tuple[tuple[str, int, int], ...]


class EpisodePage(BaseModel):
    """One page of a table, and the number of all episodes that fit. `outcomes` and `owners` are the values to filter
    by.

    `whole` is false while a search for a phrase still runs; `found` then counts the episodes found so far.
    """

    episodes: list[EpisodeShown]
    found: int
    whole: bool
    all: int
    outcomes: list[str]
    owners: list[str]
    metrics: list[str]
    variants: list[str]


@dataclass(frozen=True)
class _Read:
    """The columns of a run, the state they belong to, and when they may be read again."""

    columns: Columns
    state: _State
    rests_until: float


class Indexes:
    """Pages of episodes. The words of a run are indexed in the background when somebody first opens the run."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: OrderedDict[str, _Read] = OrderedDict()
        self._filling: dict[str, asyncio.Task[int]] = {}
        self._phrases = SearchCache(store.database)

    async def page(self, run: str, wanted: WantedEpisodes) -> EpisodePage:
        """One page of a run's episodes."""
        read, database = await self._read(run), self._store.database
        columns = read.columns
        for metric in {wanted.metric, wanted.sort_metric} - {"", *columns.values}:
            columns.values[metric] = await database.read(partial(read_values, run=run, metric=metric, columns=columns))
        words = await self._store.words.having(run, wanted.searched, read.state) if wanted.searched else None
        numbers = columns.numbers[columns.kept(wanted, words)]
        whole = True
        if wanted.phrase:
            order = (wanted.sort, wanted.down)
            some = columns.numbers[columns.kept(wanted.only_sorted, words)]
            search = self._phrases.search(run, wanted.phrase, read.state, order, some)
            numbers, whole = await search.among(numbers, order, (wanted.page + 1) * wanted.size)
        here: list[int] = numbers[wanted.page * wanted.size :][: wanted.size].tolist()
        texts = columns.texts
        return EpisodePage(
            episodes=await database.read(partial(episodes_shown, run=run, numbers=here)),
            found=len(numbers),
            whole=whole,
            all=columns.all,
            outcomes=sorted(filter(None, texts["outcome"].known)),
            owners=sorted({owner for text in texts["owners"].known for owner in text.split("|") if owner}),
            metrics=columns.metrics,
            variants=list(texts["variant"].known),
        )

    async def close(self) -> None:
        """Stop indexing words and looking for phrases."""
        await self._phrases.close()
        await cancel_all(self._filling.values())

    async def _read(self, run: str) -> _Read:
        known = self._known.get(run)
        if known is None or time.monotonic() >= known.rests_until:
            known = await self._fresh(run, known)
        self._known.move_to_end(run)
        return known

    async def _fresh(self, run: str, known: _Read | None) -> _Read:
        began = time.monotonic()
        state = await self._store.database.read(partial(_state, run=run))
        columns = known.columns if known is not None and known.state == state else None
        if columns is None:
            await self._store.facts.fill(run)
            ended = sum(count for _, count, _ in state)
            columns = await self._store.database.read(partial(read_columns, run=run, all_episodes=ended))
            self._index_words(run, ended=all(status != "pending" for status, *_ in state))
        now = time.monotonic()
        rests = REST * (now - began) if len(columns.numbers) > SMALL else 0
        made = self._known[run] = _Read(columns, state, now + rests)
        while len(self._known) > 1 and sum(len(each.columns.numbers) for each in self._known.values()) > MOST_ROWS:
            self._known.popitem(last=False)
        return made

    def _index_words(self, run: str, *, ended: bool) -> None:
        """Index words in the background. Until it is done, a search reads the transcripts that are not indexed yet."""
        if run not in self._filling:
            task = self._filling[run] = asyncio.create_task(self._store.words.fill(run, ended=ended))
            task.add_done_callback(partial(self._filled, run))

    def _filled(self, run: str, task: asyncio.Task[int]) -> None:
        del self._filling[run]
        if not task.cancelled() and (error := task.exception()) is not None:
            _LOG.warning("the words of %s are not indexed: %s", run, error)


def _state(tx: Transaction, run: str) -> _State:
    """A value that changes whenever an episode of the run ends, or ends again."""
    rows = tx.execute(
        "SELECT status, COUNT(*), SUM(attempt) FROM episodes WHERE run = ? GROUP BY status ORDER BY status", (run,)
    )
    return tuple((str(status), int(count), int(attempts)) for status, count, attempts in rows)
