"""`polyclinic report`: the results of a run."""

from __future__ import annotations

from pathlib import Path

import click

from polyclinic.cli.options import HTML, json_option, print_json, scoring_option, store_option, waits
from polyclinic.eval.report import report_in_brief, report_to_plain
from polyclinic.eval.terminal import render_terminal
from polyclinic.runner.reports import make_report, write_html
from polyclinic.store.store import open_store


@click.command(name="report", short_help="Report on a run: terminal, JSON or one HTML file.")
@click.argument("run", default="last")
@click.option("--html", "html", type=HTML, help="Write one self-contained HTML file here.")
@scoring_option
@click.option("--baseline", default="", metavar="V", help="The variant that the others are compared with.")
@click.option(
    "--transcripts",
    type=click.IntRange(0),
    default=2,
    show_default=True,
    help="Transcripts shown for each variant, in HTML.",
)
@click.option("--full", is_flag=True, help="With --json: also comparisons, variance and the clinic's own sections.")
@store_option
@json_option
@waits
async def command(
    run: str, html: str | None, scoring: str, baseline: str, transcripts: int, full: bool, store: str, as_json: bool
) -> int:
    """Report on a run: terminal, JSON or one HTML file.

    RUN is a run's id, the first letters of one, or 'last'. Failures are counted separately, by owner, and never as
    zero scores.
    """
    if full and not as_json:
        raise click.UsageError("--full belongs to --json: the terminal and the page have these sections anyway")
    async with open_store(store, must_exist=True) as opened:
        report = await make_report(opened, run, scoring=scoring, baseline=baseline, transcripts=transcripts)
    path = write_html([report], Path(html)) if html else None
    if as_json:
        print_json(report_to_plain(report) if full else report_in_brief(report))
    elif path is None:
        click.echo(render_terminal(report))
    else:
        click.echo(f"report: {path.resolve()}")
    return 0
