"""Flow-volume loops, cardiotocographs and visual fields."""

from __future__ import annotations

import math

from pydantic import BaseModel, ConfigDict

from tools.drawing.canvas import BLACK, BLUE, GREY, GREYS, PALE, PINK, ROSE, Axes, Canvas


class Loop(BaseModel):
    """A forced manoeuvre: volumes in litres, flows in l/s. `scoop` > 1 hollows the descending limb; flows may be
    capped.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    fvc_l: float
    peak_flow_l_s: float
    scoop: float = 1.0
    inspiratory_l_s: float = 5.0
    expiratory_cap_l_s: float | None = None
    inspiratory_cap_l_s: float | None = None

    def points(self) -> list[tuple[float, float]]:
        """(expired volume, flow) around the loop: out with positive flow, back in with negative flow."""
        rise = 0.12
        out: list[tuple[float, float]] = []
        for i in range(61):
            part = i / 60
            flow = part / rise if part < rise else ((1 - part) / (1 - rise)) ** self.scoop
            litres = self.peak_flow_l_s * flow
            out.append((part * self.fvc_l, min(litres, self.expiratory_cap_l_s or litres)))
        for i in range(61):
            part = 1 - i / 60
            litres = self.inspiratory_l_s * math.sin(math.pi * part)
            out.append((part * self.fvc_l, -min(litres, self.inspiratory_cap_l_s or litres)))
        return out


class SpirometrySource(BaseModel):
    """The source of a loop; `table` is the printed report beside it: name, measured, predicted."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: str = "spirometry"
    title: str
    measured: Loop
    predicted: Loop
    after_bronchodilator: Loop | None = None
    table: tuple[tuple[str, str, str], ...]


def draw_spirometry(source: SpirometrySource) -> bytes:
    """The measured loop over the predicted one, with the printed values beside them."""
    canvas = Canvas(560, 330)
    top = max(source.predicted.peak_flow_l_s, source.measured.peak_flow_l_s) + 1
    low = -max(source.predicted.inspiratory_l_s, source.measured.inspiratory_l_s) - 1
    widest = max(source.predicted.fvc_l, source.measured.fvc_l) + 0.5
    axes = Axes(canvas, (40, 30, 330, 290), (0, widest), (low, top))
    axes.grid(range(int(widest) + 1), range(int(low), int(top) + 1, 2))
    axes.label_x([(v, str(v)) for v in range(int(widest) + 1)])
    axes.label_y([(v, str(v)) for v in range(int(low), int(top) + 1, 2)])
    axes.plot([(0, 0), (widest, 0)], GREY, 1)
    axes.plot(source.predicted.points(), GREY, 1, dash=4)
    if source.after_bronchodilator:
        axes.plot(source.after_bronchodilator.points(), ROSE)
    axes.plot(source.measured.points(), BLUE)
    canvas.text(280, 8, source.title, align="middle")
    canvas.text(4, 18, "l/s")
    canvas.text(185, 312, "Volume (l)", align="middle")
    for row, cells in enumerate((("", "measured", "predicted"), *source.table)):
        for x, cell in zip((342, 430, 500), cells, strict=True):
            canvas.text(x, 60 + row * 14, cell)
    canvas.text(342, 250, "Blue: measured", BLUE)
    canvas.text(342, 264, "Dashed: predicted", GREY)
    if source.after_bronchodilator:
        canvas.text(342, 278, "Rose: after salbutamol", ROSE)
    return canvas.png()


class Dip(BaseModel):
    """A deceleration: begins, reaches its lowest point and recovers, in minutes; depth in beats/min."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    start_min: float
    lowest_min: float
    end_min: float
    depth: float


class CtgSource(BaseModel):
    """Fetal heart rate over uterine activity. Contractions are (peak minute, height in percent of scale)."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: str = "ctg"
    title: str
    minutes: float
    baseline: float
    variability: float
    dips: tuple[Dip, ...] = ()
    accelerations_min: tuple[float, ...] = ()
    contractions: tuple[tuple[float, float], ...] = ()


