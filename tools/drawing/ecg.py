"""Rhythm strips: a voltage curve built from beats with stated intervals, on paper at 25 mm/s and 10 mm/mV."""

from __future__ import annotations

import math

from pydantic import BaseModel, ConfigDict

from tools.drawing.canvas import BLACK, PINK, ROSE, Canvas

PIXELS_PER_MM = 4
SAMPLES_PER_S = 250


class Beat(BaseModel):
    """One ventricular complex. Times in ms from its own R peak backwards or forwards; heights in mV."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    at_s: float
    qrs_ms: float = 90
    r_mv: float = 1.0
    q_mv: float = -0.1
    s_mv: float = -0.25
    delta_mv: float = 0.0
    st_mv: float = 0.0
    t_mv: float = 0.3
    qt_ms: float = 380


class TwistingTachycardia(BaseModel):
    """Torsades de pointes: wide complexes whose height grows, shrinks and changes sign, between two times."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    from_s: float
    to_s: float
    per_min: float
    turns_per_s: float
    mv: float


class Lead(BaseModel):
    """One strip: its P waves, its beats, and continuous activity (fibrillation, flutter) under them."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str
    p_waves_s: tuple[float, ...] = ()
    p_mv: float = 0.15
    beats: tuple[Beat, ...] = ()
    flutter_per_min: float = 0
    flutter_mv: float = 0.2
    fibrillation_mv: float = 0
    twisting: TwistingTachycardia | None = None


class EcgSource(BaseModel):
    """A strip of one or more leads."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: str = "ecg"
    title: str
    seconds: float
    leads: tuple[Lead, ...]


def _bump(t: float, centre: float, width: float, height: float) -> float:
    z = (t - centre) / width
    return height * math.exp(-0.5 * z * z) if abs(z) < 5 else 0.0


def _beat_mv(beat: Beat, t: float) -> float:
    since = t - beat.at_s
    if not -0.3 < since < 0.9:
        return 0.0
    qrs = beat.qrs_ms / 1000
    q_onset = -qrs / 2
    t_end = q_onset + beat.qt_ms / 1000
    t_width = max(0.025, min(0.055, (t_end - qrs) / 6))
    t_peak = t_end - 2 * t_width
    value = _bump(since, 0, qrs / 6, beat.r_mv)
    value += _bump(since, -qrs * 0.38, qrs / 9, beat.q_mv) + _bump(since, qrs * 0.38, qrs / 9, beat.s_mv)
    value += _bump(since, -qrs * 0.42, qrs / 6, beat.delta_mv)
    value += _bump(since, t_peak, t_width, beat.t_mv)
    rise, fall = qrs * 0.4, t_peak
    if rise < since < fall:
        edge = min(1.0, (since - rise) / 0.02)
        value += beat.st_mv * edge
    elif since >= fall:
        value += _bump(since, fall, t_width, beat.st_mv)
    return value


def voltage(lead: Lead, t: float) -> float:
    """The lead's voltage in mV at time `t` seconds."""
    value = sum(_bump(t, p, 0.022, lead.p_mv) for p in lead.p_waves_s if abs(t - p) < 0.12)
    value += sum(_beat_mv(beat, t) for beat in lead.beats if -0.35 < t - beat.at_s < 0.9)
    if lead.flutter_per_min:
        phase = (t * lead.flutter_per_min / 60) % 1
        value += lead.flutter_mv * ((0.5 - phase / 0.75) if phase < 0.75 else (phase - 0.75) / 0.25 - 0.5)
    if lead.fibrillation_mv:
        waves = ((37.1, 0.0), (43.7, 1.1), (51.3, 2.3), (29.9, 0.7))
        value += lead.fibrillation_mv / 2 * sum(math.sin(w * t + phase) for w, phase in waves) / 2
    twist = lead.twisting
    if twist and twist.from_s <= t <= twist.to_s:
        turn = math.sin(math.pi * twist.turns_per_s * (t - twist.from_s))
        value += twist.mv * turn * math.sin(2 * math.pi * twist.per_min / 60 * (t - twist.from_s))
    return value


def draw_ecg(source: EcgSource) -> bytes:
    """One row of paper per lead, 3 cm high, small squares 1 mm, large squares 5 mm."""
    row_mm = 30
    width = round(source.seconds * 25) * PIXELS_PER_MM + 1
    canvas = Canvas(width, row_mm * PIXELS_PER_MM * len(source.leads) + 13)
    for mm in range(width // PIXELS_PER_MM + 1):
        colour = ROSE if mm % 5 == 0 else PINK
        canvas.line([(mm * PIXELS_PER_MM, 0), (mm * PIXELS_PER_MM, canvas.height - 14)], colour)
    for mm in range(row_mm * len(source.leads) + 1):
        colour = ROSE if mm % 5 == 0 else PINK
        canvas.line([(0, mm * PIXELS_PER_MM), (width, mm * PIXELS_PER_MM)], colour)
    for row, lead in enumerate(source.leads):
        zero = (row * row_mm + 18) * PIXELS_PER_MM
        samples = range(round(source.seconds * SAMPLES_PER_S) + 1)
        curve = [
            (n / SAMPLES_PER_S * 25 * PIXELS_PER_MM, zero - voltage(lead, n / SAMPLES_PER_S) * 10 * PIXELS_PER_MM)
            for n in samples
        ]
        canvas.line(curve, BLACK, 2)
        canvas.text(4, row * row_mm * PIXELS_PER_MM + 4, lead.name)
    canvas.text(4, canvas.height - 10, f"{source.title}   25 mm/s   10 mm/mV")
    return canvas.png()
