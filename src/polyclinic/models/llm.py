"""Any endpoint that speaks the OpenAI chat protocol: our own thin client on aiohttp.

An `Endpoint` holds what is known about one base URL; a `ChatCaller` makes single attempts to call it. Retries,
deadlines and prices are wrapped around it (`assemble`).
"""

from __future__ import annotations

import email.utils
import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import orjson

from polyclinic.core.calling import is_usable_call
from polyclinic.core.model import Completion, Request, Usage
from polyclinic.errors import PolyclinicError
from polyclinic.models.arriving import OutOfRoom, Reading, complaint_of, most_chars
from polyclinic.models.endpoint import Endpoint
from polyclinic.models.failure import AttemptFailed, Trouble, redact
from polyclinic.models.guard import Deadline
from polyclinic.models.habits import Habits
from polyclinic.models.intake import read_error, read_stream, read_whole
from polyclinic.models.prices import FREE, Price
from polyclinic.models.said import keeps_form, said_call, says_call
from polyclinic.models.spec import Options
from polyclinic.models.wire import RequestBody, asked_as_form, body_of, limit_of

if TYPE_CHECKING:
    import aiohttp
_MAY_BE_HABITS = (400, 404, 415, 422, 500, 501)
_SERVER_ERROR = 500
_MARKUP = re.compile(r"(?is)<(?P<unseen>style|script|head)\b.*?</(?P=unseen)\s*>|<[!/]?\w[^<>]*>")
_TOO_LONG = re.compile(r"context[ _](?:length|size|window)|too many tokens|too long", re.IGNORECASE)
_FIXES = {
    401: "check the key in {key}",
    402: "the account has no credit left",
    403: "the key in {key} may not use this model",
    404: "check the model's name, and that the base URL is right (it usually ends in /v1)",
    413: "the request is too large for this endpoint",
}


