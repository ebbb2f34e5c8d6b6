"""Audiograms, growth charts and trends: measured points on plain axes."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from tools.drawing.canvas import AMBER, BLACK, BLUE, GREEN, GREY, RED, Axes, Canvas

FREQUENCIES_HZ = (250, 500, 1000, 2000, 4000, 8000)


class AudiogramSource(BaseModel):
    """Thresholds in dB HL; air at 250 to 8000 Hz, bone at 500 to 4000 Hz (empty when not tested)."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: str = "audiogram"
    title: str
    right_air: tuple[int, int, int, int, int, int]
    left_air: tuple[int, int, int, int, int, int]
    right_bone: tuple[int, ...] = ()
    left_bone: tuple[int, ...] = ()


def draw_audiogram(source: AudiogramSource) -> bytes:
    """Octaves evenly spaced, hearing loss downwards; right ear red circles and <, left ear blue crosses and >."""
    canvas = Canvas(440, 330)
    axes = Axes(canvas, (50, 34, 420, 270), (-0.5, 5.5), (120, -10))
    axes.grid(range(6), range(0, 121, 20))
    axes.label_x([(i, str(hz)) for i, hz in enumerate(FREQUENCIES_HZ)])
    axes.label_y([(db, str(db)) for db in range(0, 121, 20)])
    canvas.text(220, 8, source.title, align="middle")
    canvas.text(220, 290, "Frequency (Hz)", align="middle")
    canvas.text(4, 20, "dB HL")
    canvas.text(8, 308, "Right: O air  < bone", RED)
    canvas.text(220, 308, "Left: X air  > bone", BLUE)
    for values, shape, colour in ((source.right_air, "circle", RED), (source.left_air, "cross", BLUE)):
        axes.plot(list(enumerate(values)), colour, 1)
        for i, db in enumerate(values):
            canvas.mark(shape, *axes.at(i, db), colour)
    for bone, shape, colour, shift in (
        (source.right_bone, "left", RED, -0.14),
        (source.left_bone, "right", BLUE, 0.14),
    ):
        for i, db in zip(range(1, 5), bone, strict=False):
            canvas.mark(shape, *axes.at(i + shift, db), colour, 4)
    return canvas.png()


class GrowthSource(BaseModel):
    """A child's measurements over reference curves (mean and 2 standard deviations either side) at the same months."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: str = "growth"
    title: str
    unit: str
    months: tuple[float, ...]
    minus_2sd: tuple[float, ...]
    mean: tuple[float, ...]
    plus_2sd: tuple[float, ...]
    child: tuple[tuple[float, float], ...]


def draw_growth(source: GrowthSource) -> bytes:
    """The child's curve in red over the reference curves in grey."""
    canvas = Canvas(460, 320)
    low, high = min(source.minus_2sd), max(source.plus_2sd)
    values = [value for _, value in source.child]
    bottom, top = int(min([low, *values])) - 1, int(max([high, *values])) + 2
    axes = Axes(canvas, (40, 30, 425, 270), (0, max(source.months)), (bottom, top))
    axes.grid(source.months, range(bottom, top + 1, 2))
    axes.label_x([(m, f"{m:g}") for m in source.months])
    axes.label_y([(v, str(v)) for v in range(bottom, top + 1, 2)])
    canvas.text(230, 8, source.title, align="middle")
    canvas.text(230, 290, "Age (months)", align="middle")
    canvas.text(4, 18, source.unit)
    for curve, name in ((source.minus_2sd, "-2"), (source.mean, "0"), (source.plus_2sd, "+2")):
        axes.plot(list(zip(source.months, curve, strict=True)), GREY, 1, dash=0 if name == "0" else 4)
        canvas.text(430, round(axes.at(0, curve[-1])[1]) - 3, name, GREY)
    axes.plot(source.child, RED)
    for month, value in source.child:
        canvas.mark("dot", *axes.at(month, value), RED)
    canvas.text(8, 306, "Red: this child   Grey: WHO mean and 2 SD", GREY)
    return canvas.png()


class TrendLine(BaseModel):
    """One measurement over time, with its normal range where there is one."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str
    values: tuple[float, ...]
    normal: tuple[float, float] | None = None


class TrendSource(BaseModel):
    """One panel per line, sharing the time axis: how monitors and laboratory systems show a course."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: str = "trend"
    title: str
    time_unit: str
    times: tuple[float, ...]
    lines: tuple[TrendLine, ...]


def draw_trend(source: TrendSource) -> bytes:
    """The normal range, where there is one, lies between two dashed lines."""
    panel = 84
    canvas = Canvas(500, 40 + panel * len(source.lines) + 24)
    canvas.text(250, 8, source.title, align="middle")
    colours = (RED, BLUE, GREEN, AMBER, BLACK)
    for n, line in enumerate(source.lines):
        upper = 38 + n * panel
        span = [*line.values, *(line.normal or ())]
        pad = (max(span) - min(span)) * 0.12 or 1.0
        axes = Axes(
            canvas,
            (52, upper, 480, upper + panel - 22),
            (source.times[0], source.times[-1]),
            (min(span) - pad, max(span) + pad),
        )
        axes.grid(source.times, ())
        axes.label_y([(min(span), f"{min(span):g}"), (max(span), f"{max(span):g}")])
        for edge in line.normal or ():
            axes.plot([(source.times[0], edge), (source.times[-1], edge)], GREY, 1, dash=4)
        points = list(zip(source.times, line.values, strict=True))
        axes.plot(points, colours[n % 5])
        for time, value in points:
            canvas.mark("dot", *axes.at(time, value), colours[n % 5])
        canvas.text(56, upper - 10, line.name, colours[n % 5])
        if n == len(source.lines) - 1:
            axes.label_x([(time, f"{time:g}") for time in source.times])
    canvas.text(250, canvas.height - 12, f"Time ({source.time_unit})", align="middle")
    return canvas.png()
