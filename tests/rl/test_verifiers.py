"""The environment for verifiers with that library's own types; skipped where it is not installed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from polyclinic.rl import verifiers_environment

vf = pytest.importorskip("verifiers.v1", reason="needs verifiers")
pytestmark = pytest.mark.filterwarnings("default")


class _Player:
    """An agent whose words are given; its task, trace and segments are those of verifiers."""

    def __init__(self) -> None:
        self.trace: Any = None
        self.told: list[str] = []

    @asynccontextmanager
    async def interaction(self, task: Any) -> AsyncIterator[Any]:
        from verifiers.v1.trace import AgentInfo, TraceTask

        assert isinstance(task, vf.Task) and task.data.prompt is None, "the environment speaks first"
        recorded = TraceTask(type=type(task).__name__, data=task.data, key=task.key, hash=task.hash)
        self.trace = vf.Trace(task=recorded, agent=AgentInfo(config=vf.AgentConfig()))
        yield self

    async def turn(self, text: str) -> Any:
        from verifiers.v1.agent import Segment

        self.told.append(text)
        return Segment(messages=[], root_reply="Take one tablet of 5 mg, twice a day.")


async def test_an_episode_ends_with_a_reward_on_a_trace_of_verifiers() -> None:
    kind = verifiers_environment("demo", "nurse", scenarios="2", metric="safe")
    assert issubclass(kind, vf.SingleAgentEnv)
    player = _Player()
    task = vf.Task(vf.TaskData(idx=1, prompt="Play the nurse."))
    await kind.run(SimpleNamespace(), task, SimpleNamespace(agent=player))
    assert player.told and player.trace.rewards["reward"].value in (0.0, 0.5, 1.0)
    assert "safe" in player.trace.metrics
