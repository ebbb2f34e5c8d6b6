"""Any endpoint that speaks the OpenAI chat protocol: our own thin client on aiohttp.

An `Endpoint` holds what is known about one base URL; a `ChatCaller` sends single requests to it. Retries, deadlines and
budgets are wrapped around it (`assemble`).
"""

from __future__ import annotations

import email.utils
import os
import re
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import orjson

from polyclinic.models.adapting import AdaptingCaller, Complaint, in_short
from polyclinic.models.arriving import Reading, complaint_of
from polyclinic.models.endpoint import Endpoint
from polyclinic.models.failure import AttemptFailed, redact, trouble_of
from polyclinic.models.guard import Deadline
from polyclinic.models.intake import read_error, read_stream, read_whole
from polyclinic.models.prices import FREE, Price
from polyclinic.models.spec import Options
from polyclinic.models.wire import RequestBody

if TYPE_CHECKING:
    import aiohttp

_MARKUP = re.compile(r"(?is)<(?P<unseen>style|script|head)\b.*?</(?P=unseen)\s*>|<[!/]?\w[^<>]*>")
_FIXES = {
    401: "check the key in {key}",
    402: "the account has no credit left",
    403: "the key in {key} may not use this model",
    404: "check the model's name, and that the base URL is right (it usually ends in /v1)",
    413: "the request is too large for this endpoint",
}


class ChatCaller(AdaptingCaller):
    """One model on an endpoint that speaks the OpenAI chat protocol."""

    def __init__(self, endpoint: Endpoint, model: str, options: Options, name: str, price: Price = FREE) -> None:
        super().__init__(endpoint.known, model, options, name, price)
        self._endpoint = endpoint
        self._url = f"{endpoint.base_url}/chat/completions"

    @property
    def _key(self) -> str:
        return self._endpoint.key

    async def _send(self, body: RequestBody, reading: Reading, deadline: Deadline) -> None:
        import aiohttp

        try:
            session, data = self._endpoint.session(), orjson.dumps(body)
            async with session.post(
                self._url, data=data, headers=self._endpoint.headers(), allow_redirects=False
            ) as response:
                deadline.heard()
                if response.status != 200:
                    reading.sent = False
                    await self._refuse(response)
                reading.began = True
                if response.content_type == "text/event-stream":
                    await read_stream(response, reading, deadline)
                else:
                    await read_whole(response, reading, deadline)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            advice = "check that it is running and the address is right"
            raise AttemptFailed(f"no connection ({_refused(error)}); {advice}", "connection") from None
        except (aiohttp.ClientError, ConnectionError) as error:
            raise AttemptFailed(f"the connection broke ({in_short(error)})", "truncated") from None

    async def _refuse(self, response: aiohttp.ClientResponse) -> None:
        if 300 <= response.status < 400:
            place = urlsplit(response.headers.get("Location", ""))
            host = f"{place.scheme}://{place.netloc.rpartition('@')[2]}" if place.netloc else "another address"
            said = f"{self.name}: the endpoint answered {response.status} and points to {host}"
            advice = "redirects are never followed: write the address that answers"
            raise AttemptFailed(f"{said}; {advice}", "refused", status=response.status)
        raw = await read_error(response)
        try:
            words = complaint_of(orjson.loads(raw))
        except orjson.JSONDecodeError:
            words = _one_line(raw.decode(errors="replace"))
        raise Complaint(response.status, words, self._failed(response.status, words, _retry_after_s(response)))

    def _failed(self, status: int, words: str, retry_after_s: float | None) -> AttemptFailed:
        fix = _FIXES.get(status, "").format(key=self._endpoint.key_env or "?key_env=…")
        said = f"{self.name}: the endpoint answered {status}: {words or 'no message'}{f'; {fix}' if fix else ''}"
        return AttemptFailed(redact(said, self._key), trouble_of(status, words, retry_after_s), retry_after_s, status)


def _refused(error: aiohttp.ClientError) -> str:
    """Why there was no connection, and to which address, without the names of the library's parts."""
    import aiohttp

    if not isinstance(error, aiohttp.ClientConnectorError):
        return in_short(error)
    number = error.os_error.errno or 0
    why = os.strerror(number) if number > 0 else error.os_error.strerror
    return f"{error.host}:{error.port}: {why}" if why else in_short(error)


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
