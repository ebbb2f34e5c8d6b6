"""Kill the counselling service with SIGKILL while it handles a message, and start it again with another cast.

python -m benchmarks.counsel_kills [--share 0.1]     prints the second table of benchmarks/results/counsel.md

A cell is one session on a service whose models answer over HTTP after a while. The service is killed some time after a
message was sent. After the next start, the session and every case must still exist. A message that was stored is
answered; if it showed danger, with the fixed message and a case. A message that was not stored is answered when it is
sent again.
"""

from __future__ import annotations

import argparse
import itertools
import logging
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from benchmarks.counsel_faults import DANGER, START, STEPS, TALK, evenly
from polyclinic.clinics.counsel.rules.messages import escalation_message
from polyclinic.testing.serving import TOKEN, ServedProcess

SERVICE = {"Authorization": f"Bearer {TOKEN}"}
DELAYS_S = (0.0, 0.02, 0.1, 0.3, 0.8)
WAIT_S = 30.0


class Kill(NamedTuple):
    """When the service is killed: at which message, and how long after it was sent."""

    step: str
    delay_s: float
    lang: str


class After(NamedTuple):
    """The state after the next start. `kept`: the message was in the journal.

    `answered`: now, or when it was sent again.
    """

    kill: Kill
    heard_before: bool
    session: bool
    cases: bool
    kept: bool
    answered: bool

    @property
    def silent(self) -> bool:
        """Whether the session, a case or the answer was lost."""
        return not (self.session and self.cases and self.answered)


KILLS = tuple(Kill(*row) for row in itertools.product([step for step in STEPS if step != START], DELAYS_S, TALK))


@contextmanager
def slow_models() -> Iterator[str]:
    """An endpoint whose answers take a while, so that a kill comes in the middle of a message."""
    command = [sys.executable, "-m", "polyclinic.testing.fault_server", "--latency-s", "0.1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip().split()[-1]
        finally:
            server.kill()


class Killing:
    """A service that is killed and started again, each time with the other cast."""

    def __init__(self, folder: Path, models: str) -> None:
        slow = f"counsellor={models}:any,keeper={models}:any,planner=understudy,all=understudy"
        self._folder, self._casts = folder, itertools.cycle([slow, "all=understudy"])
        self._client = httpx.Client(timeout=60)
        self._service = self._start()

    def _start(self) -> ServedProcess:
        return ServedProcess("counsel", self._folder, "--cast", next(self._casts), "--set", "country=GB")

    def end(self) -> None:
        """Stop the service in the regular way."""
        self._service.end()
        self._client.close()

    def run(self, kill: Kill) -> After:
        """One session and one kill."""
        made = self._post("/v1/sessions", {"lang": kill.lang}, SERVICE).json()
        url, mine = f"/v1/sessions/{made['id']}", {"Authorization": f"Bearer {made['token']}"}
        for step in STEPS[1 : STEPS.index(kill.step)]:
            self._post(f"{url}/say", {"text": TALK[kill.lang][step]}, mine)
        cases, number = self._cases(made["id"]), len(self._get(f"{url}/heard", mine).json())
        heard_before = self._kill(f"{url}/say", {"text": TALK[kill.lang][kill.step]}, mine, kill.delay_s)
        self._service = self._start()
        state = self._get(url, mine)
        if state.status_code != 200:
            return After(kill, heard_before, False, False, False, False)
        said = self._get(f"{url}/heard", mine).json()[number:]
        kept = bool(said)
        if not kept:
            said = self._post(f"{url}/say", {"text": TALK[kill.lang][kill.step]}, mine).json().get("said", [])
        answered = self._answered(kill, url, mine, number, said)
        return After(kill, heard_before, True, cases <= self._cases(made["id"]), kept, answered)

    def _answered(self, kill: Kill, url: str, mine: dict[str, str], number: int, said: list[dict[str, Any]]) -> bool:
        lang: Any = kill.lang
        late = time.monotonic() + WAIT_S
        while time.monotonic() < late:
            texts = [line["text"] for line in said if line["speaker"] != "patient"]
            control = self._get(url, mine).json()["control"]
            if kill.step == DANGER and escalation_message(lang, "GB") in texts:
                return control == "escalated" and bool(self._cases(url.rpartition("/")[2]))
            if kill.step != DANGER and (texts or control == "escalated"):
                return True
            time.sleep(0.1)
            said = self._get(f"{url}/heard", mine).json()[number:]
        return False

    def _kill(self, path: str, body: dict[str, str], head: dict[str, str], delay_s: float) -> bool:
        """Send, wait, kill; return whether the answer came before the kill."""
        with ThreadPoolExecutor(1) as pool:
            sent = pool.submit(self._post, path, body, head)
            time.sleep(delay_s)
            self._service.end(signal.SIGKILL)
            try:
                return sent.result().status_code == 200
            except httpx.HTTPError:
                return False

    def _cases(self, session: str) -> set[str]:
        """The cases of a session, read directly from the store, which works while the service is down."""
        with sqlite3.connect(f"file:{self._folder / 's.db'}?mode=ro", uri=True) as store:
            return {row[0] for row in store.execute("SELECT queue || key FROM posts WHERE episode = ?", (session,))}

    def _post(self, path: str, body: dict[str, str], head: dict[str, str]) -> httpx.Response:
        return self._client.post(f"{self._service.address}{path}", json=body, headers=head)

    def _get(self, path: str, head: dict[str, str]) -> httpx.Response:
        return self._client.get(f"{self._service.address}{path}", headers=head)


def kills(chosen: tuple[Kill, ...], folder: Path) -> list[After]:
    """The result of each kill."""
    with slow_models() as models:
        killing = Killing(folder, models)
        try:
            return [killing.run(kill) for kill in chosen]
        finally:
            killing.end()


def table(found: list[After]) -> str:
    """One row for each step."""
    names = ("kills", "answered before", "session there", "cases there", "message kept", "sent again", "silent")
    lines = [f"| step | {' | '.join(names)} |", "| --- " * (len(names) + 1) + "|"]
    for step, group in itertools.groupby(found, key=lambda one: one.kill.step):
        counts: Counter[str] = Counter()
        for one in group:
            values = (True, one.heard_before, one.session, one.cases, one.kept, not one.kept, one.silent)
            counts.update(name for name, value in zip(names, values, strict=True) if value)
        lines.append(f"| {step} | " + " | ".join(str(counts[name]) for name in names) + " |")
    return "\n".join(lines)


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    options.add_argument("--share", type=float, default=1.0, help="the share of the kills to run, 0 to 1")
    given = options.parse_args()
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        found = kills(tuple(evenly(KILLS, given.share)), Path(folder))
    print(f"{len(found)} kills, {sum(one.silent for one in found)} silent\n\n{table(found)}")


if __name__ == "__main__":
    main()
