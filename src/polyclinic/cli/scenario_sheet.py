"""A scenario as a sheet that people read: its fields in words, under headings, in lines that fit the terminal.

What is empty, zero or not so is left out, also the numbers of lines of text; `--json` shows everything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeGuard

from polyclinic.text.layout import columns_of, filled, terminal_width

_WIDEST = 100
_SHORT = 40
_INDENT = "  "
_TEXT, _ID = "text", "id"


def sheet(data: Mapping[str, object]) -> str:
    """The sheet of one object, as JSON has it."""
    return "\n".join(_lines(data, ""))


def _lines(data: Mapping[str, object], indent: str) -> list[str]:
    """The fields in their order. A field that takes more than a line is a heading with its content below."""
    found: list[str] = []
    block = False
    for name, value in data.items():
        if not value:
            continue
        block, after = _many(value) and not _all_brief(value), block
        if not indent and found and (block or after):
            found.append("")
        found += _field(_words(name), value, indent)
    return found


def _field(name: str, value: object, indent: str) -> list[str]:
    deeper = indent + _INDENT
    if isinstance(value, Mapping):
        return [f"{indent}{name}:", *_lines(value, deeper)]
    if _is_list(value):
        if all(_brief(item) for item in value):
            return [_wrapped(f"{indent}{name}: {', '.join(map(_said, value))}", deeper)]
        return [f"{indent}{name}:", *(line for item in value for line in _item(item, deeper))]
    return [_wrapped(f"{indent}{name}: {_said(value)}", deeper)]


def _item(item: object, indent: str) -> list[str]:
    """One entry of a list. A line of text has the rest in brackets; other entries stand in one line if they fit."""
    if not isinstance(item, Mapping):
        return [_wrapped(f"{indent}- {_said(item)}", indent + _INDENT)]
    deeper, filled_in = indent + _INDENT, {name: value for name, value in item.items() if value}
    if not any(_many(value) and not _all_brief(value) for value in filled_in.values()):
        if text := filled_in.pop(_TEXT, None):
            about = "; ".join(_beside(name, value) for name, value in filled_in.items() if name != _ID)
            return [_wrapped(f"{indent}- {_said(text)}{about and f' ({about})'}", deeper)]
        fields = "; ".join(_named(name, value) for name, value in filled_in.items())
        line = f"{indent}- {fields[:1].upper()}{fields[1:]}"
        if columns_of(line) <= terminal_width(_WIDEST):
            return [line]
    first, *rest = _lines(filled_in, deeper) or [""]
    return [f"{indent}- {first.strip()}", *rest]


def _beside(name: str, value: object) -> str:
    """What stands in brackets after a text: one word says enough, anything else has its name."""
    return value if isinstance(value, str) and value.isalpha() else _named(name, value)


def _named(name: str, value: object) -> str:
    """A value after its name; a mark is its name alone."""
    said = ", ".join(map(_said, value)) if _is_list(value) else _said(value)
    return _words(name).lower() if value is True else f"{_words(name).lower()}: {said}"


def _words(name: str) -> str:
    said = name.replace("_", " ")
    return said[:1].upper() + said[1:]


def _said(value: object) -> str:
    return "yes" if value is True else str(value)


def _many(value: object) -> bool:
    return isinstance(value, Mapping) or _is_list(value)


def _all_brief(value: object) -> bool:
    return _is_list(value) and all(_brief(item) for item in value)


def _brief(value: object) -> bool:
    return not _many(value) and len(_said(value)) <= _SHORT


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _wrapped(text: str, hanging: str) -> str:
    return filled(text, terminal_width(_WIDEST), hanging)
