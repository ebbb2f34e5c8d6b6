"""Reading a flat form that was answered loosely: an object with words around it, ``name: value`` lines, bullets.

Strict reading comes first (`core.reply`). Where a server takes no schema, models answer a form in their own way, and
the answer is often still clear. It is accepted only if every value is in the reply under its own name, each choice is
named exactly, and there is no duplicate. A missing value is never filled in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticUndefined

from polyclinic.core.reply import STRICT, Unreadable
from polyclinic.core.value import once_a_type, unchanging
from polyclinic.text.phrases import phrase_pattern
from polyclinic.text.sentences import sentences

R = TypeVar("R")
ValueKind = Literal["text", "choice", "truth", "whole", "number", "texts"]

_RIGHT_TYPES: dict[ValueKind, tuple[type, ...]] = {"truth": (bool,), "whole": (int,), "number": (int, float)}
_PLAIN_KINDS: dict[Any, ValueKind] = {str: "text", bool: "truth", int: "whole", float: "number"}
_LINE = re.compile(
    r"^\s*(?:[-*•]\s+|\d+[.)]\s+)?[*_`\"'“]*([A-Za-z][\w \-]{0,40}?)[*_`\"'”]*\s*[:=]\s*[*_`]*[ \t]*(.*)$"
)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
_LONGEST_NUMBER = 18
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]*\d)")
_AROUND = " \t\r\n\"'`*“”‘’.,;:!?()[]<>"
_QUOTES = ' \t\r\n"`*“”'
EMPTY = "-"
_NOTHING = frozenset(("", "none", "null", "nothing", "n/a", "-", "[]", "없음"))
_TRUE = frozenset(("yes", "true", "예", "네"))
_FALSE = frozenset(("no", "false", "아니요", "아니오"))
_NOT = re.compile(r"(?:\bnot|\bnever|n't|\bneither|\bnor)\s+(?:a |an |the )?$", re.IGNORECASE)


@unchanging
class FormField:
    """One field of a flat form: what it holds, and whether it may be left out, empty or None."""

    name: str
    kind: ValueKind
    required: bool
    may_be_none: bool
    choices: tuple[str, ...] = ()
    about: str = ""
    may_be_empty: bool = False


@once_a_type
def flat_fields(reply_type: type[Any]) -> tuple[FormField, ...] | None:
    """The fields of a flat form; None if the form contains other forms, or if the type is not a form."""
    if not (isinstance(reply_type, type) and issubclass(reply_type, BaseModel)):
        return None
    found: list[FormField] = []
    for name, info in reply_type.model_fields.items():
        known = _kind_of(info.annotation)
        if known is None:
            if info.is_required():
                return None
            continue
        kind, choices, may_be_none = known
        needed = info.is_required() and info.default is PydanticUndefined
        empty = kind == "text" and not any(getattr(rule, "min_length", 0) for rule in info.metadata)
        found.append(FormField(name, kind, needed, may_be_none, choices, info.description or "", empty))
    return tuple(found)


def _kind_of(annotation: Any) -> tuple[ValueKind, tuple[str, ...], bool] | None:
    """What an annotation holds: its kind, its choices, and whether it may be None."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _kind_of(args[0])
    if origin in (Union, UnionType):
        others = [part for part in args if part is not NoneType]
        known = _kind_of(others[0]) if len(others) == 1 else None
        return (known[0], known[1], NoneType in args) if known else None
    if origin is Literal:
        if all(type(value) is int for value in args):
            return "whole", tuple(map(str, args)), False
        return ("choice", tuple(args), False) if all(isinstance(value, str) for value in args) else None
    if origin in (tuple, list) and args[:1] == (str,) and args[1:] in ((), (Ellipsis,)):
        return "texts", (), False
    kind = _PLAIN_KINDS.get(annotation)
    return (kind, (), False) if kind else None


def read_loosely(text: str, reply_type: type[R]) -> R:
    """The form as its type, if every required value is in the text under its name; else `Unreadable`."""
    fields = flat_fields(reply_type)
    if not fields:
        raise Unreadable("the reply is not one JSON object")
    said = fields_said(text, fields)
    missing = [field.name for field in fields if field.required and field.name not in said]
    if missing:
        raise Unreadable(f"the reply does not say: {', '.join(missing)}")
    return made_of(
        {field.name: value_of(field, said[field.name]) for field in fields if field.name in said}, reply_type
    )


def made_of(values: Mapping[str, Any], reply_type: type[R]) -> R:
    """The form made of these values, checked by its type's own rules."""
    try:
        return cast(R, cast("type[BaseModel]", reply_type).model_validate(dict(values)))
    except ValidationError as error:
        fault = error.errors()[0]
        raise Unreadable(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}") from None


