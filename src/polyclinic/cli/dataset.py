"""`polyclinic dataset`: a clinic's episodes as training data."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from polyclinic.cli.options import (
    COUNT,
    FiniteRange,
    json_option,
    print_json,
    scenarios_option,
    store_option,
    terminal_progress,
    waits,
)
from polyclinic.runner.registry import load_clinic
from polyclinic.store.store import open_store
from polyclinic.text.layout import number_of
from polyclinic.training.card import Card
from polyclinic.training.dataset import DatasetRequest, build
from polyclinic.training.room import dataset_room

SHORT = "Turn a clinic's episodes into training data (JSONL, Parquet) with a data card."


@click.command(name="dataset", short_help=SHORT)
@click.argument("clinic")
@click.option("--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="The folder to write.")
@click.option(
    "--rows", type=COUNT, default=1000, show_default=True, help="How many rows to make, if no --run is given."
)
@click.option(
    "--run", "runs", multiple=True, metavar="RUN", help="Use this run instead of running episodes; may be repeated."
)
@click.option(
    "--cast",
    "casts",
    multiple=True,
    metavar="ROLE=MODEL,…",
    help="Who plays; if repeated, episodes are shared among the casts.  [default: the clinic's own casts]",
)
@scenarios_option(help="Which scenarios: a set or a file.  [default: the clinic's own choice]")
@click.option(
    "--variant",
    "variants",
    multiple=True,
    metavar="V",
    help="A variant; may be repeated.  [default: the clinic's own choice]",
)
@click.option(
    "--least-reward",
    "least",
    type=FiniteRange(),
    help="Rows below this reward are dropped.  [default: the clinic's own choice]",
)
@click.option(
    "--against",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file of test cases that no training row may overlap with; may be repeated.",
)
@click.option(
    "--test-share",
    type=FiniteRange(0, 1),
    default=0.1,
    show_default=True,
    help="Share of cases that is held out for testing; the clinic's own test cases always are.",
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed of the episodes and their order."
)
@click.option("--concurrency", type=COUNT, default=32, show_default=True, help="Episodes at the same time.")
@store_option
@json_option
@waits
async def command(out: Path, runs: tuple[str, ...], store: str, as_json: bool, **wished: Any) -> int:
    """Turn a clinic's episodes into training data (JSONL, Parquet) with a data card."""

    def progress(done: int, wanted: int) -> None:
        print(f"{done} of {wanted} rows", file=sys.stderr)

    dataset_room(load_clinic(wished["clinic"]))
    if not runs and (sys.stderr.isatty() or not as_json):
        click.echo(f"running episodes until there are {number_of(wished['rows'], 'row')}", err=True)
    watching = partial(terminal_progress, as_json)
    async with open_store(store, must_exist=bool(runs)) as opened:
        card = await build(opened, DatasetRequest(out=out, runs=runs, **wished), progress, watching)
    for line in _lacking(card):
        click.echo(line, err=True)
    if as_json:
        print_json(card.model_dump(mode="json"))
        return 0
    for split, kinds in card.rows.items():
        click.echo(
            f"{split}: " + ", ".join(f"{count} {kind}-turn" for kind, count in sorted(kinds.items(), reverse=True))
        )
    click.echo(
        f"{card.total} rows in {card.seconds:.1f} s ({card.total / max(card.seconds, 1e-9):.0f} rows/s) in {out}"
    )
    return 0


def _lacking(card: Card) -> list[str]:
    """For each side of the split without a row: that its file is missing, why, and how to get it."""
    cases = number_of(sum(card.cases.values()), "case")
    why = {"train": "all of them are held out for testing", "test": "none of them is held out for testing"}
    other = {"train": "a smaller --test-share", "test": "a larger --test-share"}
    return [
        f"There is no {side}.jsonl: the rows come from {cases}, and {reason}. To get it, make more rows (--rows; they"
        f" come from more cases), choose cases with --scenarios, or give {other[side]}."
        for side, reason in why.items()
        if side not in card.rows
    ]
