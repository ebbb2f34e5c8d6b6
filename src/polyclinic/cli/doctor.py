"""`polyclinic doctor`: is everything installed, and does it work? Each problem comes with its fix."""

from __future__ import annotations

import sqlite3
import sys
from dataclasses import asdict, dataclass
from importlib.util import find_spec

import click

from polyclinic.cli.options import json_option, print_json, store_option, wait
from polyclinic.core.execute import RunContext, run_episode
from polyclinic.core.journal import MemoryJournal
from polyclinic.errors import PolyclinicError
from polyclinic.runner.plan.config import make_config
from polyclinic.store.database import SAFE_WAL
from polyclinic.store.store import default_store, open_store

EXTRAS = {
    "hosted": ("pydantic_ai", "providers with their own protocol (Anthropic, Google, …)"),
    "local": ("xllamacpp", "a small model on this machine"),
    "postgres": ("psycopg", "a PostgreSQL store"),
}


@dataclass(frozen=True)
class Check:
    """The result of one check."""

    name: str
    ok: bool
    found: str
    fix: str = ""


@click.command(name="doctor", short_help="Check the environment, the store and a model endpoint.")
@click.option(
    "--model",
    default="",
    metavar="MODEL",
    help="A model to try, as in a cast: openai:gpt-5-mini, http://…:name, local.",
)
@store_option
@json_option
def command(model: str, store: str, as_json: bool) -> int:
    """Check the environment, the store and a model endpoint."""
    checks = wait(_checks(store, model))
    if as_json:
        print_json([asdict(check) for check in checks])
    else:
        for check in checks:
            mark = click.style("ok  ", fg="green") if check.ok else click.style("FIX ", fg="red")
            click.echo(f"{mark} {check.name}: {check.found}" + (f"\n     → {check.fix}" if check.fix else ""))
    return 0 if all(check.ok for check in checks) else 1


async def _checks(store: str, model: str) -> list[Check]:
    found = [_python(), _sqlite(), *_extras(), await _store(store or default_store())]
    found.append(await _demo("all=understudy", "offline run"))
    if model:
        found.append(await _demo(f"nurse={model},all=understudy", f"model {model}"))
    return found


def _python() -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    return Check(
        "Python",
        sys.version_info >= (3, 11),
        version,
        "" if sys.version_info >= (3, 11) else "use Python 3.11 or newer",
    )


def _sqlite() -> Check:
    mode = "WAL" if sqlite3.sqlite_version_info >= SAFE_WAL else "rollback journal (WAL is safe from 3.51.3 on)"
    return Check("SQLite", True, f"{sqlite3.sqlite_version}, {mode}")


def _extras() -> list[Check]:
    checks = []
    for extra, (module, purpose) in EXTRAS.items():
        here = find_spec(module) is not None
        fix = "" if here else f"only if you want {purpose}: pip install 'polyclinic[{extra}]'"
        checks.append(Check(f"extra {extra}", True, "installed" if here else "not installed", fix))
    return checks


async def _store(url: str) -> Check:
    try:
        async with open_store(url) as store:
            count = len(await store.runs.all())
    except PolyclinicError as error:
        return Check("store", False, str(error), "name another with --store, or correct its path or server")
    return Check("store", True, f"{url}, {count} runs")


async def _demo(cast: str, name: str) -> Check:
    """One call of the demo clinic, from the prompt to the score."""
    from polyclinic.runner.build.built_run import build
    from polyclinic.runner.execute.running_campaign import lone_campaign
    from polyclinic.runner.plan.run_plan import parse_plan

    try:
        plan = parse_plan(make_config({"clinic": "demo", "scenarios": "1", "cast": cast})).with_episodes()
        async with build(plan, MemoryJournal()) as built:
            context: RunContext = built.context
            result = await run_episode(context, plan.episodes[0][1], plan.scenarios[0], lone_campaign(context, {}))
    except PolyclinicError as error:
        return Check(name, False, str(error), "see the message")
    if result.status == "failed":
        return Check(name, False, result.failures[-1].error, "check the endpoint's address, key and model name")
    return Check(name, True, f"{result.outcome}, {sum(result.calls.values())} calls")
