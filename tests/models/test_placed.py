"""A local model in another process: loaded once for all workers, asked under its own name, retried when it dies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polyclinic.core.model import Completion, Request
from polyclinic.errors import ModelError
from polyclinic.models.assemble import Assembly
from polyclinic.models.failure import AttemptFailed
from polyclinic.models.guard import Deadline
from polyclinic.models.local_weights import WeightsCaller
from polyclinic.models.placed import ModelHost, Refusal
from polyclinic.models.spec import CastSpec, parse_cast
from polyclinic.runner.cluster_models import place_models

Ask = Callable[..., Request]


class ScriptedHost:
    """A host that gives the scripted answers in order."""

    def __init__(self, *answers: Completion | Refusal | Exception) -> None:
        self.answers, self.asked = list(answers), 0

    async def ask(self, request: Request, number: int, wall_s: float, idle_s: float) -> Completion | Refusal:
        self.asked += 1
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def spec(tmp_path: Path) -> CastSpec:
    return parse_cast(f"nurse=local:{tmp_path}?concurrency=8")[0]


async def test_a_placed_model_keeps_its_name_and_its_share_of_the_slots(spec: CastSpec, ask: Ask) -> None:
    host = ScriptedHost(Completion(text="well"))
    model = Assembly(workers=4, hosts={spec.text: host}).model(spec)
    assert (await model.answer(ask("hello"))).text == "well"
    assert (model.name, model.kind, host.asked) == (spec.text, "llm", 1)


@pytest.mark.usefixtures("short_waits")
async def test_a_call_to_a_model_that_died_is_retried_and_a_refused_one_is_not(spec: CastSpec, ask: Ask) -> None:
    host = ScriptedHost(ConnectionError("the actor died"), ("busy", "server"), Completion(text="well"))
    model = Assembly(hosts={spec.text: host}).model(spec)
    assert (await model.answer(ask("hello"))).text == "well"
    assert host.asked == 3
    refusing = ScriptedHost(("no such file", "refused"))
    with pytest.raises(ModelError, match="no such file"):
        await Assembly(hosts={spec.text: refusing}).model(spec).answer(ask("hello"))
    assert refusing.asked == 1


async def test_a_failure_is_returned_as_text(spec: CastSpec, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(self: WeightsCaller, request: Request, number: int, deadline: Deadline) -> Completion:
        raise AttemptFailed("out of memory", "server")

    monkeypatch.setattr(WeightsCaller, "attempt", fails)
    assert await ModelHost(spec).ask(ask("hello"), 0, 5.0, 5.0) == ("out of memory", "server")


class Placing:
    """A stand-in for Ray that records what it is asked for."""

    def __init__(self, gpus: int) -> None:
        self.gpus, self.made = gpus, list[dict[str, Any]]()

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 4.0, "GPU": float(self.gpus)}

    def remote(self, **asked: Any) -> Any:
        self.made.append(asked)
        return lambda kind: type("Actor", (), {"remote": staticmethod(lambda spec: (kind, spec))})


@pytest.mark.parametrize("gpus", [0, 2])
def test_each_local_model_gets_one_actor_and_a_gpu_where_there_is_one(
    spec: CastSpec, monkeypatch: pytest.MonkeyPatch, gpus: int
) -> None:
    monkeypatch.setattr(WeightsCaller, "check", lambda self: None)
    cast = {"nurse": spec, "caller": spec, "judge": parse_cast("judge=understudy")[0]}
    ray = Placing(gpus)
    placed = place_models(ray, cast)
    assert list(placed) == [spec.text]
    assert [(made["num_gpus"], made["max_restarts"], made["max_concurrency"]) for made in ray.made] == [
        (min(gpus, 1), -1, 8)
    ]
