"""Pictures: valid, described, within their frame, and legible in light, dark and print."""

from __future__ import annotations

import re
from importlib import resources
from xml.etree import ElementTree

import pytest

from polyclinic.eval.charts import Bars, Chart, Dots, HeatMap, Lines
from polyclinic.eval.html_blocks import render_block
from polyclinic.eval.sections import Figure, Grid
from polyclinic.eval.svg import width_of
from tests.eval.conftest import CHARTS, EVIL


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.kind)
def test_every_chart_is_valid_xml_with_a_name_and_a_description(chart: Chart) -> None:
    block = render_block(Figure(EVIL, chart))
    picture = block[block.index("<svg") : block.index("</svg>") + 6]
    tree = ElementTree.fromstring(picture)
    space = "{http://www.w3.org/2000/svg}"
    title, description = tree.find(f"{space}title"), tree.find(f"{space}desc")
    assert tree.get("role") == "img"
    assert title is not None and title.text == EVIL
    assert description is not None and description.text
    places = " ".join(value for shape in tree.iter() for name, value in shape.attrib.items() if name != "class")
    assert "nan" not in places and "inf" not in places


def test_pictures_stay_within_their_frame() -> None:
    for chart in CHARTS:
        block = render_block(Figure("c", chart))
        tree = ElementTree.fromstring(block[block.index("<svg") : block.index("</svg>") + 6])
        width, height = float(tree.get("width", 0)), float(tree.get("height", 0))
        for shape in tree.iter("{http://www.w3.org/2000/svg}rect"):
            assert (
                0 <= float(shape.get("x", 0)) <= float(shape.get("x", 0)) + float(shape.get("width", 0)) <= width + 0.1
            )
            assert 0 <= float(shape.get("y", 0)) <= float(shape.get("y", 0)) + float(shape.get("height", 0)) <= height


def test_bars_are_as_long_as_their_numbers() -> None:
    block = render_block(Figure("c", Bars(["g"], {"a": [0.25], "b": [0.5]}, low=0, high=1)))
    tree = ElementTree.fromstring(block[block.index("<svg") : block.index("</svg>") + 6])
    heights = [float(shape.get("height", 0)) for shape in tree.iter("{http://www.w3.org/2000/svg}rect")]
    assert heights[1] == pytest.approx(2 * heights[0], abs=0.2)


def _colours(block: str) -> dict[str, tuple[float, float, float]]:
    found = re.findall(r"--([a-z0-9-]+): #([0-9a-f]{3,6});", block)
    wide = {name: value if len(value) == 6 else "".join(c * 2 for c in value) for name, value in found}
    return {name: tuple(int(value[i : i + 2], 16) / 255 for i in (0, 2, 4)) for name, value in wide.items()}  # type: ignore[misc]


def _contrast(one: tuple[float, float, float], other: tuple[float, float, float]) -> float:
    """The contrast ratio of WCAG 2.2."""

    def luminance(colour: tuple[float, float, float]) -> float:
        parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_colours_have_enough_contrast_in_light_dark_and_print() -> None:
    style = resources.files("polyclinic.eval").joinpath("report.css").read_text(encoding="utf-8")
    light = _colours(style[: style.index("@media screen and (prefers")])
    dark = light | _colours(style[style.index("@media screen and (prefers") : style.index("* {")])
    printed = light | _colours(style[style.index("@media print") :])
    for colours in (light, dark, printed):
        pairs = [("ink", ground) for ground in ("paper", "panel", "note-panel", "warn-panel", "add", "del")]
        pairs += [
            ("soft", "paper"),
            ("accent", "paper"),
            ("accent", "panel"),
            ("warn", "warn-panel"),
        ]
        for words, ground in pairs:
            assert _contrast(colours[words], colours[ground]) >= 4.5, (words, ground)
        for step in range(101):
            share, words = step / 100, "cell" if step < 55 else "cell-mid" if step < 79 else "cell-full"
            shade = 0.06 + 0.94 * share
            mixed = tuple(shade * h + (1 - shade) * p for h, p in zip(colours["heat"], colours["paper"], strict=True))
            assert _contrast(colours[words], mixed) >= 4.4, (share, words)  # type: ignore[arg-type]
        for series in range(8):
            assert _contrast(colours[f"s{series}"], colours["paper"]) >= 3, series


