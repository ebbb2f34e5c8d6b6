"""The columns of a table of episodes, filtered and sorted in memory.

Columns are arrays, so 100,000 rows are fast.

Also the rows of one page, and which episodes hold a phrase, read from the store.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import orjson
from pydantic import BaseModel

from polyclinic.core.database import Transaction
from polyclinic.core.model import NANO
from polyclinic.store.words import PART, as_pattern
from polyclinic.text.words import words

_MARK = re.compile(r"[^\w\s]")


@dataclass(frozen=True)
class WantedEpisodes:
    """Which episodes, in which order. `low` and `high` limit the value of `metric`."""

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

    @property
    def sort_metric(self) -> str:
        """The metric to sort by, if the table is sorted by one."""
        return self.sort.removeprefix("metric:") if self.sort.startswith("metric:") else ""

    @property
    def only_sorted(self) -> WantedEpisodes:
        """The same order without any filter."""
        return WantedEpisodes(sort=self.sort, down=self.down)

    @property
    def phrase(self) -> str:
        """Text that must occur exactly as written: words in quotation marks, or words with any punctuation."""
        text = self.words.strip()
        quoted = len(text) > 2 and text[0] == text[-1] == '"'
        return text[1:-1] if quoted else text if _MARK.search(text) else ""

    @property
    def searched(self) -> list[str]:
        """The words that an episode must hold, in any order."""
        return words(self.words)


Bits = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]
_TEXTS = ("scenario", "variant", "status", "outcome", "owners")
_COUNTS = ("calls", "cost_nano", "elapsed_ms")
_SORTS = {"cost_usd": "cost_nano"}


@dataclass(frozen=True)
class Texts:
    """A column of texts. Each row holds the index of its text in the list of different texts."""

    known: tuple[str, ...]
    codes: npt.NDArray[np.int32]

    @classmethod
    def from_rows(cls, texts: Sequence[str]) -> Self:
        """Make a column; the different texts are in the order in which they first occur."""
        known = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        return cls(tuple(known), np.fromiter((known[text] for text in texts), np.int32, len(texts)))

    def among(self, wanted: Iterable[str]) -> Bits:
        """The rows with one of these texts."""
        kept = set(wanted)
        return np.array([text in kept for text in self.known], np.bool_)[self.codes]

    def ranks(self) -> npt.NDArray[np.int32]:
        """The alphabetical rank of each row's text, for sorting."""
        places = np.empty(len(self.known), np.int32)
        places[sorted(range(len(self.known)), key=self.known.__getitem__)] = np.arange(len(self.known))
        return places[self.codes]


