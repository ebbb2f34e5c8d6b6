"""Compare models on cases that none of them was trained on, to see what training gained.

There are two parts. On moments of held-out sessions, each model gives one output, which is graded like any output in
training. In situ, each model plays its role in whole sessions. Every figure has its interval, clustered by case.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from polyclinic.core.dataset import OutputReward
from polyclinic.core.transcript import Score
from polyclinic.errors import ConfigError
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.intervals import estimate
from polyclinic.models.weights import open_weights, picture_of
from polyclinic.models.writer import answer_chats
from polyclinic.runner.api import run
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.registry import load_clinic
from polyclinic.runner.results import clinic_metrics, load_results
from polyclinic.store.store import Store
from polyclinic.training.examples import as_seen, as_text, cases_in_turn, data_file, read_rows
from polyclinic.training.folder import RESULT
from polyclinic.training.grading import open_grader
from polyclinic.training.model_card import EVALUATION
from polyclinic.training.room import dataset_room

UNDERSTUDY = "understudy"
Tell = Callable[[str], None]
Figures = dict[str, Estimate]


@dataclass(frozen=True)
class Contender:
    """A model with a name: a folder of weights, or an understudy as in a cast."""

    name: str
    model: str

    @classmethod
    def from_text(cls, text: str) -> Contender:
        """Read a contender from text such as ``sft=runs/sft``."""
        name, equals, model = text.partition("=")
        if not equals or not name or not model:
            raise ConfigError(f"--model {text}: write NAME=PATH or NAME=understudy")
        return cls(name, model)

    @property
    def offline(self) -> bool:
        """Whether it is an understudy."""
        return self.model.partition(":")[0] == UNDERSTUDY

    @property
    def cast(self) -> str:
        """The model as a cast string writes it."""
        return self.model if self.offline else f"local:{self.model}"


@dataclass(frozen=True)
class ComparisonPlan:
    """The settings of a comparison: how many held-out moments, which scenarios, and how text is sampled."""

    clinic: str
    data: Path | None = None
    moments: int = 200
    scenarios: str = "test:24"
    variant: str = ""
    temperature: float = 0.0
    max_tokens: int = 400
    judge: str = ""
    seed: int = 7
    concurrency: int = 64


@dataclass
class ComparedModels:
    """The figures of every contender, for each part."""

    moments: dict[str, Figures] = field(default_factory=dict)
    situ: dict[str, Figures] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def to_plain(self) -> dict[str, Any]:
        """The figures as plain data for JSON."""

        def plain(part: Mapping[str, Figures]) -> dict[str, Any]:
            return {who: {name: one.to_plain() for name, one in found.items()} for who, found in part.items()}

        return {"moments": plain(self.moments), "in_situ": plain(self.situ), "notes": self.notes}

    def text(self) -> str:
        """The figures as Markdown tables."""
        parts = [
            _table("Held-out moments, one output each", self.moments),
            _table("In situ: whole sessions on unseen cases", self.situ),
        ]
        return "\n\n".join([*(part for part in parts if part), *self.notes]) + "\n"


def _table(title: str, part: Mapping[str, Figures]) -> str:
    if not part:
        return ""
    names = list(dict.fromkeys(name for found in part.values() for name in found))
    lines = [
        f"| {name} | " + " | ".join(found[name].text(2) if name in found else "–" for found in part.values()) + " |"
        for name in names
    ]
    counts = " | ".join(str(max((one.n for one in found.values()), default=0)) for found in part.values())
    head = f"| figure | {' | '.join(part)} |\n| --- |{' --- |' * len(part)}"
    return "\n".join([f"## {title}", "", head, *lines, f"| n | {counts} |"])


async def compare_models(
    store: Store, contenders: Sequence[Contender], trial: ComparisonPlan, out: Path, tell: Tell = lambda words: None
) -> ComparedModels:
    """Run both parts for every contender. The figures so far are written after each one."""
    made = ComparedModels()
    out.mkdir(parents=True, exist_ok=True)
    if trial.data is not None:
        for contender in contenders:
            tell(f"{contender.name}: held-out moments")
            made.moments[contender.name] = await on_moments(store, contender, trial, out)
            _write(made, out)
    if trial.scenarios:
        for contender in contenders:
            tell(f"{contender.name}: in situ")
            made.situ[contender.name] = await in_situ(store, contender, trial)
            _write(made, out)
    for contender in contenders:
        _keep(made, contender)
    return made


def _write(made: ComparedModels, out: Path) -> None:
    (out / "comparison.json").write_bytes(orjson.dumps(made.to_plain(), option=orjson.OPT_INDENT_2))
    (out / "comparison.md").write_text(made.text(), encoding="utf-8")


def _keep(made: ComparedModels, contender: Contender) -> None:
    """Save the figures in the contender's folder, if it is a training run, for its model card."""
    run = Path(contender.model)
    if (run / RESULT).is_file():
        parts = made.to_plain()
        found = {part: parts[part][contender.name] for part in ("moments", "in_situ") if contender.name in parts[part]}
        (run / EVALUATION).write_bytes(orjson.dumps(found, option=orjson.OPT_INDENT_2))


