"""Progress of a long run: one line that updates itself on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from shutil import get_terminal_size
from typing import Protocol, TextIO

from polyclinic.core.execute import EpisodeResult
from polyclinic.core.model import NANO, Usage
from polyclinic.core.transcript import Called
from polyclinic.runner.execute.reasons import shortened

LINE_EVERY_S = 10.0
DRAW_EVERY_S = 0.1
BAR_WIDTH = 20


class Progress(Protocol):
    """Receives the progress of a run."""

    def start(self, total: int, finished: int) -> None:
        """The run starts with this many episodes; `finished` of them have already ended."""
        ...

    def watch(self, retries: Callable[[], int]) -> None:
        """Give a function that returns how many attempts at a call failed and were retried."""
        ...

    def unreached(self, why: str) -> None:
        """An endpoint was not reached; it is asked again."""
        ...

    def ended(self, result: EpisodeResult) -> None:
        """One more episode has ended."""
        ...

    def told(self) -> Sequence[str]:
        """The reasons that it has shown in full."""
        ...

    def close(self) -> None:
        """The run is over."""
        ...


class Silent:
    """Shows nothing."""

    def start(self, total: int, finished: int) -> None:
        """Nothing to show."""

    def watch(self, retries: Callable[[], int]) -> None:
        """Nothing to show."""

    def unreached(self, why: str) -> None:
        """Nothing to show."""

    def ended(self, result: EpisodeResult) -> None:
        """Nothing to show."""

    def told(self) -> Sequence[str]:
        """No reason was shown."""
        return ()

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
    """Progress as text: a bar on a terminal, a line now and then in a log.

    It shows what is done and left, the remaining time, tokens and cost so far, how often a call was retried, and the
    failures by owner.
    """

    def __init__(self, out: TextIO) -> None:
        self._out, self._live = out, out.isatty()
        self.total = self.before = self.done = 0
        self.failed: Counter[str] = Counter()
        self.used = Usage()
        self.asked_again = 0
        self._retries: Callable[[], int] = lambda: 0
        self._told: list[str] = []
        self._failure_seen = False
        self._began = self._drawn = time.monotonic()

    def start(self, total: int, finished: int) -> None:
        """Remember the start: episodes that were finished earlier do not count for the pace."""
        self.total, self.before = total, finished
        self._began = self._drawn = time.monotonic()
        self._draw(force=True)

    def watch(self, retries: Callable[[], int]) -> None:
        """Remember the function that counts failed attempts; it is called whenever a line is drawn."""
        self._retries = retries

    def unreached(self, why: str) -> None:
        """Say once why nothing happens: an endpoint is asked up to eight times, which takes half a minute."""
        if not self._told:
            self._tell("not reached yet, trying again: ", why)

    def ended(self, result: EpisodeResult) -> None:
        """Count one more episode."""
        if result.status == "done":
            self.done += 1
        else:
            self.failed[result.failures[-1].owner if result.failures else "engine"] += 1
            self._tell_first_reason(result)
        self.asked_again += sum(call.attempt > 0 for call in result.transcript.of(Called))
        for usage in result.usage.values():
            self.used = self.used + usage
        self._draw()

    def _tell_first_reason(self, result: EpisodeResult) -> None:
        """Say why the first episode failed as soon as it does: a server that is not there need not fail them all."""
        if self._failure_seen or not result.failures:
            return
        self._failure_seen = True
        owner, error = result.failures[-1].owner, result.failures[-1].error
        if not any(each in error for each in self._told):
            self._tell(f"the first failure: {owner}: ", shortened(error))

    def _tell(self, head: str, why: str) -> None:
        start = "\r\x1b[K" if self._live else ""
        self._out.write(f"{start}{head}{why}\n")
        self._told.append(why)
        self._draw(force=self._live)

    def told(self) -> Sequence[str]:
        """The reasons that stand in full above the bar or between the lines."""
        return tuple(self._told)

    def close(self) -> None:
        """Print the final state and end the line."""
        self._draw(force=True)
        if self._live:
            self._out.write("\n")
        self._out.flush()

    def line(self) -> str:
        """The state as text."""
        tokens = self.used.input_tokens + self.used.output_tokens
        said = f"{'~' if self.used.estimated else ''}{tokens:,} tokens"
        return ", ".join([*self._counts(), *self._to_go("about {} to go"), said, *self._spent("tried again")])

    def _brief(self) -> str:
        """The state without the tokens."""
        return ", ".join([*self._counts(), *self._to_go("{} to go"), *self._spent("tried again")])

    def _short(self) -> str:
        """The state for a narrow terminal: ✗ stands before the failures."""
        failed = [f"✗ {self._owners()}"] if self.failed else []
        return " ".join([self._ended(), *self._to_go("{}", parts=2), *self._spent("again", digits=2), *failed])

    def _shortest(self) -> str:
        """The same with the failures only counted."""
        failed = [f"✗ {self.failed.total()}"] if self.failed else []
        return " ".join([self._ended(), *failed, *self._to_go("{}", parts=2), *self._spent("again", digits=2)])

    def _ended(self) -> str:
        return f"{self.before + self.done + self.failed.total()}/{self.total}"

    def _counts(self) -> list[str]:
        return [f"{self.before + self.done} done", self._failures(), f"{self._left()} left"]

    def _left(self) -> int:
        return self.total - self.before - self.done - self.failed.total()

    def _to_go(self, words: str, parts: int = 4) -> list[str]:
        """The remaining time; with two parts, in its largest unit."""
        ended, left = self.done + self.failed.total(), self._left()
        if not (ended and left):
            return []
        time_left = span((time.monotonic() - self._began) / ended * left)
        return [words.format(" ".join(time_left.split()[:parts]))]

    def _spent(self, again: str, digits: int = 4) -> list[str]:
        """The cost and the retries."""
        retries = self._retries() + self.asked_again
        cost = [f"${self.used.cost_nano_usd / NANO:.{digits}f}"] if self.used.cost_nano_usd else []
        return [*cost, *([f"{retries} {again}"] if retries else [])]

    def bar(self, cells: int = BAR_WIDTH) -> str:
        """A progress bar as text."""
        share = (self.before + self.done + self.failed.total()) / self.total if self.total else 1.0
        full = int(share * cells)
        return f"{'█' * full}{'░' * (cells - full)} {share:4.0%}"

    def _owners(self) -> str:
        return ", ".join(f"{owner} {count}" for owner, count in sorted(self.failed.items()))

    def _failures(self) -> str:
        return f"{self.failed.total()} failed{f' ({self._owners()})' if self.failed else ''}"

    def _draw(self, force: bool = False) -> None:
        now = time.monotonic()
        if not force and now - self._drawn < (DRAW_EVERY_S if self._live else LINE_EVERY_S):
            return
        self._drawn = now
        self._out.write(f"\r\x1b[K{self._fitting()}" if self._live else f"{self.line()}\n")
        self._out.flush()

    def _fitting(self) -> str:
        """One row of the terminal: a row that wraps could not be overwritten. In a narrow one, the tokens go first,
        then most of the bar, then long words: the remaining time, the cost, the retries and the failures stay.
        """
        width, short = get_terminal_size().columns - 1, BAR_WIDTH // 4
        ways = (
            *((cells, words) for words in (self.line(), self._brief()) for cells in (BAR_WIDTH, BAR_WIDTH // 2, short)),
            *((cells, words) for words in (self._short(), self._shortest()) for cells in (short, 0)),
        )
        for cells, words in ways:
            row = f"{self.bar(cells)}  {words}" if cells else words
            if len(row) <= width:
                return row
        return self._shortest()[:width]
