"""The contacts of a run as plain rows: what the tables and figures count."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import fmean, pstdev
from typing import TYPE_CHECKING

from polyclinic.clinics.frontdesk.rules.notes import InDepartment, MovedUp, VisitEnded
from polyclinic.clinics.frontdesk.scenario.schema import Contact
from polyclinic.core.transcript import Score
from polyclinic.core.value import unchanging
from polyclinic.eval.estimate import Estimate, decimals, mean_with_interval

if TYPE_CHECKING:
    from polyclinic.eval.results import EpisodeRow, RunResults

LEVELS = ("primary", "secondary", "tertiary", "custom")
WISHES = {"asap": "earliest time", "physician": "certain physician", "date": "from a date on"}


@unchanging
class ContactRow:
    """One finished contact."""

    level: str
    hospital: str
    variant: str
    contact: Contact
    episode: EpisodeRow

    @property
    def group(self) -> str:
        """What the tables call the hospital: its level, or the name of a data set that has no level."""
        if self.level != "custom":
            return self.level
        name, _dash, number = self.contact.campaign.rpartition("-")
        return name if name and number.isdecimal() else self.contact.campaign

    def score(self, metric: str) -> Score | None:
        """The score of one metric, if it was given."""
        return next((score for score in self.episode.scores if score.metric == metric), None)

    def fault(self, metric: str) -> str:
        """Whose fault a rubric's error was; empty without an error. What the patient spoilt has no staff score."""
        score = self.score(metric)
        if score is None or score.value:
            return ""
        return "patient" if self.score(f"{metric}_staff") is None else "staff"

    @property
    def department(self) -> str:
        """The department that the contact was about."""
        about, visit = self.episode.ended_with(InDepartment), self.episode.ended_with(VisitEnded)
        return (about.department if about else "") or (visit.home if visit else "")


def rows_of(results: RunResults[Contact]) -> list[ContactRow]:
    """All contacts, including failed ones, which have no scores and are not counted in any rate."""
    rows: list[ContactRow] = []
    for episode in results.episodes:
        contact = results.scenarios[episode.scenario]
        hospital = f"{contact.campaign}:{episode.trial}"
        rows.append(ContactRow(contact.level, hospital, episode.variant, contact, episode))
    return rows


def groups(rows: Iterable[ContactRow]) -> Iterator[tuple[str, str, list[ContactRow]]]:
    """The groups as (level or data set, variant, rows): levels from small to large, then data sets in order of
    appearance.
    """
    found: dict[tuple[str, str], list[ContactRow]] = {}
    for row in rows:
        found.setdefault((row.group, row.variant), []).append(row)
    order = [*LEVELS, *dict.fromkeys(name for name, _ in found)]
    for (name, variant), mine in sorted(found.items(), key=lambda item: order.index(item[0][0])):
        yield name, variant, mine


def moved_up(rows: Iterable[ContactRow]) -> tuple[int, int]:
    """How many patients of the waiting lists moved up, and how many could have but were not reached."""
    moved, missed = 0, set()
    for row in rows:
        up = row.episode.ended_with(MovedUp)
        if up is not None:
            moved += up.waiting_moved
            missed |= {(row.hospital, id_) for id_ in up.not_reached}
    return moved, len(missed)


def scored(rows: Iterable[ContactRow], metric: str) -> list[Score]:
    """The scores of one metric."""
    return [score for score in (row.score(metric) for row in rows) if score is not None]


def mean_over_hospitals(rows: Iterable[ContactRow], metric: str) -> str:
    """``0.985 ± 0.003 (n = 40)``: mean and standard deviation between hospitals, as in the paper, and the number of
    tasks. One hospital has no deviation.
    """
    values: dict[str, list[float]] = {}
    for row in rows:
        score = row.score(metric)
        if score is not None:
            values.setdefault(row.hospital, []).append(score.value)
    means = [fmean(found) for found in values.values()]
    if not means:
        return "-"
    count = f"(n = {sum(map(len, values.values())):,})"
    return f"{with_deviation(means)} {count}"


def with_deviation(values: Sequence[float]) -> str:
    """Mean and standard deviation, as in ``0.985 ± 0.003``; a single value has no deviation."""
    mean = fmean(values)
    if len(values) == 1:
        return Estimate(mean, None, None, 1).text()
    shown = decimals(mean)
    return f"{mean:.{shown}f} ± {pstdev(values):.{shown}f}"


def share(count: int, of: int) -> str:
    """A count and its share, as in ``3 / 40 (7.5 %)``."""
    return f"{count:,} / {of:,} ({100 * count / of:.1f} %)" if of else "-"


def split(rows: Sequence[ContactRow], key: Callable[[ContactRow], str]) -> dict[str, list[ContactRow]]:
    """The rows by a key, in the order of the keys."""
    found: dict[str, list[ContactRow]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return dict(sorted(found.items()))


def mean_of(values: Sequence[float]) -> Estimate | None:
    """The mean with its interval; None without values."""
    return mean_with_interval(values) if values else None
