"""Tools: actions an agent may take, with typed arguments, each marked as reading or writing."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property
from typing import Any, Generic, Literal, TypeVar, cast, get_type_hints

from pydantic import BaseModel, ValidationError

from polyclinic.core.message import Frozen
from polyclinic.core.value import once_a_type
from polyclinic.errors import WrongForm

A = TypeVar("A", bound=BaseModel)
ToolAccess = Literal["read", "write"]


class ToolSpec(Frozen):
    """The description of a tool that a model gets."""

    name: str
    description: str
    parameters: dict[str, Any]


class BadArguments(WrongForm):
    """The arguments are invalid; the message can be shown to the model."""


@once_a_type
def _schema(arguments_type: type[BaseModel]) -> dict[str, Any]:
    return arguments_type.model_json_schema()


_argument_types: dict[object, type[BaseModel]] = {}
"""Cached by the code of a function: each episode makes its tools from the same few functions."""


def _argument_type(function: Callable[..., Any]) -> type[BaseModel]:
    written = all(isinstance(hint, str) for hint in getattr(function, "__annotations__", {}).values())
    code = getattr(function, "__code__", None) if written else None
    known = _argument_types.get(code)
    if known is not None:
        return known
    hints = get_type_hints(function)
    hints.pop("return", None)
    if len(hints) != 1:
        raise TypeError(f"tool {function.__name__} must take exactly one typed argument (a pydantic model)")
    found: type[BaseModel] = next(iter(hints.values()))
    if code is not None:
        _argument_types[code] = found
    return found


class Tool(Generic[A]):
    """A named action: ``Tool(function)`` where the function takes one pydantic argument and returns plain data."""

    def __init__(
        self,
        function: Callable[[A], Any],
        *,
        access: ToolAccess,
        name: str | None = None,
        description: str | None = None,
    ) -> None:
        self.arguments_type = cast("type[A]", _argument_type(function))
        self.function = function
        self.access: ToolAccess = access
        self.name = name or function.__name__
        self.description = description or inspect.getdoc(function) or self.name

    @cached_property
    def spec(self) -> ToolSpec:
        """The description that a model gets."""
        return ToolSpec(name=self.name, description=self.description, parameters=_schema(self.arguments_type))

    async def use(self, arguments: dict[str, Any]) -> Any:
        """Validate the arguments strictly, then run the tool.

        Wrong arguments raise `BadArguments`; the tool's own errors propagate.
        """
        try:
            typed = self.arguments_type.model_validate(arguments)
        except ValidationError as error:
            faults = "; ".join(f"{'.'.join(map(str, f['loc'])) or 'arguments'}: {f['msg']}" for f in error.errors()[:5])
            raise BadArguments(f"{self.name}: {faults}") from None
        result = self.function(typed)
        if inspect.isawaitable(result):
            result = await result
        return result
