"""Run commands that wait for each other, several at once, until the time is up."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

_LOOKS_EVERY = 0.2
State = Literal["waiting", "running", "done", "failed", "left out", "stopped"]


@dataclass(frozen=True)
class Job:
    """One command. `command` makes it when it starts, from the seconds that are left. It starts when all jobs in
    `needs` are done and those in `after` have ended, well or not. `memory` is what it takes of a GPU, in GB.
    """

    name: str
    command: Callable[[float], Sequence[str]]
    needs: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    memory: float = 0.0
    results: tuple[Path, ...] = ()


class Room(NamedTuple):
    """How many jobs run at once, and how much of a GPU's memory they take together."""

    jobs: int
    memory: float


class _Running(NamedTuple):
    process: subprocess.Popen[bytes]
    started: float


@dataclass
class Runner:
    """Jobs in a folder. A job that was done in an earlier run is not done again. `deliver` gets the results of each job
    as soon as it is done, and `say` hears what happens. With `only`, jobs of other names are left out.
    """

    jobs: Sequence[Job]
    folder: Path
    room: Room
    ends: float
    deliver: Callable[[Job], None]
    say: Callable[[str], None]
    only: frozenset[str] = frozenset()
    states: dict[str, State] = field(default_factory=dict)
    _running: dict[str, _Running] = field(default_factory=dict)

    def run(self) -> Mapping[str, State]:
        """Run all jobs. Returns how each ended."""
        for job in self.jobs:
            wanted: State = "waiting" if not self.only or job.name in self.only else "left out"
            self.states[job.name] = "done" if self._mark(job).exists() else wanted
        try:
            while "waiting" in self.states.values() or self._running:
                self._end_some()
                self._start_some()
                if time.monotonic() > self.ends:
                    break
                time.sleep(_LOOKS_EVERY)
        finally:
            self._stop()
        return self.states

    def _mark(self, job: Job) -> Path:
        return self.folder / f"{job.name}.done"

    def _start_some(self) -> None:
        for job in self.jobs:
            if self.states[job.name] != "waiting":
                continue
            needed = {self.states[name] for name in job.needs}
            if needed & {"failed", "left out", "stopped"}:
                self.states[job.name] = "left out"
                self.say(f"{job.name}: left out, because a job that it needs was not done")
            elif needed <= {"done"} and self._ended(job.after) and self._fits(job):
                self._start(job)

    def _ended(self, names: Sequence[str]) -> bool:
        return not any(self.states[name] in ("waiting", "running") for name in names)

    def _fits(self, job: Job) -> bool:
        taken = sum(other.memory for other in self.jobs if other.name in self._running)
        fits = not taken or taken + job.memory <= self.room.memory
        return len(self._running) < self.room.jobs and fits

    def _start(self, job: Job) -> None:
        command = list(job.command(self.ends - time.monotonic()))
        with (self.folder / f"{job.name}.log").open("ab") as log:
            process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        self._running[job.name] = _Running(process, time.monotonic())
        self.states[job.name] = "running"
        self.say(f"{job.name}: started")

    def _end_some(self) -> None:
        for job in self.jobs:
            if job.name not in self._running:
                continue
            process, started = self._running[job.name]
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
            if not ended:
                continue
            process.returncode = os.waitstatus_to_exitcode(status)
            del self._running[job.name]
            took = f"{time.monotonic() - started:.0f} s, {usage.ru_maxrss / 1024:.0f} MB of memory"
            if process.returncode:
                self.states[job.name] = "failed"
                self.say(f"{job.name}: failed after {took}\n{self._last_lines(job)}")
                continue
            self.states[job.name] = "done"
            self._mark(job).touch()
            self.say(f"{job.name}: done after {took}\n{self._last_lines(job)}")
            self.deliver(job)

    def _last_lines(self, job: Job, most: int = 12) -> str:
        lines = (self.folder / f"{job.name}.log").read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join(f"    {line}" for line in lines[-most:])

    def _stop(self) -> None:
        """End what still runs: the time is up."""
        for name, one in self._running.items():
            one.process.terminate()
            self.states[name] = "stopped"
            self.say(f"{name}: stopped, the time is up")
        for one in self._running.values():
            one.process.wait()
        self._running.clear()
