"""A folder of weights on this machine as a model in a cast: ``tutor=local:runs/grpo``.

transformers runs it in a thread of this process. Requests that wait at the same time are answered as one batch. On a
GPU, a batch of many requests takes hardly longer than one request.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from polyclinic.core.model import Completion, Request
from polyclinic.errors import ConfigError
from polyclinic.models.arriving import OutOfRoom
from polyclinic.models.failure import AttemptFailed
from polyclinic.models.guard import Deadline
from polyclinic.models.habits import Habits
from polyclinic.models.limiter import Limiter
from polyclinic.models.said import begins_reasoning, said_call, says_call, spoken
from polyclinic.models.spec import Options
from polyclinic.models.weights import base_of, is_vision, need, open_weights, weights_folder
from polyclinic.models.wire import asked_as_form, body_of, limit_of
from polyclinic.models.writer import SLOTS, Prompted, Writer, by_temperature

_GATHER_S = 0.05
"""A batch starts when no other request came for this many seconds."""
HABITS = Habits(form="words", takes_pictures=False, takes_tools=False, streams=False)


@dataclass(frozen=True)
class WaitingPrompt(Prompted):
    """One request that waits for its batch."""

    answer: asyncio.Future[Completion]
    loop: asyncio.AbstractEventLoop


class WeightsCaller:
    """A model from a folder of weights, loaded at its first call."""

    def __init__(self, path: str, options: Options, name: str) -> None:
        self.options = options.on_this_machine(SLOTS)
        slots = self.options.concurrency
        self.limiter = Limiter(slots)
        self._path, self._name, self._slots = path, name, slots
        self._waiting: queue.SimpleQueue[WaitingPrompt | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    @property
    def name(self) -> str:
        """The name as in the cast."""
        return self._name

    @property
    def hears(self) -> bool:
        """Replies arrive whole."""
        return False

    @cached_property
    def _habits(self) -> Habits:
        """Only a vision-language model takes pictures; other models get them described in words."""
        try:
            return replace(HABITS, takes_pictures=is_vision(base_of(weights_folder(self._path))))
        except ConfigError:  # this error is raised when the weights are loaded
            return HABITS

    def limit(self, request: Request) -> int:
        """The longest reply in tokens."""
        return limit_of(request, self.options, HABITS)

    def check(self) -> None:
        """Raise when the folder or a package is missing."""
        weights_folder(self._path)
        need(("torch", "transformers"), "a local model")

    async def attempt(self, request: Request, number: int, deadline: Deadline) -> Completion:
        """Wait for the batch that answers this request."""
        if request.closed is not None:
            return asked_as_form(await self.attempt(request.closed, number, deadline), self.options)
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="local weights", daemon=True)
            self._thread.start()
        body = body_of(request, self._path, self.options, self._habits, number)
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Completion] = loop.create_future()
        warmth = float(body.get("temperature") or 0.0)
        template = _template(body)
        asked = WaitingPrompt(
            body["messages"], self.limit(request), warmth, body["seed"], answer, loop, template=template
        )
        self._waiting.put(asked)
        completion = _spoken(await answer)
        if says_call(completion, request, told=True):
            completion = said_call(completion, request)
        return replace(completion, adapted=self._habits.adapted(request))

    async def close(self) -> None:
        """Unload the model."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._waiting.put(None)
            await asyncio.to_thread(thread.join)

    def _work(self) -> None:
        """Load the weights, then answer batch after batch until the model is closed."""
        writer: Writer | None = None
        while True:
            batch = self._gather()
            if not batch:
                return
            try:
                writer = writer or Writer(open_weights(self._path), self._slots, self.options.context)
                for group in by_temperature(batch):
                    for asked, completion in zip(group, writer.write(group), strict=True):
                        _give(asked, completion)
            except Exception as error:
                for asked in batch:
                    _give(asked, AttemptFailed(f"{self._name}: {type(error).__name__}: {error}", "refused"))

    def _gather(self) -> list[WaitingPrompt]:
        """Collect the waiting requests until no more come; empty when the thread must stop."""
        first = self._waiting.get()
        if first is None:
            return []
        batch, ends = [first], time.monotonic() + 20 * _GATHER_S
        while len(batch) < self._slots and time.monotonic() < ends:
            try:
                more = self._waiting.get(timeout=_GATHER_S)
            except queue.Empty:
                break
            if more is None:
                self._waiting.put(None)
                break
            batch.append(more)
        return [asked for asked in batch if not asked.answer.cancelled()] or self._gather()


def _template(body: dict[str, Any]) -> dict[str, Any]:
    """The wanted amount of reasoning, in the form that chat templates of open models take."""
    effort = {"reasoning_effort": body["reasoning_effort"]} if "reasoning_effort" in body else {}
    return {**body.get("chat_template_kwargs", {}), **effort}


def _spoken(completion: Completion) -> Completion:
    """The reply without its reasoning, as from every other server."""
    text = spoken(completion.text)
    if completion.finish == "length" and not text and (not completion.text or begins_reasoning(completion.text)):
        raise OutOfRoom(completion.usage)
    return replace(completion, text=text)


def _give(asked: WaitingPrompt, made: Completion | Exception) -> None:
    def give() -> None:
        if asked.answer.done():
            return
        if isinstance(made, Exception):
            asked.answer.set_exception(made)
        else:
            asked.answer.set_result(made)

    asked.loop.call_soon_threadsafe(give)
