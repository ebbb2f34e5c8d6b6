"""A recorded run as the model: each request is answered as it was then.

A request that was not recorded fails clearly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, cast

from polyclinic.core.model import Completion, ModelKind, Request, role_of
from polyclinic.errors import ModelError
from polyclinic.models.spec import parse_model

_Lookup = Callable[[str, int], Completion | None]


class Recording(NamedTuple):
    """A recorded run: its answers, and who played each role."""

    find: _Lookup
    players: Mapping[str, Mapping[str, str]]

    def player(self, role: str) -> tuple[ModelKind, bool]:
        """What sort of player had a role, and whether it was trained on the clinic's rows."""
        kept = self.players.get(role) or self.players.get(role_of(role)) or {}
        kind = cast("ModelKind", kept.get("kind", "llm").replace("replay", "llm"))
        return kind, kind == "llm" and "model" in kept and parse_model(kept["model"]).trained


class ReplayModel:
    """Answers from a recording, found by the request's key and how often this episode has asked it. Requests have the
    same form as those to the recorded player.
    """

    kind: ModelKind = "replay"

    def __init__(self, run: str, lookup: _Lookup, played: ModelKind = "llm", trained: bool = False) -> None:
        self._run, self._lookup, self.played, self.trained = run, lookup, played, trained

    @property
    def name(self) -> str:
        """The name of the model: `replay:RUN`."""
        return f"replay:{self._run}"

    async def answer(self, request: Request) -> Completion:
        """The recorded answer."""
        found = self._lookup(request.key, request.occurrence)
        if found is None:
            raise ModelError(
                f"the recording {self._run} has no answer to {request.prompt.prompt_name()} as {request.role}"
                f" (request {request.key[:12]}, occurrence {request.occurrence}): replay with the same clinic, variant,"
                " scenarios and seed, or choose another model for this role"
            )
        return found
