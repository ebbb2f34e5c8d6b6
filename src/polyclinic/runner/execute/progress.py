"""Progress of a long run: one line that updates itself on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from typing import Protocol, TextIO

from polyclinic.core.execute import EpisodeResult
from polyclinic.core.model import NANO, Usage

LINE_EVERY_S = 10.0
DRAW_EVERY_S = 0.1


class Progress(Protocol):
    """Is told about every episode that ends."""

    def start(self, total: int, finished: int) -> None:
        """The run starts with this many episodes, of which some are already finished."""
        ...

    def ended(self, result: EpisodeResult) -> None:
        """One more has ended."""
        ...

    def close(self) -> None:
        """The run is over."""
        ...


class Silent:
    """Shows nothing."""

    def start(self, total: int, finished: int) -> None:
        """Nothing to show."""

    def ended(self, result: EpisodeResult) -> None:
        """Nothing to show."""

    def close(self) -> None:
        """Nothing to show."""


def span(seconds: float) -> str:
    """A duration in words: 8 s, 3 min 20 s, 2 h 5 min."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


class Ticker:
    """Progress as text: done, failed, left, time to go, tokens and cost so far."""

    def __init__(self, out: TextIO) -> None:
        self._out, self._live = out, out.isatty()
        self.total = self.before = self.done = self.failed = 0
        self.used = Usage()
        self._began = self._drawn = time.monotonic()

    def start(self, total: int, finished: int) -> None:
        """Remember where we begin: what was finished earlier does not count for the pace."""
        self.total, self.before = total, finished
        self._began = time.monotonic()
        self._draw(force=True)

    def ended(self, result: EpisodeResult) -> None:
        """Count one more."""
        if result.status == "done":
            self.done += 1
        else:
            self.failed += 1
        for usage in result.usage.values():
            self.used = self.used + usage
        self._draw()

    def close(self) -> None:
        """Print the final state and end the line."""
        self._draw(force=True)
        if self._live:
            self._out.write("\n")
        self._out.flush()

    def line(self) -> str:
        """The state in words."""
        ended = self.done + self.failed
        left = self.total - self.before - ended
        parts = [f"{self.before + self.done} done", f"{self.failed} failed", f"{left} left"]
        elapsed = time.monotonic() - self._began
        if ended and left:
            parts.append(f"about {span(elapsed / ended * left)} to go")
        tokens = self.used.input_tokens + self.used.output_tokens
        parts.append(f"{'~' if self.used.estimated else ''}{tokens:,} tokens")
        if self.used.cost_nano_usd:
            parts.append(f"${self.used.cost_nano_usd / NANO:.4f}")
        return ", ".join(parts)

    def _draw(self, force: bool = False) -> None:
        now = time.monotonic()
        if not force and now - self._drawn < (DRAW_EVERY_S if self._live else LINE_EVERY_S):
            return
        self._drawn = now
        self._out.write(f"\r\x1b[K{self.line()}" if self._live else f"{self.line()}\n")
        self._out.flush()
