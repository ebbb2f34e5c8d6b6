"""An agent: a role that asks its model typed prompts and gets typed replies.

``await agent.ask(Greets(name="Kim"))`` renders the prompt, calls the role's model through the switchboard, runs the
tools it asks for, reads the reply strictly, and asks again at most twice (see `core.again`). If a flat form stays
unreadable, each field is asked for separately in plain words (see `core.field_by_field`). Only then does the call fail.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Generic, NamedTuple, TypeVar

import orjson

from polyclinic.core.again import again, beginning, whole
from polyclinic.core.calling import call_as_form, calls_tools, natively
from polyclinic.core.field_by_field import ToldInWords, asked_after, field_prompt, field_value, fields_to_ask
from polyclinic.core.loose_form import made_of, read_loosely
from polyclinic.core.message import Message, ToolCall, compose, followed
from polyclinic.core.model import BY_CALL, FORM_IN_WORDS, Completion, Request, Settings, plays_as, was_trained
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import Unreadable, read_reply
from polyclinic.core.switchboard import Switchboard
from polyclinic.core.tool import BadArguments, Tool
from polyclinic.core.transcript import Called, Event, Failed, Noted, ToolUsed
from polyclinic.core.value import plain
from polyclinic.errors import PASS_THROUGH, OwnedError, Owner, blamed, boundary, owned

R = TypeVar("R")
REASKS = 2
TOOL_ROUNDS = 8


class Answer(NamedTuple, Generic[R]):
    """A reply and the call that gave it."""

    value: R
    call: Called


class Agent:
    """A player of one role in an episode. Made by `Episode.agent`."""

    def __init__(
        self, role: str, board: Switchboard, record: Callable[[Event], None], owner: Owner, seed: int, name: str = ""
    ) -> None:
        self.role, self.name = role, name or role
        self._board, self._record, self._owner, self._seed = board, record, owner, seed
        self._plain = Settings(seed=seed)

    @property
    def owner(self) -> Owner:
        """Which party is responsible for this role's failures."""
        return self._owner

    @property
    def is_person(self) -> bool:
        """Whether a person plays this role."""
        return self._board.players.model(self.role).kind == "human"

    @property
    def is_language_model(self) -> bool:
        """Whether a language model plays this role. For a recording: whether a language model played it then."""
        return plays_as(self._board.players.model(self.role)) == "llm"

    @property
    def is_built_in_reader(self) -> bool:
        """Whether the trained reader plays this role. For a recording: whether it played it then."""
        return plays_as(self._board.players.model(self.role)) == "reader"

    @property
    def is_trained(self) -> bool:
        """Whether the model in this role is or was trained on the clinic's own rows."""
        return was_trained(self._board.players.model(self.role))

    def survives(self, error: OwnedError, where: str) -> None:
        """Record that a reply stayed unreadable and that the episode goes on without it. Raise any other failure."""
        if not error.prompt:
            raise error
        self._record(Failed.because(error, str(error), where, fatal=False))

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
        """Like `ask`, with the call that gave the reply. `after` follows the prompt: an earlier try, and why it was
        refused.
        """
        settings = self._plain
        if sample or temperature is not None or max_output_tokens is not None:
            settings = Settings(
                temperature=temperature, max_output_tokens=max_output_tokens, seed=self._seed, sample=sample
            )
        try:
            messages = compose(prompt.render(), history)
            if after:
                messages = followed(messages, after)
        except PASS_THROUGH:
            raise
        except Exception as error:
            raise blamed("engine", f"rendering {prompt.prompt_name()}", error) from error
        specs = tuple(tool.spec for tool in tools)
        base, refused, tries = messages, list[str](), list[str]()
        for attempt in range(REASKS + 1):
            for left in range(TOOL_ROUNDS, -1, -1):
                request = Request(self.role, prompt, tuple(messages), specs, settings, self._board.episode)
                if prompt.takes_call and not attempt and calls_tools(self._board.players.model(self.role)):
                    request = natively(request, history, after)
                completion, occurrence, model = await self._board.call(request)
                if not completion.tool_calls or not left or request.closed is not None:
                    break
                self._record(Called.from_reply(request, completion, model, occurrence, attempt))
                base = messages = [*messages, *await self._use_tools(completion, tools)]
            try:
                if request.closed is not None and completion.tool_calls:
                    completion = call_as_form(request.prompt, completion)
                reply = read_completion(prompt, completion, attempt)
            except Unreadable as error:
                fault = error
                self._record(Called.from_reply(request, completion, model, occurrence, attempt, fault.kind))
                tries.append(request.key)
                repeated = beginning(completion.text) in refused
                refused.append(beginning(completion.text))
                messages, settings = again(prompt, base, completion.text, fault, settings, repeated)
                continue
            called = Called.from_reply(request, completion, model, occurrence, attempt)
            self._record(called)
            return Answer(reply, called)
        told = await self._in_words(prompt, base, tries) if fault.kind != "tools" else None
        if told is not None:
            return told
        raise owned(
            self._owner,
            f"{self.name}'s reply to {prompt.prompt_name()} stayed unreadable after {REASKS + 1} tries: {fault}",
            prompt=prompt.prompt_name(),
            calls=tuple(tries),
        )

    async def _in_words(self, prompt: Prompt[R], base: Sequence[Message], tries: list[str]) -> Answer[R] | None:
        """Ask for each field in plain words, and build the form. None if one of the answers stays unreadable."""
        fields = fields_to_ask(prompt) if self.is_language_model else ()
        values: dict[str, Any] = {}
        said: list[tuple[str, str]] = []
        called: Called | None = None
        for field in fields:
            question = field_prompt(prompt, field, said)
            for attempt in range(REASKS):
                settings = replace(self._plain, again=attempt) if attempt else self._plain
                request = Request(self.role, question, asked_after(base, question), (), settings, self._board.episode)
                completion, occurrence, model = await self._board.call(request)
                try:
                    whole(completion)
                    values[field.name] = field_value(field, completion.text)
                except Unreadable as error:
                    self._record(Called.from_reply(request, completion, model, occurrence, attempt, error.kind))
                    tries.append(request.key)
                    continue
                called = Called.from_reply(request, completion, model, occurrence, attempt)
                self._record(called)
                said.append((question.field, completion.text.strip()))
                break
            if field.name not in values:
                return None
        if called is None:
            return None
        try:
            reply = made_of(values, prompt.reply_form())
            prompt.check(reply)
        except Unreadable:
            return None
        note = ToldInWords(role=self.role, prompt=prompt.prompt_name(), fields=tuple(values))
        self._record(Noted(topic=note.topic, data=plain(note)))
        return Answer(reply, called)

    async def _use_tools(self, completion: Completion, tools: Sequence[Tool[Any]]) -> list[Message]:
        messages = [Message(role="assistant", content=completion.text, tool_calls=completion.tool_calls)]
        for call in completion.tool_calls:
            content = await self._use_tool(call, tools)
            messages.append(Message(role="tool", content=content, tool_call_id=call.id))
        return messages

    async def _use_tool(self, call: ToolCall, tools: Sequence[Tool[Any]]) -> str:
        tool = next((tool for tool in tools if tool.name == call.name), None)
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
                    role=self.role, tool=tool.name, effect=tool.access, arguments=call.arguments, error=str(failure)
                )
            )
            raise
        self._record(
            ToolUsed(
                role=self.role, tool=tool.name, effect=tool.access, arguments=call.arguments, result=result, error=error
            )
        )
        return f"error: {error}" if error else orjson.dumps(result).decode()


