"""The data card: what is in a dataset, where it came from, who played, what was filtered, and what was checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from polyclinic.training.filters import NGRAM, Sieve, split_faults
from polyclinic.training.rows import Row


class Card(BaseModel):
    """Everything the card says, as data; `text` is the same for people."""

    model_config = ConfigDict(frozen=True)
    name: str
    rows: dict[str, dict[str, int]]
    cases: dict[str, int]
    sources: dict[str, int]
    specialties: dict[str, int]
    students: dict[str, int]
    tutors: dict[str, int]
    runs: tuple[str, ...]
    casts: tuple[str, ...]
    variants: dict[str, int]
    with_images: int
    mean_reward: float
    least_reward: float
    dropped: dict[str, int]
    test_questions_checked: int
    contaminated_sources: dict[str, int]
    cases_on_both_sides: tuple[str, ...]
    seconds: float
    made: dict[str, Any]

    @property
    def total(self) -> int:
        """All rows of all splits."""
        return sum(count for kinds in self.rows.values() for count in kinds.values())

    def text(self) -> str:
        """The card in Markdown, with the head that dataset hosts read."""
        splits = "\n".join(
            f"| {split} | {kinds.get('single', 0)} | {kinds.get('multi', 0)} | {self.cases.get(split, 0)} |"
            for split, kinds in sorted(self.rows.items())
        )
        files = "\n".join(f"  - split: {split}\n    path: {split}.parquet" for split in sorted(self.rows))
        both = ", ".join(self.cases_on_both_sides) or "none"
        touched = _counts(self.contaminated_sources) or "none"
        return f"""---
language: en
task_categories: [image-text-to-text]
pretty_name: {self.name}
configs:
- config_name: default
  data_files:
{files}
---
# {self.name}

Socratic teaching turns of a tutor for groups of medical students, in chat format, made by simulation. Not for clinical use.

## Counts
| split | single-turn | multi-turn | cases |
| --- | --- | --- | --- |
{splits}

{self.total} rows; {self.with_images} with pictures. Group sizes: {_counts(self.students)}.
Specialties: {_counts(self.specialties)}.

## Sources
Cases: {_counts(self.sources)}. Runs: {", ".join(self.runs)}. Variants: {_counts(self.variants)}.

## Casts
Tutors: {_counts(self.tutors)}. Whole casts: {"; ".join(self.casts)}.
Rows by understudies come from rules, not from a language model; they are baselines.

## Filters
Only turns that the leak check, the specialist and the supervisor approved, whose thinking has the right form,
and whose reward is at least {self.least_reward:g} (mean {self.mean_reward:.2f}, highest possible 14).
Dropped: {_counts(self.dropped) or "nothing"}.

## Contamination
The split is by case: no case stands on both sides (checked: {both}). Training rows were
compared with {self.test_questions_checked} test questions by runs of {NGRAM} words;
rows dropped for that, by test question: {touched}.

## Made with
{_counts(self.made)}
"""


def _counts(counts: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def make_card(
    name: str,
    rows: Sequence[Row],
    sieve: Sieve,
    *,
    runs: Sequence[str],
    casts: Sequence[str],
    seconds: float,
    made: Mapping[str, Any],
) -> Card:
    """The card of these rows."""

    def counted(values: Sequence[str]) -> dict[str, int]:
        return dict(sorted(Counter(values).items()))

    by_split = {split: [row for row in rows if row.split == split] for split in sorted({row.split for row in rows})}
    rewards = [row.reward for row in rows if row.reward is not None]
    return Card(
        name=name,
        rows={split: counted([row.kind for row in part]) for split, part in by_split.items()},
        cases={split: len({row.case for row in part}) for split, part in by_split.items()},
        sources=counted([row.source for row in rows]),
        specialties=counted([row.specialty for row in rows]),
        students=counted([str(len(row.students)) for row in rows]),
        tutors=counted([row.tutor for row in rows]),
        runs=tuple(runs),
        casts=tuple(casts),
        variants=counted([row.variant for row in rows]),
        with_images=sum(row.with_images for row in rows),
        mean_reward=sum(rewards) / len(rewards) if rewards else 0.0,
        least_reward=sieve.least,
        dropped=dict(sorted(sieve.dropped.items())),
        test_questions_checked=sieve.contamination.cases,
        contaminated_sources=dict(sorted(sieve.touched.items())),
        cases_on_both_sides=tuple(split_faults(rows)),
        seconds=seconds,
        made=dict(made),
    )
