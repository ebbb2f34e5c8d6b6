"""The episodes of a run as one table in memory: filtered and sorted here, so that a page of them is quick to make.

It is read from the store once, and again when the run has grown. Transcripts stay in the store; words are searched
there.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import orjson
from pydantic import BaseModel

from polyclinic.core.database import Transaction
from polyclinic.core.model import NANO
from polyclinic.core.transcript import Score
from polyclinic.eval.results import weighted_value
from polyclinic.store.scores import LIVE
from polyclinic.store.store import Store

MOST_RUNS, MOST_FOUND, MOST_ORDERS = 4, 20_000, 8
_FAILED = '%"kind":"failed"%'


class EpisodeShown(BaseModel):
    """An episode in a table."""

    id: str
    number: int
    scenario: str
    variant: str
    trial: int
    status: str
    outcome: str
    owners: list[str]
    calls: int
    cost_usd: float
    elapsed_ms: int
    values: dict[str, float]


class EpisodePage(BaseModel):
    """One page of a table, and how many episodes fit in all. `outcomes` and `owners` are what there is to filter by."""

    episodes: list[EpisodeShown]
    found: int
    all: int
    outcomes: list[str]
    owners: list[str]
    metrics: list[str]
    variants: list[str]


@dataclass(frozen=True)
class Wanted:
    """Which episodes, in which order. `low` and `high` bound the value of `metric`."""

    variant: str = ""
    outcome: str = ""
    owner: str = ""
    status: str = ""
    scenario: str = ""
    metric: str = ""
    low: float | None = None
    high: float | None = None
    words: str = ""
    sort: str = "number"
    down: bool = False
    page: int = 0
    size: int = 50


@dataclass
class RunIndex:
    """All episodes of one run."""

    stamp: tuple[tuple[str, int], ...]
    rows: list[EpisodeShown]
    holding: dict[str, set[str]] = field(default_factory=dict)
    _sorted: dict[tuple[str, bool], list[EpisodeShown]] = field(default_factory=dict)

    @cached_property
    def _facets(self) -> dict[str, list[str]]:
        """What there is to filter by; worked out once."""
        return {
            "outcomes": sorted({row.outcome for row in self.rows if row.outcome}),
            "owners": sorted({owner for row in self.rows for owner in row.owners}),
            "metrics": list(dict.fromkeys(name for row in self.rows for name in row.values)),
            "variants": list(dict.fromkeys(row.variant for row in self.rows)),
        }

    def _in_order(self, sort: str, down: bool) -> list[EpisodeShown]:
        """All episodes in one order, kept for the next page; those without a value come last."""
        if sort == "number" and not down:
            return self.rows
        if (sort, down) not in self._sorted:
            if len(self._sorted) >= MOST_ORDERS:
                self._sorted.clear()
            keyed = [(_key(row, sort), row) for row in self.rows]
            without = [pair for pair in keyed if pair[0] is None]
            valued = [pair for pair in keyed if pair[0] is not None]
            valued.sort(key=lambda pair: pair[0] or 0, reverse=down)
            self._sorted[sort, down] = [row for _, row in (*valued, *without)]
        return self._sorted[sort, down]

    def page(self, wanted: Wanted, holding: set[str] | None) -> EpisodePage:
        """The episodes that fit, sorted, one page of them."""
        fit = [row for row in self._in_order(wanted.sort, wanted.down) if _fits(row, wanted, holding)]
        begin = wanted.page * wanted.size
        return EpisodePage(
            episodes=fit[begin : begin + wanted.size],
            found=len(fit),
            all=len(self.rows),
            **self._facets,
        )


class Indexes:
    """The tables of the runs that were looked at last."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: OrderedDict[str, RunIndex] = OrderedDict()

    async def page(self, run: str, wanted: Wanted) -> EpisodePage:
        """One page of a run's episodes."""
        index = await self._index(run)
        holding = await self._holding(run, index, wanted.words.strip()) if wanted.words.strip() else None
        return index.page(wanted, holding)

    async def _index(self, run: str) -> RunIndex:
        stamp = tuple(sorted((await self._store.runs.counts(run)).items()))
        known = self._known.get(run)
        if known is None or known.stamp != stamp:
            self._known[run] = known = await self._store.database.read(lambda tx: _read(tx, run, stamp))
            while len(self._known) > MOST_RUNS:
                self._known.popitem(last=False)
        self._known.move_to_end(run)
        return known

    async def _holding(self, run: str, index: RunIndex, words: str) -> set[str]:
        """The episodes in whose transcript these words stand."""
        if words not in index.holding:
            kept = orjson.dumps(words).decode()[1:-1]
            like = "%" + kept.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%"
            rows = await self._store.database.read(
                lambda tx: tx.execute(
                    "SELECT id FROM episodes WHERE run = ? AND LOWER(transcript) LIKE LOWER(?) ESCAPE '!' LIMIT ?",
                    (run, like, MOST_FOUND),
                )
            )
            if len(index.holding) > 20:
                index.holding.clear()
            index.holding[words] = {row[0] for row in rows}
        return index.holding[words]