def read_completion(prompt: Prompt[R], completion: Completion, attempt: int = 0) -> R:
    """The reply as its type. Raises `Unreadable` if it was cut off, cannot be read, or is refused by its prompt.

    A form may be answered loosely if it was described in words or was already asked for again.
    """
    if completion.tool_calls and BY_CALL not in completion.adapted:
        raise Unreadable(f"tools were used {TOOL_ROUNDS} times without an answer", "tools")
    whole(completion)
    reply = _surely_read(prompt, completion.text) if prompt.narrows else None
    if reply is None:
        reply = _read(prompt, completion, attempt)
    prompt.check(reply)
    return reply


def _surely_read(prompt: Prompt[R], text: str) -> R | None:
    """The reply, if the prompt's quick check accepts it; None if only the exact reply form can decide."""
    try:
        reply = read_reply(text, prompt.reply_type())
    except Unreadable:
        return None
    return reply if prompt.fits(reply) else None


def _read(prompt: Prompt[R], completion: Completion, attempt: int) -> R:
    form = prompt.reply_form()
    try:
        return read_reply(completion.text, form)
    except Unreadable as strict:
        if not prompt.in_words or (not attempt and FORM_IN_WORDS not in completion.adapted):
            raise
        try:
            return read_loosely(completion.text, form)
        except Unreadable:
            raise strict from None
