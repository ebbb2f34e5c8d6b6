"""Charts as data: bars, lines, heat maps and dot plots. `polyclinic.eval.svg` draws them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Literal

from polyclinic.core.value import unchanging
from polyclinic.eval.estimate import Estimate

ChartValue = float | Estimate | None


def middle(value: ChartValue) -> float | None:
    """The number itself, with or without an interval; None if there is nothing to draw."""
    found = value.mean if isinstance(value, Estimate) else value
    return found if found is not None and math.isfinite(found) else None


def span(value: ChartValue) -> tuple[float, float] | None:
    """The interval's ends; None if there is no interval to draw."""
    if not isinstance(value, Estimate) or value.low is None or value.high is None:
        return None
    return (value.low, value.high) if math.isfinite(value.low) and math.isfinite(value.high) else None


_WIDEST = 100.0
"""A scale wider than this is not drawn whole."""


def drawn_range(low: float, high: float, values: Iterable[ChartValue]) -> tuple[float | None, float | None]:
    """The ends of an axis for values on this scale: the scale's own. A scale below zero begins at zero where no value
    and no interval goes below. A very wide scale has no fixed ends.
    """
    if high - low >= _WIDEST:
        return None, None
    reach = [end for value in values for end in (middle(value), *(span(value) or ())) if end is not None]
    return (0.0 if low < 0 <= min(reach, default=low) else low), high


@unchanging
class Bars:
    """Groups of bars, one bar for each series: ``Bars(["warmth"], {"plain": [2.1], "full": [4.0]})``. Estimates get
    whiskers.

    `stacked` puts the series of a group on top of each other (shares of a whole).
    """

    groups: Sequence[str]
    series: Mapping[str, Sequence[ChartValue]]
    x_label: str = ""
    y_label: str = ""
    low: float | None = None
    high: float | None = None
    stacked: bool = False
    kind: Literal["bars"] = field(default="bars", init=False)

    def __post_init__(self) -> None:
        _same_lengths("bars", len(self.groups), self.series)


@unchanging
class Lines:
    """Lines over a numeric x, one for each series; Estimates get a band. Gaps (None) break the line."""

    x: Sequence[float]
    series: Mapping[str, Sequence[ChartValue]]
    x_label: str = ""
    y_label: str = ""
    low: float | None = None
    high: float | None = None
    kind: Literal["lines"] = field(default="lines", init=False)

    def __post_init__(self) -> None:
        _same_lengths("lines", len(self.x), self.series)


@unchanging
class HeatMap:
    """A matrix of numbers as shaded cells, with the numbers printed in them if they fit. None is an empty cell."""

    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Sequence[float | None]]
    x_label: str = ""
    y_label: str = ""
    low: float | None = None
    high: float | None = None
    digits: int = 2
    kind: Literal["heatmap"] = field(default="heatmap", init=False)

    def __post_init__(self) -> None:
        if len(self.values) != len(self.rows):
            raise ValueError(f"a heat map of {len(self.rows)} rows got {len(self.values)} rows of values")
        for name, row in zip(self.rows, self.values, strict=True):
            if len(row) != len(self.columns):
                raise ValueError(f"heat map row '{name}' has {len(row)} values under {len(self.columns)} columns")


@unchanging
class Dots:
    """A dot with its interval for each row and series, on one shared axis. `reference` draws a vertical line."""

    rows: Sequence[str]
    series: Mapping[str, Sequence[ChartValue]]
    x_label: str = ""
    low: float | None = None
    high: float | None = None
    reference: float | None = None
    kind: Literal["dots"] = field(default="dots", init=False)

    def __post_init__(self) -> None:
        _same_lengths("dots", len(self.rows), self.series)


@unchanging
class Scatter:
    """Points of x against y, one colour for each series; `diagonal` draws the line of equality."""

    series: Mapping[str, Sequence[tuple[float, float]]]
    x_label: str = ""
    y_label: str = ""
    diagonal: bool = False
    kind: Literal["scatter"] = field(default="scatter", init=False)


Chart = Bars | Lines | HeatMap | Dots | Scatter


def _same_lengths(what: str, expected: int, series: Mapping[str, Sequence[ChartValue]]) -> None:
    for name, values in series.items():
        if len(values) != expected:
            raise ValueError(f"{what}: series '{name}' has {len(values)} values instead of {expected}")