def _read(tx: Transaction, run: str, stamp: tuple[tuple[str, int], ...]) -> RunIndex:
    episodes = tx.execute(
        "SELECT id, number, scenario, variant, trial, status, outcome, usage, elapsed_ms FROM episodes "
        "WHERE run = ? ORDER BY number",
        (run,),
    )
    values = _values(tx.execute("SELECT episode, body FROM scores WHERE run = ? AND scoring = ?", (run, LIVE)))
    failed = tx.execute("SELECT id, transcript FROM episodes WHERE run = ? AND transcript LIKE ?", (run, _FAILED))
    owners = {id: _owners(text) for id, text in failed}
    rows = []
    for id, number, scenario, variant, trial, status, outcome, usage, elapsed in episodes:
        used = orjson.loads(usage).values()
        rows.append(
            EpisodeShown.model_construct(
                id=id,
                number=int(number),
                scenario=scenario,
                variant=variant,
                trial=int(trial),
                status=status,
                outcome=outcome,
                owners=owners.get(id, []),
                calls=sum(each.get("calls", 0) for each in used),
                cost_usd=sum(each.get("cost_nano_usd", 0) for each in used) / NANO,
                elapsed_ms=int(elapsed),
                values=values.get(id, {}),
            )
        )
    return RunIndex(stamp, rows)


def _values(rows: Sequence[Sequence[str]]) -> dict[str, dict[str, float]]:
    """Episode to metric to its number, as reports work it out; a single score is that number itself."""
    found: dict[str, dict[str, list[Mapping[str, object]]]] = {}
    for episode, body in rows:
        score = orjson.loads(body)
        found.setdefault(episode, {}).setdefault(score["metric"], []).append(score)
    values: dict[str, dict[str, float]] = {}
    for episode, metrics in found.items():
        mine = values[episode] = {}
        for metric, scores in metrics.items():
            if len(scores) == 1:
                mine[metric] = float(str(scores[0]["value"]))
                continue
            value = weighted_value([Score.from_json(orjson.dumps(score)) for score in scores])
            if value is not None:
                mine[metric] = value[0]
    return values


def _owners(transcript: str) -> list[str]:
    events = orjson.loads(transcript)
    return list(dict.fromkeys(event["owner"] for event in events if event.get("kind") == "failed"))


def _fits(row: EpisodeShown, wanted: Wanted, holding: set[str] | None) -> bool:
    if holding is not None and row.id not in holding:
        return False
    if wanted.variant and row.variant != wanted.variant:
        return False
    if wanted.outcome and row.outcome != wanted.outcome:
        return False
    if wanted.status and row.status != wanted.status:
        return False
    if wanted.scenario and row.scenario != wanted.scenario:
        return False
    if wanted.owner and wanted.owner not in row.owners:
        return False
    if wanted.metric:
        value = row.values.get(wanted.metric)
        if value is None:
            return False
        if wanted.low is not None and value < wanted.low:
            return False
        if wanted.high is not None and value > wanted.high:
            return False
    return True


def _key(row: EpisodeShown, sort: str) -> float | str | None:
    if sort.startswith("metric:"):
        return row.values.get(sort.removeprefix("metric:"))
    found: float | str = getattr(row, sort)
    return found
