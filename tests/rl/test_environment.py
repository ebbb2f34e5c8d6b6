from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from polyclinic.errors import ConfigError, UnknownName
from polyclinic.rl import RoleEnvironment, ThreadedEnvironment, tasks, trl_environment, verifiers_environment
from polyclinic.runner.registry import clinic_modules, load_clinic

NURSE: dict[str, Any] = {"scenarios": "3", "metric": "safe"}


async def test_an_episode_is_played_with_texts_and_ends_with_a_reward() -> None:
    async with RoleEnvironment("demo", "nurse", **NURSE) as room:
        seen = await room.reset(0)
        assert seen.messages[0]["role"] == "system" and seen.text == seen.messages[-1]["content"]
        steps = 0
        while not seen.done:
            assert seen.reward == 0
            seen = await room.step("Take one tablet of 5 mg, twice a day, with water.")
            steps += 1
        assert steps and seen.outcome and seen.reward is not None
        with pytest.raises(ConfigError, match="reset"):
            await room.step("more")


async def test_the_same_episode_number_and_the_same_words_give_the_same_episode() -> None:
    async def told(number: int) -> list[str]:
        async with RoleEnvironment("demo", "nurse", **NURSE) as room:
            seen, heard = await room.reset(number), list[str]()
            while not seen.done:
                heard.append(seen.text)
                seen = await room.step("I will look it up.")
            return heard

    assert await told(0) == await told(0)
    assert await told(0) != await told(1)


async def test_a_new_reset_abandons_the_running_episode() -> None:
    async with RoleEnvironment("demo", "nurse", **NURSE) as room:
        first = await room.reset(0)
        assert (await room.reset(0)).text == first.text


async def test_the_tutor_gets_the_three_axis_reward_and_a_broken_form_gets_the_penalty() -> None:
    async with RoleEnvironment("rounds", "tutor", scenarios="train:2", variant="one-student", metric="reward") as room:
        seen = await room.reset(0)
        assert seen.prompt == "TutorGuides" and "think_history" in seen.messages[0]["content"]
        while not seen.done:
            seen = await room.step("What do you make of it, all of you?")
    assert seen.reward == -15


def _answer(seen: Any) -> str:
    """A reply for any form: the smallest that its schema allows, or words."""
    if seen.schema is None:
        return "I see. What would you do next?"
    import orjson

    shared = seen.schema.get("$defs", {})

    def value(field: dict[str, Any]) -> Any:
        if "$ref" in field:
            return value(shared[field["$ref"].rpartition("/")[2]])
        if "anyOf" in field:
            return value(field["anyOf"][0])
        if "enum" in field:
            return field["enum"][0]
        if "const" in field:
            return field["const"]
        kind = field.get("type")
        if kind == "object":
            return {name: value(each) for name, each in field.get("properties", {}).items()}
        if kind == "array":
            return [value(field["items"]) for _ in range(field.get("minItems", 0))]
        plain: dict[Any, Any] = {"integer": field.get("minimum", 1), "number": 0.5, "boolean": True, "null": None}
        return plain.get(kind, "yes")

    return orjson.dumps(value(seen.schema)).decode()


@pytest.mark.parametrize("clinic", sorted(clinic_modules()))
async def test_every_clinics_tested_role_can_be_trained(clinic: str) -> None:
    """From reset to the first steps, in every clinic: whatever the answer is, the environment continues or ends."""
    found = load_clinic(clinic)
    role = next(role for role in found.roles if role.side == "tested")
    metric = "" if role.metrics else next(judge.metrics[0].name for judge in found.judges() if judge.metrics)
    async with RoleEnvironment(clinic, role.name, metric=metric) as room:
        seen = await room.reset(0)
        assert seen.messages or seen.done
        for _ in range(3):
            if seen.done:
                break
            seen = await room.step(_answer(seen))


def test_wrong_names_are_reported() -> None:
    with pytest.raises(UnknownName, match="reward"):
        RoleEnvironment("rounds", "tutor", metric="rewards")
    with pytest.raises(ConfigError, match="judge"):
        RoleEnvironment("rounds", "judge")
    with pytest.raises(UnknownName, match="tutor"):
        RoleEnvironment("rounds", "tutr")


def test_trl_accepts_the_environment_with_a_tool_and_a_reward() -> None:
    made = trl_environment("demo", "nurse", **NURSE)()
    opening = made.reset(**tasks("nurse", 2)[1])
    assert "helpline" in opening.lower() or opening
    heard = ""
    for _ in range(40):
        heard = made.say("Take one tablet of 5 mg, twice a day.")
        if "ended" in heard:
            break
    assert "ended" in heard and isinstance(made.get_reward(), float)
    assert made.say("more") == heard
    assert made.reset(0) and made.get_reward() is None, "a new rollout has no reward yet"
    del made


def test_a_process_ends_even_if_nobody_closed_its_environment() -> None:
    words = "from polyclinic.rl import trl_environment; made = trl_environment('demo', 'nurse')(); made.reset(0)"
    assert subprocess.run([sys.executable, "-c", words], check=False, timeout=60).returncode == 0


def test_synchronous_code_gets_the_same_environment() -> None:
    room = ThreadedEnvironment("demo", "nurse", **NURSE)
    seen = room.reset(0)
    while not seen.done:
        seen = room.step("I do not know.")
    assert seen.reward is not None
    room.close()


class _Trace:
    def __init__(self) -> None:
        self.rewards: dict[str, float] = {}
        self.metrics: dict[str, float] = {}

    def record_reward(self, name: str, value: float) -> None:
        self.rewards[name] = value

    def record_metrics(self, values: dict[str, float]) -> None:
        self.metrics |= values


class _Agent:
    """The part of a verifiers agent that the environment uses."""

    def __init__(self) -> None:
        self.trace, self.turns = _Trace(), 0

    @asynccontextmanager
    async def interaction(self, task: Any) -> AsyncIterator[Any]:
        assert task.data.prompt is None, "the environment speaks first"
        yield self

    async def turn(self, text: str) -> Any:
        assert text
        self.turns += 1
        return SimpleNamespace(terminated=False, last_reply="Take one tablet of 5 mg, twice a day.")


async def test_verifiers_accepts_the_environment_and_finds_the_reward_on_the_trace(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stand_in = ModuleType("verifiers.v1")
    stand_in.SingleAgentEnv = object  # type: ignore[attr-defined]
    package = ModuleType("verifiers")
    package.__dict__["v1"] = stand_in
    package.__spec__ = SimpleNamespace()  # type: ignore[assignment]
    monkeypatch.setitem(sys.modules, "verifiers", package)
    monkeypatch.setitem(sys.modules, "verifiers.v1", stand_in)

    class Data(SimpleNamespace):
        def model_copy(self, update: dict[str, Any]) -> Any:
            return Data(**{**self.__dict__, **update})

    class Task(SimpleNamespace):
        def __init__(self, data: Any, config: Any) -> None:
            super().__init__(data=data, config=config)

    agent = _Agent()
    env = verifiers_environment("demo", "nurse", **NURSE)()
    await env.run(Task(Data(idx=1, prompt="x"), None), SimpleNamespace(agent=agent))
    assert agent.turns and "reward" in agent.trace.rewards


def test_a_missing_verifiers_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match="pip install verifiers"):
        verifiers_environment("demo", "nurse")
