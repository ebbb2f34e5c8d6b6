"""Callers that find out what an endpoint takes, whatever its protocol.

A caller makes its requests in the form of the OpenAI chat protocol (`wire`) and reads replies with a `Reading`. Only
`_send`, which sends a request and returns its reply, belongs to a protocol. Whether the tools are sent as a form, or
the schema in words, is decided here, and remembered for the endpoint.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import replace

from polyclinic.core.calling import is_usable_call
from polyclinic.core.model import Completion, Request, Usage
from polyclinic.errors import PolyclinicError
from polyclinic.models.arriving import OutOfRoom, Reading
from polyclinic.models.failure import AttemptFailed, redact
from polyclinic.models.guard import Deadline
from polyclinic.models.habits import Habits, Known
from polyclinic.models.prices import Price
from polyclinic.models.said import keeps_form, said_call, says_call
from polyclinic.models.spec import Options
from polyclinic.models.wire import RequestBody, asked_as_form, body_of, limit_of

_SERVER_ERROR = 500
_MAY_BE_HABITS = (400, 404, 415, 422, 500, 501)
_TOO_LONG = re.compile(r"context[ _](?:length|size|window)|too many tokens|too long", re.IGNORECASE)


class Complaint(PolyclinicError):
    """The endpoint refused the request. `failure` is raised if there is no other form in which to send it."""

    def __init__(self, status: int, words: str, failure: PolyclinicError) -> None:
        super().__init__(words)
        self.status, self.words, self.failure = status, words, failure

    @property
    def is_about_form(self) -> bool:
        """Whether the endpoint may take the same request in another form."""
        return self.status in _MAY_BE_HABITS and not _TOO_LONG.search(self.words)


class AdaptingCaller(ABC):
    """One model on one endpoint, one attempt at a time."""

    def __init__(self, known: Known, model: str, options: Options, name: str, price: Price) -> None:
        self._known, self._model, self._options = known, model, options
        self.name, self._price = name, price

    @abstractmethod
    async def _send(self, body: RequestBody, reading: Reading, deadline: Deadline) -> None:
        """Send the request and read the reply into `reading`. Raises `Complaint` if the endpoint refuses it."""

    @property
    def _key(self) -> str:
        """The key that must not be in an error message."""
        return ""

    @property
    def hears(self) -> bool:
        """Whether a reply arrives in parts, as a stream."""
        return self._options.stream and all(self._known.habits(self._model, tools).streams for tools in (True, False))

    def limit(self, request: Request) -> int:
        """The token limit that would be sent now."""
        return limit_of(request, self._options, self._habits(bool(request.tools)))

    def _habits(self, tools: bool) -> Habits:
        """What is known about the model. Tools count as not taken if the cast turned them off, or if most of the
        model's calls could not be used.
        """
        known = self._known.habits(self._model, tools)
        offered = self._options.tools and self._known.calls[self._model].offers_tools
        return known if offered else replace(known, takes_tools=False)

    async def attempt(self, request: Request, number: int, deadline: Deadline) -> Completion:
        """One attempt, repeated at once while the endpoint refuses parts of the protocol that can be left out."""
        tools = bool(request.tools)
        known = habits = self._habits(tools)
        tried = {habits}
        while True:
            if request.closed is not None and not habits.takes_tools:
                self._known.learn(self._model, tools, known, habits)
                return asked_as_form(await self.attempt(request.closed, number, deadline), self._options)
            body = body_of(request, self._model, self._options, habits, number)
            try:
                completion = await self._read(body, request, habits, deadline)
            except Complaint as complaint:
                if not complaint.is_about_form:
                    raise complaint.failure from None
                changed = habits.after(complaint.words, body, complaint.status)
                if (changed is None or changed in tried) and request.closed is not None:
                    return await self._without_tools(request.closed, number, deadline, complaint.status)
                if changed is None or changed in tried:
                    raise complaint.failure from None
                tried.add(changed)
                habits = changed
                continue
            self._known.learn(self._model, tools, known, habits)
            return self._fitting(request, completion, body, habits)

    async def _without_tools(self, form: Request, number: int, deadline: Deadline, status: int) -> Completion:
        """The form, after a request with tools was refused in words that do not say why. If the form is accepted, the
        tools were the reason. After an error of the server this is not certain, so it is not remembered.
        """
        completion = await self.attempt(form, number, deadline)
        if status < _SERVER_ERROR:
            known = self._known.habits(self._model, True)
            self._known.learn(self._model, True, known, replace(known, takes_tools=False))
        return asked_as_form(completion, self._options)

    def _fitting(self, request: Request, completion: Completion, body: RequestBody, habits: Habits) -> Completion:
        """The reply, including tool calls that were written as text.

        If a reply clearly does not follow the schema that was sent with it, the endpoint ignores schemas. From then on
        the form is described in words. In the same way it is found out that the endpoint ignores tools.
        """
        if says_call(completion, request, told=not habits.takes_tools):
            completion = said_call(completion, request)
        if request.closed is not None:
            self._watch_calls(request, completion)
        form = body.get("response_format", {})
        if form and completion.finish == "stop" and completion.text.strip():
            schema = form.get("json_schema", {}).get("schema", {})
            if not keeps_form(completion.text, schema, request.reply_type):
                self._known.learn(self._model, bool(request.tools), habits, replace(habits, form="words"))
                said = "the endpoint ignores the schema of replies; from now on it is described in words"
                raise AttemptFailed(f"{self.name}: {said}", "adapted", usage=completion.usage)
        return completion

    def _watch_calls(self, request: Request, completion: Completion) -> None:
        """Count whether a reply holds a tool call that can be used. If most do not, the tools become choices of a form:
        for this request at once, and from now on.
        """
        usable = is_usable_call(request.prompt, completion)
        if not self._known.calls[self._model].count(usable) and not usable:
            said = "the model gives no tool calls that can be used; from now on the tools are choices of a form"
            raise AttemptFailed(f"{self.name}: {said}", "adapted", usage=completion.usage)

    async def _read(self, body: RequestBody, request: Request, habits: Habits, deadline: Deadline) -> Completion:
        reading = Reading(limit_of(request, self._options, habits), sent=True)

        def bill() -> Usage:
            return self._priced(reading.billed_at_most(request), reading.cached_tokens)

        deadline.bill = bill
        try:
            await self._send(body, reading, deadline)
            completion = reading.completion(request)
        except Complaint as complaint:
            if reading.began and isinstance(complaint.failure, AttemptFailed):  # an error within a reply
                raise self._named(complaint.failure, bill()) from None
            raise
        except OutOfRoom as failure:
            raise self._thought_on(request, habits, failure, bill()) from None
        except AttemptFailed as failure:
            reading.sent = failure.trouble not in ("connection", "throttled", "refused")
            raise self._named(failure, bill()) from None
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
            words = f"the answer cannot be read ({type(error).__name__}: {in_short(error)})"
            raise self._named(AttemptFailed(words, "truncated"), bill()) from None
        usage = self._priced(reading.billed(request), reading.cached_tokens)
        return replace(completion, usage=usage, adapted=habits.adapted(request))

    def _thought_on(self, request: Request, habits: Habits, failure: OutOfRoom, usage: Usage) -> AttemptFailed:
        """Reasoning used the whole limit: the model now gets more tokens for it, unless the cast set the limit."""
        larger = habits.more_room() if self._options.max_tokens is None else None
        if larger is None:
            return self._named(failure, usage)
        self._known.learn(self._model, bool(request.tools), habits, larger)
        said = f"reasoning used up the reply's limit; from now on it gets {larger.room:,} tokens"
        return AttemptFailed(f"{self.name}: {said}", "adapted", usage=usage)

    def _priced(self, usage: Usage, cached_tokens: int) -> Usage:
        cost = self._price.cost_nano_usd(usage.input_tokens, usage.output_tokens, cached_tokens)
        return replace(usage, cost_nano_usd=cost) if cost else usage

    def _named(self, failure: AttemptFailed, usage: Usage) -> AttemptFailed:
        said = str(failure)
        words = redact(said if said.startswith(self.name) else f"{self.name}: {said}", self._key)
        return AttemptFailed(words, failure.trouble, failure.retry_after_s, failure.status, usage)


def in_short(error: Exception) -> str:
    """The beginning of an error's message."""
    return (str(error) or type(error).__name__)[:200]
