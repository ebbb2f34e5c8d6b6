from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyclinic.clinics.rounds.scenario.case import TeachingCase
from polyclinic.clinics.rounds.scenario.checks import MAX_PICTURE_BYTES
from polyclinic.clinics.rounds.scenario.shipped import data_folder, image_bytes, shipped_cases
from tools.drawing import draw
from tools.drawing.__main__ import main
from tools.drawing.canvas import BLACK, Canvas
from tools.drawing.ecg import EcgSource, voltage
from tools.drawing.loops import CtgSource, FieldSource, SpirometrySource, heart_rate
from tools.drawing.png import deflate

ILLUSTRATED = [case for case in shipped_cases() if case.images]


@dataclass
class Picture:
    width: int
    height: int


def read_png(content: bytes) -> Picture:
    """Read a PNG with the standard library only, so that our writer is checked by an independent reader."""
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    at, data, size = 8, b"", (0, 0)
    while at < len(content):
        (length,) = struct.unpack(">I", content[at : at + 4])
        kind, body = content[at + 4 : at + 8], content[at + 8 : at + 8 + length]
        assert struct.unpack(">I", content[at + 8 + length : at + 12 + length])[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            size = struct.unpack(">II", body[:8])
        if kind == b"IDAT":
            data += body
        at += 12 + length
    raw = zlib.decompress(data)
    assert len(raw) == size[1] * (1 + (size[0] + 1) // 2)
    return Picture(*size)


def _json(name: str) -> bytes:
    return data_folder().joinpath("images", f"{name}.json").read_bytes()


def _ecg(name: str) -> EcgSource:
    return EcgSource.model_validate_json(_json(name))


@settings(max_examples=60, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=800),
        st.lists(st.sampled_from([b"\0\0\0\0", b"ab", b"abcabc", b"\xff"]), max_size=300).map(b"".join),
    )
)
def test_zlib_reads_the_output_of_our_compressor(data: bytes) -> None:
    assert zlib.decompress(deflate(data), wbits=-15) == data


def test_long_runs_and_distant_matches_are_compressed_correctly() -> None:
    data = b"\0" * 70_000 + bytes(range(256)) * 3 + b"\0" * 300
    packed = deflate(data)
    assert zlib.decompress(packed, wbits=-15) == data
    assert len(packed) < len(data) / 20


def _last_above(name: str, level: float, after: float, until: float) -> float:
    lead = _ecg(name).leads[0]
    times = [after + i / 1000 for i in range(int((until - after) * 1000))]
    return max(t for t in times if abs(voltage(lead, t)) > level)


def test_the_long_qt_strip_has_a_long_qt_and_a_rate_of_sixty() -> None:
    source = _ecg("card-01-ecg")
    beats = source.leads[0].beats
    assert beats[1].at_s - beats[0].at_s == pytest.approx(1.0)
    end_of_t = _last_above("card-01-ecg", 0.03, beats[0].at_s, beats[1].at_s - 0.25)
    qt_ms = (end_of_t - (beats[0].at_s - 0.045)) * 1000
    assert 500 < qt_ms < 570


def test_fibrillation_is_irregular_without_p_waves() -> None:
    lead = _ecg("card-02-ecg").leads[0]
    gaps = [b.at_s - a.at_s for a, b in zip(lead.beats, lead.beats[1:], strict=False)]
    assert not lead.p_waves_s and lead.fibrillation_mv > 0
    assert max(gaps) - min(gaps) > 0.3


def test_complete_block_has_two_independent_rates() -> None:
    lead = _ecg("card-03-ecg").leads[0]
    atria = 60 / (lead.p_waves_s[1] - lead.p_waves_s[0])
    ventricles = 60 / (lead.beats[1].at_s - lead.beats[0].at_s)
    assert 80 < atria < 90 and 30 < ventricles < 36
    distances = [beat.at_s - max(p for p in lead.p_waves_s if p < beat.at_s) for beat in lead.beats[:3]]
    assert max(distances) - min(distances) > 0.1
    assert all(beat.qrs_ms >= 120 for beat in lead.beats)