class ChatCaller:
    """One model on one endpoint, one attempt at a time."""

    def __init__(self, endpoint: Endpoint, model: str, options: Options, name: str, price: Price = FREE) -> None:
        self._endpoint, self._model, self._options = endpoint, model, options
        self.name, self._price = name, price
        self._url = f"{endpoint.base_url}/chat/completions"

    @property
    def hears(self) -> bool:
        """Whether a reply arrives in parts, as a stream."""
        return self._options.stream and all(
            self._endpoint.habits(self._model, tools).streams for tools in (True, False)
        )

    def limit(self, request: Request) -> int:
        """The token limit that would be sent now."""
        return limit_of(request, self._options, self._habits(bool(request.tools)))

    def _habits(self, tools: bool) -> Habits:
        """What is known about the model. Tools count as not taken if the cast turned them off."""
        known = self._endpoint.habits(self._model, tools)
        return known if self._options.tools else replace(known, takes_tools=False)

    async def attempt(self, request: Request, number: int, deadline: Deadline) -> Completion:
        """One attempt, repeated at once while the endpoint refuses parts of the protocol that can be left out."""
        tools = bool(request.tools)
        known = habits = self._habits(tools)
        tried = {habits}
        while True:
            if request.closed is not None and not habits.takes_tools:
                self._endpoint.learn(self._model, tools, known, habits)
                return asked_as_form(await self.attempt(request.closed, number, deadline), self._options)
            body = body_of(request, self._model, self._options, habits, number)
            try:
                completion = await self._post(body, request, habits, deadline)
            except _Complaint as complaint:
                changed = habits.after(complaint.words, body, complaint.status)
                if (changed is None or changed in tried) and request.closed is not None:
                    return await self._without_tools(request.closed, number, deadline, complaint.status)
                if changed is None or changed in tried:
                    raise self._failed(complaint.status, complaint.words, complaint.retry_after_s) from None
                tried.add(changed)
                habits = changed
                continue
            self._endpoint.learn(self._model, tools, known, habits)
            return self._fitting(request, completion, body, habits)

    async def _without_tools(self, form: Request, number: int, deadline: Deadline, status: int) -> Completion:
        """The form, after a request with tools was refused in words that do not say why. If the form is accepted, the
        tools were the reason. After an error of the server this is not certain, so it is not remembered.
        """
        completion = await self.attempt(form, number, deadline)
        if status < _SERVER_ERROR:
            known = self._endpoint.habits(self._model, True)
            self._endpoint.learn(self._model, True, known, replace(known, takes_tools=False))
        return asked_as_form(completion, self._options)

    def _fitting(self, request: Request, completion: Completion, body: RequestBody, habits: Habits) -> Completion:
        """The reply, including tool calls that were written as text.

        If a reply clearly does not follow the schema that was sent with it, the endpoint ignores schemas. From then on
        the form is described in words. In the same way it is found out that the endpoint ignores tools.
        """
        if says_call(completion, request, told=not habits.takes_tools):
            completion = said_call(completion, request)
        if request.closed is not None:
            self._watch_calls(request, completion, habits)
        form = body.get("response_format", {})
        if form and completion.finish == "stop" and completion.text.strip():
            schema = form.get("json_schema", {}).get("schema", {})
            if not keeps_form(completion.text, schema, request.reply_type):
                self._endpoint.learn(self._model, bool(request.tools), habits, replace(habits, form="words"))
                said = "the endpoint ignores the schema of replies; from now on it is described in words"
                raise AttemptFailed(f"{self.name}: {said}", "adapted", usage=completion.usage)
        return completion

    def _watch_calls(self, request: Request, completion: Completion, habits: Habits) -> None:
        """Count whether the model gave a call that can be used. If most replies are none, the tools become choices of a
        form: for this request at once, and from now on.
        """
        usable = is_usable_call(request.prompt, completion)
        offered = self._endpoint.calls[self._model].count(usable)
        self._endpoint.learn(
            self._model, True, replace(habits, takes_tools=not offered), replace(habits, takes_tools=offered)
        )
        if not offered and not usable:
            said = "the model gives no tool calls that can be used; from now on the tools are choices of a form"
            raise AttemptFailed(f"{self.name}: {said}", "adapted", usage=completion.usage)

    async def _post(self, body: RequestBody, request: Request, habits: Habits, deadline: Deadline) -> Completion:
        import aiohttp

        reading = Reading(most_chars=most_chars(limit_of(request, self._options, habits)))
        began = False

        def bill() -> Usage:
            return self._priced(reading.billed(request), reading.cached_tokens) if began else Usage()

        deadline.bill = bill
        try:
            session, data = self._endpoint.session(), orjson.dumps(body)
            async with session.post(
                self._url, data=data, headers=self._endpoint.headers(), allow_redirects=False
            ) as response:
                deadline.heard()
                if response.status != 200:
                    await self._refuse(response)
                began = True
                if response.content_type == "text/event-stream":
                    await read_stream(response, reading, deadline)
                else:
                    await read_whole(response, reading, deadline)
            completion = reading.completion(request)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            advice = "check that it is running and the address is right"
            raise AttemptFailed(f"{self.name}: no connection ({_short(error)}); {advice}", "connection") from None
        except (aiohttp.ClientError, ConnectionError) as error:
            words = f"{self.name}: the connection broke ({_short(error)})"
            raise AttemptFailed(words, "truncated", usage=bill()) from None
        except OutOfRoom as failure:
            raise self._thought_on(request, habits, failure, bill()) from None
        except AttemptFailed as failure:
            raise self._named(failure, bill()) from None
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
            words = f"{self.name}: the answer cannot be read ({type(error).__name__}: {_short(error)})"
            raise AttemptFailed(words, "truncated", usage=bill()) from None
        return replace(completion, usage=bill(), adapted=habits.adapted(request))

    def _thought_on(self, request: Request, habits: Habits, failure: OutOfRoom, usage: Usage) -> AttemptFailed:
        """Reasoning used the whole limit: the model now gets more tokens for it, unless the cast set the limit."""
        larger = habits.more_room() if self._options.max_tokens is None else None
        if larger is None:
            return self._named(failure, usage)
        self._endpoint.learn(self._model, bool(request.tools), habits, larger)
        said = f"reasoning used up the reply's limit; from now on it gets {larger.room:,} tokens"
        return AttemptFailed(f"{self.name}: {said}", "adapted", usage=usage)

    def _priced(self, usage: Usage, cached_tokens: int) -> Usage:
        cost = self._price.cost_nano_usd(usage.input_tokens, usage.output_tokens, cached_tokens)
        return replace(usage, cost_nano_usd=cost) if cost else usage

    def _named(self, failure: AttemptFailed, usage: Usage) -> AttemptFailed:
        said = str(failure)
        words = redact(said if said.startswith(self.name) else f"{self.name}: {said}", self._endpoint.key)
        return AttemptFailed(words, failure.trouble, failure.retry_after_s, failure.status, usage)

    async def _refuse(self, response: aiohttp.ClientResponse) -> None:
        if 300 <= response.status < 400:
            place = urlsplit(response.headers.get("Location", ""))
            host = f"{place.scheme}://{place.netloc}" if place.netloc else "another address"
            said = f"{self.name}: the endpoint answered {response.status} and points to {host}"
            advice = "redirects are never followed: write the address that answers"
            raise AttemptFailed(f"{said}; {advice}", "refused", status=response.status)
        raw = await read_error(response)
        try:
            words = complaint_of(orjson.loads(raw))
        except orjson.JSONDecodeError:
            words = _one_line(raw.decode(errors="replace"))
        wait_s = _retry_after_s(response)
        if response.status in _MAY_BE_HABITS and not _TOO_LONG.search(words):
            raise _Complaint(response.status, words, wait_s)
        raise self._failed(response.status, words, wait_s)

    def _failed(self, status: int, words: str, retry_after_s: float | None) -> AttemptFailed:
        trouble: Trouble = "refused"
        if status == 429 and "insufficient_quota" not in words:
            trouble = "throttled"
        elif status >= 500 or status in (408, 409, 425):
            trouble = "throttled" if status in (503, 529) and retry_after_s else "server"
        fix = _FIXES.get(status, "").format(key=self._endpoint.key_env or "?key_env=…")
        said = f"{self.name}: the endpoint answered {status}: {words or 'no message'}{f'; {fix}' if fix else ''}"
        return AttemptFailed(redact(said, self._endpoint.key), trouble, retry_after_s, status)


class _Complaint(PolyclinicError):
    """The endpoint refused the request in this form."""

    def __init__(self, status: int, words: str, retry_after_s: float | None) -> None:
        super().__init__(words)
        self.status, self.words, self.retry_after_s = status, words, retry_after_s


def _retry_after_s(response: aiohttp.ClientResponse) -> float | None:
    """The wait that the endpoint asks for: seconds, milliseconds, or a date."""
    millis = response.headers.get("retry-after-ms", "")
    if millis.replace(".", "", 1).isdecimal():
        return float(millis) / 1000
    value = response.headers.get("Retry-After", "")
    if value.replace(".", "", 1).isdecimal():
        return float(value)
    try:
        parsed = email.utils.parsedate_tz(value) if value else None
        return max(0.0, email.utils.mktime_tz(parsed) - time.time()) if parsed else None
    except (ValueError, OverflowError):
        return None


def _one_line(answer: str) -> str:
    """The first words, without markup, of an answer that is not JSON; often it is a page of a web server."""
    return " ".join(_MARKUP.sub(" ", answer[:10_000]).split())[:300]


def _short(error: Exception) -> str:
    return (str(error) or type(error).__name__)[:200]
