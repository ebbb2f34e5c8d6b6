"""`polyclinic resume`: resume a run."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from polyclinic.cli.options import json_option, print_json, store_option, terminal_progress, wait
from polyclinic.store.store import default_store


@click.command(name="resume", short_help="Resume a run that was stopped, and retry its failed episodes.")
@click.argument("run", default="last")
@click.option("--concurrency", type=click.IntRange(1, 4096), metavar="N", help="Episodes at the same time.")
@click.option("--max-tokens", type=int, metavar="N", help="A new limit for the run.")
@click.option("--max-cost-usd", type=float, metavar="X", help="A new limit for the run.")
@click.option("--max-seconds", type=float, metavar="S", help="A new limit for this process.")
@click.option(
    "--on", default="", metavar="WHERE", help="Continue on a Ray cluster: ray, ray://auto or ray://HOST:PORT."
)
@store_option
@json_option
def command(run: str, concurrency: int | None, on: str, store: str, as_json: bool, **limits: Any) -> int:
    """Resume a run that was stopped, and retry its failed episodes.

    RUN is a run's id, the first letters of one, or 'last'. Finished episodes do not run again, and no
    answered call is made twice.
    """
    from polyclinic.runner.drive import resume

    overrides = {name: value for name, value in limits.items() if value is not None}
    tell, progress = partial(click.echo, err=True), terminal_progress(as_json)
    outcome = wait(
        resume(store or default_store(), run, progress, tell, concurrency=concurrency, overrides=overrides, on=on)
    )
    if as_json:
        print_json(outcome.as_json())
    return outcome.exit_code
