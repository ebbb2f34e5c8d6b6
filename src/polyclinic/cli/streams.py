"""Standard streams that may be closed, full or gone: output that cannot be written never stops the work.

The log has warnings as plain lines by default; with --log, one line of text or JSON for each event.
"""

from __future__ import annotations

import io
import logging
import os
import sys
from contextlib import suppress
from datetime import UTC, datetime
from typing import Literal

import orjson

STANDARD = (0, 1, 2)


class _Forgiving(io.FileIO):
    """A file whose writes never fail: a terminal may be gone, a disk full."""

    def write(self, data: object) -> int:
        """Write the data; if that fails, ignore it."""
        try:
            return super().write(data)  # type: ignore[arg-type]
        except OSError:
            return len(memoryview(data))  # type: ignore[arg-type]


def steady_streams() -> None:
    """Make standard streams safe to use; called once, before anything is opened.

    A closed stream becomes the null device. Otherwise the next file that is opened (the store) would get the stream's
    file descriptor. What a library prints to standard error would then be written into that file.
    """
    for number in STANDARD:
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free file descriptor, which is this one
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w", closefd=False)), encoding="utf-8")
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    raw = io.BufferedWriter(_Forgiving(2, "w", closefd=False))
    sys.stderr = io.TextIOWrapper(raw, encoding=encoding, errors="backslashreplace", line_buffering=True)


def give_up_output() -> None:
    """Discard what is left in the buffer of a failed standard output, so that the exit does not fail too."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


LogForm = Literal["text", "json"]


class JsonLines(logging.Formatter):
    """One JSON object per line: time, level, logger, message, and the event's fields if it has any."""

    def format(self, record: logging.LogRecord) -> str:
        """The JSON line for one log record."""
        fields = getattr(record, "fields", None)
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            **(fields or {"message": record.getMessage()}),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return orjson.dumps(line, default=str).decode()


def configure(form: LogForm | None, level: str) -> None:
    """Send the log to standard error in this format. Without a format, Python's default stays: warnings as plain lines.

    A library that turns all logs on when it is imported must not turn on ours.
    """
    if form is None:
        logging.getLogger("polyclinic").setLevel(logging.WARNING)
        return
    handler = logging.StreamHandler(sys.stderr)
    plain = logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s")
    handler.setFormatter(JsonLines() if form == "json" else plain)
    root = logging.getLogger("polyclinic")
    root.handlers, root.propagate = [handler], False
    root.setLevel(level.upper())
