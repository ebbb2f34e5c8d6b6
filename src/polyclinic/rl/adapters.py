"""Environments in the form that trainers need.

For TRL (`environment_factory=`): an object with `reset`, methods that the model calls as tools, and `get_reward`. For
verifiers (`verifiers.v1`): an `Env` whose `run` leads the conversation, and whose trace holds the reward.
"""

from __future__ import annotations

import asyncio
import importlib.util
import sys
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from polyclinic.core.extras import installer
from polyclinic.errors import ConfigError
from polyclinic.rl.environment import Observation, RoleEnvironment

T = TypeVar("T")


class ThreadedEnvironment:
    """A `RoleEnvironment` for synchronous code.

    Its episodes run on an event loop in a separate thread, which all environments share.
    """

    _loop: asyncio.AbstractEventLoop | None = None
    _starting = threading.Lock()

    def __init__(self, clinic: str, role: str, **settings: Any) -> None:
        self._room = RoleEnvironment(clinic, role, **settings)

    def reset(self, number: int = 0) -> Observation:
        """Begin an episode."""
        return self._wait(self._room.reset(number))

    def step(self, text: str) -> Observation:
        """Answer, and return the next observation."""
        return self._wait(self._room.step(text))

    def close(self) -> None:
        """Abandon the running episode."""
        self._wait(self._room.close())

    def forget(self) -> None:
        """Abandon the running episode without waiting; for garbage collection.

        It can be called from any thread, also when Python ends.
        """
        if self._loop is not None and not sys.is_finalizing():
            asyncio.run_coroutine_threadsafe(self._room.close(), self._loop)

    @classmethod
    def _wait(cls, work: Coroutine[Any, Any, T]) -> T:
        with cls._starting:
            if cls._loop is None:
                cls._loop = asyncio.new_event_loop()
                threading.Thread(target=cls._loop.run_forever, name="polyclinic-rl", daemon=True).start()
        return asyncio.run_coroutine_threadsafe(work, cls._loop).result()


ENDED = "The session has ended. Say nothing more."
HOW = (
    "You play the role '{role}' in a simulated clinic. You are told what happens; answer each time by calling the tool"
    " `say` with your words, until you are told that the session has ended."
)


def tasks(role: str, count: int) -> list[dict[str, Any]]:
    """Rows for a trainer: the instruction, and the scenario's number, which is passed to `reset`."""
    prompt = [{"role": "user", "content": HOW.format(role=role)}]
    return [{"prompt": prompt, "number": number} for number in range(count)]


def trl_environment(clinic: str, role: str, **settings: Any) -> type[Any]:
    """A class for TRL's `environment_factory`; its dataset may have a column `number` (see `tasks`)."""

    class ClinicEnvironment:
        """An environment for one rollout at a time."""

        def __init__(self) -> None:
            self._room = ThreadedEnvironment(clinic, role, **settings)
            self._reward: float | None = None
            self._done = False

        def reset(self, number: int = 0, **columns: Any) -> str:
            """Begin an episode; returns the first text for the policy."""
            self._reward, self._done = None, False
            return _told(self._room.reset(number).messages)

        def say(self, text: str) -> str:
            """
            Say something in your role, and hear what happens next.

            Args:
                text: Your words, in the form that you were asked for.

            Returns:
                What you are told next.
            """
            if self._done:
                return ENDED
            seen = self._room.step(text)
            if seen.done:
                self._done, self._reward = True, seen.reward
                return ENDED
            return seen.text

        def get_reward(self) -> float | None:
            """The reward of the episode; None if it did not end, so that nothing is learned from it."""
            return self._reward

        def __del__(self) -> None:
            self._room.forget()

    return ClinicEnvironment


def _told(messages: tuple[dict[str, str], ...]) -> str:
    return "\n\n".join(message["content"] for message in messages)


def verifiers_environment(clinic: str, role: str, **settings: Any) -> type[Any]:
    """A subclass of `verifiers.v1.SingleAgentEnv`: its agent plays the role, and the task's index is the scenario."""
    if importlib.util.find_spec("verifiers") is None:
        raise ConfigError(f"verifiers is not installed: {installer()} verifiers")
    import verifiers.v1 as vf

    class ClinicEnv(vf.SingleAgentEnv):  # type: ignore[misc]
        """The conversation between the engine and the agent."""

        async def run(self, task: Any, agents: Any) -> None:
            """Run one episode. Its reward and figures go into the agent's trace, unless the episode did not end."""
            async with RoleEnvironment(clinic, role, **settings) as room:
                seen = await room.reset(task.data.idx or 0)
                opened = type(task)(task.data.model_copy(update={"prompt": None}), task.config)
                async with agents.agent.interaction(opened) as talk:
                    while not seen.done:
                        answer = await talk.turn(_told(seen.messages))
                        if answer.terminated:
                            break
                        seen = await room.step(answer.last_reply)
            if seen.done and seen.reward is not None:
                talk.trace.record_reward("reward", seen.reward)
                talk.trace.record_metrics(seen.figures)

    return ClinicEnv
