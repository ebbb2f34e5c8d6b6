"""Understudies: offline players that read the typed prompt and answer by rule, always the same way.

::

    class Nurse(Understudy):
        @answers(Greets)
        def greets(self, ask: Ask[Greets]) -> str:
            if ask.mistake("rude"):
                return "What?"
            return f"Hello {ask.prompt.name}."

A mistake has a name and a probability. With mistakes, each judge can be tested on the fault that it must find.
Understudies are baselines: every report names them as such.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from polyclinic.core.message import Message, ToolCall
from polyclinic.core.model import Request
from polyclinic.core.prompt import Prompt
from polyclinic.core.reading import Question, Says
from polyclinic.core.seed import stream
from polyclinic.core.value import unchanging
from polyclinic.errors import EngineError

P = TypeVar("P", bound=Prompt[Any])
F = TypeVar("F", bound=Callable[..., Any])


class Ears(Protocol):
    """The built-in reader, with which an understudy understands what others say."""

    def read(self, text: str, question: Question) -> tuple[Says, str]:
        """The finding and the words that show it."""
        ...

    def probability(self, text: str, question: Question) -> float:
        """How likely the answer is yes."""
        ...

    def likeness(self, text: str, other: str) -> float:
        """How near two texts are in meaning, at most 1."""
        ...


@unchanging
class Ask(Generic[P]):
    """One question to an understudy."""

    prompt: P
    request: Request
    mistakes: Mapping[str, float]
    ears: Ears | None = None

    def understands(self, text: str, question: Question) -> bool:
        """Whether the player understands this text as a yes to the question. Understudies understand any wording.

        This is the player's own understanding, so it is not in the journal and no judge ever sees it.
        """
        return self.finds(text, question) == "yes"

    def finds(self, text: str, question: Question) -> Says:
        """Like `understands`, for a player who must know the difference between no and unclear."""
        return self._hearing.read(text, question)[0] if text.strip() else "no"

    def likelihood(self, text: str, question: Question) -> float:
        """How likely the player understands this text as a yes to the question; for choosing among several."""
        return self._hearing.probability(text, question) if text.strip() else 0.0

    def likeness(self, text: str, other: str) -> float:
        """How near two texts are in meaning to the player."""
        return self._hearing.likeness(text, other)

    @property
    def _hearing(self) -> Ears:
        if self.ears is None:
            raise EngineError("this understudy needs a reader, and has none")
        return self.ears

    @cached_property
    def random(self) -> random.Random:
        """A random generator for this question only."""
        return stream("understudy", self.request.settings.seed, self.request.key)

    def mistake(self, name: str) -> bool:
        """Whether to make this mistake now. Each name has its own random stream, so no mistake affects another."""
        probability = self.mistakes.get(name, 0.0)
        return probability > 0 and (
            probability >= 1
            or stream("mistake", name, self.request.settings.seed, self.request.key).random() < probability
        )

    def chance(self, name: str, probability: float) -> bool:
        """A random yes or no, drawn separately for each name and question, for habits that are not mistakes."""
        return stream("chance", name, self.request.settings.seed, self.request.key).random() < probability

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages that a language model would have got, including tool results."""
        return self.request.messages

    def tool_results(self) -> list[str]:
        """The results of the tools that were used so far for this question."""
        return [message.content for message in self.request.messages if message.role == "tool"]


def answers(prompt_type: type[Prompt[Any]]) -> Callable[[F], F]:
    """Marks a method as this understudy's answer to a prompt type. It returns the reply, or a list of `ToolCall`s."""

    def mark(method: F) -> F:
        method.__dict__.setdefault("_answers", []).append(prompt_type)
        return method

    return mark


class Understudy:
    """Base of understudies: calls the method for the prompt's type."""

    _table: ClassVar[dict[type[Prompt[Any]], str]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        table: dict[type[Prompt[Any]], str] = {}
        for base in reversed(cls.__mro__):
            for name, member in vars(base).items():
                for prompt_type in getattr(member, "_answers", ()):
                    table[prompt_type] = name
        cls._table = table

    @classmethod
    def prompts(cls) -> list[type[Prompt[Any]]]:
        """The prompt types this understudy answers."""
        return list(cls._table)

    def play(self, ask: Ask[Any]) -> Any:
        """The reply to this question: text, a reply object, or a list of tool calls."""
        name = self._table.get(ask.prompt.__class__)
        if name is None:
            raise EngineError(f"{type(self).__name__} has no answer to the prompt {type(ask.prompt).__name__}")
        return getattr(self, name)(ask)


def call_tool(name: str, /, **arguments: Any) -> list[ToolCall]:
    """The answer of an understudy that wants to use a tool."""
    return [ToolCall(id=f"understudy-{name}", name=name, arguments=arguments)]