def fields_said(text: str, fields: Sequence[FormField]) -> dict[str, Any]:
    """The text under each field's name: from the one JSON object in the reply, else from its ``name: value`` lines."""
    body = text.strip()
    start = body.find("{")
    if start < 0:
        return _from_lines(body, {_plain_name(field.name): field.name for field in fields})
    try:
        found, end = STRICT.raw_decode(body, start)
    except Unreadable:
        raise
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"the reply is not one JSON object: {error}") from None
    names = {_plain_name(field.name): field.name for field in fields}
    if "{" in body[end:] or _from_lines(body[end:], names):
        raise Unreadable("the reply holds more than one answer")
    return {name: value for name, value in found.items() if name in names.values()}


def _from_lines(body: str, names: Mapping[str, str]) -> dict[str, Any]:
    said: dict[str, list[str]] = {}
    now: list[str] | None = None
    for line in body.splitlines():
        match = _LINE.match(line)
        name = names.get(_plain_name(match[1])) if match else None
        if match and name:
            if name in said:
                raise Unreadable(f"duplicate field '{name}' in the reply")
            now = said[name] = [match[2]]
        elif now is not None:
            now.append(line)
    return {name: "\n".join(lines).strip() for name, lines in said.items()}


def _plain_name(name: str) -> str:
    return re.sub(r"[\s_\-]+", " ", name).strip().casefold()


def value_of(field: FormField, said: Any) -> Any:
    """A field's value from the text of a reply, unchanged. Raises `Unreadable` if it is not clear."""
    if said is None or (field.may_be_none and isinstance(said, str) and said.strip().casefold() in _NOTHING):
        if field.may_be_none:
            return None
        raise Unreadable(f"{field.name}: nothing was said")
    if field.kind == "texts":
        return _texts(said)
    if isinstance(said, str):
        return _from_words(field, said)
    right = _RIGHT_TYPES.get(field.kind)
    if right is None or not isinstance(said, right) or (field.kind != "truth" and isinstance(said, bool)):
        raise Unreadable(f"{field.name}: {said!r} is not what was asked for")
    return said


def _texts(said: Any) -> tuple[str, ...]:
    if isinstance(said, str):
        if said.strip().casefold() in _NOTHING:
            return ()
        said = [_BULLET.sub("", line) for line in said.splitlines()]
    if not isinstance(said, list) or not all(isinstance(item, str) for item in said):
        raise Unreadable("a list of texts was asked for")
    return tuple(item.strip(_QUOTES) for item in said if item.strip(_QUOTES))


def _from_words(field: FormField, words: str) -> Any:
    if field.kind == "choice":
        return named_choice(words, field.choices, field.name)
    if field.kind == "truth":
        first = words.strip(_AROUND).casefold().split(maxsplit=1)
        said = first[0].strip(_AROUND) if first else ""
        if said not in _TRUE | _FALSE:
            raise Unreadable(f"{field.name}: answer yes or no")
        return said in _TRUE
    if field.kind in ("whole", "number"):
        numbers = set(_NUMBER.findall(words))
        if len(numbers) != 1 or len(number := numbers.pop()) > _LONGEST_NUMBER:
            raise Unreadable(f"{field.name}: answer with one number")
        if field.kind == "whole" and "." in number:
            raise Unreadable(f"{field.name}: answer with a whole number")
        return int(number) if field.kind == "whole" else float(number)
    said = words.strip(_QUOTES)
    return "" if field.may_be_empty and said == EMPTY else said


def named_choice(words: str, choices: Sequence[str], name: str = "choice") -> str:
    """The one choice that the text names: in the first sentence, else in the whole text."""
    bare = words.strip(_AROUND).casefold()
    for choice in choices:
        if bare == choice.strip(_AROUND).casefold():
            return choice
    if "" in choices and bare in (_NOTHING | {"empty"}):
        return ""
    first = next(iter(sentences(words)), "")
    for part in (first.rstrip(".!?"), words):
        named = _named(part, choices)
        if len(named) == 1:
            return named.pop()
        if named:
            break
    raise Unreadable(f"{name}: name exactly one of {', '.join(choice or 'nothing' for choice in choices)}")


def _named(words: str, choices: Sequence[str]) -> set[str]:
    """The choices that the text names and does not deny. A choice inside the name of a longer one does not count."""
    spans: list[tuple[int, int, str]] = []
    for choice in choices:
        pattern = _letter(choice) if len(choice) == 1 else phrase_pattern(choice, hyphens=True)
        found = pattern.finditer(words) if choice else ()
        spans += [(at.start(), at.end(), choice) for at in found if not _NOT.search(words[: at.start()])]
    return {
        choice
        for start, end, choice in spans
        if not any(a <= start and end <= b and (b - a) > (end - start) for a, b, _ in spans)
    }


@lru_cache(maxsize=256)
def _letter(letter: str) -> re.Pattern[str]:
    """A pattern for a letter that is the answer: marked as such, or at the start with a punctuation mark after it.

    "A cough" names no letter.
    """
    own = re.escape(letter)
    return re.compile(rf"\({own}\)|^\s*{own}[.:)](?!\w)|(?i:option|answer|choice|choose|is)[ :]+\(?{own}\b(?!\s+[a-z])")
