"""A bench for judges in tests: real agents and a real switchboard over an understudy or scripted replies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

import pytest

from polyclinic.core.agent import Agent
from polyclinic.core.journal import MemoryJournal
from polyclinic.core.judge import Case
from polyclinic.core.model import Completion, Model, ModelKind, Request
from polyclinic.core.prompt import Prompt
from polyclinic.core.scenario import Scenario, Variant
from polyclinic.core.switchboard import Switchboard
from polyclinic.core.transcript import Event, Said, Transcript
from polyclinic.core.understudy import Ask, Understudy
from polyclinic.errors import ModelError

R = TypeVar("R")


class FakeModel:
    """Answers from a function; keeps every request it saw."""

    name = "fake"
    kind: ModelKind = "understudy"

    def __init__(self, reply: Callable[[Request], str]) -> None:
        self._reply = reply
        self.requests: list[Request] = []

    async def answer(self, request: Request) -> Completion:
        self.requests.append(request)
        return Completion(text=self._reply(request))


class OneModel:
    """A cast in which one model plays every role."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def model(self, role: str) -> Model:
        return self._model

    def describe(self) -> dict[str, str]:
        return {"judge": self._model.name}


class LateAgent:
    """An agent whose switchboard opens at its first question."""

    def __init__(self, bench: FakeBench, role: str) -> None:
        self._bench, self._role = bench, role

    async def ask(self, prompt: Prompt[R], *, sample: int = 0) -> R:
        board = await self._bench.board()
        agent = Agent(self._role, board, self._bench.events.append, "judge", 7)
        return await agent.ask(prompt, sample=sample)


class FakeBench:
    """Where a judge under test works."""

    def __init__(self, model: FakeModel) -> None:
        self.fake = model
        self.events: list[Event] = []
        self._board: Switchboard | None = None

    async def board(self) -> Switchboard:
        if self._board is None:
            self._board = await Switchboard.open("episode", OneModel(self.fake), MemoryJournal())
        return self._board

    def agent(self, role: str = "judge") -> LateAgent:
        return LateAgent(self, role)

    @property
    def requests(self) -> list[Request]:
        return self.fake.requests


BenchOf = Callable[..., FakeBench]
CaseOf = Callable[..., Case]


@pytest.fixture
def bench_of() -> BenchOf:
    """``bench_of(understudy, mistake=1.0)``, or ``bench_of(["raw reply", ...])`` for scripted ones."""

    def make(player: Understudy | Iterable[str], mistakes: Mapping[str, float] | None = None) -> FakeBench:
        if isinstance(player, Understudy):

            def reply(request: Request) -> str:
                answer = player.play(Ask(request.prompt, request, mistakes or {}))
                text: str = answer.model_dump_json()
                return text

        else:
            queue = list(player)

            def reply(request: Request) -> str:
                if not queue:
                    raise ModelError("the endpoint is down")
                return queue.pop(0)

        return FakeBench(FakeModel(reply))

    return make


@pytest.fixture
def case_of() -> CaseOf:
    """``case_of("nurse: Welcome!", "patient: Thanks.")``."""

    def make(*lines: str, scenario: str = "s1") -> Case:
        said = [Said(speaker=line.partition(": ")[0], text=line.partition(": ")[2]) for line in lines]
        return Case(Scenario(id=scenario), Variant(name="plain", about="a test"), Transcript(said))

    return make
