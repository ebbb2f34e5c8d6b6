"""Build a clinic's dataset: from runs that exist, or by running episodes until there are enough rows."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from polyclinic.core.clinic import Clinic
from polyclinic.core.dataset import GradeOutput, OutputReward, TrainingData, TrainingRow
from polyclinic.core.scenario import Scenario
from polyclinic.core.seed import stream
from polyclinic.errors import ConfigError
from polyclinic.eval.results import RunResults
from polyclinic.runner.api import run
from polyclinic.runner.execute.progress import Progress
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.registry import load_clinic
from polyclinic.runner.results import load_results
from polyclinic.store.store import Store
from polyclinic.training.card import Card, make_card
from polyclinic.training.files import as_json, pairs_of, write_jsonl, write_parquet, write_pictures
from polyclinic.training.filters import Contamination, RowFilter
from polyclinic.training.grading import open_grader
from polyclinic.training.room import dataset_room

BATCH_EPISODES, PROBE_EPISODES = 400, 40
"""The most episodes of a batch; and of a batch after one in which nearly all rows were repeats."""
_MANY_REPEATS = 0.2
_Progress = Callable[[int, int], None]
_Watching = Callable[[], Progress | None]


@dataclass
class DatasetRequest:
    """The user's request. With `runs`, only these are read; otherwise episodes are run until `rows` are kept.

    Settings that are not given (`casts`, `scenarios`, `variants`, `least`) are taken from the clinic's dataset. Cases
    without a stated split are split by id: the share `test_share` of them goes to the test side.
    """

    out: Path
    clinic: str
    rows: int = 1000
    runs: tuple[str, ...] = ()
    casts: tuple[str, ...] = ()
    scenarios: str = ""
    variants: tuple[str, ...] = ()
    seed: int = 0
    least: float | None = None
    against: tuple[Path, ...] = ()
    test_share: float = 0.1
    concurrency: int = 32


@dataclass
class Gathered:
    """Rows that passed the filters, and the runs they came from."""

    data: TrainingData[Any]
    sieve: RowFilter
    grade: GradeOutput
    rows: list[TrainingRow] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    casts: set[str] = field(default_factory=set)
    scenarios: list[Scenario] = field(default_factory=list)

    async def take(self, results: RunResults, test_share: float) -> None:
        """Add the rows of one run."""
        data, sides = self.data, {}
        for scenario in results.scenarios.values():
            case = data.case(scenario)
            sides[case] = data.split(scenario, test_share)
            questions = self.sieve.contamination if sides[case] == "test" else self.sieve.training
            questions.add(case, data.question(scenario))
        for episode in results.episodes:
            if episode.status == "done" and episode.has_transcript:
                scenario = results.scenarios[episode.scenario]
                name = f"{results.run}/{episode.id}"
                made = await data.graded_rows(scenario, episode.transcript, name, episode.scores, self.grade)
                self.rows += self.sieve.keep(replace(row, split=sides[row.case]) for row in made)
        self.runs.append(results.run)
        self.casts.add(",".join(f"{member.role}={member.model}" for member in results.cast))
        self.scenarios += results.scenarios.values()


async def gather(
    store: Store, wish: DatasetRequest, progress: _Progress | None = None, watching: _Watching = lambda: None
) -> Gathered:
    """Collect the rows. Sessions are run in batches; each batch is a separate run that stays in the store.

    `progress` is told the number of rows after each batch; `watching()` shows the episodes of a batch.
    """
    clinic = load_clinic(wish.clinic)
    data, casts = dataset_room(clinic), wish.casts or dataset_room(clinic).casts
    tests = Contamination((data.case(case), data.question(case)) for case in data.held_out(wish.against))
    least = data.least_reward if wish.least is None else wish.least
    async with _grades(clinic, casts[0], store) as grade:
        found = Gathered(data, RowFilter(least, tests, own_refusal=data.refusal), grade)
        for name in wish.runs:
            results = await load_results(store, name)
            if results.clinic != wish.clinic:
                raise ConfigError(
                    f"run {name} belongs to the clinic {results.clinic}; this dataset is for {wish.clinic}"
                )
            await found.take(results, wish.test_share)
        cycle, most = 0, BATCH_EPISODES
        while not wish.runs and len(found.rows) < wish.rows:
            before, ran = len(found.rows), 0
            each = -(-(wish.rows - before) // len(casts))
            for cast in casts:
                episodes = min(most, int(each / data.rows_per_episode) + 1)
                batch = await _batch(store, wish, data, cast, cycle, max(1, episodes), watching())
                ran += len(batch.episodes)
                await found.take(batch, wish.test_share)
                if progress is not None:
                    progress(min(len(found.rows), wish.rows), wish.rows)
            if len(found.rows) == before:
                raise ConfigError(
                    f"a whole batch of episodes added no new row to the {before} found so far: lower --rows or"
                    " --least-reward, or change the cast"
                )
            few = len(found.rows) - before < _MANY_REPEATS * data.rows_per_episode * ran
            cycle, most = cycle + 1, PROBE_EPISODES if few else BATCH_EPISODES
    found.rows = found.sieve.again(found.rows)
    if not wish.runs:
        found.rows = _shared_out(found.rows, wish.rows, found.runs)
    return found


@asynccontextmanager
async def _grades(clinic: Clinic, cast: str, store: Store) -> AsyncIterator[GradeOutput]:
    """A function that grades outputs which no judge of their episode has scored, with the same judge and reader."""
    if not dataset_room(clinic).rewards:

        async def none(context: str, output: str) -> OutputReward | None:
            return None

        yield none
        return
    async with open_grader(clinic, cast, store) as grader:
        yield grader.grade


def _shared_out(rows: list[TrainingRow], wanted: int, runs: Sequence[str]) -> list[TrainingRow]:
    """Choose this many rows, as whole episodes, with equal shares for each cast's run and each side of the split.

    Runs are identified by their position, because their ids differ each time. So the same command keeps the same rows.
    """
    if len(rows) <= wanted:
        return rows
    groups: dict[tuple[int, str], list[str]] = {}
    for row in rows:
        run, _, episode = row.episode.partition("/")
        mine = groups.setdefault((runs.index(run), row.split), [])
        if episode not in mine:
            mine.append(episode)
    order: dict[tuple[str, str], tuple[float, int]] = {}
    for (place, split), episodes in groups.items():
        drawn = sorted(episodes, key=lambda episode: stream("dataset-share", place, episode).random())
        order |= {(f"{runs[place]}/{each}", split): (rank / len(drawn), place) for rank, each in enumerate(drawn)}
    kept = {row.id for row in sorted(rows, key=lambda row: order[row.episode, row.split])[:wanted]}
    return [row for row in rows if row.id in kept]


async def _batch(
    store: Store,
    wish: DatasetRequest,
    data: TrainingData[Any],
    cast: str,
    number: int,
    episodes: int,
    progress: Progress | None,
) -> RunResults:
    """A run with one of the casts. Casts of one cycle have the same seed, so that they get the same moments."""
    variants, scenarios = wish.variants or data.variants, wish.scenarios or data.scenarios
    each = max(1, -(-episodes // max(1, len(variants))))
    whole = ":" in scenarios or Path(scenarios).is_file()
    config = make_config(
        {
            "clinic": wish.clinic,
            "variants": variants,
            "scenarios": scenarios if whole else f"{scenarios}:{each}" if scenarios else str(each),
            "seed": wish.seed * 100_003 + number,
            "cast": cast,
            "judges": data.judges,
            "concurrency": wish.concurrency,
        }
    )
    outcome = await run(store, config, progress)
    return await load_results(store, outcome.run)


async def build(
    store: Store, wish: DatasetRequest, progress: _Progress | None = None, watching: _Watching = lambda: None
) -> Card:
    """Make the dataset: rows, files for each split, pictures, card. Returns the card."""
    started = time.perf_counter()
    found = await gather(store, wish, progress, watching)
    if not found.rows:
        raise ConfigError("no row passed the filters: lower --least-reward, or name other runs")
    wish.out.mkdir(parents=True, exist_ok=True)
    pictures = found.data.pictures(found.scenarios)
    for split in sorted({row.split for row in found.rows}):
        part = [row for row in found.rows if row.split == split]
        write_jsonl(wish.out / f"{split}.jsonl", map(as_json, part))
        write_parquet(wish.out / f"{split}.parquet", part, pictures)
        if pairs := pairs_of(part):
            write_jsonl(wish.out / f"pairs-{split}.jsonl", (pair.as_json() for pair in pairs))
    write_pictures(wish.out / "images", found.rows, pictures)
    seconds = time.perf_counter() - started
    made: dict[str, Any] = {
        "seed": wish.seed,
        "scenarios": Path(wish.scenarios or found.data.scenarios).name or "the default set",
        "least reward": found.sieve.least,
    }
    card = make_card(
        found.data,
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
