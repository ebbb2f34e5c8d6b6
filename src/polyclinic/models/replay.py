"""A recorded run as the model: each request is answered as it was then; one it never saw is a clear failure."""

from __future__ import annotations

from collections.abc import Callable

from polyclinic.core.model import Completion, ModelKind, Request
from polyclinic.errors import ModelError

Lookup = Callable[[str, int], Completion | None]


class ReplayModel:
    """Answers from a recording, by the request's key and how often this episode has asked it."""

    kind: ModelKind = "replay"

    def __init__(self, run: str, lookup: Lookup) -> None:
        self._run, self._lookup = run, lookup

    @property
    def name(self) -> str:
        """`replay:RUN`."""
        return f"replay:{self._run}"

    async def answer(self, request: Request) -> Completion:
        """What was recorded."""
        found = self._lookup(request.key, request.occurrence)
        if found is None:
            raise ModelError(
                f"the recording {self._run} has no answer to {request.prompt.prompt_name()} as {request.role}"
                f" (request {request.key[:12]}, occurrence {request.occurrence}): replay with the same clinic, variant,"
                " scenarios and seed, or choose another model for this role"
            )
        return found
