"""Any endpoint that speaks the OpenAI chat protocol: our own thin client on aiohttp.

One `Endpoint` holds the connections, the limits and the remembered habits of one base URL; a `ChatCaller` makes single
attempts at it. Retries, deadlines and prices are wrapped around it (`assemble`).
"""

from __future__ import annotations

import email.utils
import os
import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

from polyclinic.core.model import Completion, Request
from polyclinic.errors import ConfigError
from polyclinic.models.failure import AttemptFailed, Trouble, redact
from polyclinic.models.guard import Deadline
from polyclinic.models.limiter import Limiter
from polyclinic.models.prices import FREE, Price
from polyclinic.models.spec import Options, is_loopback
from polyclinic.models.wire import Habits, Reading, body_of, complaint_of

if TYPE_CHECKING:
    import aiohttp

_CONNECT_S = 15.0
_TOO_LONG = re.compile(r"context[ _](?:length|size|window)|too many tokens|too long", re.IGNORECASE)
_MENDS = {
    401: "check the key in {key}",
    402: "the account has no credit left",
    403: "the key in {key} may not use this model",
    404: "check the model's name, and that the base URL is right (it usually ends in /v1)",
    413: "the request is too large for this endpoint",
}


class Endpoint:
    """One base URL: its session, its slots, and what each of its models is known to take."""

    def __init__(
        self,
        base_url: str,
        key_env: str,
        concurrency: int,
        rpm: int | None = None,
        first: Habits | None = None,
        needs_key: bool = False,
    ) -> None:
        self.base_url, self.key_env, self._needs_key = base_url, key_env, needs_key
        self._first = first or Habits()
        self.limiter = Limiter(concurrency, rpm)
        self._habits: dict[tuple[str, bool], Habits] = {}
        self._session: aiohttp.ClientSession | None = None

    def habits(self, model: str, tools: bool) -> Habits:
        """What a model takes, as far as is known; some take no schema beside tools, so those are two matters."""
        return self._habits.get((model, tools), self._first)

    def learn(self, model: str, tools: bool, habits: Habits) -> None:
        """Remember what a model took."""
        if habits != self._first:
            self._habits[model, tools] = habits

    @property
    def key(self) -> str:
        """The key, read when it is needed and kept nowhere else."""
        return os.environ.get(self.key_env, "") if self.key_env else ""

    def session(self) -> aiohttp.ClientSession:
        """The shared session, opened at first use."""
        if self._session is None or self._session.closed:
            import aiohttp

            connector = aiohttp.TCPConnector(limit=self.limiter.most, keepalive_timeout=60, ttl_dns_cache=300)
            timeout = aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_S)
            own = not is_loopback(self.base_url)
            self._session = aiohttp.ClientSession(connector=connector, timeout=timeout, trust_env=own)
        return self._session

    def headers(self) -> dict[str, str]:
        """Headers of a request. A host that is known to want a key is not asked without one."""
        plain = {"Content-Type": "application/json"}
        key = self.key
        if key:
            plain["Authorization"] = f"Bearer {key}"
        elif self._needs_key:
            raise ConfigError(
                f"{self.base_url} needs a key: set {self.key_env}, or name another variable with ?key_env=…"
            )
        return plain

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()


