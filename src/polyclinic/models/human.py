"""A person as a model: questions wait on a desk until somebody answers them, from the terminal or the browser.

What a person types is read by the prompt itself (`Prompt.from_human`). If an answer cannot be read, the person is asked
again with the reason; a person's reply never fails. If tools are offered, ``/use NAME {"argument": …}`` uses one; for
a tool with one argument, its plain words are enough: ``/use NAME words``.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel, ValidationError

from polyclinic.core.form import FormRow, filled, form_rows
from polyclinic.core.message import Image, ToolCall
from polyclinic.core.model import Completion, ModelKind, Request, estimate_usage
from polyclinic.core.reply import Unreadable, read_reply
from polyclinic.errors import PersonLeft, PolyclinicError, UnknownName
from polyclinic.models.typed_choice import closed, first_fault
from polyclinic.text.passing import passes
from polyclinic.text.worded import Worded, worded

_USE = "/use "
_COMMAND = re.compile(r"/[a-z]+(?=\s|$)")


@dataclass(frozen=True)
class HumanQuestion:
    """A question to a person: what to show them, and why their last answer, if any, could not be read."""

    id: str
    role: str
    prompt: str
    episode: str
    show: str
    request: Request
    error: str = ""

    @property
    def key(self) -> str:
        """The question's key in the journal; it is the same after a restart."""
        return f"{self.request.key}-{self.request.occurrence}"

    @property
    def rows(self) -> tuple[FormRow, ...]:
        """The fields to fill in; empty for plain text."""
        return form_rows(self.request.reply_schema or {}, self.request.prompt.form_hints())

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """What a person at a screen knows, then what they are asked.

        Like `show`, without instructions on how to type.
        """
        *known, asked = _told(self.request).split("\n\n")
        asked = self.request.prompt.form_hints().ask or asked
        return (*(paragraph for paragraph in known if _USE not in paragraph), asked)

    @property
    def pictures(self) -> tuple[Image, ...]:
        """The pictures that belong to the question."""
        return tuple(image for message in self.request.messages for image in message.images)


@dataclass
class _Open:
    question: HumanQuestion
    answer: asyncio.Future[Completion]


class HumanDesk:
    """Questions to people wait here. One desk is for all roles and episodes of a run.

    `understood` says how the last answer was understood, if its words could mean several things.
    """

    def __init__(self) -> None:
        self._open: dict[str, _Open] = {}
        self._unseen: deque[str] = deque()
        self._arrived = asyncio.Event()
        self._count = 0
        self._to_say: dict[tuple[str, str], str] = {}
        self._closed: PolyclinicError | None = None
        self.understood = ""

    def pending(self) -> list[HumanQuestion]:
        """All questions that wait, oldest first."""
        return [waiting.question for waiting in self._open.values()]

    async def next(self) -> HumanQuestion:
        """Wait for the next question that nobody has seen yet, or that must be asked again."""
        while True:
            while self._unseen:
                waiting = self._open.get(self._unseen.popleft())
                if waiting is not None:
                    return waiting.question
            self._arrived.clear()
            await self._arrived.wait()

    def reply(self, question_id: str, text: str) -> str:
        """Answer a question with typed text.

        Returns "" if it was accepted, else the reason; then the question waits again.
        """
        return self._settle(question_id, lambda request: self._read(request, text))

    def fill_in(self, question_id: str, values: Mapping[str, Any]) -> str:
        """Answer a question with the fields of its form. Returns the same as `reply`."""
        return self._settle(question_id, lambda request: read_form(request, values))

    def use(self, question_id: str, tool: str, arguments: Mapping[str, Any]) -> str:
        """Use a tool that the question offers. Returns the same as `reply`."""
        return self._settle(question_id, lambda request: _used(request, tool, dict(arguments)))

    def _settle(self, question_id: str, read: Callable[[Request], Completion]) -> str:
        waiting = self._open.get(question_id)
        if waiting is None:
            raise UnknownName("open question", question_id, self._open)
        try:
            completion = read(waiting.question.request)
        except Unreadable as error:
            waiting.question = replace(waiting.question, error=worded(error))
            self._unseen.appendleft(question_id)  # before others that wait: the person still thinks of it
            self._arrived.set()
            return str(error)
        self.understood = _understood(waiting.question.request, completion)
        del self._open[question_id]
        if not waiting.answer.done():
            waiting.answer.set_result(completion)
        return ""

    def _read(self, request: Request, text: str) -> Completion:
        kept_open = request.prompt.kept_open(text)
        if not kept_open:
            return read_typed(request, text)
        reply = read_typed(request, kept_open)
        self._to_say[request.episode, request.role] = text
        return reply

    def close(self, reason: PolyclinicError | None = None) -> None:
        """End every open question with this error, because no more answers will come. By default: the person left."""
        self._closed = reason or PersonLeft("the person left")
        for waiting in self._open.values():
            if not waiting.answer.done():
                waiting.answer.set_exception(self._closed)
        self._open.clear()

    async def ask(self, request: Request) -> Completion:
        """Put a question on the desk and wait for its answer."""
        if self._closed is not None:
            raise self._closed
        to_say = self._to_say.pop((request.episode, request.role), "")
        error = ""
        if to_say:
            try:
                return read_typed(request, to_say)
            except Unreadable as fault:
                error = str(fault)
        self._count += 1
        question = HumanQuestion(
            id=f"q{self._count}",
            role=request.role,
            prompt=request.prompt.prompt_name(),
            episode=request.episode,
            show=_show(request),
            request=request,
            error=error,
        )
        waiting = _Open(question, asyncio.get_running_loop().create_future())
        self._open[question.id] = waiting
        self._put(question.id)
        try:
            return await waiting.answer
        finally:
            self._open.pop(question.id, None)

    def _put(self, question_id: str) -> None:
        self._unseen.append(question_id)
        self._arrived.set()


