"""The counselling service under load: how long people wait, and whether the service still answers others meanwhile.

python -m benchmarks.counsel_load [--sessions 1 8 32] [--turns 4]     prints a table of benchmarks/results/counsel.md

The service is a process of its own. People send one message after the other, without a pause, so this is more than the
same number of people would cause who read and type. Meanwhile `/health` is asked every 50 ms by another thread. Its
longest answer shows how long the event loop was blocked.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import threading
import time
from pathlib import Path

import httpx

from polyclinic.testing.serving import TOKEN, ServedProcess

SHORT = {
    "en": (
        "My husband keeps asking how I am and I never know what to say to him ({}).",
        "Does morphine shorten life, or is that only a rumour on ward {}?",
        "I slept badly, perhaps {} hours, and the food has no taste any more.",
        "What matters most to me is my garden and the {} roses in it.",
    ),
    "ko": (
        "남편이 자꾸 괜찮냐고 묻는데 뭐라고 해야 할지 모르겠어요 ({}번째예요).",
        "모르핀을 쓰면 빨리 죽는다는 말이 {}호 병실에서 돌던데 정말인가요?",
        "밤에 {}시간밖에 못 잤고 밥맛도 없어요.",
        "저한테 제일 중요한 건 마당에 심은 장미 {}그루예요.",
    ),
}
LONG_CHARS = 3_600
BEHIND_S, OTHERS = 0.5, 8
"""A short message comes so many seconds after so many long ones."""
QUIET = "import logging; logging.disable(logging.CRITICAL)"
FREE = (
    "from polyclinic.web.sessions import limits as l; "
    "l.ServiceLimits.__init__.__defaults__ = (1e9, 1e9, 1e9, 1e9, *l.ServiceLimits.__init__.__defaults__[4:])"
)


def message(lang: str, long: bool, number: int) -> str:
    """A message that nobody has sent before, so that nothing about it is known."""
    lines = SHORT[lang]
    if not long:
        return lines[number % len(lines)].format(number)
    parts = (lines[(number + at) % len(lines)].format(f"{number}-{at}") for at in range(LONG_CHARS))
    text = ""
    while len(text) < LONG_CHARS:
        text += f"{next(parts)} "
    return text.strip()


class Watch(threading.Thread):
    """Asks for the service's health every 50 ms, and keeps how long each answer took."""

    def __init__(self, address: str) -> None:
        super().__init__(daemon=True)
        self._address, self._over, self.waits = address, threading.Event(), list[float]()

    def run(self) -> None:
        """Ask until the end."""
        with httpx.Client(timeout=120) as client:
            while not self._over.wait(0.05):
                began = time.perf_counter()
                client.get(f"{self._address}/health").raise_for_status()
                self.waits.append(time.perf_counter() - began)

    def end(self) -> list[float]:
        """Stop, and return what was measured."""
        self._over.set()
        self.join()
        return self.waits


async def talk(client: httpx.AsyncClient, lang: str, long: bool, number: int, turns: int) -> list[float]:
    """One visitor: how long each answer took, in seconds."""
    waits, service = list[float](), {"Authorization": f"Bearer {TOKEN}"}
    made = (await client.post("/v1/sessions", json={"lang": lang}, headers=service)).json()
    mine = {"Authorization": f"Bearer {made['token']}"}
    for turn in range(turns):
        words = {"text": message(lang, long, number + turn)}
        began = time.perf_counter()
        answer = await client.post(f"/v1/sessions/{made['id']}/say", json=words, headers=mine)
        answer.raise_for_status()
        waits.append(time.perf_counter() - began)
    return waits


async def load(address: str, lang: str, long: bool, sessions: int, turns: int) -> list[float]:
    """How long each answer took when all visitors talk at once, in seconds."""
    async with httpx.AsyncClient(base_url=address, timeout=300) as client:
        numbers = [1_000 * sessions + 10 * visitor for visitor in range(sessions)]
        waits = await asyncio.gather(*(talk(client, lang, long, number, turns) for number in numbers))
    return [wait for theirs in waits for wait in theirs]


async def behind(address: str, lang: str, others: int, turns: int) -> list[float]:
    """How long each short answer took while other visitors had just sent long messages, in seconds."""
    async with httpx.AsyncClient(base_url=address, timeout=300) as client:
        numbers = [50_000 + 10 * visitor for visitor in range(others)]
        long = [asyncio.create_task(talk(client, lang, True, number, 1)) for number in numbers]
        await asyncio.sleep(BEHIND_S)
        waits = await talk(client, lang, False, 60_000, turns)
        await asyncio.gather(*long)
    return waits


def row(address: str, lang: str, long: bool, sessions: int, turns: int) -> list[object]:
    """One row of the table."""
    watch = Watch(address)
    watch.start()
    began = time.perf_counter()
    waits = asyncio.run(load(address, lang, long, sessions, turns))
    took = time.perf_counter() - began
    size = "long" if long else "short"
    return [lang, size, sessions, len(waits), *_ms(waits), f"{len(waits) / took:.1f}", *_ms(watch.end())]


def _ms(waits: list[float]) -> list[int]:
    """The median, the 95th percentile and the longest, in milliseconds."""
    ordered = sorted(waits)
    return [round(1_000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]) for share in (0.5, 0.95, 1.0)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, nargs="+", default=[1, 8, 32])
    parser.add_argument("--turns", type=int, default=4)
    chosen = parser.parse_args()
    head = ["language", "messages", "sessions", "answers", "P50 (ms)", "P95", "longest", "answers/s"]
    print(f"| {' | '.join([*head, 'health: P50 (ms)', 'P95', 'longest'])} |")
    print("| --- " * (len(head) + 3) + "|")
    with tempfile.TemporaryDirectory() as folder:
        server = ServedProcess("counsel", Path(folder), "--set", "country=GB", before=f"{QUIET}; {FREE}")
        try:
            for lang in SHORT:
                row(server.address, lang, False, 2, len(SHORT[lang]))  # loads what is loaded at first use
                for sessions in chosen.sessions:
                    cells = row(server.address, lang, False, sessions, chosen.turns)
                    print(f"| {' | '.join(map(str, cells))} |", flush=True)
                for sessions in chosen.sessions[:2]:
                    cells = row(server.address, lang, True, sessions, 1)
                    print(f"| {' | '.join(map(str, cells))} |", flush=True)
                waits = _ms(asyncio.run(behind(server.address, lang, OTHERS, chosen.turns)))
                print(f"{lang}: short messages behind {OTHERS} long ones: P50, P95, longest (ms): {waits}", flush=True)
        finally:
            server.end()


if __name__ == "__main__":
    main()
