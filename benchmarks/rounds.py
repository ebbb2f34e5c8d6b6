"""The rounds clinic with understudies: reviewers, teaching, faults, cost, people and the speed of the dataset.

    python -m benchmarks.rounds [--quick] [PART ...]

Parts: teaching reviewers voices learning faults cost people dataset.

Writes benchmarks/results/rounds.md when all parts are run. Understudies follow an explicit model of learning
(clinics/rounds/understudies/learning.py): the numbers show that the program measures what it should, not how people
learn.
"""

from __future__ import annotations

import argparse
import asyncio
import platform
import tempfile
import time
from pathlib import Path

from benchmarks.population import persona_conflicts, persona_diversity, student_conflicts, student_diversity
from polyclinic.clinics.rounds.rules.notes import Thought, Withheld
from polyclinic.clinics.rounds.understudies.voices import voice
from polyclinic.clinics.rounds.variants import VARIANTS
from polyclinic.core.episode import EpisodeSpec
from polyclinic.core.execute import RunContext, run_episode
from polyclinic.core.journal import MemoryJournal
from polyclinic.core.model import Completion, Model, Request
from polyclinic.core.seed import stream
from polyclinic.core.transcript import Reviewed, Said
from polyclinic.errors import ModelError
from polyclinic.eval.compare import Arm, compare
from polyclinic.eval.metrics import metric_estimate, observations
from polyclinic.eval.results import RunResults
from polyclinic.models.cast import Cast, build_cast
from polyclinic.models.spec import parse_cast
from polyclinic.people.personas import personas
from polyclinic.people.students import students
from polyclinic.runner.api import run
from polyclinic.runner.build.built_run import reader_of
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.registry import load_clinic
from polyclinic.runner.results import load_results
from polyclinic.store.store import open_store
from polyclinic.training.dataset import DatasetRequest, build

RESULTS = Path(__file__).parent / "results" / "rounds.md"
PARTS = ("teaching", "reviewers", "voices", "learning", "faults", "cost", "people", "dataset")
MEMORY = "sqlite://:memory:"


async def gather(**values: object) -> RunResults:
    """One run in memory, and its results."""
    async with open_store(MEMORY) as store:
        outcome = await run(store, make_config({"clinic": "rounds", "cast": "all=understudy", **values}))
        return await load_results(store, outcome.run)


def table(columns: list[str], rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(columns)} |", f"| {' | '.join('---' for _ in columns)} |"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def cell(results: RunResults, variant: str, metric: str, digits: int = 2) -> str:
    found = metric_estimate(results, variant, metric)
    return found.text(digits) if found else "-"


def paired(results: RunResults, left: str, right: str, metric: str) -> str:
    found = compare(Arm(results, left), Arm(results, right), [metric])[0]
    interval = "" if found.low is None else f" [{found.low:+.2f}, {found.high:+.2f}]"
    return f"{found.difference:+.2f}{interval}, {found.pairs} cases"


async def teaching(quick: bool) -> str:
    """Table 2: the variants on unseen cases."""
    others = ("-transfer", "students-", "-seat-")
    variants = tuple(name for name in VARIANTS if not any(part in name for part in others))
    variants = tuple(name for name in variants if VARIANTS[name].tutor != "none")
    results = await gather(variants=variants, scenarios="test", trials=1 if quick else 3, seed=11)
    metrics = ("ets", "msm", "mps", "reward", "participation", "question_share", "steps_covered", "answer_leak")
    rows = [[name, *(cell(results, name, metric) for metric in metrics)] for name in variants]
    return "## Variants on unseen cases\n\n" + table(["variant", *metrics], rows)


async def reviewers(quick: bool) -> str:
    """Planted errors that reach students, with and without the reviewer that should catch them."""
    out = ["## Planted errors that reach students\n"]
    trials = 1 if quick else 5
    for mistake, without, metric in (
        ("false_fact", "without-specialist", "false_guidance"),
        ("harm", "without-supervisor", "harmful_guidance"),
    ):
        cast = f"tutor=understudy:mistake={mistake}@0.5,all=understudy"
        results = await gather(
            variants=("full", without), scenarios="test", trials=trials, cast=cast, judges=("conduct",), seed=12
        )
        out.append(
            f"- {mistake} in half of drafts: share of spoken turns, full {cell(results, 'full', metric, 3)}, "
            f"{without} {cell(results, without, metric, 3)}; first drafts taken for a leak, full "
            f"{cell(results, 'full', 'leak_attempts', 3)}"
        )
    return "\n".join(out)


