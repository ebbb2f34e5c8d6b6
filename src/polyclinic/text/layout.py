"""Text for people: paragraphs and lists without empty parts, and lines that fit a terminal."""

from __future__ import annotations

import re
import shutil
import unicodedata
from collections.abc import Iterable

_STYLE = re.compile("\x1b\\[[0-9;]*m")
"""The codes that make text bold, dim or coloured."""

_STEERS = re.compile("\x1b(?!\\[[0-9;]*m)|[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]")
"""Control characters that would steer a terminal. What is shown was said by models and people."""

_NUMBERED = re.compile(r"\d+[.):]? ")


def blocks(*parts: str) -> str:
    """Paragraphs with an empty line between them."""
    return "\n\n".join(part.strip() for part in parts if part.strip())


def bullets(items: Iterable[str]) -> str:
    """A list with one item per line, each after a dash."""
    return "\n".join(f"- {item}" for item in items)


def listed(head: str, items: Iterable[str]) -> str:
    """A heading and its items, one per line; numbered items stay as they are. Empty without items."""
    lines = [item if _NUMBERED.match(item) else f"- {item}" for item in items]
    return "\n".join([head, *lines]) if lines else ""


def number_of(count: int, thing: str) -> str:
    """A count with its noun: "1 episode", "2,400 episodes", "3 entries"."""
    many = f"{thing[:-1]}ies" if thing.endswith("ry") else f"{thing}s"
    return f"{count:,} {thing if count == 1 else many}"


def columns_of(text: str) -> int:
    """How many columns a text takes in a terminal: two for wide characters, none for combining ones and for styles."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in _STYLE.sub("", text)
    )


def terminal_width(most: int) -> int:
    """The width of the terminal, but not more than this; in a pipe or a file, this."""
    return min(most, shutil.get_terminal_size((most, 24)).columns)


def filled(text: str, width: int, hanging: str = "") -> str:
    """Wrap a text at spaces, so that each line fits the width in a terminal. Words stay whole; one that is wider than
    a line gets a line of its own. Lines after the first begin with `hanging`. Of control characters, only styles stay.
    """
    text = _STEERS.sub("", text.replace("\n", " "))
    start = text[: len(text) - len(text.lstrip(" "))]
    first, *words = text[len(start) :].rstrip(" ").split(" ")
    lines = [start + first]
    for word in words:
        whole = f"{lines[-1]} {word}"
        if columns_of(whole) <= width:
            lines[-1] = whole
        elif word:
            lines.append(hanging + word)
    return "\n".join(line.rstrip(" ") for line in lines)
