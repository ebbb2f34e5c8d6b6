"""A small prompt of each kind, and requests with them, without template files."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any, ClassVar, Literal

import pytest
import pytest_asyncio

from polyclinic.core.calling import CallPrompt
from polyclinic.core.message import Image, Message, system, user
from polyclinic.core.model import Model, Request, Settings
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import ReplyModel
from polyclinic.core.tool import ToolSpec
from polyclinic.models import guard
from polyclinic.models.cast import Cast, build_cast
from polyclinic.models.spec import parse_cast
from polyclinic.testing.fault_server import FaultServer


class Greets(Prompt[str]):
    """Plain words."""

    template = "greets.md"
    name: str


class Verdict(ReplyModel):
    """A structured reply."""

    reason: str
    score: int
    sure: bool = False


class Judges(Prompt[Verdict]):
    """A structured question."""

    template = "judges.md"
    case: str


Ask = Callable[..., Request]


@pytest.fixture
def ask() -> Ask:
    """Make a request: ``ask("words")`` for text, ``ask("words", Judges(case="x"))`` for a structured reply."""

    def make(
        words: str = "Hello",
        prompt: Prompt[Any] | None = None,
        *,
        tools: tuple[ToolSpec, ...] = (),
        images: tuple[Image, ...] = (),
        history: tuple[Message, ...] = (),
        **settings: Any,
    ) -> Request:
        messages = (system("You are at a clinic."), *history, user(words, *images))
        return Request("staff", prompt or Greets(name="Kim"), messages, tools, Settings(**settings), "episode-1")

    return make


class Move(ReplyModel):
    """A decision."""

    action: Literal["book", "stop"]
    day: str = ""


class Moves(CallPrompt[Move]):
    """A decision that can be given as a tool call."""

    template = "moves.md"
    uses: ClassVar[dict[str, str]] = {"book": "Books a day.", "stop": "Ends the call."}
    needs: ClassVar[dict[str, tuple[str, ...]]] = {"book": ("day",)}


def decision(ask: Ask) -> Request:
    """A request for a decision by tool call, with the same question as a form."""
    prompt = Moves(by_call=True)
    form = ask("Decide.", Moves())
    return Request("staff", prompt, (*form.messages[:-1], user("Decide by call.")), prompt.tools(), closed=form)


@pytest_asyncio.fixture
async def server() -> AsyncIterator[FaultServer]:
    """A server without faults; tests change what they need."""
    async with FaultServer() as running:
        yield running


@pytest.fixture
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the waits before retries short."""
    monkeypatch.setattr(guard, "_FIRST_WAIT_S", 0.002)


Play = Callable[..., Model]


@pytest_asyncio.fixture
async def play(server: FaultServer) -> AsyncIterator[Play]:
    """Make a model on the stub; each model learns the endpoint's habits for itself."""
    made: list[Cast] = []

    def model(options: str = "") -> Model:
        made.append(build_cast(parse_cast(f"all={server.url}:any{options}"), ["staff"], {}))
        return made[-1].model("staff")

    yield model
    for cast in made:
        await cast.close()