async def voices(quick: bool) -> str:
    """The same sessions in two voices: all test cases, and cases whose steps the second voice says in other words."""
    out = ["## Two voices\n"]
    judged = ("conduct", "learning", "ets", "msm", "mps")
    metrics = (
        "ets", "msm", "mps", "participation", "question_share", "steps_covered", "steps_held", "leak_attempts",
        "final_right", "learning_gain",
    )  # fmt: skip
    trials = 1 if quick else 3
    for about, selectors in (
        ("frames in other words, steps as the cases word them (test cases)", ("test",)),
        ("steps in other words too (six cases)", tuple(sorted(voice("second").steps))),
    ):
        found: dict[str, dict[str, list[float]]] = {}
        for name in ("first", "second"):
            for selector in selectors:
                results = await gather(
                    variants=("full",),
                    scenarios=selector,
                    trials=trials,
                    seed=14,
                    judges=judged,
                    options={"voice": name},
                )
                for metric in metrics:
                    values = [seen.value for seen in observations(results, "full", metric)]
                    found.setdefault(metric, {}).setdefault(name, []).extend(values)
        rows = []
        for metric, by in found.items():
            first, second = (sum(by[name]) / len(by[name]) for name in ("first", "second"))
            rows.append([metric, f"{first:.2f}", f"{second:.2f}", f"{second - first:+.2f}"])
        out.append(f"### {about}\n\n" + table(["full", "first voice", "second voice", "moves by"], rows) + "\n")
    return "\n".join(out)


async def learning(quick: bool) -> str:
    """Results before, after and on an unseen case, for asking, lecturing and no tutor."""
    variants = ("socratic-transfer", "lecture-transfer", "untutored-transfer")
    results = await gather(
        variants=variants, scenarios="test", trials=2 if quick else 12, judges=("learning",), seed=13
    )
    metrics = ("first_right", "final_right", "learning_gain", "transfer_right")
    rows = [[name, *(cell(results, name, metric) for metric in metrics)] for name in variants]
    asking, lecturing, nobody = variants
    lines = [
        f"- unseen case, asking minus lecturing: {paired(results, lecturing, asking, 'transfer_right')}",
        f"- unseen case, asking minus no tutor: {paired(results, nobody, asking, 'transfer_right')}",
        f"- unseen case, lecturing minus no tutor: {paired(results, nobody, lecturing, 'transfer_right')}",
        f"- gain on the taught case, asking minus no tutor: {paired(results, nobody, asking, 'learning_gain')}",
        f"- gain on the taught case, asking minus lecturing: {paired(results, lecturing, asking, 'learning_gain')}",
    ]
    return (
        "## Learning, with an untutored control group\n\n"
        + table(["variant", *metrics], rows)
        + "\n\n"
        + "\n".join(lines)
    )


class _Watched:
    """A player that records its requests; with `faults`, reviews fail at random."""

    def __init__(self, model: Model, kept: list[Request], faults: float, chance: object) -> None:
        self._model, self._kept, self._faults, self._chance = model, kept, faults, chance
        self.name, self.kind = model.name, model.kind

    async def answer(self, request: Request) -> Completion:
        self._kept.append(request)
        if self._faults and request.prompt.prompt_name() in ("ChecksFacts", "ChecksSafety"):
            draw = self._chance.random()  # type: ignore[attr-defined]
            if draw < self._faults / 3:
                raise ModelError("the endpoint is down")
            if draw < self._faults * 2 / 3:
                raise TimeoutError
            if draw < self._faults:
                return Completion(text="approved, I suppose")
        return await self._model.answer(request)


class _Players:
    def __init__(self, cast: Cast, faults: float, seed: int) -> None:
        self._cast, self._faults, self._chance = cast, faults, stream("bench-faults", seed)
        self.requests: list[Request] = []

    def model(self, role: str) -> Model:
        return _Watched(self._cast.model(role), self.requests, self._faults, self._chance)

    def describe(self) -> dict[str, str]:
        return self._cast.describe()


async def session(
    variant: str, scenario: str, seed: int, cast: str = "all=understudy", faults: float = 0.0
) -> tuple[object, list[Request]]:
    """Run one session directly and keep its requests."""
    clinic = load_clinic("rounds")
    built = build_cast(
        parse_cast(cast),
        [role.name for role in clinic.roles],
        {name: understudy() for name, understudy in clinic.understudies.items()},
        {mistake.name for mistake in clinic.mistakes},
        reader=reader_of(clinic),
    )
    players = _Players(built, faults, seed)
    case = clinic.scenarios(scenario, 0)[0]
    result = await run_episode(
        RunContext(clinic, players, MemoryJournal()), EpisodeSpec("e", "rounds", case.id, variant, 0, seed), case
    )
    assert result.status == "done", result.failures
    return result.transcript, players.requests


async def faults(quick: bool) -> str:
    """Reviewers that err, stall and talk nonsense on 40 % of their calls."""
    spoken = unreviewed = withheld = errors = 0
    count = 20 if quick else 200
    cases = [case.id for case in load_clinic("rounds").scenarios("all", 0)]
    for seed in range(count):
        transcript, _ = await session(
            "full",
            cases[seed % len(cases)],
            seed,
            "tutor=understudy:mistake=false_fact@0.3+harm@0.3,all=understudy",
            0.4,
        )
        last: dict[str, Reviewed] = {}
        draft = -1
        for event in transcript:  # type: ignore[attr-defined]
            if isinstance(event, Reviewed):
                errors += bool(event.error)
                if event.draft != draft or event.reviewer in last:
                    last, draft = {}, event.draft
                last[event.reviewer] = event
            elif isinstance(event, Said) and event.speaker == "tutor":
                spoken += 1
                fine = len(last) == 3 and all(verdict.approved and not verdict.error for verdict in last.values())
                unreviewed += not fine
                last, draft = {}, -1
        withheld += len(transcript.notes(Withheld))  # type: ignore[attr-defined]
    return (
        f"## Faulty reviewers\n\n{count} sessions, {errors} failed reviews (endpoint errors, time-outs, nonsense): "
        f"{spoken} turns spoken, {withheld} rounds silent, **{unreviewed} unreviewed turns reached students**."
    )


