"""When a session's machinery breaks: people are told by every way that is left, and it is never silent.

A case goes into the clinic's first queue. Where the store does not take it, it goes into an emergency file beside the
store, else into the system's temporary folder; and it is always logged. Each way is tried by itself, so that no fault
in one stops another.
"""

from __future__ import annotations

import asyncio
import logging
import os
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from polyclinic.core.journal import Journal
from polyclinic.core.message import Frozen

_LOG = logging.getLogger(__name__)
QUEUE_S = 5.0


class Emergency(Frozen):
    """One fault that people must hear of: in which session, what was said, and what broke."""

    session: str
    words: str
    fault: str
    at_ms: int

    def body(self) -> dict[str, Any]:
        """As a case in the queue."""
        return {"reason": f"the service failed: {self.fault}", "words": self.words, "utterance": self.words}


class Telling:
    """The ways by which people are told."""

    def __init__(self, journal: Journal, queue: str, store: str) -> None:
        self._journal, self._queue = journal, queue
        self.files = emergency_files(store)
        self.last_ms = 0

    async def tell(self, session: str, words: str, fault: str) -> tuple[str, ...]:
        """Tell people; returns the ways that worked. The log always does."""
        self.last_ms = now_ms()
        case = Emergency(session=session, words=words[:4_000], fault=fault[:500], at_ms=self.last_ms)
        ways = []
        if self._queue and await self._post(case):
            ways.append("queue")
        elif self._write(case):
            ways.append("file")
        _LOG.critical("EMERGENCY in session %s: %s (told by: %s)", session, fault, ", ".join(ways) or "this log alone")
        return (*ways, "log")

    async def _post(self, case: Emergency) -> bool:
        try:
            async with asyncio.timeout(QUEUE_S):
                await self._journal.post(case.session, self._queue, f"fault-{case.at_ms}", case.body())
        except Exception:
            _LOG.exception("the queue did not take the emergency of session %s", case.session)
            return False
        return True

    def _write(self, case: Emergency) -> bool:
        for path in self.files:
            try:
                _append(path, orjson.dumps(case.model_dump()) + b"\n")
            except OSError:
                continue
            return True
        return False


def _append(path: Path, line: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(line)
        file.flush()
        os.fsync(file.fileno())


def emergency_files(store: str) -> tuple[Path, ...]:
    """Where emergencies are written, best place first."""
    name = "polyclinic-emergency.jsonl"
    local = Path(store.removeprefix("sqlite:///")) if "://" not in store.removeprefix("sqlite:///") else None
    beside = [local.parent / f"{local.name}.emergency.jsonl"] if local is not None and local.name else []
    return (*beside, Path(".polyclinic") / name, Path(tempfile.gettempdir()) / name)


def read_emergencies(store: str) -> list[Mapping[str, Any]]:
    """What was written there, for staff and for the next start."""
    found: list[Mapping[str, Any]] = []
    for path in emergency_files(store):
        if path.is_file():
            found += [orjson.loads(line) for line in path.read_bytes().splitlines() if line.strip()]
    return found


def now_ms() -> int:
    """Wall-clock time."""
    return time.time_ns() // 1_000_000
