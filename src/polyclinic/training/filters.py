"""Which rows are good enough, which are duplicates, and which would contaminate a test set.

Dropped rows are counted by reason.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from polyclinic.core.dataset import TrainingRow
from polyclinic.text.words import words

NGRAM = 13
"""A row that shares this many consecutive words with a test question is contaminated."""


def ngrams(text: str, size: int = NGRAM) -> Iterator[str]:
    """Every sequence of `size` consecutive words."""
    run = words(text)
    return (" ".join(run[i : i + size]) for i in range(len(run) - size + 1))


class Contamination:
    """Knows the word sequences of test questions, and finds rows that contain one of them."""

    def __init__(self, tests: Iterable[tuple[str, str]] = ()) -> None:
        self._runs: dict[str, str] = {}
        self._shorts: dict[str, str] = {}
        self._known: set[str] = set()
        for case, text in tests:
            self.add(case, text)

    @property
    def cases(self) -> int:
        """How many test questions are known."""
        return len(self._known)

    def add(self, case: str, text: str) -> None:
        """Add a test question."""
        if case in self._known:
            return
        self._known.add(case)
        runs = list(ngrams(text))
        self._runs.update((run, case) for run in runs)
        if not runs and text.strip():
            self._shorts[" ".join(words(text))] = case

    def source(self, row: TrainingRow) -> str:
        """The test case whose words this row contains; empty if there is none."""
        text = row.text()
        for run in ngrams(text):
            if run in self._runs:
                return self._runs[run]
        flat = " ".join(words(text))
        return next((case for short, case in self._shorts.items() if short in flat), "")


@dataclass
class RowFilter:
    """Keeps rows that reach the reward `least`, are not duplicates, and contain no question of the other side.

    A training row must contain no test question, and a test row no training question.

    `own_refusal` returns the clinic's own reason to drop a row; it is called before the reward is compared.
    """

    least: float
    contamination: Contamination
    training: Contamination = field(default_factory=lambda: Contamination())
    own_refusal: Callable[[TrainingRow], str] = lambda row: ""
    dropped: Counter[str] = field(default_factory=Counter)
    seen: set[str] = field(default_factory=set)
    touched: Counter[str] = field(default_factory=Counter)

    def keep(self, rows: Iterable[TrainingRow]) -> Iterator[TrainingRow]:
        """The rows that pass the filters, in order."""
        for row in rows:
            reason = self._refusal(row)
            if reason:
                self.dropped[reason] += 1
            else:
                yield row

    def _refusal(self, row: TrainingRow) -> str:
        if row.reward is None:
            return "the judge gave no reward"
        if own := self.own_refusal(row):
            return own
        if row.reward < self.least:
            return "reward too low"
        digest = hashlib.sha256(row.text().encode()).hexdigest()
        if digest in self.seen:
            return "a copy of another row"
        if overlap := self._overlap(row):
            return overlap
        self.seen.add(digest)
        return ""

    def _overlap(self, row: TrainingRow) -> str:
        """The reason to drop a row if it contains words of the other side; else empty."""
        other = self.contamination if row.split == "train" else self.training
        source = other.source(row)
        if not source:
            return ""
        self.touched[source] += 1
        return f"contains words of a {'test' if row.split == 'train' else 'training'} question"

    def again(self, rows: Iterable[TrainingRow]) -> list[TrainingRow]:
        """Filter rows again after more questions of either side became known; returns those that still pass."""
        kept = []
        for row in rows:
            if overlap := self._overlap(row):
                self.dropped[overlap] += 1
            else:
                kept.append(row)
        return kept


def split_faults(rows: Sequence[TrainingRow]) -> list[str]:
    """Cases that are on both sides of the split. There must be none."""
    sides: dict[str, set[str]] = {}
    for row in rows:
        sides.setdefault(row.case, set()).add(row.split)
    return sorted(case for case, both in sides.items() if len(both) > 1)