async def cost(quick: bool) -> str:
    """Calls, words sent and the longest context, for one to ten students."""
    rows = []
    totals = []
    names = ("neph-04", "card-05") if quick else ("neph-04", "card-05", "resp-03", "paed-01", "endo-05", "gast-01")
    for size in range(1, 11):
        calls = sent = rounds = 0
        longest = {"student": 0, "tutor": 0, "patient": 0}
        for seed, name in enumerate(names):
            transcript, requests = await session(f"students-{size}", name, seed)
            rounds += len(transcript.notes(Thought))  # type: ignore[attr-defined]
            calls += len(requests)
            for request in requests:
                length = sum(len(message.content) for message in request.messages)
                sent += length
                role = request.role.partition("-")[0]
                if role in longest:
                    longest[role] = max(longest[role], length)
        totals.append(sent / rounds)
        figures = [
            f"{calls / rounds:.1f}",
            f"{sent / rounds / 1000:.1f}",
            *(f"{longest[role] / 1000:.1f}" for role in longest),
        ]
        rows.append([str(size), *figures])
    slope = (totals[-1] - totals[0]) / 9
    worst = max(abs(total - (totals[0] + slope * n)) / total for n, total in enumerate(totals))
    heads = [
        "students",
        "calls per round",
        "k chars sent per round",
        "longest student prompt (k chars)",
        "tutor",
        "patient",
    ]
    return (
        "## Cost over group size\n\n"
        + table(heads, rows)
        + f"\n\nFarthest from a straight line through both ends: {worst:.1%}."
    )


async def people(quick: bool) -> str:
    """Consistency and diversity of the pools."""
    del quick
    out = ["## People\n"]
    pools = (
        ("personas", persona_diversity(personas()), sum(bool(persona_conflicts(person)) for person in personas())),
        ("students", student_diversity(students()), sum(bool(student_conflicts(person)) for person in students())),
    )
    for name, found, faulty in pools:
        even = ", ".join(f"{dimension} {value:.3f}" for dimension, value in found.evenness.items())
        out.append(
            f"- {name}: {found.members}, {faulty} inconsistent; {found.distinct} combinations, evenness {even}; "
            f"{found.pair_coverage:.1%} of allowed pairs occur; two members differ on {found.distance:.1%} of "
            f"dimensions"
        )
    return "\n".join(out)


async def dataset(quick: bool) -> str:
    """Make 10,000 rows from understudies with one command."""
    rows = 500 if quick else 10_000
    with tempfile.TemporaryDirectory() as folder:
        began, cpu = time.perf_counter(), time.process_time()
        async with open_store(str(Path(folder) / "s.db")) as store:
            card = await build(store, DatasetRequest(out=Path(folder) / "out", clinic="rounds", rows=rows))
        wall, spent = time.perf_counter() - began, time.process_time() - cpu
        size = sum(file.stat().st_size for file in (Path(folder) / "out").rglob("*")) / 1e6
    kinds = {kind: sum(part.get(kind, 0) for part in card.rows.values()) for kind in ("single", "multi")}
    return (
        f"## Dataset\n\n`polyclinic dataset rounds --rows {rows} --out DIR`: {card.total} rows "
        f"({kinds['single']} single-turn, "
        f"{kinds['multi']} multi-turn; train {sum(card.rows['train'].values())}, test "
        f"{sum(card.rows['test'].values())}), "
        f"{size:.0f} MB, "
        f"{spent:.0f} s CPU ({card.total / spent:.0f} rows per CPU second), {wall:.0f} s on a busy 2-core machine "
        f"({card.total / wall:.0f} rows/s). Dropped: {card.dropped or 'nothing'}. "
        f"Cases on both sides: {len(card.cases_on_both_sides)}."
    )


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=list(PARTS))
    parser.add_argument("--quick", action="store_true")
    chosen = parser.parse_args()
    made = []
    for part in chosen.parts:
        began = time.process_time()
        text = await globals()[part](chosen.quick)
        print(f"{text}\n\n({part}: {time.process_time() - began:.0f} s CPU)\n", flush=True)
        made.append(text)
    if set(chosen.parts) == set(PARTS) and not chosen.quick:
        head = (
            "# Rounds, measured with understudies\n\n`python -m benchmarks.rounds`, Python "
            f"{platform.python_version()}. Intervals are 95 %, clustered by case; differences are paired by case.\n"
            "Understudies follow the learning model in `clinics/rounds/understudies/learning.py`: what is shown "
            "here is that\n"
            "the machinery measures what it should, not how people or language models learn."
        )
        RESULTS.write_text("\n\n".join([head, *made]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main())
