"""Values: plain data with typed fields, made often, never changed.

::

    class Place(Value):
        physician: str
        slot: int = 0

A subclass is a dataclass. The type checker checks its types and forbids any change. So nothing is checked when a value
is made: a check costs a microsecond, and an episode makes thousands of values. What comes from outside (a store, a
file, a model) is validated: `Place.read(data)`, `Place.from_json(text)`. Unknown fields are refused there.

Values of the user's files and of replies are `Frozen` and `ReplyModel` instead: they are validated whenever they are
made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Any, ClassVar, Generic, Self, TypeVar, cast, dataclass_transform, overload

import orjson
from pydantic import BaseModel, ConfigDict, TypeAdapter
from pydantic_core import to_json, to_jsonable_python

T = TypeVar("T")
ATOMS = frozenset((str, int, float, bool, type(None)))
"""Types of values that are plain data already."""
TYPES = 256


def once_a_type(make: Callable[[type[Any]], T]) -> Callable[[type[Any]], T]:
    """Decorator: caches what a function computes about a type, for the most recently used types. Forms are made for one
    case with its choices, so a server that runs for long gets ever more types of ten kB or more each.
    """
    return cast("Callable[[type[Any]], T]", lru_cache(maxsize=TYPES)(make))


class once(Generic[T]):
    """Decorator: a property that is computed at its first use, and then is an ordinary attribute.
    `functools.cached_property` takes a lock each time.
    """

    def __init__(self, work_out: Callable[[Any], T]) -> None:
        self._work_out, self._name, self.__doc__ = work_out, work_out.__name__, work_out.__doc__

    @overload
    def __get__(self, owner: None, kind: type[Any]) -> Self: ...
    @overload
    def __get__(self, owner: object, kind: type[Any]) -> T: ...
    def __get__(self, owner: Any, kind: type[Any]) -> T | Self:
        if owner is None:
            return self
        found = owner.__dict__[self._name] = self._work_out(owner)
        return found


class _ByFields:
    """How values are compared and shown. `dataclass` would write and compile these methods for each class, and that
    took a tenth of the time to import a clinic.
    """

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        compared = _compared(self.__class__)
        return bool(compared(self) == compared(other))

    def __hash__(self) -> int:
        return hash(_compared(self.__class__)(self))

    def __repr__(self) -> str:
        described = cast("Any", self)
        shown = [f"{each.name}={getattr(self, each.name)!r}" for each in fields(described) if each.repr]
        return f"{self.__class__.__qualname__}({', '.join(shown)})"


@once_a_type
def _compared(kind: type[Any]) -> Callable[[Any], object]:
    """A function that gives what is compared of a value: its fields, except those with ``compare=False``."""
    names = [each.name for each in fields(kind) if each.compare]
    return attrgetter(*names) if names else lambda value: ()


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def unchanging(cls: type[T]) -> type[T]:
    """Decorator: a dataclass that is frozen only for the type checker. An instance that Python freezes takes four times
    as long to make.
    """
    for name in ("__eq__", "__hash__", "__repr__"):
        setattr(cls, name, getattr(_ByFields, name))
    return dataclass(eq=False, repr=False)(cls)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
class Value(_ByFields):
    """Base of plain values. Fields are given by name; equal fields make equal values."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(kw_only=True, eq=False, repr=False)(cls)

    @classmethod
    def read(cls, data: object) -> Self:
        """A value from outside data, validated. Raises pydantic's `ValidationError`, which says what is wrong."""
        made: Self = adapter(cls).validator.validate_python(data)
        return made

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """A value from outside JSON, validated."""
        made: Self = adapter(cls).validator.validate_json(text)
        return made

    def to_json(self) -> bytes:
        """The fields as a JSON object, in the order of the class."""
        return json_bytes(self)


@once_a_type
def adapter(kind: type[Any]) -> TypeAdapter[Any]:
    """The validator for values of this type; built when it is first needed."""
    return TypeAdapter(kind)


def json_bytes(value: object) -> bytes:
    """Values as JSON. Dates and pydantic models are written as pydantic writes them; a number that is not finite is
    null.
    """
    try:
        return orjson.dumps(value, default=_as_json, option=orjson.OPT_PASSTHROUGH_DATETIME)
    except TypeError:
        return to_json(value, inf_nan_mode="null")


def _as_json(value: Any) -> Any:
    return to_jsonable_python(value, by_alias=False)


def plain(value: Any) -> Any:
    """The value as plain JSON data, to be kept in an event."""
    if value.__class__ in ATOMS:
        return value
    if isinstance(value, dict):
        return {str(key): item if item.__class__ in ATOMS else plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [item if item.__class__ in ATOMS else plain(item) for item in value]
    if isinstance(value, BaseModel) or is_dataclass(value):
        return _plain_field(value)
    return value


def _plain_field(value: Any) -> Any:
    """The same as `_as_json`, in a third of the time for values that contain other values."""
    if isinstance(value, Value):
        return {name: item if item.__class__ in ATOMS else _plain_field(item) for name, item in value.__dict__.items()}
    if isinstance(value, (list, tuple)):
        return [item if item.__class__ in ATOMS else _plain_field(item) for item in value]
    return _as_json(value)


def count_keys(value: Any) -> int:
    """How many keys the objects in plain data have. If a text had as many keys, it had none twice in one object."""
    if isinstance(value, dict):
        return len(value) + sum([count_keys(item) for item in value.values() if item.__class__ in (dict, list)])
    return sum([count_keys(item) for item in value]) if isinstance(value, list) else 0
