"""An understudy as a model: it gets the typed prompt and returns its reply as text, as any model would."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel
from pydantic_core import to_json

from polyclinic.core.message import ToolCall
from polyclinic.core.model import Completion, ModelKind, Request, estimate_usage
from polyclinic.core.turns import give_way
from polyclinic.core.understudy import Ask, Ears, Understudy
from polyclinic.errors import PASS_THROUGH, blamed


class UnderstudyModel:
    """Plays a role by rule. Its errors count as the engine's, never as a model's."""

    kind: ModelKind = "understudy"

    def __init__(
        self,
        understudy: Understudy,
        mistakes: Mapping[str, float] | None = None,
        name: str = "",
        ears: Ears | None = None,
    ) -> None:
        self._understudy, self._ears = understudy, ears
        self._mistakes = dict(mistakes or {})
        self.name = name or "understudy"

    async def answer(self, request: Request) -> Completion:
        """The reply as JSON text, plain text, or tool calls."""
        await give_way()
        try:
            reply = self._understudy.play(Ask(request.prompt, request, self._mistakes, self._ears))
            if isinstance(reply, str):
                text = reply
            elif isinstance(reply, BaseModel):
                text = reply.model_dump_json()
            elif isinstance(reply, list) and reply and all(isinstance(call, ToolCall) for call in reply):
                return Completion(tool_calls=tuple(reply), usage=estimate_usage(request, ""), finish="tool_calls")
            else:
                text = to_json(reply).decode()
        except PASS_THROUGH:
            raise
        except Exception as error:
            raise blamed("engine", f"{type(self._understudy).__name__} as {request.role}", error) from error
        return Completion(text=text, usage=estimate_usage(request, text))