def test_wenckebach_lengthens_the_interval_and_drops_a_beat() -> None:
    lead = _ecg("card-08-ecg").leads[0]
    first, second, third = lead.p_waves_s[:3]
    pr = [min(b.at_s for b in lead.beats if b.at_s > p) - p for p in (first, second, third)]
    assert pr[0] < pr[1] < pr[2]
    assert not any(lead.p_waves_s[3] < beat.at_s < lead.p_waves_s[4] for beat in lead.beats)


def test_torsades_twists_around_the_baseline() -> None:
    lead = _ecg("card-04-ecg").leads[0]
    heights = [max(voltage(lead, start + i / 500) for i in range(150)) for start in (2.2, 3.2, 4.8)]
    assert max(heights) > 2 * min(heights)


def test_late_decelerations_come_after_the_contraction_and_early_ones_with_it() -> None:
    late = CtgSource.model_validate_json(_json("obgy-01-ctg"))
    early = CtgSource.model_validate_json(_json("obgy-02-ctg"))
    for source, least, most in ((late, 0.4, 1.2), (early, -0.05, 0.05)):
        for (peak, _), dip in zip(source.contractions, source.dips, strict=True):
            assert least <= dip.lowest_min - peak <= most
    assert late.variability < 5 <= early.variability
    assert min(heart_rate(late, m / 60) for m in range(600)) < 125


def test_visual_fields_lose_the_halves_that_the_cases_teach() -> None:
    def halves(rows: tuple[str, ...]) -> tuple[list[int], list[int]]:
        left = [int(w) for row in rows for w in row.split()[:5] if w != "."]
        right = [int(w) for row in rows for w in row.split()[5:] if w != "."]
        return left, right

    hemianopia = FieldSource.model_validate_json(_json("neur-01-field"))
    for eye in (hemianopia.left_eye, hemianopia.right_eye):
        left, right = halves(eye)
        assert max(left) == 0 and sum(right) / len(right) > 20
    bitemporal = FieldSource.model_validate_json(_json("opht-01-field"))
    assert max(halves(bitemporal.left_eye)[0]) < 6 < min(halves(bitemporal.left_eye)[1])
    assert max(halves(bitemporal.right_eye)[1]) < 6 < min(halves(bitemporal.right_eye)[0])


def test_loops_have_the_shape_of_their_disease() -> None:
    scooped = SpirometrySource.model_validate_json(_json("resp-01-loop"))
    out = dict(scooped.measured.points()[:61])
    volumes = sorted(out)
    halfway = out[volumes[35]]
    assert halfway < scooped.measured.peak_flow_l_s * 0.4
    flat = SpirometrySource.model_validate_json(_json("resp-04-loop")).measured.points()
    assert min(flow for _, flow in flat) == pytest.approx(-1.6)


def test_unknown_fields_and_kinds_are_refused() -> None:
    with pytest.raises(KeyError):
        draw(b'{"kind": "x-ray"}')
    with pytest.raises(ValueError, match="extra"):
        draw(orjson.dumps({**orjson.loads(_json("ent-01-audiogram")), "colour": "green"}))


def test_text_outside_the_font_is_refused_and_drawing_outside_the_canvas_is_cut() -> None:
    canvas = Canvas(20, 20)
    with pytest.raises(KeyError):
        canvas.text(0, 0, "é")
    canvas.line([(-50, -50), (80, 80)], BLACK, 3)
    assert canvas.pixels[10, 10] == BLACK


@pytest.mark.parametrize("case", ILLUSTRATED, ids=lambda case: case.id)
def test_pictures_are_redrawn_byte_for_byte_from_their_source(case: TeachingCase) -> None:
    for image in case.images:
        source = data_folder().joinpath("images", image.source).read_bytes()
        shipped = image_bytes(case, image)
        assert draw(source) == shipped
        assert len(shipped) < MAX_PICTURE_BYTES
        size = read_png(shipped)
        assert size.width >= 400 and size.height >= 120


def test_the_tool_finds_and_redraws_a_picture_that_differs_from_its_source(tmp_path: Path) -> None:
    (tmp_path / "strip.json").write_bytes(_json("card-04-ecg"))
    (tmp_path / "strip.png").write_bytes(draw(_json("card-01-ecg")))
    assert main([str(tmp_path), "--check"]) == 1
    assert main([str(tmp_path)]) == 0
    assert main([str(tmp_path), "--check"]) == 0
    assert (tmp_path / "strip.png").read_bytes() == draw(_json("card-04-ecg"))
