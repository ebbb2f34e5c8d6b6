"""The cost of a call through the chat client: CPU of this process per call, and wall time divided by the ideal.

    python benchmarks/model_calls.py [--calls 2000] [--write]

The server runs in a separate process, with a fixed latency, so that only the client's CPU is counted. The ideal is
calls × latency / concurrency. Prompts are 3,000 characters, replies a small JSON object, streamed.
"""

from __future__ import annotations

import argparse
import asyncio
import platform
import subprocess
import sys
import time
from pathlib import Path

from polyclinic.core.message import system, user
from polyclinic.core.model import Model, Request
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import ReplyModel
from polyclinic.models.cast import build_cast
from polyclinic.models.spec import parse_cast

RESULTS = Path(__file__).parent / "results" / "model_calls.md"


class Verdict(ReplyModel):
    """A small reply."""

    reason: str
    score: int


class Judges(Prompt[Verdict]):
    """A structured question."""

    template = "none.md"
    case: str


def request(number: int) -> Request:
    words = (system("You are the judge of a clinic. " * 90), user(f"Case {number}. " + "The patient sat down. " * 10))
    return Request("judge", Judges(case=str(number)), words)


async def measure(model: Model, calls: int, concurrency: int) -> tuple[float, float]:
    """(CPU milliseconds per call, wall seconds) with this many calls at the same time."""
    numbers = iter(range(calls))

    async def worker() -> None:
        for number in numbers:
            await model.answer(request(number))

    wall, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(worker() for _ in range(concurrency)))
    return (time.process_time() - cpu) * 1000 / calls, time.perf_counter() - wall


async def rows(url: str, calls: int, latency_s: float) -> list[str]:
    made = []
    for concurrency, stream in ((1, True), (64, True), (256, True), (1000, True), (256, False)):
        options = f"concurrency={concurrency}&stream={'true' if stream else 'false'}"
        cast = build_cast(parse_cast(f"all={url}:any?{options}"), ["judge"], {})
        model = cast.model("judge")
        await measure(model, concurrency, concurrency)
        count = min(calls, 20) if concurrency == 1 else max(calls, 4 * concurrency)
        cpu_ms, wall_s = await measure(model, count, concurrency)
        await cast.close()
        ideal = count * latency_s / concurrency
        how = "streamed" if stream else "whole"
        made.append(f"| {concurrency} | {how} | {count} | {cpu_ms:.2f} | {wall_s:.2f} | {wall_s / ideal:.2f} |")
        print(made[-1], flush=True)
    return made


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--latency-s", type=float, default=1.0)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    command = [sys.executable, "-m", "polyclinic.testing.fault_server", "--latency-s", str(given.latency_s)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            made = asyncio.run(rows(server.stdout.readline().strip(), given.calls, given.latency_s))
        finally:
            server.terminate()
    head = "| at once | reply | calls | CPU ms per call | wall s | wall over ideal |\n" + "| --- " * 6 + "|"
    text = (
        "# CPU and wall time of a model call\n\n"
        f"`python benchmarks/model_calls.py --latency-s {given.latency_s:g}`, {platform.machine()},"
        f" Python {platform.python_version()}, two shared cores, server in another process.\n\n"
        f"{head}\n" + "\n".join(made) + "\n"
    )
    if given.write:
        RESULTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
