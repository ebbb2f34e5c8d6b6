"""Building the rounds dataset: from runs that exist, or by running sessions until there are enough rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from polyclinic.clinics.rounds.scenario.case import Case
from polyclinic.clinics.rounds.scenario.loaders import load_cases
from polyclinic.clinics.rounds.scenario.shipped import data_folder, shipped_cases
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
    """What is asked for. With `runs`, only these are read; otherwise sessions are run until `rows` are kept."""

    out: Path
    rows: int = 1000
    runs: tuple[str, ...] = ()
    cast: str = "all=understudy"
    scenarios: str = "all"
    variants: tuple[str, ...] = VARIANTS
    seed: int = 0
    least: float = LEAST_REWARD
    against: tuple[Path, ...] = ()
    concurrency: int = 32
    image_folders: dict[str, Path] = field(default_factory=dict)


def _tests(wish: Wish) -> list[Case]:
    own = [case for case in shipped_cases() if case.split == "test"]
    return own + [case for path in wish.against for case in load_cases(path)]


def _rows(results: RunResults, sieve: Sieve) -> list[Row]:
    kept: list[Row] = []
    for episode in results.episodes:
        if episode.status == "done" and episode.has_transcript:
            made = rows_of(episode.transcript, f"{results.run}/{episode.id}", list(episode.scores))
            kept += sieve.keep(made)
    return kept


def _cast_words(results: RunResults) -> str:
    return ",".join(f"{member.role}={member.model}" for member in results.cast)


async def gather(
    store: Store, wish: Wish, progress: Progress | None = None
) -> tuple[list[Row], Sieve, list[str], list[str]]:
    """(rows, sieve, runs, casts). Sessions are run in batches; each batch is a run of its own that stays in the store."""
    sieve = Sieve(wish.least, Contamination(_tests(wish)))
    rows: list[Row] = []
    runs: list[str] = []
    casts: list[str] = []
    if wish.runs:
        for name in wish.runs:
            results = await load_results(store, name)
            if results.clinic != "rounds":
                raise ConfigError(f"run {name} is of the clinic {results.clinic}; this dataset is made from rounds")
            rows += _rows(results, sieve)
            runs.append(results.run)
            casts.append(_cast_words(results))
        return rows, sieve, runs, sorted(set(casts))
    batch = 0
    while len(rows) < wish.rows:
        before = len(rows)
        results = await _batch(store, wish, batch, wish.rows - len(rows))
        rows += _rows(results, sieve)
        runs.append(results.run)
        casts.append(_cast_words(results))
        if progress is not None:
            progress(min(len(rows), wish.rows), wish.rows)
        batch += 1
        if len(rows) == before:
            raise DataError("a whole batch of sessions gave no new row: lower --least-reward or change the cast")
    return rows[: wish.rows], sieve, runs, sorted(set(casts))


async def _batch(store: Store, wish: Wish, number: int, missing: int) -> RunResults:
    episodes = max(1, min(BATCH_EPISODES, missing // 3 + 1))
    each = max(1, -(-episodes // len(wish.variants)))
    config = make_config(
        {
            "clinic": "rounds",
            "variants": wish.variants,
            "scenarios": f"{wish.scenarios}:{each}"
            if ":" not in wish.scenarios and not Path(wish.scenarios).is_file()
            else wish.scenarios,
            "seed": wish.seed * 100_003 + number,
            "cast": wish.cast,
            "judges": ("reward",),
            "concurrency": wish.concurrency,
        }
    )
    outcome = await run(store, config)
    return await load_results(store, outcome.run)


def picture_reader(folders: Sequence[Path]) -> Callable[[str], bytes]:
    """Finds a picture by its file name: in the given folders, then among the shipped ones."""

    def read(name: str) -> bytes:
        for folder in folders:
            if (folder / name).is_file():
                return (folder / name).read_bytes()
        return data_folder().joinpath("images", name).read_bytes()

    return read


async def build(store: Store, wish: Wish, progress: Progress | None = None) -> Card:
    """Make the dataset: rows, files for each split, pictures, card. Returns the card."""
    started = time.perf_counter()
    rows, sieve, runs, casts = await gather(store, wish, progress)
    if not rows:
        raise DataError("no row passed the filters")
    wish.out.mkdir(parents=True, exist_ok=True)
    pictures = picture_reader(tuple(wish.image_folders.values()))
    for split in sorted({row.split for row in rows}):
        part = [row for row in rows if row.split == split]
        write_jsonl(wish.out / f"{split}.jsonl", part)
        write_parquet(wish.out / f"{split}.parquet", part, pictures)
    write_pictures(wish.out / "images", rows, pictures)
    seconds = time.perf_counter() - started
    made: dict[str, Any] = {"seed": wish.seed, "scenarios": wish.scenarios, "least reward": wish.least}
    card = make_card("ClinTeach rounds", rows, sieve, runs=runs, casts=casts, seconds=seconds, made=made)
    (wish.out / "README.md").write_text(card.text(), encoding="utf-8")
    (wish.out / "card.json").write_text(card.model_dump_json(indent=1, exclude={"seconds"}) + "\n", encoding="utf-8")
    return card
