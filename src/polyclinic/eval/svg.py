"""The parts of charts: escaped text, shapes, ticks and scales, as strings of SVG.

Colours are classes (``s0`` … ``s7`` for series, ``grid``, ``whisker``), so that one style sheet works in light mode, in
dark mode and in print.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

FONT = 12.0
SERIES_COLOURS = 8
MARKS = ("circle", "square", "diamond", "triangle")
_CORNERS: dict[str, tuple[tuple[float, float], ...]] = {
    "square": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    "diamond": ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
    "triangle": ((0, -1.2), (1.2, 1), (-1.2, 1)),
}


def number(value: float) -> str:
    """A coordinate as short text, always in the same form."""
    return f"{value:.1f}".removesuffix(".0")


def width_of(text: str, size: float = FONT) -> float:
    """The approximate width of a text; a character of a wide script takes a full square."""
    units = sum(1.0 if unicodedata.east_asian_width(char) in "WF" else 0.56 for char in text)
    return units * size


def shorten(text: str, room: float, size: float = FONT) -> str:
    """The text, cut with an ellipsis to about this width."""
    if width_of(text, size) <= room:
        return text
    kept = text
    while kept and width_of(kept + "…", size) > room:
        kept = kept[:-1]
    return kept.rstrip() + "…"


def folded(words: str, room: float) -> list[str]:
    """The text in lines of at most this width."""
    lines = [""]
    for word in words.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width_of(longer) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return [shorten(each, room) for each in lines]


def text(x: float, y: float, words: str, anchor: str = "start", extra: str = "", turn: float = 0.0) -> str:
    """A label. `turn` rotates it about its own anchor."""
    turned = f' transform="rotate({number(turn)} {number(x)} {number(y)})"' if turn else ""
    placed = "" if anchor == "start" else f' text-anchor="{anchor}"'
    klass = f' class="{extra}"' if extra else ""
    return f'<text x="{number(x)}" y="{number(y)}"{placed}{klass}{turned}>{escape(words, quote=False)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, klass: str) -> str:
    """A straight line."""
    return f'<line x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}" class="{klass}"/>'


def rect(x: float, y: float, width: float, height: float, klass: str, tip: str = "", style: str = "") -> str:
    """A box, with a text that appears when the pointer is over it."""
    styled = f' style="{style}"' if style else ""
    box = f'x="{number(x)}" y="{number(y)}" width="{number(max(width, 0))}" height="{number(max(height, 0))}"'
    return f'<rect {box} class="{klass}"{styled}{_tip("rect", tip)}'


def path(points: Iterable[tuple[float, float]], klass: str, closed: bool = False) -> str:
    """A line through points, or a filled shape."""
    joined = "L".join(f"{number(x)} {number(y)}" for x, y in points)
    return f'<path d="M{joined}{"Z" if closed else ""}" class="{klass}"/>'


def mark(x: float, y: float, series: int, tip: str = "", size: float = 4.5) -> str:
    """A point. Each series has its own shape, so that colour is never the only difference."""
    shape, klass = MARKS[series % len(MARKS)], f"fill s{series % SERIES_COLOURS}"
    if shape == "circle":
        return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(size)}" class="{klass}"{_tip("circle", tip)}'
    joined = " ".join(f"{number(x + dx * size * 0.9)},{number(y + dy * size * 0.9)}" for dx, dy in _CORNERS[shape])
    return f'<polygon points="{joined}" class="{klass}"{_tip("polygon", tip)}'


def _tip(tag: str, words: str) -> str:
    return f"><title>{escape(words, quote=False)}</title></{tag}>" if words else "/>"


def wrap(width: float, height: float, title: str, description: str, body: Iterable[str]) -> str:
    """The whole picture, with its name and its description for those who cannot see it."""
    return (
        f'<svg role="img" viewBox="0 0 {number(width)} {number(height)}" width="{number(width)}" '
        f'height="{number(height)}" xmlns="http://www.w3.org/2000/svg"><title>{escape(title, quote=False)}</title>'
        f"<desc>{escape(description, quote=False)}</desc>{''.join(body)}</svg>"
    )


@dataclass(frozen=True)
class Scale:
    """Maps numbers to coordinates, and knows the ticks to print."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The value's coordinate; values beyond the ends stay at the ends."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, about: int = 5) -> list[float]:
        """Round numbers between the ends."""
        step = tick_step(self.high - self.low, about)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [index * step for index in range(first, last + 1)]


def tick_step(span: float, about: int = 5) -> float:
    """A step of 1, 2 or 5 times a power of ten that gives about this many ticks."""
    raw = span / max(1, about)
    power = 10.0 ** math.floor(math.log10(raw))
    for factor in (1.0, 2.0, 5.0, 10.0):
        if raw <= factor * power * (1 + 1e-9):
            return factor * power
    return 10.0 * power


def scale_for(
    values: Iterable[float], start: float, end: float, low: float | None = None, high: float | None = None
) -> Scale:
    """A scale that includes all values and the given ends. If an end is not given, it is a round tick."""
    found = [value for value in values if math.isfinite(value)]
    bottom = low if low is not None and math.isfinite(low) else min(found, default=0.0)
    top = high if high is not None and math.isfinite(high) else max(found, default=1.0)
    bottom, top = min([bottom, *found]), max([top, *found])
    if top - bottom < 1e-12 * max(1.0, abs(top)):
        pad = 0.5 if bottom == 0 else abs(bottom) * 0.1
        bottom, top = (bottom - pad if bottom != 0 else 0.0), top + pad
    step = tick_step(top - bottom)
    if low is None:
        bottom = math.floor(bottom / step + 1e-9) * step
    if high is None:
        top = math.ceil(top / step - 1e-9) * step
    return Scale(bottom, top, start, end)


def tick_text(value: float, step: float) -> str:
    """A tick's label with just enough digits for its step."""
    if abs(value) >= 10_000:
        return f"{value:,.0f}"
    digits = max(0, -math.floor(math.log10(step) + 1e-9)) if step > 0 else 0
    words = f"{value:.{digits}f}"
    return words[1:] if float(words) == 0 and words.startswith("-") else words
