"""A sentence that keeps what it was made of, so that it can be said in another language from the same parts."""

from __future__ import annotations

import re
from typing import Self

BLANK = re.compile(r"\{(\d)\}")
"""A place for what varies: ``{1}`` is the first part."""


class Worded(str):
    """A sentence in English: its form, and the parts that fill its places.

    A part that is a `Worded` too is one of our own and is translated; any other part (a name, a number, what somebody
    typed) stays. A tuple is names to choose from. Tables of other languages have the forms as keys.
    """

    __slots__ = ("form", "parts")
    form: str
    parts: tuple[object, ...]

    def __new__(cls, form: str, *parts: object) -> Self:
        """Fill the form. Without parts, it is the sentence."""
        filled = BLANK.sub(lambda blank: _either(parts[int(blank[1]) - 1]), form) if parts else form
        made = super().__new__(cls, filled)
        made.form, made.parts = form, parts
        return made

    def __getnewargs__(self) -> tuple[object, ...]:  # type: ignore[override]
        """What it was made of, for copies and other processes."""
        return (self.form, *self.parts)


def _either(part: object) -> str:
    if not isinstance(part, tuple):
        return str(part)
    *others, last = map(str, part)
    return f"{', '.join(others)} or {last}" if others else last


def worded(error: Exception) -> str:
    """An error's message, with its parts if it has them."""
    return error.args[0] if error.args and isinstance(error.args[0], Worded) else str(error)