class Columns:
    """The rows of one run in one state, by their numbers.

    The values of a metric are loaded when they are first needed.
    """

    def __init__(self, rows: Sequence[Sequence[Any]], metrics: Sequence[str], all_episodes: int) -> None:
        by_column = list(zip(*rows, strict=True)) or [()] * (1 + len(_TEXTS) + len(_COUNTS))
        self.numbers = np.array(by_column[0], np.int64)
        self.texts = {name: Texts.from_rows(column) for name, column in zip(_TEXTS, by_column[1:], strict=False)}
        counts = by_column[1 + len(_TEXTS) :]
        self._counts = {name: np.array(column, np.int64) for name, column in zip(_COUNTS, counts, strict=True)}
        self.metrics, self.all = list(metrics), all_episodes
        self.values: dict[str, npt.NDArray[np.float64]] = {}

    def kept(self, wanted: WantedEpisodes, words: dict[int, int] | None) -> Places:
        """The indices of the rows that match the filter, in the requested order.

        `words`: a bitmap of the episodes that hold the searched words.
        """
        keep = np.ones(len(self.numbers), np.bool_)
        for column in ("variant", "outcome", "status", "scenario"):
            if value := getattr(wanted, column):
                keep &= self.texts[column].among((value,))
        if wanted.owner:
            owners = self.texts["owners"]
            keep &= owners.among(text for text in owners.known if f"|{wanted.owner}|" in text)
        if wanted.metric:
            values = self.values[wanted.metric]
            low, high = (
                (-np.inf if wanted.low is None else wanted.low),
                (np.inf if wanted.high is None else wanted.high),
            )
            keep &= (low <= values) & (values <= high)  # NaN fits no range
        if words is not None:
            keep &= self._marked(words)
        places = np.flatnonzero(keep)
        return places[self._order(wanted, places)]

    def _order(self, wanted: WantedEpisodes, places: Places) -> Places:
        if wanted.sort == "number":
            order = np.arange(len(places))
        elif wanted.sort_metric:
            values = self.values[wanted.sort_metric][places]
            return np.argsort(-values if wanted.down else values, kind="stable")  # NaN is last in both directions
        else:
            name = _SORTS.get(wanted.sort, wanted.sort)
            column = self._counts[name] if name in self._counts else self.texts[name].ranks()
            order = np.argsort(column[places], kind="stable")
        return order[::-1] if wanted.down else order

    def _marked(self, words: dict[int, int]) -> Bits:
        marked = np.zeros((int(self.numbers[-1]) // PART + 1) * PART if len(self.numbers) else 0, np.bool_)
        for part, bits in words.items():
            if (part + 1) * PART <= len(marked):
                eight = np.frombuffer(bits.to_bytes(PART // 8, "little"), np.uint8)
                marked[part * PART : (part + 1) * PART] = np.unpackbits(eight, bitorder="little")
        return marked[self.numbers]


def read_columns(tx: Transaction, run: str, all_episodes: int) -> Columns:
    """The columns of a run."""
    rows = tx.execute(
        f"SELECT number, {', '.join((*_TEXTS, *_COUNTS))} FROM episode_facts WHERE run = ? ORDER BY number", (run,)
    )
    metrics = tx.execute("SELECT DISTINCT metric FROM episode_values WHERE run = ? ORDER BY metric", (run,))
    return Columns(rows, [str(metric) for (metric,) in metrics], all_episodes)


def read_values(tx: Transaction, run: str, metric: str, columns: Columns) -> npt.NDArray[np.float64]:
    """The values of one metric, one for each row; NaN if an episode has no value."""
    rows = tx.execute(
        "SELECT f.number, v.value FROM episode_values v JOIN episode_facts f ON f.run = v.run AND f.id = v.episode "
        "WHERE v.run = ? AND v.metric = ?",
        (run, metric),
    )
    found = np.full(len(columns.numbers), np.nan)
    if rows:
        numbers, values = zip(*rows, strict=True)
        places = np.searchsorted(columns.numbers, np.array(numbers, np.int64))
        inside = places < len(found)  # an episode that ended since the columns were read is not among them
        places, given = places[inside], np.array(values, np.float64)[inside]
        same = columns.numbers[places] == np.array(numbers, np.int64)[inside]
        found[places[same]] = given[same]
    return found


_NAMES = ("number", "id", "scenario", "variant", "trial", "status", "outcome", "calls", "elapsed_ms")


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


def episodes_shown(tx: Transaction, run: str, numbers: Sequence[int]) -> list[EpisodeShown]:
    """These episodes with their values, in this order."""
    if not numbers:
        return []
    marks = ", ".join("?" * len(numbers))
    rows = tx.execute(
        f"SELECT {', '.join(_NAMES)}, owners, cost_nano FROM episode_facts WHERE run = ? AND number IN ({marks})",
        (run, *numbers),
    )
    values: dict[str, dict[str, float]] = {}
    marks = ", ".join("?" * len(rows))
    found = tx.execute(  # no ORDER BY: the database would then read the values of all episodes
        f"SELECT metric, episode, value FROM episode_values WHERE run = ? AND episode IN ({marks})",
        (run, *(row[1] for row in rows)),
    )
    for metric, episode, value in sorted(found):
        values.setdefault(episode, {})[metric] = float(value)
    shown = {
        int(row[0]): EpisodeShown.model_validate(
            {
                **dict(zip(_NAMES, row, strict=False)),
                "owners": [owner for owner in str(row[-2]).split("|") if owner],
                "cost_usd": int(row[-1]) / NANO,
                "values": values.get(row[1], {}),
            }
        )
        for row in rows
    }
    return [shown[number] for number in numbers if number in shown]


def with_phrase(tx: Transaction, run: str, numbers: Sequence[int], phrase: str) -> set[int]:
    """The episodes among these whose transcripts hold exactly this phrase; upper and lower case are the same."""
    given: object = numbers
    if tx.dialect == "sqlite":
        among, given, like = "IN (SELECT value FROM json_each(?))", orjson.dumps(numbers).decode(), "LIKE"
    else:
        among, like = "= ANY(CAST(? AS BIGINT[]))", "ILIKE"
    rows = tx.execute(
        "SELECT f.number FROM episode_facts f JOIN episodes e ON e.run = f.run AND e.id = f.id "
        f"WHERE f.run = ? AND f.number {among} AND e.transcript {like} ? ESCAPE '!'",
        (run, given, f"%{as_pattern(orjson.dumps(phrase).decode()[1:-1])}%"),
    )
    return {int(number) for (number,) in rows}
