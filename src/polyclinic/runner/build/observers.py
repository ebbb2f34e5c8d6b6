"""Observers of the runs in this process: the log if it is switched on, and OpenTelemetry if the user asks for it."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from polyclinic.core.episode import EpisodeSpec
from polyclinic.core.execute import EpisodeResult
from polyclinic.core.extras import install_hint
from polyclinic.core.model import Completion, Model, Request, total
from polyclinic.core.observing import Observer, Seen
from polyclinic.errors import ConfigError

OTEL = "POLYCLINIC_OTEL"
_log = logging.getLogger("polyclinic.run")


def require_observers() -> None:
    """Refuse traces that are switched on but not installed, before a run is saved. They are opened to know: other
    packages bring parts of OpenTelemetry.
    """
    active_observers()


def _traced() -> bool:
    return os.environ.get(OTEL, "") not in ("", "0")


def active_observers() -> tuple[Observer, ...]:
    """The observers that are switched on: the log at its level, traces with POLYCLINIC_OTEL=1."""
    found: list[Observer] = [LogObserver()] if _log.isEnabledFor(logging.INFO) else []
    if _traced():
        try:
            from polyclinic.runner.build.telemetry import open_telemetry

            found.append(open_telemetry())
        except ImportError as error:
            raise ConfigError(f"{OTEL} needs the extra 'otel' ({error.name}): {install_hint('otel')}") from None
    return tuple(found)


class _Line:
    """Collects the fields of one line of the log."""

    def __init__(self, **fields: object) -> None:
        self.fields, self._began = fields, time.monotonic()

    def call_answered(self, completion: Completion) -> None:
        """Record that a call was answered."""
        used = completion.usage
        self.fields |= {"input_tokens": used.input_tokens, "output_tokens": used.output_tokens}

    def episode_ended(self, result: EpisodeResult) -> None:
        """Record that an episode ended."""
        used = total(list(result.usage.values()))
        self.fields |= {
            "status": result.status,
            "outcome": result.outcome,
            "calls": sum(result.calls.values()),
            "input_tokens": used.input_tokens,
            "output_tokens": used.output_tokens,
            "cost_nano_usd": used.cost_nano_usd,
        }

    @property
    def elapsed_ms(self) -> int:
        """Milliseconds since the start."""
        return round((time.monotonic() - self._began) * 1000)


class LogObserver:
    """Logs one line for each episode at level info, one for each call at level debug.

    What people say is never logged.
    """

    @contextmanager
    def episode(self, run: str, spec: EpisodeSpec) -> Iterator[Seen]:
        """Log one episode."""
        line = _Line(run=run, clinic=spec.clinic, episode=spec.id, variant=spec.variant)
        with _written(line, "episode", logging.INFO):
            yield line

    @contextmanager
    def call(self, request: Request, model: Model) -> Iterator[Seen]:
        """Log one call."""
        line = _Line(episode=request.episode, role=request.role, prompt=request.prompt.prompt_name(), model=model.name)
        with _written(line, "call", logging.DEBUG):
            yield line


@contextmanager
def _written(line: _Line, what: str, level: int) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        line.fields["error"] = type(error).__name__
        raise
    finally:
        fields = {"event": what, **line.fields, "elapsed_ms": line.elapsed_ms}
        _log.log(level, " ".join(f"{name}={value}" for name, value in fields.items()), extra={"fields": fields})
