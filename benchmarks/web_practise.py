"""Many people practise at once: how long an answer takes, by the server's own clock.

``python benchmarks/web_practise.py 100 5`` starts `polyclinic web`, lets so many people each give so many answers in
several clinics, and prints percentiles. Understudies play the others.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx

PARTS = (("patient", "doctor"), ("counsel", "patient"), ("duty", "doctor"), ("demo", "caller"))
WORDS = ("Where does it hurt?", "Since when?", "Do you smoke?", "Do you take any medicine?", "How do you sleep?")


async def person(client: httpx.AsyncClient, number: int, answers: int, times: list[float], pause_s: float) -> None:
    """One person, who thinks before each answer."""
    clinic, part = PARTS[number % len(PARTS)]
    body = {"clinic": clinic, "part": part, "seed": number, "who": f"person {number}"}
    run = (await client.post("/api/practise", json=body)).json()["id"]
    for turn in range(answers):
        found = (await client.get(f"/api/practise/{run}")).json()
        asked = found["standing"]["asked"]
        if asked is None:
            return
        await asyncio.sleep(pause_s * (0.5 + (number * 7 + turn * 3) % 10 / 10))
        given = {"values": {"says": "I see.", "understood": False}} if asked["rows"] else {"text": WORDS[turn % 5]}
        began = time.monotonic()
        answer = await client.post(f"/api/practise/{run}/answer", json={"question": asked["key"], **given})
        times.append(time.monotonic() - began)
        assert answer.status_code == 200, answer.text


async def measure(url: str, token: str, people: int, answers: int, pause_s: float) -> None:
    """All of them at once."""
    times: list[float] = []
    limits = httpx.Limits(max_connections=people)
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=url, headers=headers, timeout=120, limits=limits) as client:
        await person(client, 0, 1, [], 0)  # readers and weights are loaded once
        began = time.monotonic()
        await asyncio.gather(*(person(client, number, answers, times, pause_s) for number in range(people)))
    times.sort()
    at = [times[min(len(times) - 1, int(len(times) * share))] * 1000 for share in (0.5, 0.95, 0.99)]
    took = time.monotonic() - began
    told = f"P50 {at[0]:.0f}, P95 {at[1]:.0f}, P99 {at[2]:.0f} ms"
    print(f"{people} people, {len(times)} answers in {took:.1f} s: {told}")


def main() -> int:
    """Start a server, measure, stop it."""
    people, answers, pause_s = [float(word) for word in (*sys.argv[1:], "100", "5", "8")[:3]]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "polyclinic", "web", "--store", f"{folder}/s.db", "--port", "0"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            url = server.stdout.readline().removeprefix("open ").partition("/?")[0]
            token = (Path(folder) / "web-token").read_text(encoding="ascii")
            asyncio.run(measure(url, token, int(people), int(answers), pause_s))
            memory = Path(f"/proc/{server.pid}/status").read_text(encoding="ascii")
            print(next(line for line in memory.splitlines() if line.startswith("VmRSS")))
        finally:
            server.terminate()
            server.wait(20)
    return 0


if __name__ == "__main__":
    sys.exit(main())