class HumanModel:
    """A role played by the person at the desk."""

    name = "human"
    kind: ModelKind = "human"

    def __init__(self, desk: HumanDesk) -> None:
        self._desk = desk

    async def answer(self, request: Request) -> Completion:
        """What the person answers. There is no deadline: people need time to think."""
        return await self._desk.ask(request)


def read_typed(request: Request, text: str) -> Completion:
    """What a person typed, as a completion. Raises `Unreadable` with the reason if it cannot be read."""
    if not text.strip():
        raise Unreadable("please type an answer")
    if request.reply_type is str:
        _refuse_pass(request, text)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Unreadable("some of these characters cannot be read: please type them again") from None
    command = _COMMAND.match(text)
    if command and request.tools and f"{command[0]} " == _USE:
        return _typed_call(request, text[len(_USE) :])
    if command and command[0] not in request.prompt.commands:
        raise Unreadable(Worded("'{1}' is no command here: to say it, leave out the slash", command[0]))
    typed = text
    try:
        typed = request.prompt.full_answer(text)
        reply = request.prompt.from_human(typed)
    except ValidationError as error:
        raise Unreadable(first_fault(error, request)) from None
    except TypeError:
        reply = read_reply(typed, request.reply_type)
    except Unreadable:
        raise
    except ValueError as error:
        raise Unreadable(worded(error)) from None
    if isinstance(reply, BaseModel):
        reply = closed(reply, request)
    completion = _completion(request, reply)
    _refuse_pass(request, text)  # after the prompt's own checks, which say more
    return completion


def _refuse_pass(request: Request, text: str) -> None:
    """A person who passes has not answered, unless the question offers it."""
    if passes(text) and not request.prompt.may_pass:
        raise Unreadable(Worded("'{1}' is no answer: please say it in your own words", text.strip()))


def read_form(request: Request, values: Mapping[str, Any]) -> Completion:
    """What a person filled in, as a completion. Raises `Unreadable` with the reason if it cannot be used."""
    schema = request.reply_schema or {}
    given = filled(form_rows(schema, request.prompt.form_hints()), schema, values)
    try:
        reply = request.reply_type.model_validate_json(json.dumps(given))
    except ValidationError as error:
        raise Unreadable(first_fault(error, request)) from None
    return _completion(request, reply)


def _completion(request: Request, reply: object) -> Completion:
    request.prompt.check(reply)
    request.prompt.check_person(reply)
    said = reply.model_dump_json() if isinstance(reply, BaseModel) else str(reply)
    return Completion(text=said, usage=estimate_usage(request, said))


def _understood(request: Request, completion: Completion) -> str:
    """What a person is told about an answer that was accepted."""
    if completion.tool_calls:
        return ""
    return request.prompt.understood(read_reply(completion.text, request.reply_type))


def _typed_call(request: Request, words: str) -> Completion:
    name, _, body = words.strip().partition(" ")
    only = [list(tool.parameters.get("properties", ())) for tool in request.tools if tool.name == name]
    if not body and only and len(only[0]) == 1:
        raise Unreadable(Worded("please write what it is for: {1}", f"{_USE}{name} {only[0][0].upper()}"))
    if body and not body.lstrip().startswith(("{", "[")) and only and len(only[0]) == 1:
        return _used(request, name, {only[0][0]: body.strip()})
    try:
        arguments = json.loads(body or "{}")
    except ValueError as error:
        raise Unreadable(Worded("the tool's arguments are not JSON: {1}", error)) from None
    if not isinstance(arguments, dict):
        raise Unreadable('the tool\'s arguments must be a JSON object: {"name": value}')
    return _used(request, name, arguments)


def _used(request: Request, name: str, arguments: dict[str, Any]) -> Completion:
    if name not in {tool.name for tool in request.tools}:
        there_are = ", ".join(tool.name for tool in request.tools)
        raise Unreadable(Worded("there is no tool '{1}'; there are: {2}", name, there_are))
    call = ToolCall(id=f"human-{name}", name=name, arguments=arguments)
    return Completion(tool_calls=(call,), finish="tool_calls")


def _show(request: Request) -> str:
    """What a person is shown and asked: the prompt's text for people if it has one, never a model's instructions.

    A screen may leave out a paragraph that it showed before; the last paragraph is the question.
    """
    told = _told(request)
    if request.tools and _USE not in told:
        offered = "\n".join(f"{_USE}{tool.name} {{…}}: {tool.description}" for tool in request.tools)
        told = f"Tools:\n{offered}\n\n{told}"
    return told


def _told(request: Request) -> str:
    told: str = getattr(request.prompt, "for_human", "")
    return told or "\n\n".join(message.content for message in request.messages if message.role != "system")
