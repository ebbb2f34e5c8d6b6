"""Building the rounds dataset: from runs that exist, or by running sessions until there are enough rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from polyclinic.clinics.rounds.scenario.case import Case, Split
from polyclinic.clinics.rounds.scenario.choose import base_id
from polyclinic.clinics.rounds.scenario.loaders import load_cases
from polyclinic.clinics.rounds.scenario.shipped import data_folder, shipped_cases
from polyclinic.core.seed import stream
from polyclinic.errors import ConfigError, DataError
from polyclinic.eval.results import RunResults
from polyclinic.runner.api import run
from polyclinic.runner.config import make_config
from polyclinic.runner.results import load_results
from polyclinic.store.store import Store
from polyclinic.training.card import Card, make_card
from polyclinic.training.files import write_jsonl, write_parquet, write_pictures
from polyclinic.training.filters import Contamination, Sieve
from polyclinic.training.rows import Row, rows_of

LEAST_REWARD = 8.0
BATCH_EPISODES = 400
VARIANTS = ("full", "one-student", "students-2", "students-4", "students-5")
Progress = Callable[[int, int], None]


@dataclass
class Wish:
    """What is asked for. With `runs`, only these are read; otherwise sessions are run until `rows` are kept.

    Our own cases say which side they are on. Of cases from other collections, `test_share` go to the test side, by id.
    """

    out: Path
    rows: int = 1000
    runs: tuple[str, ...] = ()
    cast: str = "all=understudy"
    scenarios: str = "all"
    variants: tuple[str, ...] = VARIANTS
    seed: int = 0
    least: float = LEAST_REWARD
    against: tuple[Path, ...] = ()
    test_share: float = 0.1
    concurrency: int = 32


@dataclass
class Gathered:
    """Rows that passed, and where they came from."""

    sieve: Sieve
    rows: list[Row] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    casts: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)

    def take(self, results: RunResults, test_share: float) -> None:
        """The rows of one run."""
        cases = [case for case in results.scenarios.values() if isinstance(case, Case)]
        sides = {base_id(case.id): side_of(case, test_share) for case in cases}
        for case in cases:
            if sides[base_id(case.id)] == "test":
                self.sieve.contamination.add(case.model_copy(update={"id": base_id(case.id)}))
        for episode in results.episodes:
            if episode.status == "done" and episode.has_transcript:
                made = rows_of(episode.transcript, f"{results.run}/{episode.id}", list(episode.scores))
                self.rows += self.sieve.keep(replace(row, split=sides[row.case]) for row in made)
        self.runs.append(results.run)
        self.casts.add(",".join(f"{member.role}={member.model}" for member in results.cast))
        self.folders |= {case.image_folder for case in cases if case.image_folder}


def side_of(case: Case, test_share: float) -> Split:
    """Which side a case is on: its own word for ours, by its id for others. Never by chance, so never on both."""
    if case.source == "polyclinic":
        return case.split
    return "test" if stream("dataset-split", case.source, base_id(case.id)).random() < test_share else "train"


def _held_out(wish: Wish) -> list[Case]:
    own = [case for case in shipped_cases() if case.split == "test"]
    return own + [case for path in wish.against for case in load_cases(path)]


async def gather(store: Store, wish: Wish, progress: Progress | None = None) -> Gathered:
    """The rows. Sessions are run in batches; each batch is a run of its own that stays in the store."""
    found = Gathered(Sieve(wish.least, Contamination(_held_out(wish))))
    for name in wish.runs:
        results = await load_results(store, name)
        if results.clinic != "rounds":
            raise ConfigError(f"run {name} is of the clinic {results.clinic}; this dataset is made from rounds")
        found.take(results, wish.test_share)
    batch = 0
    while not wish.runs and len(found.rows) < wish.rows:
        before = len(found.rows)
        found.take(await _batch(store, wish, batch, wish.rows - before), wish.test_share)
        if progress is not None:
            progress(min(len(found.rows), wish.rows), wish.rows)
        if len(found.rows) == before:
            raise DataError("a whole batch of sessions gave no new row: lower --least-reward or change the cast")
        batch += 1
    if not wish.runs:
        del found.rows[wish.rows :]
    return found


async def _batch(store: Store, wish: Wish, number: int, missing: int) -> RunResults:
    episodes = max(1, min(BATCH_EPISODES, missing // 3 + 1))
    each = max(1, -(-episodes // len(wish.variants)))
    whole = ":" in wish.scenarios or Path(wish.scenarios).is_file()
    config = make_config(
        {
            "clinic": "rounds",
            "variants": wish.variants,
            "scenarios": wish.scenarios if whole else f"{wish.scenarios}:{each}",
            "seed": wish.seed * 100_003 + number,
            "cast": wish.cast,
            "judges": ("reward",),
            "concurrency": wish.concurrency,
        }
    )
    outcome = await run(store, config)
    return await load_results(store, outcome.run)


def picture_reader(folders: Iterable[str]) -> Callable[[str], bytes]:
    """Finds a picture by its file name: in the given folders, then among the shipped ones."""

    def read(name: str) -> bytes:
        for folder in sorted(folders):
            if Path(folder, name).is_file():
                return Path(folder, name).read_bytes()
        return data_folder().joinpath("images", name).read_bytes()

    return read


async def build(store: Store, wish: Wish, progress: Progress | None = None) -> Card:
    """Make the dataset: rows, files for each split, pictures, card. Returns the card."""
    started = time.perf_counter()
    found = await gather(store, wish, progress)
    if not found.rows:
        raise DataError("no row passed the filters")
    wish.out.mkdir(parents=True, exist_ok=True)
    pictures = picture_reader(found.folders)
    for split in sorted({row.split for row in found.rows}):
        part = [row for row in found.rows if row.split == split]
        write_jsonl(wish.out / f"{split}.jsonl", part)
        write_parquet(wish.out / f"{split}.parquet", part, pictures)
    write_pictures(wish.out / "images", found.rows, pictures)
    seconds = time.perf_counter() - started
    made: dict[str, Any] = {"seed": wish.seed, "scenarios": Path(wish.scenarios).name, "least reward": wish.least}
    card = make_card(
        "ClinTeach rounds",
        found.rows,
        found.sieve,
        runs=found.runs,
        casts=sorted(found.casts),
        seconds=seconds,
        made=made,
    )
    (wish.out / "README.md").write_text(card.text(), encoding="utf-8")
    (wish.out / "card.json").write_text(card.model_dump_json(indent=1, exclude={"seconds"}) + "\n", encoding="utf-8")
    return card
