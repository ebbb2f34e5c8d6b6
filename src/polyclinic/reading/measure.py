"""How often a reader is right, kind by kind: on yes, on no, balanced with an interval, and how much
it leaves unclear.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from polyclinic.core.files import package_data, read_data
from polyclinic.core.reading import GOOD_ENOUGH, Says
from polyclinic.core.value import Value, unchanging
from polyclinic.reading.sets import Labelled

RESULTS = "results.json"
SENTENCE_RESULTS = "sentence_results.json"
LEAST_LINES, LEAST_OF_EACH = 20, 8
"""A reader counts as measured on a kind from this many labelled lines on, with this many of each label."""
_Z = 1.96


@unchanging
class Accuracy:
    """A reader's accuracy on one kind. `unclear` answers count as wrong. `balanced` is the mean of both sides. `pairs`
    is the same, only on texts that occur with both a yes and a no question; None if there are no such texts. `yes` and
    `no` say how many of the `n` lines have this label.
    """

    n: int
    yes_right: float
    no_right: float
    balanced: float
    low: float
    high: float
    unclear: float
    pairs: float | None = None
    yes: int = 0
    no: int = 0

    @property
    def too_few(self) -> str:
        """Why these lines are too few to know how good the reader is; empty if they are enough. Few lines are right by
        chance, and who always says yes is right on every line with the label yes.
        """
        if self.n >= LEAST_LINES and min(self.yes, self.no) >= LEAST_OF_EACH:
            return ""
        return (
            f"not measured: {self.yes} lines with yes and {self.no} with no, of at least {LEAST_LINES} with"
            f" {LEAST_OF_EACH} of each"
        )

    @property
    def believed(self) -> bool:
        """Whether metrics may rest on this reader: measured on enough lines, and right often enough."""
        return not self.too_few and self.balanced >= GOOD_ENOUGH


def not_measured(kinds: Mapping[str, Accuracy]) -> str:
    """A sentence that names the kinds with too few lines; empty if all have enough."""
    few = [kind for kind, one in kinds.items() if one.too_few]
    rule = f"fewer than {LEAST_LINES} lines, or fewer than {LEAST_OF_EACH} with one of the labels"
    return f"These kinds count as not measured ({rule}): {', '.join(few)}." if few else ""


@unchanging
class MeanAccuracy:
    """The mean over kinds, each kind with the same weight; None if no kind has the figure."""

    n: int
    yes_right: float | None
    no_right: float | None
    balanced: float | None
    low: float | None
    high: float | None
    unclear: float | None
    pairs: float | None


class ReaderFigures(Value):
    """How often a reader is right: on each kind, and on all kinds."""

    kinds: dict[str, Accuracy]
    all: MeanAccuracy


def accuracy(pairs: Sequence[tuple[bool, Says]]) -> Accuracy:
    """Accuracy from (label, answer) pairs. The interval combines Wilson's intervals for the yes and the no labels."""
    yes = [says for label, says in pairs if label]
    no = [says for label, says in pairs if not label]
    right = [says == "yes" for says in yes], [says == "no" for says in no]
    shares = [sum(side) / len(side) if side else math.nan for side in right]
    there = [share for share in shares if not math.isnan(share)]
    balanced = sum(there) / len(there) if there else math.nan
    spread = math.sqrt(
        sum(_half(share, len(side)) ** 2 for share, side in zip(shares, right, strict=True) if side)
    ) / max(1, len(there))
    unclear = sum(says == "unclear" for _, says in pairs) / len(pairs) if pairs else 0.0
    return Accuracy(
        len(pairs),
        round(shares[0], 4),
        round(shares[1], 4),
        round(balanced, 4),
        round(max(0.0, balanced - spread), 4),
        round(min(1.0, balanced + spread), 4),
        round(unclear, 4),
        yes=len(yes),
        no=len(no),
    )


def _half(share: float, n: int) -> float:
    """Half the width of Wilson's interval."""
    return _Z / (1 + _Z**2 / n) * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))


def table(rows: Sequence[Labelled], answers: Sequence[Says]) -> ReaderFigures:
    """The reader's figures, from labelled lines and its answers."""
    by_kind: dict[str, list[tuple[bool, Says]]] = {}
    for row, says in zip(rows, answers, strict=True):
        by_kind.setdefault(row.question.kind, []).append((row.label, says))
    kinds = {
        kind: replace(accuracy(pairs), pairs=_pairs(kind, rows, answers)) for kind, pairs in sorted(by_kind.items())
    }
    shares = [name for name in MeanAccuracy.__annotations__ if name != "n"]
    means = {name: _mean([getattr(one, name) for one in kinds.values()]) for name in shares}
    return ReaderFigures(kinds=kinds, all=MeanAccuracy(n=len(rows), **means))


def _mean(values: Sequence[float | None]) -> float | None:
    there = [value for value in values if value is not None and not math.isnan(value)]
    return round(sum(there) / len(there), 4) if there else None


def _pairs(kind: str, rows: Sequence[Labelled], answers: Sequence[Says]) -> float | None:
    """Balanced accuracy on texts that occur with both a yes and a no question; None if there are none."""
    texts: dict[str, list[tuple[bool, Says]]] = {}
    for row, says in zip(rows, answers, strict=True):
        if row.question.kind == kind:
            texts.setdefault(row.text, []).append((row.label, says))
    both = [pair for pairs in texts.values() if len({label for label, _ in pairs}) > 1 for pair in pairs]
    return accuracy(both).balanced if both else None


@lru_cache(maxsize=2)
def kept_results(file: str = RESULTS) -> dict[str, Accuracy]:
    """The accuracy of the built-in reader on the test authors, as shipped with its weights."""
    return _as_accuracy(package_data("polyclinic.reading", f"data/{file}")["kinds"])


def _as_accuracy(kinds: Mapping[str, Mapping[str, Any]]) -> dict[str, Accuracy]:
    names = Accuracy.__annotations__
    return {kind: Accuracy(**{name: row[name] for name in names if name in row}) for kind, row in kinds.items()}


@lru_cache(maxsize=1)
def kept_text_only() -> dict[str, float]:
    """The accuracy of a reader that never sees the question, on the same test authors."""
    found: dict[str, float] = package_data("polyclinic.reading", f"data/{RESULTS}").get("text_only", {})
    return found


def readers_file() -> Path:
    """The file with measurements of other readers: beside the usual store, or as POLYCLINIC_READERS says."""
    return Path(os.environ.get("POLYCLINIC_READERS", ".polyclinic/readers.json"))


def reader_accuracy(reader: str) -> dict[str, Accuracy]:
    """A reader's accuracy from an earlier `polyclinic eval readings --keep`; empty if it was not measured."""
    path = readers_file()
    if not reader or not path.is_file():
        return {}
    return _as_accuracy(read_data(path).get(reader, {}))


def keep_accuracy(reader: str, kinds: Mapping[str, Accuracy]) -> Path:
    """Keep a reader's measurement for reports."""
    path = readers_file()
    known = read_data(path) if path.is_file() else {}
    known[reader] = {**known.get(reader, {}), **kinds}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(orjson.dumps(known, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    return path
