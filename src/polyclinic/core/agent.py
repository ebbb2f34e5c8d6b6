"""An agent: a role that asks its model typed prompts and gets typed replies.

``await agent.ask(Greets(name="Kim"))`` renders the prompt, calls the role's model through the switchboard, runs the
tools it asks for, reads the reply strictly, and asks again at most twice (see `core.again`) before the failure is
raised to its owner.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import orjson

from polyclinic.core.again import again, whole
from polyclinic.core.message import Message, ToolCall
from polyclinic.core.model import Completion, Request, Settings
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import Unreadable, read_reply
from polyclinic.core.switchboard import Switchboard
from polyclinic.core.tool import BadArguments, Tool, find_tool
from polyclinic.core.transcript import Called, Event, ToolUsed
from polyclinic.core.value import plain
from polyclinic.errors import PASS_THROUGH, Owner, blamed, boundary, owned

R = TypeVar("R")
REASKS = 2
TOOL_ROUNDS = 8


class Answer(NamedTuple, Generic[R]):
    """A reply and the call that gave it."""

    value: R
    call: Called


class Agent:
    """One role's voice in an episode. Made by `Episode.agent`."""

    def __init__(
        self, role: str, board: Switchboard, record: Callable[[Event], None], owner: Owner, seed: int, name: str = ""
    ) -> None:
        self.role, self.name = role, name or role
        self._board, self._record, self._owner, self._seed = board, record, owner, seed
        self._plain = Settings(seed=seed)

    @property
    def owner(self) -> Owner:
        """Who owns what this role does wrong."""
        return self._owner

    @property
    def is_person(self) -> bool:
        """Whether a person plays this role."""
        return self._board.players.model(self.role).kind == "human"

    @property
    def is_language_model(self) -> bool:
        """Whether a language model plays this role, now or in the recording that is played again."""
        return self._board.players.model(self.role).kind in ("llm", "replay")

    async def ask(
        self,
        prompt: Prompt[R],
        *,
        history: Sequence[Message] = (),
        tools: Sequence[Tool[Any]] = (),
        sample: int = 0,
        temperature: float | None = None,
        max_output_tokens: int | None = None,
    ) -> R:
        """The typed reply. `history` is placed between the prompt's system part and the rest."""
        return (await self.answer(prompt, history, tools, sample, temperature, max_output_tokens)).value

    async def answer(
        self,
        prompt: Prompt[R],
        history: Sequence[Message] = (),
        tools: Sequence[Tool[Any]] = (),
        sample: int = 0,
        temperature: float | None = None,
        max_output_tokens: int | None = None,
        after: Sequence[Message] = (),
    ) -> Answer[R]:
        """As `ask`, with the call that gave the reply. `after` follows the prompt: an earlier try, and why again."""
        settings = self._plain
        if sample or temperature is not None or max_output_tokens is not None:
            settings = Settings(
                temperature=temperature, max_output_tokens=max_output_tokens, seed=self._seed, sample=sample
            )
        try:
            messages = [*compose(prompt.render(), history), *after]
        except PASS_THROUGH:
            raise
        except Exception as error:
            raise blamed("engine", f"rendering {prompt.prompt_name()}", error) from error
        specs = tuple(tool.spec for tool in tools)
        base, refused, tries = messages, list[str](), list[str]()
        for attempt in range(REASKS + 1):
            for left in range(TOOL_ROUNDS, -1, -1):
                request = Request(self.role, prompt, tuple(messages), specs, settings, self._board.episode)
                completion, occurrence, model = await self._board.call(request)
                if not completion.tool_calls or not left:
                    break
                self._record(Called.from_reply(request, completion, model, occurrence, attempt))
                base = messages = [*messages, *await self._use_tools(completion, tools)]
            try:
                reply = read_completion(prompt, completion)
            except Unreadable as error:
                fault = error
                self._record(Called.from_reply(request, completion, model, occurrence, attempt, fault.kind))
                tries.append(request.key)
                repeated = completion.text in refused
                refused.append(completion.text)
                messages, settings = again(prompt, base, completion.text, fault, settings, repeated)
                continue
            called = Called.from_reply(request, completion, model, occurrence, attempt)
            self._record(called)
            return Answer(reply, called)
        raise owned(
            self._owner,
            f"{self.name}'s reply to {prompt.prompt_name()} stayed unreadable after {REASKS + 1} tries: {fault}",
            prompt=prompt.prompt_name(),
            calls=tuple(tries),
        )

    async def _use_tools(self, completion: Completion, tools: Sequence[Tool[Any]]) -> list[Message]:
        messages = [Message(role="assistant", content=completion.text, tool_calls=completion.tool_calls)]
        for call in completion.tool_calls:
            content = await self._use_tool(call, tools)
            messages.append(Message(role="tool", content=content, tool_call_id=call.id))
        return messages

    async def _use_tool(self, call: ToolCall, tools: Sequence[Tool[Any]]) -> str:
        tool = find_tool(tools, call)
        if tool is None:
            error = f"there is no tool '{call.name}'; there are: {', '.join(tool.name for tool in tools)}"
            self._record(ToolUsed(role=self.role, tool=call.name, effect="read", arguments=call.arguments, error=error))
            return f"error: {error}"
        try:
            with boundary("tool", tool.name):
                try:
                    result = plain(await tool.use(call.arguments))
                except BadArguments as bad:
                    result, error = None, str(bad)
                else:
                    error = ""
        except Exception as failure:
            self._record(
                ToolUsed(
                    role=self.role, tool=tool.name, effect=tool.effect, arguments=call.arguments, error=str(failure)
                )
            )
            raise
        self._record(
            ToolUsed(
                role=self.role, tool=tool.name, effect=tool.effect, arguments=call.arguments, result=result, error=error
            )
        )
        return f"error: {error}" if error else orjson.dumps(result).decode()


def compose(rendered: list[Message], history: Sequence[Message]) -> list[Message]:
    """Rendered messages with the history after the leading system part, where a growing prefix stays cacheable."""
    lead = 0
    while lead < len(rendered) and rendered[lead].role == "system":
        lead += 1
    return [*rendered[:lead], *history, *rendered[lead:]]


def read_completion(prompt: Prompt[R], completion: Completion) -> R:
    """The reply as its type, whole, and not refused by its prompt; else `Unreadable`."""
    if completion.tool_calls:
        raise Unreadable(f"tools were used {TOOL_ROUNDS} times without an answer", "tools")
    whole(completion)
    reply = read_reply(completion.text, prompt.reply_form())
    prompt.check(reply)
    return reply
