"""A model plays a scene, with as many tries as an agent would give it; the result is measured."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from polyclinic.core.again import again
from polyclinic.core.agent import REASKS, read_completion
from polyclinic.core.calling import ACTION, CallPrompt, call_as_form
from polyclinic.core.clinic import Side
from polyclinic.core.model import Completion, Model, Request, Usage, total
from polyclinic.core.part_signs import Part, broken_by
from polyclinic.core.reply import Unreadable
from polyclinic.errors import ModelError
from polyclinic.runner.audition.picture import SeesPicture
from polyclinic.runner.audition.scenes import AuditionScene

TOO_LONG = 1.25


@dataclass(frozen=True)
class Played:
    """One try: the answer, what was wrong with it, and how long it took."""

    completion: Completion
    fault: str
    seconds: float


@dataclass
class Performance:
    """A scene as the model played it. A figure is None if it does not apply to the scene."""

    scene: AuditionScene
    tries: list[Played] = field(default_factory=list)
    taken: bool = False
    tool_right: bool | None = None
    closed_right: bool | None = None
    agrees: bool | None = None
    right: bool | None = None
    in_part: bool | None = None
    length_kept: bool | None = None
    seen: bool | None = None
    why: str = ""

    @property
    def first(self) -> bool:
        """Whether the first reply was accepted."""
        return self.taken and len(self.tries) == 1

    @property
    def usage(self) -> Usage:
        """What all tries cost."""
        return total([played.completion.usage for played in self.tries])

    @property
    def seconds(self) -> float:
        """How long all tries took."""
        return sum(played.seconds for played in self.tries)

    def faults(self, *kinds: str) -> int:
        """How many tries had one of these faults."""
        return sum(played.fault in kinds for played in self.tries)


async def perform_all(scenes: Sequence[AuditionScene], model: Model, side: Side, concurrency: int) -> list[Performance]:
    """Play all scenes, `concurrency` of them at a time; results are in the order of the scenes."""
    room = asyncio.Semaphore(concurrency)

    async def one(scene: AuditionScene) -> Performance:
        async with room:
            return await perform(scene, model, side)

    return list(await asyncio.gather(*(one(scene) for scene in scenes)))


async def perform(scene: AuditionScene, model: Model, side: Side) -> Performance:
    """Play one scene.

    A failure of the endpoint is recorded as a failure; limits and the user's own errors are raised.
    """
    done = Performance(scene)
    request, prompt = scene.request, scene.request.prompt
    settings, refused = request.settings, list[str]()
    for _ in range(REASKS + 1):
        started = time.monotonic()
        try:
            completion = await model.answer(request)
        except ModelError as error:
            done.why = str(error)
            return done
        seconds = time.monotonic() - started
        if completion.tool_calls and request.closed is None:
            done.tries.append(Played(completion, "", seconds))
            done.taken = True
            done.tool_right = _tool_right(scene, completion)
            return done
        try:
            if completion.tool_calls:
                completion = call_as_form(prompt, completion)
            reply = read_completion(prompt, completion)
        except Unreadable as error:
            done.tries.append(Played(completion, error.kind, seconds))
            done.why = str(error)
            repeated = completion.text in refused
            refused.append(completion.text)
            form = scene.request.closed or scene.request
            messages, settings = again(prompt, form.messages, completion.text, error, settings, repeated)
            request = replace(form, messages=tuple(messages), settings=settings)
            continue
        done.tries.append(Played(completion, "", seconds))
        done.taken = True
        _judge(done, reply, side)
        break
    if (request.tools and scene.expected.tool_calls) or (prompt.takes_call and not done.taken):
        done.tool_right = False
    if _closed_fields(request):
        done.closed_right = done.first
    if scene.right and not done.taken:
        done.right = False
    return done


def _judge(done: Performance, reply: Any, side: Side) -> None:
    scene = done.scene
    words = spoken_words(reply)
    done.length_kept = len(words.split()) <= TOO_LONG * scene.request.prompt.most_words()
    closed = _closed_fields(scene.request)
    if closed and scene.expected.text and not isinstance(reply, str):
        expected = read_completion(scene.request.prompt, scene.expected)
        if isinstance(scene.request.prompt, CallPrompt):
            needed = (ACTION, *scene.request.prompt.needs.get(expected.action, ()))
            done.tool_right = all(getattr(reply, name) == getattr(expected, name) for name in needed if name in closed)
        done.agrees = all(getattr(reply, name) == getattr(expected, name) for name in closed)
    if scene.right:
        wrong = {name: getattr(reply, name) for name, right in scene.right.items() if getattr(reply, name) not in right}
        done.right = not wrong
        done.why = ", ".join(
            f"{name}: {said}, right is {' or '.join(scene.right[name])}" for name, said in wrong.items()
        )
    if isinstance(scene.request.prompt, SeesPicture):
        done.seen = read_completion(scene.request.prompt, scene.expected).colour == reply.colour
        done.why = "" if done.seen else f"saw {reply.colour}"
    elif side == "simulated" and isinstance(reply, str) and scene.request.episode:
        fault = broken_by(reply, Part(own=(scene.role,)))
        done.in_part = fault is None
        done.why = f"{fault.kind}: {fault.words}" if fault is not None else ""


def spoken_words(reply: Any) -> str:
    """The words in the values of a reply."""
    if isinstance(reply, str):
        return reply
    if isinstance(reply, Mapping):
        return " ".join(spoken_words(value) for value in reply.values())
    if isinstance(reply, (list, tuple)):
        return " ".join(spoken_words(value) for value in reply)
    return spoken_words(reply.model_dump()) if hasattr(reply, "model_dump") else ""


def _tool_right(scene: AuditionScene, completion: Completion) -> bool:
    """Whether the model calls an offered tool with valid arguments, and the same tool as the understudy, if any."""
    expected = {call.name for call in scene.expected.tool_calls}
    offered = {tool.name: tool.parameters for tool in scene.request.tools}
    for call in completion.tool_calls:
        schema = offered.get(call.name)
        if schema is None or (expected and call.name not in expected):
            return False
        known, needed = set(schema.get("properties", ())), set(schema.get("required", ()))
        if not needed <= set(call.arguments) <= known:
            return False
    return True


def _closed_fields(request: Request) -> list[str]:
    """The fields of a reply that are closed choices: one of a list, or yes or no."""
    schema = request.reply_schema or {}
    shared = schema.get("$defs", {})
    return [name for name, field in schema.get("properties", {}).items() if _is_closed(field, shared)]


def _is_closed(field: Mapping[str, Any], shared: Mapping[str, Any]) -> bool:
    if "$ref" in field:
        field = shared[str(field["$ref"]).rpartition("/")[2]]
    return "enum" in field or "const" in field or field.get("type") == "boolean"