async def on_moments(store: Store, contender: Contender, trial: ComparisonPlan, out: Path) -> Figures:
    """The rewards of one output for each held-out prompt. For an understudy, the outputs come from its own rows."""
    clinic = load_clinic(trial.clinic)
    path = data_file(trial.data or Path(), "test.jsonl")
    rows = [row for row in read_rows(path)[0] if row["kind"] == "single" and row["context"]]
    if contender.offline:
        player = dataset_room(clinic).player
        own = [row for row in rows if player(row) == contender.model]
        chosen = cases_in_turn(own)[: trial.moments]
        outputs = [row["completion"][0]["content"][0]["text"] for row in chosen]
    else:
        chosen = cases_in_turn(rows)[: trial.moments]
        outputs = await asyncio.to_thread(_answers, contender, chosen, trial)
    if not chosen:
        return {}
    async with open_grader(clinic, trial.judge, store) as grader:
        grades = await grader.grade_all([row["context"] for row in chosen], outputs)
    kept = [
        {
            "case": row["case"],
            "output": text,
            "reward": grade.value if grade else None,
            "scores": grade and grade.scores,
        }
        for row, text, grade in zip(chosen, outputs, grades, strict=True)
    ]
    (out / f"moments-{contender.name}.jsonl").write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in kept))
    bounds = {metric.name: (metric.low, metric.high) for metric in clinic_metrics(clinic)}
    return moment_figures([row["case"] for row in chosen], grades, bounds)


def _answers(contender: Contender, rows: Sequence[dict[str, Any]], trial: ComparisonPlan) -> list[str]:
    weights = open_weights(contender.model)
    if weights.sees:
        folder = data_file(trial.data or Path(), "test.jsonl").parent
        chats = [as_seen(row["prompt"]) for row in rows]
        pictures = [[picture_of(folder / name) for name in row["images"]] for row in rows]
    else:
        chats, pictures = [as_text(row["prompt"]) for row in rows], []
    made = answer_chats(weights, chats, trial.max_tokens, trial.temperature, trial.seed, pictures)
    return [one.text for one in made]


def moment_figures(
    cases: Sequence[str], grades: Sequence[OutputReward | None], bounds: Mapping[str, tuple[float, float]]
) -> Figures:
    """Reward, veto rate and criteria, with intervals by case; `bounds` are the ranges of the metrics."""
    known = [(case, grade) for case, grade in zip(cases, grades, strict=True) if grade is not None]
    values = {
        "reward": [(case, grade.value) for case, grade in known],
        "veto rate": [(case, float(bool(grade.vetoed))) for case, grade in known],
    }
    for name in sorted({name for _, grade in known for name in grade.scores}):
        values[name] = [(case, grade.scores[name]) for case, grade in known if name in grade.scores]
    ranges = {**bounds, "veto rate": (0.0, 1.0)}
    found = {name: _by_case(pairs, ranges.get(name)) for name, pairs in values.items()}
    return {name: one for name, one in found.items() if one is not None}


def _by_case(pairs: Sequence[tuple[str, float]], bounds: tuple[float, float] | None) -> Estimate | None:
    return estimate([value for _, value in pairs], clusters=[case for case, _ in pairs], bounds=bounds)


async def in_situ(store: Store, contender: Contender, trial: ComparisonPlan) -> Figures:
    """Whole sessions with the contender in its role; all other roles are played offline."""
    clinic = load_clinic(trial.clinic)
    data = dataset_room(clinic)
    judge = f",{trial.judge}" if trial.judge else ",all=understudy"
    config: dict[str, Any] = {
        "clinic": trial.clinic,
        "scenarios": trial.scenarios,
        "variants": (trial.variant or clinic.first_variant,),
        "seed": trial.seed,
        "cast": f"{data.role}={contender.cast}{judge}",
        "concurrency": trial.concurrency,
    }
    outcome = await run(store, make_config(config))
    results = await load_results(store, outcome.run)
    scores = [
        (episode.scenario, score)
        for episode in results.episodes
        if episode.status == "done"
        for score in episode.scores
    ]
    ended = [float(episode.status == "done") for episode in results.episodes]
    figures = {"sessions that ended": estimate(ended, bounds=(0, 1)), **_veto(scores, data.penalty)}
    for metric in results.metrics:
        pairs = [(scenario, score.value) for scenario, score in scores if score.metric == metric.name]
        figures[metric.name] = _by_case(pairs, (metric.low, metric.high))
    return {name: one for name, one in figures.items() if one is not None}


def _veto(scores: Sequence[tuple[str, Score]], penalty: float | None) -> dict[str, Estimate | None]:
    pairs = [(case, float(score.value == penalty)) for case, score in scores if score.metric == "reward"]
    if penalty is None or not pairs:
        return {}
    return {"veto rate": _by_case(pairs, (0, 1))}
