"""Observers that watch a run from outside: logs and traces. They change neither the run nor its transcripts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from polyclinic.core.model import Completion, Model, ModelKind, Request

if TYPE_CHECKING:
    from polyclinic.core.episode import EpisodeSpec
    from polyclinic.core.execute import EpisodeResult
    from polyclinic.core.switchboard import Players


class Seen(Protocol):
    """Receives the result of a watched call or episode.

    It is not called after a failure: the error is raised unchanged.
    """

    def call_answered(self, completion: Completion) -> None:
        """A call was answered."""
        ...

    def episode_ended(self, result: EpisodeResult) -> None:
        """An episode ended."""
        ...


class Observer(Protocol):
    """Watches episodes and calls; calls are made inside the context of their episode."""

    def episode(self, run: str, spec: EpisodeSpec) -> AbstractContextManager[Seen]:
        """A context around one episode."""
        ...

    def call(self, request: Request, model: Model) -> AbstractContextManager[Seen]:
        """A context around one call, from the question to the answer, including retries."""
        ...


@dataclass(frozen=True)
class ObservedModel:
    """A model whose calls are shown to observers."""

    model: Model
    observers: Sequence[Observer]

    @property
    def name(self) -> str:
        """The name as in the cast."""
        return self.model.name

    @property
    def kind(self) -> ModelKind:
        """What sort of player this is."""
        return self.model.kind

    async def answer(self, request: Request) -> Completion:
        """The answer."""
        with ExitStack() as stack:
            watching = [stack.enter_context(observer.call(request, self.model)) for observer in self.observers]
            completion = await self.model.answer(request)
            for seen in watching:
                seen.call_answered(completion)
            return completion


class ObservedPlayers:
    """Players whose answers are all shown to observers."""

    def __init__(self, players: Players, observers: Sequence[Observer]) -> None:
        self._players, self._observers = players, observers
        self._models: dict[int, ObservedModel] = {}

    def model(self, role: str) -> Model:
        """The model of a role, watched."""
        found = self._players.model(role)
        return self._models.setdefault(id(found), ObservedModel(found, self._observers))

    def describe(self) -> dict[str, str]:
        """The name of the model for each role."""
        return self._players.describe()
