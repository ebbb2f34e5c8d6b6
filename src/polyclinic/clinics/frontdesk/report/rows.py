"""The contacts of a run as plain rows: what the tables and figures count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import cast

from polyclinic.clinics.frontdesk.scenario.schema import Contact
from polyclinic.core.transcript import Score
from polyclinic.eval.results import EpisodeRow, RunResults

LEVELS = ("primary", "secondary", "tertiary", "custom")


@dataclass(frozen=True)
class Row:
    """One finished contact."""

    level: str
    hospital: str
    variant: str
    contact: Contact
    episode: EpisodeRow

    def score(self, metric: str) -> Score | None:
        """The score of one metric, if it was given."""
        return next((score for score in self.episode.scores if score.metric == metric), None)

    @property
    def department(self) -> str:
        """The department that the contact was about."""
        return str(self.episode.data.get("department") or self.episode.data.get("home") or "")


def rows_of(results: RunResults) -> list[Row]:
    """All contacts that ended; failed ones are counted elsewhere in the report."""
    rows: list[Row] = []
    for episode in results.episodes:
        contact = cast(Contact, results.scenarios[episode.scenario])
        if episode.status == "done":
            hospital = f"{contact.campaign}:{episode.trial}"
            rows.append(Row(contact.level, hospital, episode.variant, contact, episode))
    return rows


def groups(rows: Iterable[Row]) -> Iterator[tuple[str, str, list[Row]]]:
    """(level, variant, rows), levels from small to large, variants in order of appearance."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        found.setdefault((row.level, row.variant), []).append(row)
    for level in LEVELS:
        for (of_level, variant), mine in found.items():
            if of_level == level:
                yield level, variant, mine


def scored(rows: Iterable[Row], metric: str) -> list[Score]:
    """The scores of one metric."""
    return [score for score in (row.score(metric) for row in rows) if score is not None]


def mean_over_hospitals(rows: Iterable[Row], metric: str) -> tuple[float, float] | None:
    """Mean and standard deviation of a metric between hospitals, as the paper gives them."""
    values: dict[str, list[float]] = {}
    for row in rows:
        score = row.score(metric)
        if score is not None:
            values.setdefault(row.hospital, []).append(score.value)
    means = [fmean(found) for found in values.values()]
    return (fmean(means), pstdev(means)) if means else None


def fault_of(score: Score) -> str:
    """Whose fault an error was."""
    return next((words.removeprefix("fault: ") for words in score.evidence if words.startswith("fault: ")), "")


def share(count: int, of: int) -> str:
    """``3 / 40 (7.5 %)``."""
    return f"{count:,} / {of:,} ({100 * count / of:.1f} %)" if of else "-"
