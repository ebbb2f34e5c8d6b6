"""`polyclinic train`: teach models from data. `train sft`, `train grpo` and `train dpo` teach a language model a role.
`train reader` trains the built-in reader again and always gives the same bytes. Clinics add commands of their own.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from polyclinic.cli.options import COUNT, FiniteRange, NewFile, json_option, print_result, wait
from polyclinic.cli.train_clinics import TrainGroup
from polyclinic.cli.train_models import STAGES
from polyclinic.core.files import must_exist, package_path
from polyclinic.core.value import plain
from polyclinic.errors import ConfigError
from polyclinic.reading.settings import TuningSettings

if TYPE_CHECKING:
    from polyclinic.reading.sets import Labelled


@click.group(
    cls=TrainGroup, name="train", short_help="Train a model for a role, the reader, or a classifier of a clinic."
)
def command() -> None:
    """Train a model for a role, the reader, or a classifier of a clinic.

    \b
    polyclinic train sft --model WEIGHTS --data clinteach --out runs/sft
    polyclinic train grpo --model runs/sft --data clinteach --out runs/grpo
    polyclinic train reader
    polyclinic train reader --add mine.jsonl --out mine.npz
    polyclinic train reader --base models/qwen --out my-reader
    polyclinic train guard
    """


WEIGHTS = ".npz"
"""How a file with the built-in reader's weights ends."""


@command.command(name="reader")
@click.option(
    "--add", "added", multiple=True, metavar="FILE", help="More labelled lines, added to those in the package."
)
@click.option(
    "--out",
    type=NewFile(dir_okay=True),
    default="",
    metavar="PATH",
    help="Where the weights go.  [default: into the package]",
)
@click.option(
    "--base", default="", metavar="FOLDER", help="Fine-tune this model for transformers instead; needs --out."
)
@click.option(
    "--epochs", type=COUNT, default=2, show_default=True, help="With --base: how often each labelled line is used."
)
@click.option(
    "--batch", type=COUNT, default=64, show_default=True, help="With --base: labelled lines in a training step."
)
@click.option(
    "--rate",
    type=FiniteRange(0, min_open=True),
    default=1e-5,
    show_default=True,
    help="With --base: the learning rate.",
)
@click.option("--seed", default=0, show_default=True, help="With --base: decides the order of the lines.")
@click.option(
    "--max-lines",
    "most_lines",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="With --base: learn from N lines at most.",
)
@click.option(
    "--max-seconds",
    "most_seconds",
    type=FiniteRange(0),
    default=0.0,
    metavar="S",
    help="With --base: stop learning after S seconds.",
)
@json_option
def reader(added: tuple[str, ...], out: str, base: str, as_json: bool, **tuning: Any) -> int:
    """Train the built-in reader, and measure it on the test authors; or fine-tune a language model as a reader.

    The same lines give the same built-in weights. Use the result with --cast reader=builtin:FILE, or with --cast
    reader=local:FOLDER after --base.
    """
    if base:
        return _tune(TuningSettings(base, **tuning), added, out, as_json)
    context = click.get_current_context()
    ignored = [name for name in tuning if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    if ignored:
        named = ", ".join(_flags(context, ignored))
        raise ConfigError(f"{named}: only for fine-tuning a language model; add --base FOLDER, or leave it out")
    if out and Path(out).suffix.lower() != WEIGHTS:
        raise click.BadParameter(f"{out}: name a file that ends in {WEIGHTS}", param_hint="'--out'")
    from polyclinic.models.spec import STRANGERS_READER
    from polyclinic.reading.measure import RESULTS, SENTENCE_RESULTS, table
    from polyclinic.reading.training import text_only, train_file, train_lines
    from polyclinic.reading.weights import LINES, SHIPPED
    from polyclinic.runner.readings import all_kinds, labelled, read_all
    from polyclinic.training.record import write_record

    for file in added:
        must_exist(file, about="file of readings")
    _step("reading the labelled lines", as_json)
    kinds, rows = all_kinds(), _training_lines(added)
    in_package = sorted(
        {row.question.kind for row in rows if row.split == "file" and kinds[row.question.kind].in_reply}
    )
    if out and in_package:
        raise ConfigError(
            f"added lines of the kind {', '.join(in_package)} are not learned with --out: only the package has weights"
            " for them; leave out --out, or remove these lines"
        )
    home = package_path("polyclinic.reading", "data")
    path = Path(out) if out else home / SHIPPED
    _step(f"learning from {len(rows):,} lines (some minutes)", as_json)
    digest = train_file(rows, kinds, path)
    if not out:
        _step("learning the kinds that are read in replies of models", as_json)
        train_lines(rows, kinds, home / LINES)
    tested = labelled(split="test")
    _step(f"measuring on {len(tested):,} lines of the test authors", as_json)
    found = table(tested, [finding.says for finding in wait(read_all(tested, f"reader=builtin:{path}"))])
    written = {**plain(found), "text_only": text_only(rows, tested, kinds)}
    if not out:
        write_record(home / RESULTS, written)
        _step("measuring again with the network for whole sentences", as_json)
        whole = table(tested, [finding.says for finding in wait(read_all(tested, f"reader={STRANGERS_READER}"))])
        write_record(home / SENTENCE_RESULTS, plain(whole))
    print_result(
        as_json,
        {"weights": str(path), "digest": digest, "lines": len(rows), **written},
        f"{len(rows)} lines; weights in {path} ({digest})",
        f"balanced accuracy on the test authors: {found.all.balanced}",
    )
    return 0


def _flags(context: click.Context, names: list[str]) -> list[str]:
    """The options with these names, as they are typed."""
    return [option.opts[0] for option in context.command.params if option.name in names]


def _step(line: str, as_json: bool) -> None:
    """Tell on standard error what a long training does now."""
    if sys.stderr.isatty() or not as_json:
        click.echo(line, err=True)


def _tune(settings: TuningSettings, added: tuple[str, ...], out: str, as_json: bool) -> int:
    """Fine-tune a language model as a reader."""
    from polyclinic.reading.tuning import check_tuning, tune_reader
    from polyclinic.runner.readings import all_kinds

    if not out:
        raise ConfigError("--base needs --out FOLDER, the folder for the fine-tuned model")
    check_tuning(settings)
    card = tune_reader(
        _training_lines(added), all_kinds(), settings, Path(out), lambda line: click.echo(line, err=True)
    )
    print_result(
        as_json,
        card,
        f"{card['steps']} steps in {card['seconds']} s; the reader is in {out}",
        f"Measure it: polyclinic eval readings --cast reader=local:{out} --keep",
    )
    return 0


def _training_lines(added: tuple[str, ...]) -> list[Labelled]:
    """The labelled lines of the package, and those of the user's files."""
    from polyclinic.reading.sets import from_file
    from polyclinic.runner.readings import all_kinds, labelled

    return labelled(split="train") + [row for file in added for row in from_file(Path(file), all_kinds())]


for stage in STAGES:
    command.add_command(stage)
