"""`polyclinic scenarios`: list, show and lint."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click
import orjson

from polyclinic.cli.language import own_words
from polyclinic.cli.options import Group, json_option, print_result, scenarios_option, table
from polyclinic.cli.scenario_sheet import sheet
from polyclinic.core.clinic import Clinic
from polyclinic.core.files import bad_file, must_exist
from polyclinic.core.scenario import Scenario
from polyclinic.errors import ConfigError, UnknownName, UserError
from polyclinic.runner.plan.selection import all_listed, chosen_scenarios
from polyclinic.runner.registry import clinic_modules, load_clinic
from polyclinic.text.layout import number_of
from polyclinic.text.worded import Worded


@click.group(cls=Group, name="scenarios", short_help="List, show or lint a clinic's scenarios.")
def command() -> None:
    """List, show or lint a clinic's scenarios."""


@command.command("list")
@click.argument("clinic")
@scenarios_option("selector", metavar="N", help="As for run: a number, a name, name:count, a file.")
@click.option("--seed", type=int, default=0, show_default=True)
@json_option
def list_scenarios(clinic: str, selector: str, seed: int, as_json: bool) -> int:
    """List the scenarios of a selection."""
    chosen = load_clinic(clinic)
    found = chosen_scenarios(chosen, selector, seed)
    for line in chosen.notes_on(selector):
        click.echo(own_words(line), err=True)
    print_result(
        as_json,
        [{"id": s.id, "tags": list(s.tags), "campaign": s.campaign} for s in found],
        table([[s.id, ", ".join(s.tags), s.campaign] for s in found], ["id", "tags", "campaign"]),
    )
    return 0


@command.command("show")
@click.argument("clinic")
@click.argument("id", required=False, metavar="ID")
@scenarios_option("selector", metavar="N", help="The selection to look in.")
@click.option("--seed", type=int, default=0, show_default=True)
@json_option
@click.pass_context
def show_scenario(ctx: click.Context, clinic: str, id: str | None, selector: str, seed: int, as_json: bool) -> int:
    """Show one scenario in full."""
    if id is None and clinic not in clinic_modules() and (owner := _clinic_with(clinic, selector, seed)):
        raise ConfigError(Worded("name the clinic too: write polyclinic scenarios show {1} {2}", owner, clinic))
    chosen = load_clinic(clinic)
    if id is None:
        raise click.UsageError(Worded("{1} is missing", "ID"), ctx)
    found = _look_in(chosen, id, selector, seed)
    if id not in found and Path(id).is_file():
        inside = [scenario.id for scenario in chosen.scenarios(id, seed)]
        name = next(iter(inside), "ID")
        fix = f"write polyclinic scenarios show {clinic} {name} --scenarios {id}"
        raise bad_file(id, f"is a file with {number_of(len(inside), 'scenario')}", fix=fix, error=ConfigError)
    if id not in found:
        raise UnknownName("scenario of {1}", id, found, _listed(chosen, selector), of=clinic)
    shown = orjson.loads(found[id].model_dump_json())
    print_result(as_json, shown, sheet(shown))
    return 0


def _look_in(chosen: Clinic, id: str, selector: str, seed: int) -> dict[str, Scenario]:
    """The scenarios of a selection by their ids. Without a selection, also the one that the id selects."""
    found = {scenario.id: scenario for scenario in chosen_scenarios(chosen, selector, seed)}
    if id not in found and not selector:
        found |= {scenario.id: scenario for scenario in chosen_scenarios(chosen, id, seed)}
    return found


def _listed(chosen: Clinic, selector: str) -> str:
    return f"polyclinic scenarios list {chosen.name} --scenarios {selector}" if selector else all_listed(chosen)


def _clinic_with(id: str, selector: str, seed: int) -> str:
    """The clinic that has a scenario of this id, or an empty text."""
    for name in clinic_modules():
        with suppress(UserError):
            if id in _look_in(load_clinic(name), id, selector, seed):
                return name
    return ""


@command.command("lint")
@click.argument("clinic")
@click.argument("files", nargs=-1, metavar="FILES...")
@json_option
@click.pass_context
def lint_scenarios(ctx: click.Context, clinic: str, files: tuple[str, ...], as_json: bool) -> int:
    """Check your own case files for missing or contradictory data."""
    known = clinic_modules()
    if clinic not in known and Path(clinic).suffix:
        raise ConfigError(
            f"name the clinic before the file: polyclinic scenarios lint CLINIC {' '.join((clinic, *files))}; the"
            f" clinics are {', '.join(known)}"
        )
    chosen = load_clinic(clinic)
    if not files:
        raise click.UsageError(f"name a file: polyclinic scenarios lint {clinic} FILE", ctx)
    for file in files:
        must_exist(file)
    faults = [fault for file in files for fault in chosen.faults_in(file)]
    print_result(
        as_json,
        {"files": list(files), "faults": faults},
        *faults,
        f"{number_of(len(faults), 'fault')} in {number_of(len(files), 'file')}",
    )
    return 1 if faults else 0
