"""A small raster: points, lines, boxes, marks and text on a grid of palette indices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import resources
from itertools import pairwise

import numpy as np

from tools.drawing import png

PALETTE = (
    (255, 255, 255), (0, 0, 0), (250, 214, 214), (235, 160, 160), (200, 30, 30), (30, 60, 180), (120, 120, 120),
    (215, 215, 215), (20, 130, 60), (180, 110, 20), (240, 240, 240), (190, 190, 190), (150, 150, 150), (100, 100, 100),
    (60, 60, 60), (245, 235, 200),
)  # fmt: skip
WHITE, BLACK, PINK, ROSE, RED, BLUE, GREY, PALE, GREEN, AMBER = range(10)
GREYS = (0, 10, 7, 11, 12, 6, 13, 14, 1)  # light to dark, for shaded fields

Point = tuple[float, float]


@lru_cache(maxsize=1)
def _font() -> dict[str, np.ndarray[tuple[int, int], np.dtype[np.bool_]]]:
    text = resources.files(__package__).joinpath("font.txt").read_text(encoding="utf-8")
    glyphs = {}
    for line in text.splitlines():
        name, *rows = line.split(" ")
        glyphs[name] = np.array([[dot == "#" for dot in row] for row in rows], dtype=np.bool_)
    return glyphs


class Canvas:
    """A grid of pixels, addressed (x, y) from the top left; everything outside is cut off."""

    def __init__(self, width: int, height: int, background: int = WHITE) -> None:
        self.width = width
        self.height = height
        self.pixels = np.full((height, width), background, dtype=np.uint8)

    def box(self, x0: int, y0: int, x1: int, y1: int, colour: int, fill: bool = False) -> None:
        """Draw a rectangle including both corners."""
        if fill:
            self.pixels[max(0, y0) : y1 + 1, max(0, x0) : x1 + 1] = colour
            return
        for y in (y0, y1):
            self.line([(x0, y), (x1, y)], colour)
        for x in (x0, x1):
            self.line([(x, y0), (x, y1)], colour)

    def _dots(
        self,
        xs: np.ndarray[tuple[int], np.dtype[np.int64]],
        ys: np.ndarray[tuple[int], np.dtype[np.int64]],
        colour: int,
    ) -> None:
        inside = (xs >= 0) & (xs < self.width) & (ys >= 0) & (ys < self.height)
        self.pixels[ys[inside], xs[inside]] = colour

    def line(self, points: Sequence[Point], colour: int, thick: int = 1, dash: int = 0) -> None:
        """Draw a polyline; `dash` > 0 draws that many pixels on, that many off."""
        for (x0, y0), (x1, y1) in pairwise(points):
            steps = int(max(abs(x1 - x0), abs(y1 - y0))) + 1
            along = np.arange(steps + 1)
            if dash:
                along = along[(along // dash) % 2 == 0]
            xs = np.floor(x0 + (x1 - x0) * along / steps + 0.5).astype(np.int64)
            ys = np.floor(y0 + (y1 - y0) * along / steps + 0.5).astype(np.int64)
            for dx in range(thick):
                for dy in range(thick):
                    self._dots(xs + dx, ys + dy, colour)

    def circle(self, x: float, y: float, radius: float, colour: int, thick: int = 1) -> None:
        """Draw the outline of a circle as 48 short lines."""
        angles = [i * 2 * np.pi / 48 for i in range(49)]
        self.line([(x + radius * float(np.cos(a)), y + radius * float(np.sin(a))) for a in angles], colour, thick)

    def mark(self, shape: str, x: float, y: float, colour: int, size: int = 5) -> None:
        """Draw one data mark: `circle`, `cross`, `dot`, `left` (<) or `right` (>)."""
        if shape == "circle":
            self.circle(x, y, size, colour, 2)
        elif shape == "cross":
            self.line([(x - size, y - size), (x + size, y + size)], colour, 2)
            self.line([(x - size, y + size), (x + size, y - size)], colour, 2)
        elif shape == "dot":
            self.box(int(x) - 2, int(y) - 2, int(x) + 2, int(y) + 2, colour, fill=True)
        else:
            tip, open_side = (x - size, x + size) if shape == "left" else (x + size, x - size)
            self.line([(open_side, y - size), (tip, y), (open_side, y + size)], colour, 2)

    def text(self, x: int, y: int, words: str, colour: int = BLACK, align: str = "left") -> None:
        """Draw text in the 5x7 font; `x` is its left end, middle or right end. Unknown characters are refused."""
        width = 6 * len(words) - 1
        left = x - {"left": 0, "middle": width // 2, "right": width}[align]
        font = _font()
        for i, character in enumerate(words):
            if character == " ":
                continue
            rows, columns = np.nonzero(font[character])
            if character in "gpqy":
                rows = rows + 1
            self._dots(left + 6 * i + columns, y + rows, colour)

    def png(self) -> bytes:
        """The finished PNG file."""
        return png.encode(self.pixels, PALETTE)


class Axes:
    """A rectangle of the canvas with linear scales; `top` is the data value at the upper edge; it may be smaller."""

    def __init__(self, canvas: Canvas, area: tuple[int, int, int, int], x: Point, y: Point) -> None:
        self.canvas = canvas
        self.left, self.upper, self.right, self.lower = area
        self.x0, self.x1 = x
        self.bottom, self.top = y

    def at(self, x: float, y: float) -> Point:
        """The position of a data point on the canvas."""
        along = (x - self.x0) / (self.x1 - self.x0)
        up = (y - self.bottom) / (self.top - self.bottom)
        return self.left + along * (self.right - self.left), self.lower - up * (self.lower - self.upper)

    def plot(self, points: Iterable[Point], colour: int, thick: int = 2, dash: int = 0) -> None:
        """Draw a curve through data points."""
        self.canvas.line([self.at(x, y) for x, y in points], colour, thick, dash)

    def grid(self, xs: Sequence[float], ys: Sequence[float], colour: int = PALE) -> None:
        """Draw grid lines and the frame."""
        for x in xs:
            self.canvas.line([self.at(x, self.bottom), self.at(x, self.top)], colour)
        for y in ys:
            self.canvas.line([self.at(self.x0, y), self.at(self.x1, y)], colour)
        self.canvas.box(self.left, self.upper, self.right, self.lower, GREY)

    def label_x(self, values: Sequence[tuple[float, str]]) -> None:
        """Draw labels under the axis."""
        for value, words in values:
            self.canvas.text(
                round(self.at(value, self.bottom)[0]), max(self.lower, self.upper) + 5, words, align="middle"
            )

    def label_y(self, values: Sequence[tuple[float, str]]) -> None:
        """Draw labels left of the axis."""
        for value, words in values:
            self.canvas.text(self.left - 4, round(self.at(self.x0, value)[1]) - 3, words, align="right")
