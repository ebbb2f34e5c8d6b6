"""`polyclinic run`: flags or a run file become a RunConfig; the runner does the rest."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import click

from polyclinic.cli.options import (
    json_option,
    pairs,
    print_json,
    print_result,
    scenarios_option,
    store_option,
    terminal_progress,
    wait,
)
from polyclinic.runner.plan.config import RunConfig, make_config, read_config


@click.command(name="run", short_help="Run a clinic: scenarios × variants × trials, with a cast.")
@click.argument("clinic", required=False)
@click.option(
    "--variant", "variants", multiple=True, metavar="V", help="A variant; may be repeated; 'all' for every one."
)
@scenarios_option(default=None, metavar="N", help="A number, a name, name:count, or a file.")
@click.option("--trials", type=int, metavar="N", help="How often each scenario is run.  [default: 1]")
@click.option("--seed", type=int, metavar="N", help="The same seed gives the same run.  [default: 0]")
@click.option("--cast", metavar="ROLE=MODEL,…", help="Which model plays which role.  [default: all=understudy]")
@click.option("--judges", metavar="NAMES", help="Comma-separated; 'none' for no judging.  [default: all]")
@click.option("--samples", type=click.IntRange(1), metavar="K", help="Samples for each rubric judge.")
@click.option(
    "--library",
    "libraries",
    multiple=True,
    metavar="[NAME=]SOURCE",
    help="Start from a saved library, a run or a file; 'none' starts empty.",
)
@click.option("--set", "options", multiple=True, metavar="NAME=VALUE", help="A setting of the clinic; may be repeated.")
@click.option("--embedder", metavar="SPEC", help="An embedder to use instead of the built-in one.")
@click.option("--fhir", metavar="URL", help="An external FHIR R5 server, for clinics that keep records.")
@click.option("--concurrency", type=int, metavar="N", help="Episodes at the same time.  [default: 16]")
@click.option("--max-turns", type=int, metavar="N", help="Limit for each episode.")
@click.option("--max-tokens", type=int, metavar="N", help="Limit for the run.")
@click.option("--max-cost-usd", type=float, metavar="X", help="Limit for the run.")
@click.option("--max-seconds", type=float, metavar="S", help="Limit for the run.")
@click.option("--cache/--no-cache", default=None, help="Reuse answers to identical requests across runs.")
@click.option("--local-only", is_flag=True, default=None, help="Refuse any endpoint outside this machine.")
@click.option("--on", metavar="WHERE", help="Run on a Ray cluster: ray, ray://auto or ray://HOST:PORT.")
@click.option("--config", "config_file", metavar="FILE.toml", help="A run file; flags override it.")
@click.option("--dry-run", is_flag=True, help="Estimate calls, tokens and cost; run nothing.")
@store_option
@json_option
def command(
    config_file: str | None,
    dry_run: bool,
    as_json: bool,
    libraries: tuple[str, ...],
    options: tuple[str, ...],
    **flags: Any,
) -> int:
    """Run a clinic: scenarios × variants × trials, with a cast.

    Prints the run's id. Finished episodes are saved: after Ctrl-C, a crash or a limit, continue with
    `polyclinic resume`.

    \b
    polyclinic run demo --variant plain --variant tool --scenarios 20
    polyclinic run demo --cast nurse=openai:gpt-5-mini,caller=understudy --max-cost-usd 1
    """
    config = config_from_flags(config_file, libraries, options, flags)
    if dry_run:
        return _estimate(config, as_json)
    from polyclinic.runner.drive import drive

    def begun(run: str) -> None:
        if not as_json:
            click.echo(run)

    outcome = wait(drive(config, terminal_progress(as_json), begun, partial(click.echo, err=True)))
    if as_json:
        print_json(outcome.as_json())
    return outcome.exit_code


def config_from_flags(
    config_file: str | None, libraries: tuple[str, ...], options: tuple[str, ...], flags: dict[str, Any]
) -> RunConfig:
    """The RunConfig from flags, a file, or both. An empty value, as of a shell's unset variable, is refused."""
    for name in ("scenarios", "cast", "judges", "embedder", "fhir", "on"):
        if flags.get(name) == "":
            raise click.UsageError(f"--{name} has no value: write one, or leave it out")
    values = {name: value for name, value in flags.items() if value not in (None, (), "")}
    if "judges" in values:
        values["judges"] = tuple(name.strip() for name in values["judges"].split(",") if name.strip())
    if libraries:
        values["libraries"] = pairs(libraries, "--library", nameless=True)
    if options:
        values["options"] = pairs(options, "--set")
    if config_file:
        return read_config(config_file, values)
    if "clinic" not in values:
        raise click.UsageError("name a clinic (see `polyclinic clinics`), or a run file with --config")
    return make_config(values)


def _estimate(config: RunConfig, as_json: bool) -> int:
    from polyclinic.runner.execute.estimate import estimate

    found = wait(estimate(config))
    print_result(as_json, found.as_json(), found.as_text())
    sys.stdout.flush()
    return 0
