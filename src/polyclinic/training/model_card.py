"""The model card of a training run: what it was trained on, how it scored, what it must not be used for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from polyclinic.core.files import read_data
from polyclinic.core.value import Value
from polyclinic.eval.estimate import Estimate
from polyclinic.training.folder import CONFIG, PROGRESS, RESULT
from polyclinic.training.progress import read_progress
from polyclinic.training.record import Logged, StageResult, TrainingConfig, read_record

EVALUATION = "evaluation.json"


class CardFacts(Value):
    """The facts for a model card. `evaluation` has the figures of `train compare`, by part."""

    config: TrainingConfig
    result: StageResult
    lineage: tuple[str, ...]
    evaluation: dict[str, dict[str, Estimate]]


def write_card(run: Path) -> tuple[Path, CardFacts]:
    """Write the card as `model/README.md`, and its facts."""
    facts = CardFacts(
        config=read_record(TrainingConfig, run / CONFIG),
        result=read_record(StageResult, run / RESULT),
        lineage=lineage(run),
        evaluation=_read_evaluation(run / EVALUATION),
    )
    path = run / "model" / "README.md"
    path.write_text(card_text(facts, read_progress(run / PROGRESS)), encoding="utf-8")
    return path, facts


def _read_evaluation(path: Path) -> dict[str, dict[str, Estimate]]:
    parts = read_data(path) if path.is_file() else {}
    return {part: {name: Estimate(**one) for name, one in figures.items()} for part, figures in parts.items()}


def lineage(run: Path) -> tuple[str, ...]:
    """The base model and the stages that led to this run, in order."""
    config = read_record(TrainingConfig, run / CONFIG)
    before = Path(config.model)
    earlier = lineage(before) if (before / CONFIG).is_file() and (before / RESULT).is_file() else (before.name,)
    return (*earlier, config.stage)


def card_text(facts: CardFacts, curve: Sequence[Logged]) -> str:
    """The card in Markdown."""
    config, result = facts.config, facts.result
    recipe = "\n".join(f"| {name} | {value} |" for name, value in config.recipe.items())
    made = ", ".join(f"{name} {version}" for name, version in config.versions.items())
    scores = _scores(curve)
    tested = _evaluated(facts.evaluation)
    return f"""---
language: en
tags: [{config.stage}, {config.clinic}]
---
# {" → ".join(facts.lineage)}

A model trained to play a role in the simulated clinic `{config.clinic}`. Not for clinical use.

## Trained on
{config.rows} rows of `{Path(config.data).name}` (digest {config.data_digest}), made by simulation. Where its
players were understudies, the rows come from rules: the model learns their manner, not medicine.

## How
{result.steps} steps in {result.seconds} s. Judge: {config.judge or "the understudy, made of rules"}.

| setting | value |
| --- | --- |
{recipe}

{scores}
## Evaluation
{tested}

## Limits
Rewards say how well outputs fit the rubric as this judge reads it; a judge that is made of rules can be pleased by
form. What the model says about medicine was never checked by a clinician.

## Made with
{made}. Weights {result.weights}.
"""


def _evaluated(parts: Mapping[str, Mapping[str, Estimate]]) -> str:
    """The figures of `train compare`, with their intervals."""
    if not parts:
        return "Not evaluated yet."
    lines = [
        f"| {name} | {part.replace('_', ' ')} | {one.mean:.2f} | {_interval(one)} | {one.n} |"
        for part, figures in parts.items()
        for name, one in figures.items()
    ]
    return "\n".join(["| figure | on | mean | 95 % interval | n |", "| --- | --- | --- | --- | --- |", *lines])


def _interval(one: Estimate) -> str:
    return "–" if one.low is None or one.high is None else f"{one.low:.2f} to {one.high:.2f}"


def _scores(curve: Sequence[Logged]) -> str:
    if not curve:
        return ""
    names = [name for name in ("loss", "reward", "veto", "kl") if name in curve[0] or name in curve[-1]]
    tenth = max(1, len(curve) // 10)

    def mean(part: Sequence[Logged], name: str) -> str:
        values = [value for row in part if isinstance(value := row.get(name), float)]
        return f"{sum(values) / len(values):.3g}" if values else "–"

    lines = "\n".join(f"| {name} | {mean(curve[:tenth], name)} | {mean(curve[-tenth:], name)} |" for name in names)
    return f"| curve | first tenth | last tenth |\n| --- | --- | --- |\n{lines}\n"
