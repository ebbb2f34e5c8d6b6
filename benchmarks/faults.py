"""Episodes with an endpoint where every fifth request gets a fault: do they complete, and do calls end in time?

    python benchmarks/faults.py [--episodes 2000] [--faults 0.2] [--write]

The faults: 429 with Retry-After, 500, connection reset, truncated stream, wrong schema, empty reply, a dripping
stream, a 60-second stall. Goals: at least 99.9 % of episodes complete, every attempt ends within its deadline + 1 s,
and every call, with all its attempts, within its total + 1 s.
"""

from __future__ import annotations

import argparse
import asyncio
import platform
import statistics
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from polyclinic.core.model import Completion, Request, Usage
from polyclinic.models.guard import Deadline, GuardedModel
from polyclinic.models.llm import ChatCaller
from polyclinic.runner.api import resume_run, start_run
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.results import load_results
from polyclinic.store.store import open_store

RESULTS = Path(__file__).parent / "results" / "faults.md"
TIMEOUT_S, IDLE_S, TOTAL_S = 3.0, 1.0, 60.0


class Watch:
    """Times every attempt and every call, whether it succeeds or fails."""

    def __init__(self) -> None:
        self.attempts: list[float] = []
        self.calls: list[float] = []
        self.ended: Counter[str] = Counter()

    def install(self) -> None:
        attempt, attempts = ChatCaller.attempt, GuardedModel._attempts

        async def timed_attempt(caller: ChatCaller, request: Request, number: int, deadline: Deadline) -> Completion:
            started = time.monotonic()
            try:
                completion = await attempt(caller, request, number, deadline)
                self.ended["answered"] += 1
                return completion
            except asyncio.CancelledError:
                self.ended["cut at the deadline"] += 1
                raise
            except Exception as failure:
                self.ended[getattr(failure, "trouble", type(failure).__name__)] += 1
                raise
            finally:
                self.attempts.append(time.monotonic() - started)

        async def timed_call(guarded: GuardedModel, request: Request, spent: list[Usage]) -> Completion:
            started = time.monotonic()
            try:
                return await attempts(guarded, request, spent)
            finally:
                self.calls.append(time.monotonic() - started)

        setattr(ChatCaller, "attempt", timed_attempt)  # noqa: B010
        setattr(GuardedModel, "_attempts", timed_call)  # noqa: B010


async def run(url: str, episodes: int, concurrency: int) -> dict[str, Any]:
    watch = Watch()
    watch.install()
    options = f"timeout_s={TIMEOUT_S:g}&idle_s={IDLE_S:g}&total_s={TOTAL_S:g}"
    values = {
        "clinic": "demo",
        "scenarios": "20",
        "trials": max(1, episodes // 20),
        "cast": f"all={url}:any?{options}",
        "concurrency": concurrency,
        "store": "sqlite://:memory:",
    }
    async with open_store("sqlite://:memory:") as store:
        started = time.monotonic()
        outcome = await resume_run(store, await start_run(store, make_config(values)), retry_failed=False)
        wall_s = time.monotonic() - started
        results = await load_results(store, outcome.run)
    owners = Counter(failure.owner for row in results.episodes for failure in row.failures if failure.fatal)
    return {"outcome": outcome, "wall_s": wall_s, "watch": watch, "owners": owners}


def report(given: argparse.Namespace, measured: dict[str, Any]) -> str:
    outcome, watch = measured["outcome"], measured["watch"]
    total = outcome.done + outcome.failed + outcome.left
    slow_attempts = sum(seconds > TIMEOUT_S + 1 for seconds in watch.attempts)
    slow_calls = sum(seconds > TOTAL_S + 1 for seconds in watch.calls)
    owners = ", ".join(f"{owner} {count}" for owner, count in sorted(measured["owners"].items())) or "none"
    ended = ", ".join(f"{name} {count:,}" for name, count in watch.ended.most_common())
    return "\n".join(
        [
            "# Episodes against a faulty endpoint",
            "",
            f"`python benchmarks/faults.py --episodes {given.episodes} --faults {given.faults:g}`: demo clinic,"
            f" {given.concurrency} episodes at once, {platform.machine()}, Python {platform.python_version()},"
            " two shared cores, server in another process.",
            "",
            "| what | measured | goal |",
            "| --- | --- | --- |",
            f"| episodes | {total:,} | |",
            f"| complete | {outcome.done:,} ({100 * outcome.done / total:.2f} %) | ≥ 99.9 % |",
            f"| failed, by owner | {owners} | |",
            f"| attempts | {len(watch.attempts):,} for {len(watch.calls):,} calls | |",
            f"| how attempts ended | {ended} | |",
            f"| longest attempt | {max(watch.attempts):.2f} s (deadline {TIMEOUT_S:g} s) | ≤ {TIMEOUT_S + 1:g} s |",
            f"| attempts past deadline + 1 s | {slow_attempts} | 0 |",
            f"| longest call with its retries | {max(watch.calls):.2f} s (total {TOTAL_S:g} s) | ≤ {TOTAL_S + 1:g} s |",
            f"| calls past total + 1 s | {slow_calls} | 0 |",
            f"| median call | {1000 * statistics.median(watch.calls):.0f} ms | |",
            f"| wall time | {measured['wall_s']:.0f} s | |",
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--episodes", type=int, default=2000)
    parser.add_argument("--faults", type=float, default=0.2)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--write", action="store_true", help="keep the result beside this file")
    given = parser.parse_args()
    command = [sys.executable, "-m", "polyclinic.testing.fault_server", "--faults", str(given.faults), "--seed", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            measured = asyncio.run(run(server.stdout.readline().strip(), given.episodes, given.concurrency))
        finally:
            server.terminate()
    text = report(given, measured)
    print(text)
    if given.write:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
