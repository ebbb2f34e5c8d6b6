"""What goes to the log: warnings as plain lines by default; with --log, one line of text or JSON for each event."""

from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime
from typing import Literal

import orjson

Form = Literal["text", "json"]


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


def configure(form: Form | None, level: str) -> None:
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