def heart_rate(source: CtgSource, minute: float) -> float:
    """The fetal heart rate: baseline, beat-to-beat swings of the stated width, rises, and dips."""
    swing = math.sin(minute * 23.7) + 0.6 * math.sin(minute * 37.3 + 1) + 0.4 * math.sin(minute * 61.1 + 2)
    rate = source.baseline + source.variability / 2 * swing / 1.6
    for peak in source.accelerations_min:
        rate += 20 * math.exp(-(((minute - peak) / 0.18) ** 2))
    for dip in source.dips:
        if dip.start_min <= minute <= dip.lowest_min:
            rate -= (
                dip.depth * 0.5 * (1 - math.cos(math.pi * (minute - dip.start_min) / (dip.lowest_min - dip.start_min)))
            )
        elif dip.lowest_min < minute <= dip.end_min:
            rate -= (
                dip.depth * 0.5 * (1 + math.cos(math.pi * (minute - dip.lowest_min) / (dip.end_min - dip.lowest_min)))
            )
    return rate


def draw_ctg(source: CtgSource) -> bytes:
    """One minute per centimetre, heart rate above, contractions below, as on the monitor's paper."""
    canvas = Canvas(round(source.minutes * 50) + 50, 330)
    right = canvas.width - 8
    rate = Axes(canvas, (36, 26, right, 206), (0, source.minutes), (60, 200))
    rate.grid([m / 2 for m in range(int(source.minutes * 2) + 1)], range(60, 201, 10), PINK)
    rate.label_y([(v, str(v)) for v in range(60, 201, 20)])
    samples = [i / 60 for i in range(int(source.minutes * 60) + 1)]
    rate.plot([(m, heart_rate(source, m)) for m in samples], BLACK, 1)
    toco = Axes(canvas, (36, 222, right, 302), (0, source.minutes), (0, 100))
    toco.grid([m / 2 for m in range(int(source.minutes * 2) + 1)], range(0, 101, 25), PINK)
    toco.label_y([(0, "0"), (50, "50"), (100, "100")])
    toco.label_x([(m, str(m)) for m in range(int(source.minutes) + 1)])
    toco.plot(
        [(m, 8 + sum(h * math.exp(-(((m - at) / 0.32) ** 2)) for at, h in source.contractions)) for m in samples],
        BLACK,
        1,
    )
    canvas.text(canvas.width // 2, 8, source.title, align="middle")
    canvas.text(canvas.width // 2, 318, "Time (minutes)", align="middle")
    return canvas.png()


class FieldSource(BaseModel):
    """Sensitivities in dB (0 = nothing seen, about 30 = normal) on a 10 x 10 grid per eye; `.` is outside the field."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: str = "field"
    title: str
    left_eye: tuple[str, ...]
    right_eye: tuple[str, ...]


def draw_field(source: FieldSource) -> bytes:
    """Left eye on the left, right eye on the right, as the patient sees; darker is less sensitive."""
    cell = 22
    canvas = Canvas(2 * 10 * cell + 60, 10 * cell + 60)
    canvas.text(canvas.width // 2, 8, source.title, align="middle")
    for left, name, rows in ((20, "Left eye", source.left_eye), (40 + 10 * cell, "Right eye", source.right_eye)):
        for y, row in enumerate(rows):
            for x, word in enumerate(row.split()):
                if word == ".":
                    continue
                darkness = min(8, max(0, 8 - round(int(word) * 8 / 32)))
                x0, y0 = left + x * cell, 24 + y * cell
                canvas.box(x0, y0, x0 + cell - 2, y0 + cell - 2, GREYS[darkness], fill=True)
                canvas.text(x0 + cell // 2, y0 + 7, word, GREYS[0] if darkness > 4 else BLACK, align="middle")
        middle = 24 + 5 * cell
        canvas.line([(left, middle), (left + 10 * cell, middle)], GREY)
        canvas.line([(left + 5 * cell, 24), (left + 5 * cell, 24 + 10 * cell)], GREY)
        canvas.box(left - 2, 22, left + 10 * cell, 24 + 10 * cell, PALE)
        canvas.text(left + 5 * cell, 32 + 10 * cell, name, align="middle")
    canvas.text(canvas.width // 2, canvas.height - 12, "Sensitivity (dB): 0 not seen, 30 normal", align="middle")
    return canvas.png()
