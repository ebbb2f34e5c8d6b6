"""All kinds of reading and their test sets, over all clinics; and how good a reader is on them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from polyclinic.core.agent import Agent
from polyclinic.core.clinic import Clinic
from polyclinic.core.journal import MemoryJournal
from polyclinic.core.part import OUT_OF_PART
from polyclinic.core.past_readings import PastReading, past_readings
from polyclinic.core.read_text import read_text
from polyclinic.core.reading import READER, Finding, ReadingKind, Says
from polyclinic.core.seed import derive
from polyclinic.core.switchboard import Switchboard
from polyclinic.core.value import Value
from polyclinic.errors import UnknownName
from polyclinic.eval.audit import draw_episodes
from polyclinic.eval.evaluation import Evaluation
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Cell, Section, Table
from polyclinic.models.cast import Reader, build_cast
from polyclinic.models.spec import STRANGERS_READER, CastSpec, parse_cast, parse_model
from polyclinic.reading.choose import open_reader
from polyclinic.reading.measure import Accuracy, MeanAccuracy, ReaderFigures, kept_text_only, not_measured, table
from polyclinic.reading.sets import Labelled, from_file, sets_folder, shipped
from polyclinic.runner.registry import clinic_modules, load_clinic
from polyclinic.store.store import Store

SHARED = "polyclinic.reading"
READINGS = "readings"
MISSES = 40
MOST_EPISODES = 300
"""From how many episodes of a run readings are drawn for people."""
ReadsOne = Callable[[Labelled], Awaitable[Finding]]


@dataclass(frozen=True)
class ReadingHome:
    """A package that defines some kinds of reading and holds their labelled examples."""

    package: str
    kinds: dict[str, ReadingKind]


def reading_homes(clinic: str = "") -> list[ReadingHome]:
    """The packages that define kinds of reading: all such clinics and the shared package, or only the named clinic."""
    modules = clinic_modules()
    if clinic and clinic not in modules:
        raise UnknownName("clinic", clinic, modules)
    names = [clinic] if clinic else sorted(modules)
    homes = [ReadingHome(modules[name], _kinds(load_clinic(name))) for name in names]
    if not clinic:
        homes.append(ReadingHome(SHARED, {OUT_OF_PART.name: OUT_OF_PART}))
    return [home for home in homes if home.kinds]


def _kinds(clinic: Clinic) -> dict[str, ReadingKind]:
    return {kind.name: kind for kind in clinic.readings}


def all_kinds(clinic: str = "") -> dict[str, ReadingKind]:
    """All kinds of reading, by name."""
    return {name: kind for home in reading_homes(clinic) for name, kind in home.kinds.items()}


def labelled(clinic: str = "", kind: str = "", file: str = "", split: str = "test") -> list[Labelled]:
    """Labelled readings to measure with: a user's file, or one split of those that come with the package."""
    kinds = all_kinds(clinic)
    if kind and kind not in kinds:
        raise UnknownName("kind of reading", kind, kinds)
    if file:
        rows = from_file(Path(file), kinds)
    else:
        rows = [
            row
            for home in reading_homes(clinic)
            if sets_folder(home.package).joinpath("contexts.json").is_file()
            for row in shipped(sets_folder(home.package), home.kinds)
            if not split or row.split == split
        ]
    return [row for row in rows if not kind or row.question.kind == kind]


@asynccontextmanager
async def cast_reader(cast: str, seed: int = 0, local_only: bool = False) -> AsyncIterator[ReadsOne]:
    """The cast's reader, opened: a function that reads one example. Each call has one question, because the examples
    are independent.
    """
    kinds = all_kinds()

    def make(path: str) -> Reader:
        return open_reader(kinds, path)

    players = build_cast([_reader_in(cast)], roles=[], understudies={}, reader=make, local_only=local_only)
    try:
        players.check()
        board = await Switchboard.open("readings", players, MemoryJournal())
        reader = Agent(READER, board, lambda event: None, "reader", derive(seed, READER) % 2**31)
        gate = asyncio.Semaphore(64)

        async def one(row: Labelled) -> Finding:
            async with gate:
                return (await read_text(reader, board.memo, row.text, [row.question]))[0]

        yield one
    finally:
        await players.close()


