"""Many people practise at once, each a whole session: how long they wait, and the server's CPU time and memory.

``python benchmarks/web_practise.py 100 10 2`` starts `polyclinic web` and lets 100 people practise, in two waves one
after the other. They think for 10 s before each answer (5 to 15, evenly). Everybody opens a session, follows it by
server-sent events, answers, gives the final answer and reads the feedback. Understudies play the others. The people run
in a separate process. A wait is measured from the answer until the next question is in the stream. A third process only
sleeps and records how late it wakes up: this is what the machine itself adds to every wait. Ten times a second a small
page is requested, which waits only for the server's event loop. No two people use the same words.

``python benchmarks/web_practise.py 100 1 8`` is for memory: eight waves with short thinking times, one after the other.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import httpx

from polyclinic.testing.forms import fill_form

PARTS = (("patient", "doctor"), ("counsel", "patient"), ("duty", "doctor"), ("rounds", "student"), ("demo", "nurse"))
WORDS = (
    "Where does it hurt?",
    "Since when have you had this?",
    "Do you smoke, or did you?",
    "Which medicines do you take at home?",
    "How do you sleep at night?",
    "Has anything like this happened in your family?",
)
BEGINNINGS = (
    "Thank you.",
    "I see.",
    "All right.",
    "Let me ask you something else.",
    "That helps me.",
    "I am sorry to hear that.",
    "Tell me more.",
    "Take your time.",
)
ENDINGS = ("", " Please think back.", " It would help me to know.", " In your own words.", " Just roughly.")
ENOUGH, MOST = len(WORDS), 12
TICKS = os.sysconf("SC_CLK_TCK")
Times = dict[str, list[float]]


class Person:
    """A person with a page open: follows the stream and answers."""

    def __init__(self, client: httpx.AsyncClient, number: int, think_s: float, times: Times) -> None:
        self.client, self.number, self.times = client, number, times
        self.chance, self.think_s = random.Random(number), think_s
        self.standing: dict[str, Any] = {}
        self.told = asyncio.Event()

    async def timed(self, what: str, method: str, path: str, **more: Any) -> Any:
        """One timed request."""
        began = time.monotonic()
        answer = await self.client.request(method, path, **more)
        self.times[what].append(time.monotonic() - began)
        assert answer.status_code in (200, 201), answer.text
        return answer.json()

    async def listen(self, run: str, after: int) -> None:
        """Follow the session until it is over."""
        async with self.client.stream("GET", f"/api/practise/{run}/events?after={after}") as answer:
            kind = ""
            async for row in answer.aiter_lines():
                if row.startswith("event: "):
                    kind = row.removeprefix("event: ")
                elif row.startswith("data: ") and kind == "standing":
                    self.standing = json.loads(row.removeprefix("data: "))
                    self.told.set()

    async def until(self, last: str) -> None:
        """Wait until there is another question, or the session is over."""
        while self.standing["state"] == "others" or (self.standing["asked"] or {}).get("key") == last:
            self.told.clear()
            await self.told.wait()

    async def practise(self) -> None:
        """Play a whole session."""
        await asyncio.sleep(self.chance.uniform(0, self.think_s))  # people do not start at the same moment
        clinic, part = PARTS[self.number % len(PARTS)]
        body = {"clinic": clinic, "part": part, "seed": self.number, "who": f"person {self.number}"}
        run = (await self.timed("start", "POST", "/api/practise", json=body))["id"]
        found = await self.timed("open the page", "GET", f"/api/practise/{run}")
        self.standing = found["standing"]
        stream = asyncio.create_task(self.listen(run, self.standing["seen"]))
        for turn in range(MOST):
            asked = self.standing["asked"]
            if asked is None:
                break
            await asyncio.sleep(self.chance.uniform(0.5, 1.5) * self.think_s)
            began = time.monotonic()
            given = {"question": asked["key"], **self.answer(asked, turn)}
            await self.timed("answer, the request", "POST", f"/api/practise/{run}/answer", json=given)
            await self.until(asked["key"])
            over = self.standing["state"] == "ended"
            self.times["answer, until all is over" if over else "answer, until the next question"].append(
                time.monotonic() - began
            )
        stream.cancel()
        await asyncio.gather(stream, return_exceptions=True)
        if self.standing["state"] == "ended":
            await self.timed("feedback", "GET", f"/api/practise/{run}/feedback")

    def answer(self, asked: dict[str, Any], turn: int) -> dict[str, Any]:
        """Words or a filled-in form; after some questions, the move that ends the conversation if it is offered."""
        if asked["rows"]:
            return {"values": fill_form(asked["rows"])}
        ends = [move["text"] for move in asked["moves"] if not move["asks"]]
        if ends and turn >= ENOUGH:
            return {"text": ends[0]}
        begins, end = self.chance.choice(BEGINNINGS), self.chance.choice(ENDINGS)
        return {"text": f"{begins} {WORDS[turn % len(WORDS)]}{end} This is question {self.number}.{turn}."}


def spent(pid: int) -> tuple[float, float]:
    """CPU seconds of a process, and its memory in MB."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    memory = next(
        line for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines() if "VmRSS" in line
    )
    return (int(fields[11]) + int(fields[12])) / TICKS, int(memory.split()[1]) / 1024


