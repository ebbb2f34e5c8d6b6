"""The filters and the order for a table of episodes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from polyclinic.text.words import words

_MARK = re.compile(r"[^\w\s]")


@dataclass(frozen=True)
class Wanted:
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
    def only_sorted(self) -> Wanted:
        """The same order without any filter."""
        return Wanted(sort=self.sort, down=self.down)

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