class ChatCaller:
    """One model on one endpoint, one attempt at a time."""

    def __init__(self, endpoint: Endpoint, model: str, options: Options, name: str, price: Price = FREE) -> None:
        self._endpoint, self._model, self._options = endpoint, model, options
        self._name, self._price = name, price
        self._url = f"{endpoint.base_url}/chat/completions"

    @property
    def name(self) -> str:
        """As in the cast."""
        return self._name

    @property
    def hears(self) -> bool:
        """Streams are heard; whole answers come at once."""
        return self._options.stream and all(
            self._endpoint.habits(self._model, tools).streams for tools in (True, False)
        )

    async def attempt(self, request: Request, number: int, deadline: Deadline) -> Completion:
        """One attempt, repeated at once while the endpoint refuses parts of the protocol that can be left out."""
        tools = bool(request.tools)
        habits = self._endpoint.habits(self._model, tools)
        tried = {habits}
        while True:
            body = body_of(request, self._model, self._options, habits, number)
            try:
                completion = await self._post(body, request, deadline)
            except _Complaint as complaint:
                changed = habits.after(complaint.words, body)
                if changed is None or changed in tried:
                    raise self._failed(complaint.status, complaint.words, None) from None
                tried.add(changed)
                habits = changed
                continue
            self._endpoint.learn(self._model, tools, habits)
            return completion

    async def _post(self, body: dict[str, Any], request: Request, deadline: Deadline) -> Completion:
        import aiohttp

        headers = self._endpoint.headers()
        reading = Reading()
        try:
            async with self._endpoint.session().post(self._url, data=orjson.dumps(body), headers=headers) as response:
                deadline.heard()
                if response.status != 200:
                    await self._refuse(response)
                if response.content_type == "text/event-stream":
                    await _read_stream(response, reading, deadline)
                else:
                    await _read_whole(response, reading)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            mend = "check that it is running and the address is right"
            raise AttemptFailed(f"{self.name}: no connection ({_short(error)}); {mend}", "connection") from None
        except (aiohttp.ClientError, ConnectionError) as error:
            raise AttemptFailed(f"{self.name}: the connection broke ({_short(error)})", "truncated") from None
        except AttemptFailed as failure:
            if not str(failure).startswith(self.name):
                raise self._named(failure) from None
            raise
        try:
            completion = reading.completion(request)
        except AttemptFailed as failure:
            raise self._named(failure) from None
        return self._priced(completion, reading)

    def _priced(self, completion: Completion, reading: Reading) -> Completion:
        usage = completion.usage
        cost = self._price.cost_nano_usd(usage.input_tokens, usage.output_tokens, reading.cached_tokens)
        if not cost:
            return completion
        return replace(completion, usage=replace(usage, cost_nano_usd=cost))

    def _named(self, failure: AttemptFailed) -> AttemptFailed:
        words = redact(f"{self.name}: {failure}", self._endpoint.key)
        return AttemptFailed(words, failure.trouble, failure.retry_after_s, failure.status)

    async def _refuse(self, response: aiohttp.ClientResponse) -> None:
        raw = await response.read()
        try:
            words = complaint_of(orjson.loads(raw))
        except orjson.JSONDecodeError:
            words = raw.decode(errors="replace")[:300].strip()
        if response.status in (400, 422) and not _TOO_LONG.search(words):
            raise _Complaint(response.status, words)
        raise self._failed(response.status, words, _retry_after_s(response))

    def _failed(self, status: int, words: str, retry_after_s: float | None) -> AttemptFailed:
        trouble: Trouble = "refused"
        if status == 429 and "insufficient_quota" not in words:
            trouble = "throttled"
        elif status >= 500 or status in (408, 409, 425):
            trouble = "throttled" if status in (503, 529) and retry_after_s else "server"
        mend = _MENDS.get(status, "").format(key=self._endpoint.key_env or "?key_env=…")
        said = f"{self.name}: the endpoint answered {status}: {words or 'no words'}{f'; {mend}' if mend else ''}"
        return AttemptFailed(redact(said, self._endpoint.key), trouble, retry_after_s, status)


class _Complaint(Exception):
    """The endpoint does not take the request as it is written."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status, self.words = status, words


async def _read_whole(response: aiohttp.ClientResponse, reading: Reading) -> None:
    raw = await response.read()
    try:
        payload = orjson.loads(raw)
    except orjson.JSONDecodeError:
        raise AttemptFailed("the answer is not whole JSON", "truncated") from None
    reading.take(payload)
    if not isinstance(payload.get("choices"), list) or not payload["choices"]:
        raise AttemptFailed("the answer has no choices", "truncated")


async def _read_stream(response: aiohttp.ClientResponse, reading: Reading, deadline: Deadline) -> None:
    """Server-sent events until [DONE]; a stream that ends before its reply does was cut off.

    A reply that only repeats itself is not waited for: the connection is closed, which stops the server's work too.
    """
    kept = b""
    async for chunk in response.content.iter_any():
        deadline.heard()
        lines = (kept + chunk).split(b"\n")
        kept = lines.pop()
        for line in lines:
            if not line.startswith(b"data:"):
                continue
            data = line[5:].strip()
            if data == b"[DONE]":
                return
            if not data:
                continue
            try:
                payload = orjson.loads(data)
            except orjson.JSONDecodeError:
                raise AttemptFailed("the stream holds broken JSON", "truncated") from None
            reading.take(payload)
        if reading.repeats:
            response.close()
            return
    if not reading.finish:
        raise AttemptFailed("the stream ended before the reply did", "truncated")


def _retry_after_s(response: aiohttp.ClientResponse) -> float | None:
    """The wait that the endpoint asks for: seconds, milliseconds, or a date."""
    millis = response.headers.get("retry-after-ms", "")
    if millis.replace(".", "", 1).isdecimal():
        return float(millis) / 1000
    value = response.headers.get("Retry-After", "")
    if value.replace(".", "", 1).isdecimal():
        return float(value)
    parsed = email.utils.parsedate_tz(value) if value else None
    return max(0.0, email.utils.mktime_tz(parsed) - time.time()) if parsed else None


def _short(error: Exception) -> str:
    return (str(error) or type(error).__name__)[:200]
