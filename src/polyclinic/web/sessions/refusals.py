"""A visitor whose request is refused hears why and whom to call, and no words of danger are lost with the refusal.

The clinic says whether a part of the refused words must be heard all the same. That part goes into the session like a
message, so the same happens as if only that part had been said. Where this is impossible (the session is closed, or the
text is too long to be read in time), people get the beginning of the text.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import secrets
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import unquote_plus

from polyclinic.core.journal import Journal
from polyclinic.core.live import MOST_CHARS, REFUSED_WORDS, Action, Body, Heard, LiveService, WhyRefused
from polyclinic.errors import UserError
from polyclinic.store.journal import now_ms
from polyclinic.web.sessions.emergency import clean
from polyclinic.web.sessions.live import Live, safe_words
from polyclinic.web.sessions.rescue import Rescue

_LOG = logging.getLogger(__name__)
MOST_READ, READ_S = 3 * MOST_CHARS, 20.0
"""The longest text that is read for danger, in characters, and for how many seconds. It takes six seconds of one core,
or longer if others wait for it too. What is not read goes to people.
"""
NOT_TEXT = "\ufffd"
"""Stands for bytes that are no text in UTF-8."""
_ESCAPED = re.compile(r"(?:\\u[0-9a-fA-F]{4})+")
Act = Callable[[Live, Action[Any], Body], Awaitable[list[Heard]]]


class Refusals:
    """What a service does about requests of visitors that it refuses."""

    def __init__(
        self, room: LiveService, journal: Journal, rescue: Rescue, options: Mapping[str, str], act: Act, answer_s: float
    ) -> None:
        self._room, self._journal, self._rescue = room, journal, rescue
        self._options, self._act, self._answer_s = options, act, answer_s
        self._visitors = {action.name for action in room.actions if action.by == "visitor"}
        self._speaks = next((action for action in room.actions if action.name == room.speaks), None)

    def session_of(self, method: str, path: str) -> str | None:
        """The session that a visitor's request is about, empty for a new one. None for requests of other people."""
        parts = path.strip("/").split("/")
        if method != "POST" or parts[:2] != ["v1", "sessions"]:
            return None
        if len(parts) == 2:
            return ""
        return parts[2] if len(parts) == 4 and parts[3] in self._visitors else None

    async def answer(self, live: Live | None, why: WhyRefused, text: str) -> list[Heard]:
        """What the visitor hears. `live` is their session, if their token opens one. Raises `Broken` after a fault."""
        told = self._line(self._why_words(live, why))
        text = clean(text).strip()
        if live is None or not text:
            return [told]
        part = await self._must_be_heard(text)
        if part == "":
            return [told]
        if part is not None and self._speaks is not None and not live.closed:
            try:
                return [*await self._act(live, self._speaks, self._speaks.body.model_validate({"text": part})), told]
            except UserError:  # closed in the meantime
                _LOG.info("session %s takes no message now: people get it", live.id)
        await self._tell(live, part or text[:MOST_CHARS], f"this message was not read ({why}, {len(text)} characters)")
        return [self._line(safe_words(self._room, live.scenario)), told]

    async def _must_be_heard(self, text: str) -> str | None:
        """The part that must be handled all the same; None if nobody can say whether there is one."""
        if len(text) > MOST_READ or NOT_TEXT in text:
            return None
        try:
            async with asyncio.timeout(READ_S):
                return await self._room.must_be_heard(text)
        except Exception:
            _LOG.exception("a refused message could not be read")
            return None

    async def _tell(self, live: Live, part: str, reason: str) -> None:
        """Put the words into the queue. If that fails, it is a fault like any other."""
        body, telling = {"reason": reason, "words": "", "utterance": part}, self._rescue.telling
        key = f"refused-{now_ms()}-{secrets.token_hex(4)}"
        try:
            async with asyncio.timeout(self._answer_s):
                await self._journal.post(live.id, telling.queue, key, body)
        except Exception:
            _LOG.exception("a refused message of session %s could not be put into the queue", live.id)
            await telling.tell(live.id, part, reason)

    def _why_words(self, live: Live | None, why: WhyRefused) -> str:
        try:
            made = live.scenario if live else self._room.scenario("", self._room.opening(), {}, self._options)
            return self._room.refused_words(made, why)
        except Exception:
            _LOG.exception("the clinic's words for a refusal failed")
            return REFUSED_WORDS

    def _line(self, words: str) -> Heard:
        """A line outside the conversation: it has no number in it."""
        return self._room.heard(number=0, speaker="service", text=words)


def readable(body: Any) -> str:
    """The texts in a body that was not used: of its values if it is JSON, or else the whole.

    A text without any space may be a form as browsers encode it.
    """
    if isinstance(body, bytes):
        body = body.decode("utf-8", "replace")
        with suppress(ValueError, RecursionError):
            body = json.loads(body, object_pairs_hook=_values)
    if isinstance(body, str) and not re.search(r"\s", body):
        body = unquote_plus(body)
    return words_in(body)


def _values(pairs: list[tuple[str, Any]]) -> list[Any]:
    """All values of an object, also of a key that is in it twice."""
    return [value for _, value in pairs]


def words_in(body: Any) -> str:
    """Every text in a body that could not be used, as people read it."""
    return _ESCAPED.sub(_unescaped, "\n".join(_texts(body)))


def _unescaped(found: re.Match[str]) -> str:
    """The characters that JSON wrote as numbers. JSON that broke off or was encoded twice still has them."""
    return str(json.loads(f'"{found[0]}"'))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