def test_a_few_points_get_ticks_at_their_own_positions() -> None:
    block = render_block(Figure("c", Lines([3], {"a": [0.5]}))).partition("<div class=small>")[0]
    assert re.findall(r'y="28\d"[^>]*class="tick">([^<]+)<', block) == ["3"]
    many = render_block(Figure("c", Lines(list(range(1, 61)), {"a": [0.5] * 60})))
    assert many.partition("<div class=small>")[0].count('class="tick"') < 25


def test_crowded_labels_are_thinned_or_shortened_never_cut_off() -> None:
    block = render_block(Grid([Figure("c", HeatMap(["r"], [str(i) for i in range(40)], [[1.0] * 40]))]))
    assert 2 < len(re.findall(r'text-anchor="middle">\d+<', block)) < 25
    slanted = render_block(Figure("c", Bars([f"a rather long name {i}" for i in range(40)], {"a": [1.0] * 40})))
    places = re.findall(r'<text x="([\d.]+)"[^>]*rotate\(-35[^>]*>([^<]+)<', slanted)
    assert 10 < len(places) <= 40
    assert all(width_of(words) * 0.82 <= float(x) + 5 for x, words in places)


LEVEL = [f"{how} diagnosis when they come (n = 20)" for how in ("with", "without", "after", "before")]
SLANTED = [f"doctor-evolves-the-profile-{number}" for number in range(20)]
ROWS = ["treatment and prevention so far", "lifestyle"]


@pytest.mark.parametrize(
    ("block", "whole"),
    [
        (Figure("c", Bars(LEVEL, {"a": [1.0] * 4})), LEVEL),
        (Figure("c", Bars(SLANTED, {"a": [1.0] * 20})), SLANTED[8:]),  # there is less room near the edge
        (Grid([Figure("c", HeatMap(ROWS, ["1", "2"], [[0.1, 0.2]] * 2))]), ROWS),
    ],
    ids=("level", "slanted", "rows"),
)
def test_long_names_are_wrapped_or_get_the_room_they_need(block: Figure | Grid, whole: list[str]) -> None:
    page = render_block(block)
    drawn = page[page.index("<svg") : page.index("</svg>") + 6]
    written = " ".join(re.findall(r"<text[^>]*>([^<]+)</text>", drawn))
    assert [name for name in whole if name not in written] == []
    tree = ElementTree.fromstring(drawn)
    lowest = max(float(shape.get("y", 0)) for shape in tree.iter("{http://www.w3.org/2000/svg}text"))
    assert lowest <= float(tree.get("height", 0))


def test_a_chart_that_fits_a_phone_gets_a_small_version_that_cuts_no_name() -> None:
    name = "bookings, moves and cancellations without an error of the rubric"
    dots = render_block(Figure("Found", Dots([name], {"": [0.5]}, low=0, high=1)))
    small = dots[dots.index("<div class=small>") :]
    assert all(word in small for word in name.split()) and "…" not in small
    assert 'viewBox="0 0 340 ' in small
    heat = HeatMap(["a"], [str(hour) for hour in range(12)], [[0.1] * 12])
    assert "class=small" not in render_block(Figure("By hour", heat)), "too many columns: moved sideways instead"


def test_a_large_heat_map_has_its_numbers_as_a_table_too() -> None:
    physicians, hours = [f"physician {number}" for number in range(27)], [f"{hour}:00" for hour in range(9, 19)]
    block = render_block(Figure("use", HeatMap(physicians, hours, [[0.25] * len(hours)] * len(physicians))))
    assert "<summary>Numbers</summary>" in block and block.count("<tr>") == 1 + len(physicians)
