"""The data card: what is in a dataset, where it came from, who played, what was filtered, and what was checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from polyclinic.core.dataset import TrainingData, TrainingRow, counted
from polyclinic.training.files import pairs_of
from polyclinic.training.filters import NGRAM, RowFilter, split_faults


class Card(BaseModel):
    """The contents of the card as data; `text` is the same as Markdown for people."""

    model_config = ConfigDict(frozen=True)
    name: str
    about: str
    filters: str
    rows: dict[str, dict[str, int]]
    cases: dict[str, int]
    counts: dict[str, dict[str, int]]
    runs: tuple[str, ...]
    casts: tuple[str, ...]
    variants: dict[str, int]
    with_images: int
    rewards: dict[str, int]
    pairs: dict[str, int]
    mean_reward: float
    least_reward: float
    most_reward: float
    dropped: dict[str, int]
    test_questions_checked: int
    contaminated_sources: dict[str, int]
    cases_on_both_sides: tuple[str, ...]
    seconds: float
    made: dict[str, Any]

    @property
    def total(self) -> int:
        """The number of rows in all splits."""
        return sum(count for kinds in self.rows.values() for count in kinds.values())

    def text(self) -> str:
        """The card in Markdown, with the header that dataset hosts read."""
        kinds = sorted({kind for found in self.rows.values() for kind in found}, reverse=True)
        head = "".join(f" {kind}-turn |" for kind in kinds)
        splits = "\n".join(
            f"| {split} |{''.join(f' {found.get(kind, 0)} |' for kind in kinds)} {self.cases.get(split, 0)} |"
            for split, found in sorted(self.rows.items())
        )
        counts = "\n".join(f"{name.capitalize()}: {_counts(found)}." for name, found in self.counts.items())
        files = "\n".join(f"  - split: {split}\n    path: {split}.parquet" for split in sorted(self.rows))
        files += "".join(
            f"\n- config_name: pairs-{split}\n  data_files: pairs-{split}.jsonl" for split in sorted(self.pairs)
        )
        both = ", ".join(self.cases_on_both_sides) or "none"
        touched = _counts(self.contaminated_sources) or "none"
        return f"""---
language: en
task_categories: [{"image-text-to-text" if self.with_images else "text-generation"}]
pretty_name: {self.name}
configs:
- config_name: default
  data_files:
{files}
---
# {self.name}

{self.about} Not for clinical use.

## Counts
| split |{head} cases |
| --- |{" --- |" * len(kinds)} --- |
{splits}

{self.total} rows; {self.with_images} with pictures.
{counts}

## Sources
Runs: {", ".join(self.runs)}. Variants: {_counts(self.variants)}.

## Casts
Whole casts: {"; ".join(self.casts)}.
Rows by understudies come from rules, not from a language model; they are baselines.

## Filters
Only {self.filters},
and whose reward is at least {self.least_reward:g} (mean {self.mean_reward:.2f}, highest possible {self.most_reward:g}).
Dropped: {_counts(self.dropped) or "nothing"}.
Rows by reward: {_counts(self.rewards)}. Not every row is a good example: train on those whose reward is high (`train
sft` takes them from 8 on), and let the others teach by contrast.
Preference pairs (the same prompt, a better and a worse answer): {_counts(self.pairs) or "none"}.

## Contamination
The split is by case: no case stands on both sides (checked: {both}). Training rows were
compared with {self.test_questions_checked} test questions by runs of {NGRAM} words, and test rows with the training
questions; rows dropped for that, by question: {touched}.

## Made with
{_counts(self.made)}
"""


def _counts(counts: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _bands(rewards: Sequence[float]) -> dict[str, int]:
    """How many rows are in each band of rewards, from the lowest band up."""
    steps = Counter(int(reward // 4) * 4 for reward in rewards)
    return {f"{low} to {low + 4}": steps[low] for low in sorted(steps)}


def make_card(
    data: TrainingData[Any],
    rows: Sequence[TrainingRow],
    sieve: RowFilter,
    *,
    runs: Sequence[str],
    casts: Sequence[str],
    seconds: float,
    made: Mapping[str, Any],
) -> Card:
    """Make the card of these rows."""
    by_split = {split: [row for row in rows if row.split == split] for split in sorted({row.split for row in rows})}
    rewards = [row.reward for row in rows if row.reward is not None]
    return Card(
        name=data.title,
        about=data.about,
        filters=data.filters,
        rows={split: counted([row.kind for row in part]) for split, part in by_split.items()},
        cases={split: len({row.case for row in part}) for split, part in by_split.items()},
        counts=data.counts(rows),
        runs=tuple(runs),
        casts=tuple(casts),
        variants=counted([row.variant for row in rows]),
        with_images=sum(bool(row.images) for row in rows),
        rewards=_bands(rewards),
        pairs={split: len(found) for split, part in by_split.items() if (found := pairs_of(part))},
        mean_reward=sum(rewards) / len(rewards) if rewards else 0.0,
        least_reward=sieve.least,
        most_reward=data.most_reward,
        dropped=dict(sorted(sieve.dropped.items())),
        test_questions_checked=sieve.contamination.cases,
        contaminated_sources=dict(sorted(sieve.touched.items())),
        cases_on_both_sides=tuple(split_faults(rows)),
        seconds=seconds,
        made=dict(made),
    )
