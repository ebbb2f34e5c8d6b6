"""`polyclinic doctor`: is everything installed, and does it work? Each problem comes with its fix."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from time import monotonic

import click

from polyclinic.cli.options import json_option, print_json, store_option, wait
from polyclinic.core.execute import RunContext, run_episode
from polyclinic.core.extras import install_hint
from polyclinic.core.journal import CallRecord, MemoryJournal
from polyclinic.errors import PolyclinicError
from polyclinic.models.spec import CastSpec, parse_model
from polyclinic.runner.build.built_run import build
from polyclinic.runner.execute.running_campaign import lone_campaign
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.plan.run_plan import parse_plan
from polyclinic.runner.registry import TEMPLATE, load_clinic
from polyclinic.store.connections import SAFE_WAL, without_password
from polyclinic.store.store import default_store, open_store
from polyclinic.text.layout import number_of

EXTRAS = {
    "cluster": ("ray", "runs on a Ray cluster"),
    "hosted": ("pydantic_ai", "providers with their own protocol (Anthropic, Google, …)"),
    "local": ("xllamacpp", "a small model on this machine"),
    "otel": ("opentelemetry.exporter", "traces and metrics for OpenTelemetry"),
    "pdf": ("pypdf", "documents read from PDF files"),
    "postgres": ("psycopg", "a PostgreSQL store"),
    "smart": ("joserfc", "SMART on FHIR at the FHIR server"),
    "train": ("trl", "to train models"),
    "web": ("fastapi", "the pages for the browser (`web`, `serve`)"),
}

PATIENCE_S, LEAST_S = 2.5, 0.7
"""How long a model may take; less, but never less than the second value, if the command was slow to start."""
ANSWERED_S = 3.5
"""The model's time ends this long after the command's start, so `doctor` answers within 5 seconds."""


@dataclass(frozen=True)
class Checkup:
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
@click.pass_obj
def command(began: float | None, model: str, store: str, as_json: bool) -> int:
    """Check the environment, the store and a model endpoint."""
    checks = wait(_checks(store, model, monotonic() if began is None else began))
    if as_json:
        print_json([asdict(check) for check in checks])
    else:
        for check in checks:
            mark = click.style("ok  ", fg="green") if check.ok else click.style("FIX ", fg="red")
            click.echo(f"{mark} {check.name}: {check.found}" + (f"\n     → {check.fix}" if check.fix else ""))
    return 0 if all(check.ok for check in checks) else 1


async def _checks(store: str, model: str, began: float) -> list[Checkup]:
    """The model is asked last: then all code is loaded, and its time is not spent on loading."""
    found = await asyncio.gather(_store(store or default_store()), _demo((), "offline run", MemoryJournal()))
    tried = [await _model(model, began)] if model else []
    return [_python(), _sqlite(), *_extras(), *found, *tried]


def _python() -> Checkup:
    version = ".".join(map(str, sys.version_info[:3]))
    return Checkup(
        "Python",
        sys.version_info >= (3, 11),
        version,
        "" if sys.version_info >= (3, 11) else "use Python 3.11 or newer",
    )


def _sqlite() -> Checkup:
    mode = "WAL" if sqlite3.sqlite_version_info >= SAFE_WAL else "rollback journal (WAL is safe from 3.51.3 on)"
    return Checkup("SQLite", True, f"{sqlite3.sqlite_version}, {mode}")


def _extras() -> list[Checkup]:
    checks = []
    for extra, (module, purpose) in EXTRAS.items():
        here = _present(module)
        fix = "" if here else f"only if you want {purpose}: {install_hint(extra)}"
        checks.append(Checkup(f"extra {extra}", True, "installed" if here else "not installed", fix))
    return checks


def _present(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package that the module is in
        return False


async def _store(url: str) -> Checkup:
    try:
        async with open_store(url) as store:
            count = len(await store.runs.all())
    except PolyclinicError as error:
        return Checkup("store", False, str(error), "name another store with --store, or correct the path or server")
    return Checkup("store", True, f"{without_password(url)}, {number_of(count, 'run')}")


class _Counting(MemoryJournal):
    """Counts the answers of the tested model, which plays this role; understudies play all others."""

    def __init__(self, role: str) -> None:
        super().__init__()
        self.answers, self._role = 0, role

    async def record(self, call: CallRecord) -> None:
        """Keep the call, and count it if the tested model made it."""
        await super().record(call)
        self.answers += call.request.role == self._role


def patience(gone_s: float) -> float:
    """How long a model may take if the command began so many seconds ago."""
    return max(LEAST_S, min(PATIENCE_S, ANSWERED_S - gone_s))


async def _model(text: str, began: float) -> Checkup:
    """Test the model in the tested role of a small clinic.

    Each call has one attempt and little time, so that the check is quick.
    """
    import_module("aiohttp")  # slow to load
    role = next(role.name for role in load_clinic(TEMPLATE).roles if role.side == "tested")
    name, spec, patience_s = f"model {text}", parse_model(text, role), patience(monotonic() - began)
    quick = spec.options.model_copy(update={"tries": 1, "total_s": patience_s, "timeout_s": patience_s})
    journal = _Counting(role)
    try:
        async with asyncio.timeout(patience_s):
            return await _demo([replace(spec, options=quick)], name, journal)
    except TimeoutError:
        if journal.answers:
            return Checkup(name, True, f"answers ({number_of(journal.answers, 'call')} in {patience_s:.1f} s)")
        slow = "a slow model may still work: a run waits longer (timeout_s); try `polyclinic audition`"
        return Checkup(name, False, f"no answer within {patience_s:.1f} s", f"check the address and the key; {slow}")


async def _demo(cast: Sequence[CastSpec], name: str, journal: MemoryJournal) -> Checkup:
    """Run one episode of the demo clinic, from the prompt to the score."""
    try:
        plan = parse_plan(make_config({"clinic": TEMPLATE, "scenarios": "1"}), cast).with_episodes()
        async with build(plan, journal) as built:
            context: RunContext = built.context
            result = await run_episode(context, plan.episodes[0][1], plan.scenarios[0], lone_campaign(context, {}))
    except PolyclinicError as error:
        return Checkup(name, False, str(error))
    if result.status == "failed":
        said = result.failures[-1].error.removeprefix(f"{name.removeprefix('model ')}: ")
        return Checkup(name, False, said, "check the endpoint's address, key and model name")
    return Checkup(name, True, f"{result.outcome.replace('_', ' ')}, {number_of(sum(result.calls.values()), 'call')}")
