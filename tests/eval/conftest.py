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
from polyclinic.eval.charts import Bars, Chart, Dots, HeatMap, Lines, Scatter
from polyclinic.eval.estimate import Estimate

EVIL = "<script>alert('x')</script> & \"quotes\""
SPAN = Estimate(0.5, 0.4, 0.6, 12)
CHARTS: list[Chart] = [
    Bars(["one", EVIL], {"a": [SPAN, None], "b": [0.2, -0.1]}, "x", "y"),
    Bars(["one", "two"], {"a": [0.2, 0.3], "b": [0.8, 0.7]}, stacked=True),
    Lines([1, 2, 3], {"a": [SPAN, None, SPAN], EVIL: [0.1, 0.2, 0.3]}, "x", "y"),
    Lines([1], {"only": [3.0]}),
    HeatMap(["r1", EVIL], ["c1", "c2", "c3"], [[1, None, 3], [4, 5, 6]]),
    HeatMap(["r"], ["c"], [[2.0]]),
    Dots(["r1", "r2"], {"": [SPAN, Estimate(1, None, None, 1)]}, reference=0),
    Scatter({EVIL: [(1, 2), (3, 4)]}, "people", "judge", diagonal=True),
    Bars([], {"a": []}),
    Bars(["nan"], {"a": [float("nan")], "b": [Estimate(0.5, float("-inf"), float("inf"), 3)]}),
    Lines([1, 2, 3], {"a": [float("nan"), Estimate(float("nan"), 0, 1, 2), 1.0]}),
    HeatMap(["r"], ["c", "d"], [[float("nan"), 1e9]]),
    Scatter({"a": [(float("inf"), 1.0), (2.0, 2.0)]}),
    Bars([f"a rather long name {i}" for i in range(40)], {"a": [i * 1e6 for i in range(40)]}, "x", "y"),
    Dots(["tiny"], {"": [Estimate(1e-7, 0.5e-7, 2e-7, 9)]}),
    Dots(["same"], {"": [0.0]}),
]

R = TypeVar("R")


class FakeModel:
    """A model that answers from a function and keeps every request it saw."""

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
    """An agent whose switchboard is opened at its first question."""

    def __init__(self, bench: FakeBench, role: str) -> None:
        self._bench, self._role = bench, role

    async def ask(self, prompt: Prompt[R], *, sample: int = 0) -> R:
        board = await self._bench.board()
        agent = Agent(self._role, board, self._bench.events.append, "judge", 7)
        return await agent.ask(prompt, sample=sample)


class FakeBench:
    """The bench of a judge under test."""

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
    """Make a bench: ``bench_of(understudy, mistake=1.0)``, or ``bench_of(["raw reply", ...])`` for scripted replies."""

    def make(player: Understudy | Iterable[str], mistakes: Mapping[str, float] | None = None) -> FakeBench:
        if isinstance(player, Understudy):

            def reply(request: Request) -> str:
                answer = player.play(Ask(request.prompt, request, mistakes or {}))
                text: str = answer if isinstance(answer, str) else answer.model_dump_json()
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
    """Make a case from lines: ``case_of("nurse: Welcome!", "patient: Thanks.")``."""

    def make(*lines: str, scenario: str = "s1") -> Case:
        said = [Said(speaker=line.partition(": ")[0], text=line.partition(": ")[2]) for line in lines]
        return Case(Scenario(id=scenario), Variant(name="plain", about="a test"), Transcript(said))

    return make