async def read_all(rows: Sequence[Labelled], cast: str, seed: int = 0, local_only: bool = False) -> list[Finding]:
    """The reader's findings, in order."""
    async with cast_reader(cast, seed, local_only) as read:
        return list(await asyncio.gather(*map(read, rows)))


async def readings_of_run(store: Store, results: RunResults, seed: int) -> list[PastReading]:
    """What the run's reader found, in at most `MOST_EPISODES` finished episodes, drawn evenly from the variants. The
    readings of a later scoring are not among them.
    """
    kinds = [*load_clinic(results.clinic).readings, OUT_OF_PART]
    found: list[PastReading] = []
    for episode in draw_episodes(results, MOST_EPISODES, seed):
        for messages, reply in await store.runs.answers_of(results.run, episode.id, READER):
            asked = next((message.content for message in messages if message.role == "user"), "")
            found += past_readings(asked, reply, kinds)
    return found


def reader_name(cast: str) -> str:
    """The name of the cast's reader in reports."""
    return _reader_in(cast).text


def _reader_in(cast: str) -> CastSpec:
    """The cast's reader. If it names none: the one that reads people and language models."""
    named = {spec.role: spec for spec in parse_cast(cast)}
    spec = named.get(READER) or named.get("all")
    return parse_model(STRANGERS_READER, READER) if spec is None or spec.kind == "understudy" else spec


class ReadingMiss(Value):
    """An example for which the reader's answer differs from the label."""

    kind: str
    author: str
    label: int
    says: Says
    text: str
    question: str


class ReaderTest(ReaderFigures):
    """What `polyclinic eval readings` measures: the figures of the named reader, and every miss."""

    reader: str
    misses: tuple[ReadingMiss, ...]


async def measure_reader(
    clinic: str,
    kind: str,
    file: str,
    cast: str,
    seed: int,
    local_only: bool,
    told: Callable[[int, int], None] = lambda done, total: None,
) -> Evaluation[ReaderTest]:
    """How often the cast's reader is right on texts of the test authors, or on a user's own file, with every miss.
    Takes JSON lines with kind, context, text, question and label (1 or 0).
    """
    done = 0
    async with cast_reader(cast, seed, local_only) as read:  # first: a reader that is not there is told at once
        rows = labelled(clinic, kind, file)
        told(done, len(rows))

        async def counted(row: Labelled) -> Says:
            nonlocal done
            finding = await read(row)
            done += 1
            told(done, len(rows))
            return finding.says

        says = await asyncio.gather(*map(counted, rows))
    found = table(rows, says)
    misses = tuple(
        ReadingMiss(
            kind=row.question.kind,
            author=row.author,
            label=int(row.label),
            says=answer,
            text=row.text,
            question=row.question.words,
        )
        for row, answer in zip(rows, says, strict=True)
        if answer != ("yes" if row.label else "no")
    )
    test = ReaderTest(reader=reader_name(cast), kinds=found.kinds, all=found.all, misses=misses)
    return Evaluation(test, _sections(test))


def _sections(test: ReaderTest) -> list[Section]:
    baseline = kept_text_only()
    columns = ("kind", "n", "yes right", "no right", "balanced", "95 % from", "to", "pairs", "unclear", "text alone")
    lines = [[kind, *_cells(one), baseline.get(kind)] for kind, one in test.kinds.items()]
    lines.append(["all kinds", *_cells(test.all), None])
    about = (
        "An unclear answer counts as wrong. Pairs: balanced accuracy on texts that have a question with the answer yes"
        " and one with the answer no. Text alone: a baseline trained on the same examples that never sees the question."
        " Where the question names a fact, its accuracy should be near 0.5."
    )
    note = f"{about} {not_measured(test.kinds)}".strip()
    shown: list[list[Cell]] = [
        [miss.kind, miss.says, miss.label, miss.text[:200], miss.question[:160]] for miss in test.misses[:MISSES]
    ]
    return [
        Section("How often the reader is right", [Table("by kind of reading", columns, lines, note=note)]),
        Section(
            f"Misses: {len(test.misses)}",
            [Table(f"the first {MISSES}", ("kind", "said", "label", "text", "question"), shown)] if shown else [],
        ),
    ]


def _cells(one: Accuracy | MeanAccuracy) -> list[Cell]:
    return [one.n, one.yes_right, one.no_right, one.balanced, one.low, one.high, one.pairs, one.unclear]
