"""`polyclinic library`: inspect, compare, merge and roll back libraries, and check them for contamination."""

from __future__ import annotations

from collections.abc import Iterable

import click

from polyclinic.cli.language import own_words
from polyclinic.cli.options import (
    COUNT,
    FiniteRange,
    Group,
    NewFile,
    json_option,
    print_json,
    print_result,
    scenarios_option,
    store_option,
    table,
    waits,
)
from polyclinic.core.library import Entry, Library
from polyclinic.runner.libraries import contamination, merge, open_library, roll_back, save_library
from polyclinic.runner.plan.libraries import write_library_file
from polyclinic.runner.plan.selection import chosen_scenarios
from polyclinic.runner.registry import load_clinic
from polyclinic.store.store import open_store
from polyclinic.text.layout import filled, number_of, terminal_width

_ELSE = 64
"""The width of the columns beside the one that is wrapped."""


@click.group(
    cls=Group, name="library", short_help="Inspect learned libraries: list, search, diff, merge, roll back, check."
)
def command() -> None:
    """Inspect learned libraries: list, search, diff, merge, roll back, check.

    A SOURCE is a saved library (NAME.LIBRARY), a run that learned (RUN.LIBRARY), or a JSONL file.
    """


def _print(entries: Iterable[Entry], library: Library, as_json: bool) -> None:
    rows, room = list(entries), _room()
    if as_json:
        print_json([{**entry.model_dump(), "standing": library.track_record(entry.id).model_dump()} for entry in rows])
        return
    cells = []
    for entry in rows:
        record = library.track_record(entry.id)
        fared = f"{record.uses} ({record.good} good, {record.poor} poor)"
        cells.append([entry.id, filled(entry.key, room), f"{entry.quality:g}", fared, entry.provenance.episode])
    click.echo(table(cells, ["id", "found by", "quality", "uses", "from"]) if cells else "empty")


def _room() -> int:
    return max(20, terminal_width(120) - _ELSE)


def _tell(as_json: bool, words: str, library: Library, where: str) -> None:
    print_result(as_json, {"where": where, "entries": len(library), "version": library.version}, words)


@command.command("list")
@click.argument("source", required=False)
@click.option("--version", type=int, help="The library as it was after this many operations.")
@click.option("--removed", is_flag=True, help="Show removed entries, and why they were removed.")
@store_option
@json_option
@waits
async def list_entries(source: str | None, version: int | None, removed: bool, store: str, as_json: bool) -> int:
    """List the entries of a library; without SOURCE, the saved libraries."""
    async with open_store(store, must_exist=True) as opened:
        if source is None:
            names = await opened.libraries.names()
            print_result(as_json, names, "\n".join(names) or own_words("no saved libraries yet"))
            return 0
        library = await open_library(opened, source)
        if version is not None:
            library = library.at(version)
        if removed:
            gone = [[item.entry.id, item.entry.key, item.reason] for item in library.removed]
            wrapped = [[id, filled(key, _room()), filled(why, _room())] for id, key, why in gone]
            print_result(as_json, gone, table(wrapped, ["id", "found by", "why it went"]))
        else:
            _print(library, library, as_json)
    return 0


@command.command("search")
@click.argument("source")
@click.argument("words")
@click.option("-k", type=COUNT, default=5, show_default=True, help="How many.")
@store_option
@json_option
@waits
async def search(source: str, words: str, k: int, store: str, as_json: bool) -> int:
    """Find the entries closest in meaning to some words."""
    async with open_store(store, must_exist=True) as opened:
        library = await open_library(opened, source)
        found = library.nearest(words, k)
    print_result(
        as_json,
        [{"similarity": match.similarity, **match.entry.model_dump()} for match in found],
        table(
            [[f"{m.similarity:.3f}", m.entry.id, filled(m.entry.key, _room())] for m in found],
            ["near", "id", "found by"],
        ),
    )
    return 0


@command.command("diff")
@click.argument("left")
@click.argument("right")
@store_option
@json_option
@waits
async def diff(left: str, right: str, store: str, as_json: bool) -> int:
    """Show the entries that only one of two libraries has."""
    async with open_store(store, must_exist=True) as opened:
        mine, theirs = await open_library(opened, left), await open_library(opened, right)
        only_mine, only_theirs = mine.diff(theirs)
    if as_json:
        print_json({"left": [e.model_dump() for e in only_mine], "right": [e.model_dump() for e in only_theirs]})
    else:
        lines = [f"- {entry.id} {entry.key}" for entry in only_mine]
        lines += [f"+ {entry.id} {entry.key}" for entry in only_theirs]
        click.echo("\n".join(lines) or f"no difference: both have the same {number_of(len(mine), 'entry')}")
    return 0


@command.command("export")
@click.argument("source")
@click.argument("file", type=NewFile())
@store_option
@json_option
@waits
async def export(source: str, file: str, store: str, as_json: bool) -> int:
    """Write a library's operations to a JSONL file that --library takes."""
    async with open_store(store, must_exist=True) as opened:
        library = await open_library(opened, source)
    write_library_file(file, library.operations)
    _tell(
        as_json,
        f"{number_of(library.version, 'operation')}, {number_of(len(library), 'entry')} in {file}",
        library,
        file,
    )
    return 0


@command.command("merge")
@click.argument("sources", nargs=-1, required=True)
@click.option("--name", required=True, metavar="NAME.LIBRARY", help="Where to save the result.")
@click.option("--clinic", required=True, help="The clinic that the library belongs to.")
@click.option(
    "--unless-near",
    type=FiniteRange(0, 1),
    default=None,
    help="Leave out entries at least this similar to a better one.",
)
@store_option
@json_option
@waits
async def merge_libraries(
    sources: tuple[str, ...], name: str, clinic: str, unless_near: float | None, store: str, as_json: bool
) -> int:
    """Merge several libraries. Of similar entries the better one is kept."""
    async with open_store(store, must_exist=True) as opened:
        merged = await merge(opened, sources, unless_near)
        await save_library(opened, name, load_clinic(clinic), merged, f"merged from {', '.join(sources)}")
    _tell(as_json, f"{name}: {number_of(len(merged), 'entry')}", merged, name)
    return 0


@command.command("rollback")
@click.argument("name")
@click.argument("version", type=int)
@click.option("--reason", required=True, help="The reason; saved in the library's history.")
@store_option
@json_option
@waits
async def rollback(name: str, version: int, reason: str, store: str, as_json: bool) -> int:
    """Restore an earlier version of a saved library; its history is kept."""
    async with open_store(store, must_exist=True) as opened:
        library = await roll_back(opened, name, version, reason)
    _tell(as_json, f"{name}: {number_of(len(library), 'entry')}, version {library.version}", library, name)
    return 0


@command.command("check")
@click.argument("source")
@click.argument("clinic")
@scenarios_option("selector", metavar="N", help="The test cases, as for run.")
@click.option("--seed", type=int, default=0, show_default=True)
@store_option
@json_option
@waits
async def check(source: str, clinic: str, selector: str, seed: int, store: str, as_json: bool) -> int:
    """Check whether a library learned from these test cases. Exit code 1 if it did."""
    cases = chosen_scenarios(load_clinic(clinic), selector, seed)
    async with open_store(store, must_exist=True) as opened:
        found = contamination(await open_library(opened, source), cases)
    print_result(
        as_json,
        [entry.model_dump() for entry in found],
        *(f"{entry.id} was learned from {entry.provenance.scenario}: {entry.key}" for entry in found),
        f"learned from the {number_of(len(cases), 'test case')}: {number_of(len(found), 'entry')}",
    )
    return 1 if found else 0
