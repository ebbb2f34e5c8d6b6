"""The episodes of a run as a table: filtered, sorted and counted by the store, one page at a time."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace

import orjson
from pydantic import BaseModel

from polyclinic.core.database import Transaction
from polyclinic.core.model import NANO
from polyclinic.store.store import Store

MOST_RUNS = 64
_SORTS = {"cost_usd": "f.cost_nano"}
_ROW = (
    "f.id, f.number, f.scenario, f.variant, f.trial, f.status, f.outcome, f.owners, f.calls, f.cost_nano, f.elapsed_ms"
)


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


@dataclass(frozen=True)
class _Facets:
    """What there is to filter by, for one state of a run."""

    stamp: tuple[tuple[str, int], ...]
    outcomes: list[str]
    owners: list[str]
    metrics: list[str]
    variants: list[str]


class Indexes:
    """Pages of episodes; what there is to filter by is kept for the runs that were looked at last."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: OrderedDict[str, _Facets] = OrderedDict()

    async def page(self, run: str, wanted: Wanted) -> EpisodePage:
        """One page of a run's episodes."""
        facets = await self._facets(run)
        rows, found = await self._store.database.read(lambda tx: _read(tx, run, wanted))
        return EpisodePage(
            episodes=rows,
            found=found,
            all=sum(count for _, count in facets.stamp),
            outcomes=facets.outcomes,
            owners=facets.owners,
            metrics=facets.metrics,
            variants=facets.variants,
        )

    async def _facets(self, run: str) -> _Facets:
        stamp = tuple(sorted((await self._store.runs.counts(run)).items()))
        known = self._known.get(run)
        if known is None or known.stamp != stamp:
            await self._store.facts.fill(run)
            known = self._known[run] = await self._store.database.read(lambda tx: _read_facets(tx, run, stamp))
            while len(self._known) > MOST_RUNS:
                self._known.popitem(last=False)
        self._known.move_to_end(run)
        return known


def _read_facets(tx: Transaction, run: str, stamp: tuple[tuple[str, int], ...]) -> _Facets:
    def distinct(column: str) -> list[str]:
        rows = tx.execute(
            f"SELECT {column}, MIN(number) FROM episode_facts WHERE run = ? GROUP BY {column} ORDER BY 2", (run,)
        )
        return [str(row[0]) for row in rows if row[0]]

    metrics = tx.execute("SELECT DISTINCT metric FROM episode_values WHERE run = ? ORDER BY metric", (run,))
    owners = {owner for text in distinct("owners") for owner in text.strip("|").split("|")}
    return _Facets(
        stamp, sorted(distinct("outcome")), sorted(owners), [str(row[0]) for row in metrics], distinct("variant")
    )


def _read(tx: Transaction, run: str, wanted: Wanted) -> tuple[list[EpisodeShown], int]:
    sorted_by = wanted.sort.removeprefix("metric:") if wanted.sort.startswith("metric:") else ""
    joins, conditions, given = "", ["f.run = ?"], []
    if wanted.metric:
        joins += " JOIN episode_values v ON v.run = f.run AND v.episode = f.id AND v.metric = ?"
        given.append(wanted.metric)
    where: list[object] = [run]
    for column in ("variant", "outcome", "status", "scenario"):
        if value := getattr(wanted, column):
            conditions.append(f"f.{column} = ?")
            where.append(value)
    if wanted.owner:
        conditions.append("f.owners LIKE ? ESCAPE '!'")
        where.append(_like(f"|{wanted.owner}|"))
    for sign, bound in ((">=", wanted.low), ("<=", wanted.high)):
        if wanted.metric and bound is not None:
            conditions.append(f"v.value {sign} ?")
            where.append(bound)
    if words := wanted.words.strip():
        # SQLite's LIKE knows no case by itself, and folding whole transcripts first takes half as long again.
        like = "LIKE" if tx.dialect == "sqlite" else "ILIKE"
        conditions.append(
            "EXISTS (SELECT 1 FROM episodes e WHERE e.run = f.run AND e.id = f.id"
            f" AND e.transcript {like} ? ESCAPE '!')"
        )
        where.append(_like(orjson.dumps(words).decode()[1:-1]))
    way = "DESC" if wanted.down else "ASC"
    if sorted_by:
        joins += " LEFT JOIN episode_values s ON s.run = f.run AND s.episode = f.id AND s.metric = ?"
        given.append(sorted_by)
        order = f"CASE WHEN s.value IS NULL THEN 1 ELSE 0 END, s.value {way}, f.number"
    else:
        order = f"{_SORTS.get(wanted.sort, f'f.{wanted.sort}')} {way}, f.number {way}"
    kept = f"FROM episode_facts f{joins} WHERE {' AND '.join(conditions)}"
    page, at = f"ORDER BY {order} LIMIT ? OFFSET ?", (wanted.size, wanted.page * wanted.size)
    if not words:
        found = int(tx.execute(f"SELECT COUNT(*) {kept}", (*given, *where))[0][0])
        return _shown(tx, run, tx.execute(f"SELECT {_ROW} {kept} {page}", (*given, *where, *at))), found
    # Transcripts are read once: what fits is found first, then counted and paged.
    rows = tx.execute(
        f"WITH fits AS MATERIALIZED (SELECT f.* {', s.value AS sorted' if sorted_by else ''} {kept}) "
        f"SELECT {_ROW}, (SELECT COUNT(*) FROM fits) FROM fits f {page.replace('s.value', 'f.sorted')}",
        (*given, *where, *at),
    )
    if not rows and wanted.page:
        return [], _read(tx, run, replace(wanted, page=0, size=1))[1]
    return _shown(tx, run, rows), int(str(rows[0][-1])) if rows else 0


def _shown(tx: Transaction, run: str, rows: list[tuple[object, ...]]) -> list[EpisodeShown]:
    """The rows of one page with their numbers."""
    if not rows:
        return []
    marks = ", ".join("?" * len(rows))
    values: dict[str, dict[str, float]] = {}
    for episode, metric, value in tx.execute(
        f"SELECT episode, metric, value FROM episode_values WHERE run = ? AND episode IN ({marks}) ORDER BY metric",
        (run, *(row[0] for row in rows)),
    ):
        values.setdefault(episode, {})[metric] = float(value)
    names = ("id", "number", "scenario", "variant", "trial", "status", "outcome")
    return [
        EpisodeShown.model_validate(
            {
                **dict(zip(names, row, strict=False)),
                "owners": [owner for owner in str(row[7]).split("|") if owner],
                "calls": row[8],
                "cost_usd": int(str(row[9])) / NANO,
                "elapsed_ms": row[10],
                "values": values.get(str(row[0]), {}),
            }
        )
        for row in rows
    ]


def _like(text: str) -> str:
    return "%" + text.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%"
