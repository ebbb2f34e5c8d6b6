"""`polyclinic export`: rows out of the store."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from polyclinic.cli.language import own_words
from polyclinic.cli.options import OUTPUT, json_option, print_result, scoring_option, store_option, waits
from polyclinic.cli.screen import WIDEST
from polyclinic.core.files import not_written
from polyclinic.errors import ConfigError
from polyclinic.eval.validity import left_out, why_left_out
from polyclinic.runner.results import load_results
from polyclinic.store.export import ExportRow, What, export_rows, write_csv, write_jsonl, write_parquet
from polyclinic.store.store import open_store
from polyclinic.text.layout import filled, number_of, terminal_width

RowWriter = Callable[[Path, AsyncIterator[ExportRow]], Awaitable[int]]
SCORED = ("episodes", "scores")
"""The rows that hold scores."""
WRITERS: dict[str, RowWriter] = {"jsonl": write_jsonl, "csv": write_csv, "parquet": write_parquet}


@click.command(name="export", short_help="Export a run's rows to JSON lines, CSV or Parquet.")
@click.argument("run", default="last")
@click.option(
    "--what", type=click.Choice(["episodes", "events", "calls", "scores"]), default="episodes", show_default=True
)
@click.option("--format", "form", type=click.Choice(list(WRITERS)), help="[default: by the file's ending]")
@click.option(
    "--out", "-o", type=click.Path(dir_okay=False), help="The file; - is standard output.  [default: RUN.WHAT.jsonl]"
)
@click.option("--timings", is_flag=True, help="Include wall-clock timings, which differ from run to run.")
@scoring_option
@store_option
@json_option
@waits
async def command(
    run: str, what: What, form: str | None, out: str | None, timings: bool, scoring: str, store: str, as_json: bool
) -> int:
    """Export a run's rows to JSON lines, CSV or Parquet.

    The same run always gives the same bytes, whatever its concurrency and however often it was resumed.
    """
    if out == OUTPUT and as_json:
        raise click.UsageError("with -o - standard output gets the rows: leave out --json")
    async with open_store(store, must_exist=True) as opened:
        id = (await opened.runs.get(run)).id
        form = _chosen(form, out)
        await opened.scores.require(id, scoring)
        rows = aiter(export_rows(opened, id, what, timings=timings, scoring=scoring))
        first = await anext(rows, None)
        if first is None:
            raise ConfigError(f"{id} has no {what} yet: there is nothing to export")
        path = out or f"{id}.{what}.{form}"
        count = await write_rows(WRITERS[form], _after(first, rows), path)
        out_of_cast = left_out(await load_results(opened, id, scoring, transcripts=False)) if what in SCORED else []
    if out_of_cast:
        click.echo(filled(own_words(why_left_out(out_of_cast)), terminal_width(WIDEST)), err=True)
    if path == OUTPUT:
        return 0
    print_result(
        as_json,
        {"run": id, "what": what, "format": form, "path": path, "rows": count},
        f"{number_of(count, 'row')} in {path}",
    )
    return 0


async def write_rows(write: RowWriter, rows: AsyncIterator[ExportRow], out: str) -> int:
    """Write the rows to a file, or to standard output (`-`), which gets only a whole export. Returns their number."""
    if out != OUTPUT:
        try:
            return await write(Path(out), rows)
        except OSError as error:
            raise not_written(out, error) from None
    with TemporaryDirectory() as folder:
        count = await write(Path(folder) / "rows", rows)
        click.echo((Path(folder) / "rows").read_bytes(), nl=False)
    return count


async def _after(first: ExportRow, rows: AsyncIterator[ExportRow]) -> AsyncIterator[ExportRow]:
    yield first
    async for row in rows:
        yield row


def _chosen(form: str | None, out: str | None) -> str:
    """The format of --format, which the file's ending must not contradict, or else that of the ending."""
    if form is None:
        return form_of(out, "jsonl", "or --format")
    ending = Path(out or "").suffix.lstrip(".").lower()
    if ending in WRITERS and ending != form:
        raise ConfigError(f"{out} ends in .{ending} and --format says {form}: change one of the two")
    return form


def form_of(out: str | None, default: str, other: str = "") -> str:
    """The format for a file's ending. The error for an ending that cannot be written also names the `other` way."""
    if out in (None, OUTPUT):
        return default
    ending = Path(out).suffix.lstrip(".").lower()
    if ending not in WRITERS:
        endings = ", ".join(f".{form}" for form in WRITERS)
        raise ConfigError(f"{out}: name a file that ends in {endings}{other and f', {other}'}")
    return ending
