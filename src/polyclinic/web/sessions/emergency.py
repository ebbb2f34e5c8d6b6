"""When the software of a session fails: people are informed in every way that still works, and no failure is silent.

A case goes into the clinic's first queue. If it cannot be stored, it goes into an emergency file beside the store, or
else into the system's temporary folder. It is always logged. Each way is tried separately, so that no fault in one
stops another. What is in a file goes into the queue as soon as the store can be written to.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import re
import stat
import tempfile
import zlib
from pathlib import Path
from typing import Any

import orjson
from pydantic import Field

from polyclinic.core.journal import Journal
from polyclinic.core.message import Frozen
from polyclinic.store.journal import now_ms
from polyclinic.web.sessions.lost import LOST, Lost

_LOG = logging.getLogger(__name__)
QUEUE_S = 5.0


class Emergency(Frozen):
    """One fault that people must know about: the session, what was said, and the error."""

    session: str
    words: str
    fault: str
    at_ms: int
    lost: Lost = Field(default_factory=Lost)

    @property
    def key(self) -> str:
        """The key of this fault among the cases of its session."""
        return f"fault-{self.at_ms}"

    def body(self) -> dict[str, Any]:
        """The content of the case in the queue."""
        told = {"reason": f"the service failed: {self.fault}", "words": self.words, "utterance": self.words}
        return {**told, LOST: self.lost.model_dump()}


class Telling:
    """Informs people in several ways: queue, file and log."""

    def __init__(self, journal: Journal, queue: str, store: str) -> None:
        self._journal, self.queue = journal, queue
        self.files = emergency_files(store)
        self.last_ms = 0
        self._last_key_ms = 0
        self.unstored: dict[str, Emergency] = {}

    async def tell(self, session: str, words: str, fault: str, lost: Lost | None = None) -> tuple[str, ...]:
        """Inform people. Returns the ways that worked; the log always does."""
        self.last_ms = now_ms()
        self._last_key_ms = max(self._last_key_ms + 1, self.last_ms)  # keys differ
        case = Emergency(
            session=session,
            words=clean(words)[:4_000],
            fault=clean(fault)[:500],
            at_ms=self._last_key_ms,
            lost=lost or Lost(),
        )
        ways = []
        if self.queue and await self._post(case):
            ways.append("queue")
        else:
            self.unstored[f"{case.session} {case.key}"] = case
            ways += ["file"] if append_line(self.files, case.model_dump()) else []
        _LOG.critical(
            "EMERGENCY in session %s: %s (reported by: %s)", session, fault, ", ".join(ways) or "this log alone"
        )
        return (*ways, "log")

    async def bring_in(self) -> bool:
        """Put emergencies that could not be stored into the queue. A file is renamed once the store has all of it.

        Returns whether nothing is left. A case that is added twice is stored once. A file that cannot be moved stays
        where it is, and keeps nothing else back.
        """
        if not self.queue:
            return not self.unstored
        for key, case in list(self.unstored.items()):
            if not await self._post(case):
                return False
            del self.unstored[key]
        return all([await self._bring_in(path) for path in self.files])

    async def _bring_in(self, path: Path) -> bool:
        moving = path.with_name(f"{path.name}.moving")  # lines written meanwhile go into a new file
        try:
            if not moving.exists() and _is_there(path):
                path.rename(moving)
        except OSError:  # its folder is read-only
            moving = path
        try:
            for case in read_emergencies(moving):
                if not await self._post(case):
                    return False
            if _is_there(moving):
                moving.rename(path.with_name(f"{path.name}.in-queue-{now_ms()}"))
        except OSError:
            _LOG.exception("%s could not be renamed or read", path)
            return False
        return True

    async def _post(self, case: Emergency) -> bool:
        try:
            async with asyncio.timeout(QUEUE_S):
                await self._journal.post(case.session, self.queue, case.key, case.body())
        except Exception:
            _LOG.exception("the emergency of session %s could not be put into the queue", case.session)
            return False
        return True


def clean(text: str) -> str:
    """The text without characters that files and databases cannot store, such as half a surrogate pair."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")


def append_line(paths: tuple[Path, ...], line: dict[str, Any]) -> bool:
    """Add one line to the first of these files that can be written, readable only by its owner.

    Returns whether it worked.
    """
    for path in paths:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
            with os.fdopen(os.open(path, flags, 0o600), "a+b") as file:
                if not _ours(os.fstat(file.fileno())):
                    raise PermissionError(f"{path} belongs to somebody else")
                file.seek(-1 if file.tell() else 0, os.SEEK_END)
                cut_off = file.read(1) not in (b"", b"\n")  # the line before, on a full disk
                file.write((b"\n" if cut_off else b"") + orjson.dumps(line) + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except (OSError, TypeError):
            _LOG.exception("%s could not be written", path)
            continue
        return True
    return False


def _ours(found: os.stat_result) -> bool:
    """Whether this is a file of our own. In the system's temporary folder, anybody may have made it."""
    return stat.S_ISREG(found.st_mode) and (not hasattr(os, "getuid") or found.st_uid == os.getuid())


def _is_there(path: Path) -> bool:
    """Whether there is such a file of our own, and no link to one."""
    try:
        return _ours(path.lstat())
    except OSError:
        return False


def emergency_files(store: str, kind: str = "emergency") -> tuple[Path, ...]:
    """The files for lines that cannot be stored, best place first. No two stores share a file."""
    local = Path(store.removeprefix("sqlite:///")) if "://" not in store.removeprefix("sqlite:///") else None
    beside = [local.parent / f"{local.name}.{kind}.jsonl"] if local is not None and local.name else []
    whose = hashlib.sha256(str(local.absolute() if local is not None else store).encode()).hexdigest()[:12]
    name = f"polyclinic-{kind}-{whose}.jsonl"
    return (*beside, Path(".polyclinic") / name, Path(tempfile.gettempdir()) / name)


def read_emergencies(path: Path) -> list[Emergency]:
    """The emergencies in one file. A line that is cut off in the middle is an emergency with what is left of it."""
    lines = path.read_bytes().split(b"\n") if _is_there(path) else []
    return [_read_line(number, line, path) for number, line in enumerate(lines, 1) if line.strip()]


def _read_line(number: int, line: bytes, path: Path) -> Emergency:
    try:
        return Emergency.model_validate_json(line)
    except ValueError:
        _LOG.critical("line %s of %s cannot be read: check the file", number, path)
    text = line.decode("utf-8", "replace")
    session = re.match(r'{"session":"([0-9a-f]+)"', text)
    what = f"line {number} of {path} cannot be read, and this is all that is left of it"
    number_of_its_own = zlib.crc32(line)  # the same each time the line is read
    left = clean(text)[:4_000]
    return Emergency(session=session[1] if session else "", words=left, fault=what, at_ms=number_of_its_own)