SLEEPER = """
import signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background process of a shell would ignore it
late = []
try:
    while True:
        began = time.monotonic()
        time.sleep(0.02)
        late.append(time.monotonic() - began - 0.02)
except KeyboardInterrupt:
    late.sort()
    print(*(round(1000 * late[int(len(late) * share)]) for share in (0.5, 0.95, 0.99)))
"""


async def small_pages(client: httpx.AsyncClient, times: Times) -> None:
    """Request a small page again and again."""
    while True:
        began = time.monotonic()
        (await client.get("/")).raise_for_status()
        times["a small page"].append(time.monotonic() - began)
        await asyncio.sleep(0.1)


def stolen() -> tuple[int, int]:
    """CPU time that the host took from this machine (steal), and all CPU time, in ticks."""
    fields = [int(word) for word in Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]]
    return fields[7], sum(fields)


def told(times: list[float]) -> str:
    """Percentiles in milliseconds."""
    times = sorted(times)
    at = [1000 * times[min(len(times) - 1, int(len(times) * share))] for share in (0.5, 0.95, 0.99, 1)]
    return f"{len(times)} | {at[0]:.0f} | {at[1]:.0f} | {at[2]:.0f} | {at[3]:.0f}"


async def measure(url: str, token: str, pid: int, people: int, think_s: float, waves: int) -> None:
    """Run all people at once, wave after wave."""
    limits = httpx.Limits(max_connections=None)
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=url, headers=headers, timeout=120, limits=limits) as client:
        await asyncio.gather(*(Person(client, number, 0, defaultdict(list)).practise() for number in range(len(PARTS))))
        print(f"warm: {spent(pid)[1]:.0f} MB", flush=True)
        for wave in range(waves):
            times: Times = defaultdict(list)
            (before, _), began, load = spent(pid), time.monotonic(), os.getloadavg()[0]
            sleeper = subprocess.Popen([sys.executable, "-c", SLEEPER], stdout=subprocess.PIPE, text=True)
            taken, pages = stolen(), asyncio.create_task(small_pages(client, times))
            numbers = range(wave * people, (wave + 1) * people)
            await asyncio.gather(*(Person(client, number, think_s, times).practise() for number in numbers))
            pages.cancel()
            host, everything = (now - then for now, then in zip(stolen(), taken, strict=True))
            took, (after, memory) = time.monotonic() - began, spent(pid)
            sleeper.send_signal(signal.SIGINT)
            late = sleeper.communicate()[0].split()
            requests = sum(len(times[what]) for what in times if "until" not in what and "small" not in what)
            print(
                f"\nwave {wave + 1}: {people} people, {think_s:.0f} s of thought before an answer, {took:.0f} s;"
                f" {requests} requests, {1000 * (after - before) / requests:.0f} ms of the server's CPU each,"
                f" {(after - before) / took:.2f} of a core; {memory:.0f} MB;"
                f" load of the machine {load:.1f} to {os.getloadavg()[0]:.1f};"
                f" a process that only sleeps woke up late by {late[0]} ms (P50), {late[1]} (P95), {late[2]} (P99);"
                f" the host took {100 * host / max(everything, 1):.1f} % of its time"
            )
            print("| what | times | P50 ms | P95 | P99 | most |\n| --- | --- | --- | --- | --- | --- |")
            for what, found in times.items():
                print(f"| {what} | {told(found)} |", flush=True)


def main() -> int:
    """Start a server, measure, stop the server."""
    people, think_s, waves = [float(word) for word in (*sys.argv[1:], "100", "10", "1")[:3]]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "polyclinic", "web", "--store", f"{folder}/s.db", "--port", "0"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            url = server.stdout.readline().removeprefix("open ").partition("/?")[0]
            token = (Path(folder) / "web-token").read_text(encoding="ascii")
            asyncio.run(measure(url, token, server.pid, int(people), think_s, int(waves)))
        finally:
            server.terminate()
            server.wait(20)
    return 0


if __name__ == "__main__":
    sys.exit(main())
