"""The Python API for notebooks and scripts: plain calls that work with or without a running event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from polyclinic.eval.results import RunResults
from polyclinic.runner.api import run as _run
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.registry import clinic_modules
from polyclinic.runner.reports import report_of, write_html
from polyclinic.runner.results import load_results as _load_results
from polyclinic.store.store import open_store

T = TypeVar("T")


def clinics() -> list[str]:
    """The names of all clinics."""
    return list(clinic_modules())


def run(clinic: str, *, store: str = "", **settings: Any) -> RunResults:
    """Run a clinic and return its results. `settings` are those of a run file: variants, scenarios, trials, seed, cast
    …
    """
    config = make_config({"clinic": clinic, "store": store, **settings})

    async def work() -> RunResults:
        async with open_store(config.store) as opened:
            return await _load_results(opened, (await _run(opened, config)).run)

    return _wait(work())


def load_results(run: str = "last", *, store: str = "", scoring: str = "live") -> RunResults:
    """The results of a run in a store."""

    async def work() -> RunResults:
        async with open_store(store) as opened:
            return await _load_results(opened, run, scoring)

    return _wait(work())


def render_html(results: RunResults | Sequence[RunResults], path: str) -> Path:
    """Write one self-contained HTML report of one or several runs."""
    several = [results] if isinstance(results, RunResults) else list(results)
    return write_html([report_of(each) for each in several], Path(path))


def _wait(work: Coroutine[Any, Any, T]) -> T:
    """Run async work to its end. Inside a running loop (a notebook), it runs in a separate thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
