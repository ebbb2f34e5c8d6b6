"""`polyclinic train sft|grpo|dpo|merge|card|compare`: teach a language model a role, and see what it gained.

The commands need the extra `train`; its packages are imported only when a command runs.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from polyclinic.cli.options import (
    COUNT,
    FiniteRange,
    json_option,
    print_json,
    print_result,
    scenarios_option,
    store_option,
    waits,
)
from polyclinic.store.store import open_store
from polyclinic.training.recipe import NAMED
from polyclinic.training.record import StageResult

F = TypeVar("F", bound=Callable[..., Any])
_FOLDER = click.Path(file_okay=False, path_type=Path)


def _job_options(command: F) -> F:
    """The options of every stage."""
    options = (
        click.option("--model", required=True, metavar="PATH", help="A folder of weights, or an earlier run's folder."),
        click.option(
            "--data", required=True, type=click.Path(exists=True, path_type=Path), help="A dataset's folder or file."
        ),
        click.option(
            "--out", required=True, type=_FOLDER, help="The run's folder; run the same command again to resume."
        ),
        click.option(
            "--recipe", default="paper", show_default=True, metavar="NAME", help=f"{' or '.join(NAMED)}, or a file."
        ),
        click.option("--set", "changes", multiple=True, metavar="NAME=VALUE", help="Change one number of the recipe."),
        click.option("--clinic", default="", metavar="C", help="The clinic of the role.  [default: the only one]"),
        json_option,
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command(name="sft")
@_job_options
def sft(model: str, data: Path, out: Path, recipe: str, changes: tuple[str, ...], clinic: str, as_json: bool) -> int:
    """Supervised fine-tuning on the good rows of a dataset.

    Only what the trained role says is learned. After a stop, run the same command again to resume.

    polyclinic train sft --model Qwen2.5-1.5B-Instruct --data clinteach --out runs/sft
    """
    from polyclinic.training.recipe import SftRecipe, load_recipe
    from polyclinic.training.room import trained_clinic
    from polyclinic.training.stages import Job, run_sft

    chosen = load_recipe("sft", SftRecipe, recipe, changes)
    return _tell(run_sft(Job("sft", model, data, out, trained_clinic(clinic)), chosen), out, as_json)


@click.command(name="grpo")
@_job_options
@click.option("--judge", default="", metavar="MODEL", help="Who judges outputs.  [default: the understudy]")
@click.option("--local-only", is_flag=True, help="Refuse a judge that is not on this machine.")
def grpo(
    model: str,
    data: Path,
    out: Path,
    recipe: str,
    changes: tuple[str, ...],
    clinic: str,
    as_json: bool,
    judge: str,
    local_only: bool,
) -> int:
    """Reinforcement learning with the clinic's reward.

    Rules check the format, and the judge checks the other criteria. Judgements are kept in the run's folder: after an
    interruption, none is paid for twice.

    polyclinic train grpo --model runs/sft --data clinteach --out runs/grpo --judge openai:gpt-5-mini
    """
    from polyclinic.training.recipe import GrpoRecipe, load_recipe
    from polyclinic.training.room import trained_clinic
    from polyclinic.training.stages import Job, run_grpo

    chosen = load_recipe("grpo", GrpoRecipe, recipe, changes)
    cast = f"judge={judge},all=understudy" if judge else ""
    job = Job("grpo", model, data, out, trained_clinic(clinic), cast, local_only)
    return _tell(run_grpo(job, chosen), out, as_json)


@click.command(name="dpo")
@_job_options
def dpo(model: str, data: Path, out: Path, recipe: str, changes: tuple[str, ...], clinic: str, as_json: bool) -> int:
    """Direct preference optimisation on a dataset's pairs.

    polyclinic train dpo --model runs/sft --data clinteach --out runs/dpo
    """
    from polyclinic.training.recipe import DpoRecipe, load_recipe
    from polyclinic.training.room import trained_clinic
    from polyclinic.training.stages import Job, run_dpo

    chosen = load_recipe("dpo", DpoRecipe, recipe, changes)
    return _tell(run_dpo(Job("dpo", model, data, out, trained_clinic(clinic)), chosen), out, as_json)


def _tell(result: StageResult, out: Path, as_json: bool) -> int:
    from polyclinic.training.folder import is_first_process

    if not is_first_process():
        return 0
    if as_json:
        print_json(result)
        return 0
    resumed = f" (resumed from {result.resumed_from})" if result.resumed_from else ""
    click.echo(f"{result.stage}: {result.steps} steps in {result.seconds} s{resumed} on {result.rows} rows")
    left = ", ".join(f"{count} {reason}" for reason, count in result.left_out.items())
    if left:
        click.echo(f"left out: {left}")
    click.echo(f"weights in {out / 'model'} ({result.weights}); the curve is in {out / 'progress.jsonl'}")
    return 0


@click.command(name="merge")
@click.argument("run", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--out", required=True, type=_FOLDER, help="Where the full weights go.")
@click.option("--gguf", is_flag=True, help="Also write a GGUF file, with llama.cpp's converter.")
@json_option
def merge(run: Path, out: Path, gguf: bool, as_json: bool) -> int:
    """Merge a run's adapter into its base model: one folder of full weights.

    polyclinic train merge runs/grpo --out tutor
    """
    from polyclinic.training.folder import find_converter, merge_weights, write_gguf

    converter = find_converter() if gguf else None
    made = merge_weights(str(run), out)
    if converter is not None:
        made["gguf"] = str(write_gguf(out, converter))
    if as_json:
        print_json(made)
    else:
        click.echo(f"full weights in {out} ({made['weights']}); use them with --cast ROLE=local:{out}")
        if "gguf" in made:
            click.echo(f"the same as GGUF; use it with --cast ROLE=local:{made['gguf']}")
    return 0


@click.command(name="card")
@click.argument("run", type=click.Path(exists=True, file_okay=False, path_type=Path))
@json_option
def card(run: Path, as_json: bool) -> int:
    """Write a model card: what it was trained on, how it scored, and its limits.

    polyclinic train card runs/grpo
    """
    from polyclinic.training.model_card import write_card

    path, facts = write_card(run)
    print_result(as_json, facts, f"model card in {path}")
    return 0


@click.command(name="compare")
@click.option(
    "--model", "models", multiple=True, required=True, metavar="NAME=PATH", help="A model to compare; may be repeated."
)
@click.option("--data", type=click.Path(exists=True, path_type=Path), help="A dataset; models answer its test rows.")
@click.option("--moments", type=COUNT, default=200, show_default=True, help="How many held-out prompts.")
@scenarios_option(default="test:24", help="Cases for whole sessions; empty for none.  [default: test:24]")
@click.option("--variant", default="", metavar="V", help="The variant of the sessions.  [default: the clinic's own]")
@click.option(
    "--temperature",
    type=FiniteRange(0),
    default=0.0,
    show_default=True,
    help="Sampling temperature; 0 takes the likeliest word.",
)
@click.option(
    "--max-tokens", type=COUNT, default=400, show_default=True, help="The longest output for a held-out prompt."
)
@click.option("--judge", default="", metavar="MODEL", help="Who judges.  [default: the understudy]")
@click.option("--clinic", default="", metavar="C", help="The clinic of the role.  [default: the only one]")
@click.option("--seed", default=7, show_default=True, help="Random seed of answers and sessions.")
@click.option("--out", required=True, type=_FOLDER, help="Where figures and outputs go.")
@store_option
@json_option
@waits
async def compare(
    models: tuple[str, ...], judge: str, clinic: str, out: Path, store: str, as_json: bool, **settings: Any
) -> int:
    """Compare models on cases that none of them was trained on: held-out prompts, and whole sessions.

    polyclinic train compare --model base=WEIGHTS --model sft=runs/sft --model rules=understudy --data clinteach --out c
    """
    from polyclinic.training.compare import ComparisonPlan, Contender, compare_models
    from polyclinic.training.room import trained_clinic

    cast = f"judge={judge},all=understudy" if judge else ""
    trial = ComparisonPlan(trained_clinic(clinic), judge=cast, **settings)

    async with open_store(store) as opened:
        made = await compare_models(opened, [Contender.from_text(text) for text in models], trial, out, _say)
    print_result(as_json, made.to_plain(), made.text())
    return 0


def _say(words: str) -> None:
    click.echo(words, err=True)


STAGES = (sft, grpo, dpo, merge, card, compare)
