"""`polyclinic judge`: score a finished run again."""

from __future__ import annotations

import click

from polyclinic.cli.options import json_option, print_json, store_option, waits
from polyclinic.runner.execute.rescore import rescore
from polyclinic.store.store import open_store
from polyclinic.text.layout import number_of


@click.command(name="judge", short_help="Score a finished run again, without running it again.")
@click.argument("run", default="last")
@click.option("--judges", metavar="NAMES", help="Comma-separated.  [default: all]")
@click.option("--cast", default="", metavar="ROLE=MODEL,…", help="Who judges now, e.g. judge=openai:gpt-5.")
@click.option("--samples", type=click.IntRange(1), metavar="K", help="Samples for each rubric judge.")
@click.option(
    "--name", default="", help="A name for this scoring. Use the same name again to continue where it stopped."
)
@click.option("--concurrency", type=click.IntRange(min=1), default=16, show_default=True)
@store_option
@json_option
@waits
async def command(
    run: str, judges: str | None, cast: str, samples: int | None, name: str, concurrency: int, store: str, as_json: bool
) -> int:
    """Score a finished run again, without running it again.

    The run's own scores are kept; see the new ones with `polyclinic report RUN --scoring NAME`.
    """
    names = tuple(part.strip() for part in (judges or "").split(",") if part.strip())
    async with open_store(store, must_exist=True) as opened:
        id = (await opened.runs.get(run)).id
        scoring, count, failures = await rescore(opened, run, name, names, cast, samples or 0, concurrency)
    if as_json:
        print_json({"run": id, "scoring": scoring, "episodes": count, "failures": len(failures)})
    else:
        click.echo(f"scoring {scoring}: {number_of(count, 'episode')}, {number_of(len(failures), 'judge failure')}")
        for failure in failures[:5]:
            click.echo(f"  {failure.owner}: {failure.error}", err=True)
    return 1 if failures else 0
