"""The trained role as a model: each question waits until the training code answers it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from polyclinic.core.model import Completion, Model, ModelKind, Request, estimate_usage, role_of
from polyclinic.core.switchboard import Players
from polyclinic.errors import PersonLeft


@dataclass
class Waiting:
    """A question, and the future that receives its answer."""

    request: Request
    answer: asyncio.Future[Completion]


class PolicyModel:
    """Plays a role with text that comes from outside.

    It counts as a language model: its replies are parsed and retried, and its failures are counted, like any other
    model's.
    """

    name = "policy"
    kind: ModelKind = "llm"
    trained = True

    def __init__(self) -> None:
        self._questions: asyncio.Queue[Waiting] = asyncio.Queue()

    async def answer(self, request: Request) -> Completion:
        """Wait for the answer."""
        waiting = Waiting(request, asyncio.get_running_loop().create_future())
        await self._questions.put(waiting)
        return await waiting.answer

    async def next(self) -> Waiting:
        """Wait for the next question."""
        return await self._questions.get()


def said(waiting: Waiting, text: str) -> None:
    """Answer a question. An empty answer is allowed: the engine then asks again."""
    if not waiting.answer.done():
        completion = Completion(text=text, usage=estimate_usage(waiting.request, text))
        waiting.answer.set_result(completion)


def leave(waiting: Waiting) -> None:
    """End an episode that will not be continued."""
    if not waiting.answer.done():
        waiting.answer.set_exception(PersonLeft("the environment was closed"))


class WithPolicy:
    """The players of a run, with the policy in one role."""

    def __init__(self, players: Players, role: str, policy: Model) -> None:
        self._players, self._role, self._policy = players, role, policy

    def model(self, role: str) -> Model:
        """The policy for its role and all seats of this role, or only for one seat if a seat was named."""
        mine = role == self._role or ("-" not in self._role and role_of(role) == self._role)
        return self._policy if mine else self._players.model(role)

    def describe(self) -> dict[str, str]:
        """The model name of each role."""
        return {**self._players.describe(), self._role: self._policy.name}
