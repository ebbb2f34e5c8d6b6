"""A report's first screen has words and one picture; every table gives n and one interval for each figure."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from polyclinic.core.judge import Metric
from polyclinic.core.transcript import Event, Noted, Said, Score, Transcript
from polyclinic.eval.charts import drawn_range
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.found import found_in_brief, found_section, headline
from polyclinic.eval.html import render_html
from polyclinic.eval.html_blocks import render_block
from polyclinic.eval.reading import in_lines, in_words, transcript_blocks
from polyclinic.eval.report import RunReport, build_report
from polyclinic.eval.results import CastMember, EpisodeRow, RunResults
from polyclinic.eval.sections import Details, Dialogue, Figure, Paragraph, Picture, Table
from polyclinic.eval.summary import summarise
from polyclinic.eval.terminal import render_terminal, table_text
from polyclinic.runner.api import run
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.registry import clinic_modules, load_clinic
from polyclinic.runner.reports import make_report
from polyclinic.store.store import open_store
from polyclinic.testing.runs import MEMORY

METRIC = Metric("good_words", "share of good words")


def results(kind: str = "understudy", good: tuple[float, ...] = (0.9, 0.95, 1.0, 0.9, 1.0, 0.9)) -> RunResults:
    def row(variant: str, number: int, value: float) -> EpisodeRow:
        scores = (Score(metric="good_words", value=value, judge="j"),)
        id = f"s{number}:{variant}:0"
        return EpisodeRow(id=id, scenario=f"s{number}", variant=variant, trial=0, status="done", scores=scores)

    rows = [row("plain", n, value) for n, value in enumerate((0.1, 0.2, 0.15, 0.1, 0.2, 0.1)[: len(good)])]
    rows += [row("full", n, value) for n, value in enumerate(good)]
    cast = (CastMember("nurse", "m", kind), CastMember("judge", "understudy", "understudy"))  # type: ignore[arg-type]
    return RunResults("r", "demo", cast, ("plain", "full"), (METRIC,), tuple(rows))


def report(kind: str = "understudy") -> RunReport:
    return build_report(results(kind), headline=("good_words",))


def test_the_first_picture_says_in_full_what_each_metric_means() -> None:
    long = "is the person kept safe: privacy, no judging, and the right response to each sign of danger that was there"
    named = replace(results(), metrics=(replace(METRIC, about=long),))
    alone = replace(named, variants=("full",), episodes=tuple(row for row in named.episodes if row.variant == "full"))
    page = render_html([build_report(alone, headline=("good_words",))])
    picture = page[page.index("<svg") : page.index("</svg>")]
    written = " ".join(re.findall(r"<text[^>]*>([^<]+)</text>", picture))
    assert f"{long} ↑" in written and "…" not in written


def test_a_report_begins_with_what_was_found_in_words_and_one_picture() -> None:
    first = report().all_sections[0]
    words = [block.text for block in first.body if isinstance(block, Paragraph)]
    assert first.title == "What was found"
    assert words[0].startswith("12 episodes over 6 scenarios; all of them ended.")
    assert "Share of good words (good words); higher is better: full 0.94" in words[1]
    assert words[1].endswith("full is clearly ahead.") and "n = 6" in words[1]
    assert len([block for block in first.body if isinstance(block, Figure)]) == 1
    page = render_html([report()])
    assert page.index("What was found</h2>") < page.index("<svg") < page.index("Who played") < page.index("Means with")


def test_a_run_of_one_variant_has_a_picture_of_its_metrics_too() -> None:
    both = results()
    alone = replace(both, variants=("full",), episodes=tuple(both.of("full")))
    first = build_report(alone, headline=("good_words",)).all_sections[0]
    (picture,) = [block for block in first.body if isinstance(block, Figure)]
    assert "share of good words ↑" in render_block(picture)


def test_the_picture_of_one_variant_holds_what_fits_on_the_scale_of_its_first_metric() -> None:
    both, wide = results(), Metric("ability", "mean ability", low=-1 / 3)
    endless = Metric("turns", "spoken turns", high=math.inf)
    rows = [
        replace(row, scores=(*(Score(metric=name, value=0.5, judge="j") for name in ("ability", "turns")), *row.scores))
        for row in both.of("full")
    ]
    alone = replace(both, variants=("full",), episodes=tuple(rows), metrics=(wide, METRIC, endless))
    for first, shown, left_out in (
        ("ability", {"mean ability", "share of good words"}, "turns"),
        ("good_words", {"share of good words"}, "ability"),
        ("turns", {"spoken turns"}, "words"),
    ):
        (picture,) = [
            block for block in build_report(alone, headline=(first,)).all_sections[0].body if isinstance(block, Figure)
        ]
        assert all(words in render_block(picture) for words in shown) and left_out not in render_block(picture)


def test_an_axis_begins_below_zero_only_where_a_value_or_its_interval_does() -> None:
    assert drawn_range(-1, 1, [0.5, Estimate(0.4, 0.1, 0.7, 6)]) == (0.0, 1)
    assert drawn_range(-1, 1, [0.5, Estimate(0.4, -0.1, 0.7, 6)]) == (-1, 1)
    assert drawn_range(1, 10, [4.0]) == (1, 10)
    assert drawn_range(0, 1e9, [4.0]) == (None, None)


def test_overlapping_intervals_are_never_called_a_clear_difference() -> None:
    near = results(good=(0.1, 0.3, 0.2, 0.1, 0.3, 0.1))
    section = found_section(near, summarise(near), ("good_words",))
    assert section is not None and "but the intervals overlap" in str(section.body)


def test_a_few_episodes_never_show_a_clear_difference_however_large() -> None:
    few = results(good=(0.9, 0.95, 1.0))
    section = found_section(few, summarise(few), ("good_words",))
    assert section is not None and "full came out ahead; 3 episodes each prove little." in str(section.body)


def test_many_variants_leave_their_intervals_to_the_picture() -> None:
    one = results()
    more = [replace(row, variant=f"v{n}", id=f"{row.id}{n}") for n in range(3) for row in one.of("plain")]
    many = replace(one, variants=(*one.variants, "v0", "v1", "v2"), episodes=(*one.episodes, *more))
    section = found_section(many, summarise(many), ("good_words",))
    assert section is not None
    told = next(block.text for block in section.body if isinstance(block, Paragraph) and "full" in block.text)
    assert "full 0.942, plain 0.142, v0 0.142, v1 0.142, v2 0.142 (n = 6). full is clearly ahead." in told


def test_p_values_are_left_out_where_judge_and_actors_share_their_rules() -> None:
    offline, real = render_terminal(report()), render_terminal(report("llm"))
    assert "p (Holm)" not in offline and "No p-values" in offline
    assert "p (Holm)" in real


def test_every_table_of_estimates_gives_its_number_of_episodes_and_links_to_them() -> None:
    table = Table("Means", ["variant", "a", "b"], [["x", Estimate(0.5, 0.4, 0.6, 7), Estimate(9.0, None, None, 7)]])
    assert "Means (n = 7)" in table_text(table) and "9.00" in table_text(table) and "9.000" not in table_text(table)
    page = render_block(table, "r1-9")
    assert "Means (n = 7)" in page and 'href="#r1-9">episodes' in page
    mixed = Table("Means", ["v", "a"], [["x", Estimate(0.5, 0.4, 0.6, 7)], ["y", Estimate(0.5, 0.4, 0.6, 3)]])
    assert "a (n = 3 to 7)" in table_text(mixed)


def test_pictures_are_embedded_in_the_page() -> None:
    page = render_block(Picture("an <ECG>", "aGk="))
    assert '<img src="data:image/png;base64,aGk=" alt="an &lt;ECG&gt;">' in page


def test_a_transcript_is_a_conversation_and_its_notes_are_folded() -> None:
    events: list[Event] = [Said(speaker="nurse", text="Hello."), Noted(topic="answer", data={"right": "B"})]
    talk, kept = transcript_blocks(Transcript(events))
    assert isinstance(talk, Dialogue) and [line.text for line in talk.lines] == ["Hello."]
    assert isinstance(kept, Details)
    assert in_words({"right": "B", "steps": [1, 2], "held": {}}) == "right: B, steps: (1; 2), held: nothing"
    assert in_lines({"risk": 3, "recent_words": ["a: Hi", "b: Yes"]}) == "risk: 3\nrecent words:\n- a: Hi\n- b: Yes"


@pytest.mark.parametrize("name", sorted(clinic_modules()))
def test_every_clinic_names_the_metrics_that_its_report_begins_with(name: str) -> None:
    clinic = load_clinic(name)
    known = {metric.name for judge in clinic.judges() for metric in judge.metrics}
    assert clinic.headline and set(clinic.headline) <= known
    for role in clinic.roles:
        assert set(role.metrics) <= known, role.name


async def test_one_figure_has_one_interval_in_a_report() -> None:
    asked = {"clinic": "counsel", "scenarios": "quiet@en:2", "variants": ("full", "single")}
    async with open_store(MEMORY) as store:
        outcome = await run(store, make_config(dict(asked)))
        made = await make_report(store, outcome.run)
    shown: dict[tuple[str, str], set[str]] = {}
    for section in made.all_sections:
        for table in [block for block in section.body if isinstance(block, Table)]:
            for row in table.rows:
                for column, cell in zip(table.columns, row, strict=True):
                    if isinstance(cell, Estimate):
                        names = {str(row[0]).partition("\n")[0].strip(" ↑↓"), column}
                        metric = next((name for name in names if name in ("empathy", "overall")), "")
                        variant = next((name for name in names if name in ("full", "single")), "")
                        if metric and variant:
                            shown.setdefault((metric, variant), set()).add(cell.text())
    assert len(shown) == 4 and all(len(texts) == 1 for texts in shown.values()), shown
    page = render_html([made])
    for low, high in re.findall(r"<small>([\d.]+) to ([\d.]+)</small>", page):
        assert low != high, "no certainty"


async def test_repeated_shifts_have_one_interval_in_all_tables_and_are_one_scenario() -> None:
    asked = {"clinic": "duty", "scenarios": "T1:15", "variants": ("plain", "full")}
    async with open_store(MEMORY) as store:
        outcome = await run(store, make_config(dict(asked)))
        made = await make_report(store, outcome.run)
    tables = {
        block.caption: block for section in made.all_sections for block in section.body if isinstance(block, Table)
    }
    means = {
        name: row for row in tables["Means with 95 % intervals"].rows for name in re.findall(r"\((\w+)\) ", str(row[0]))
    }
    in_paper = tables["Norm compliance and risk (lower is better)"]
    assert in_paper.rows[0][1:] == [means["nvr"][1], means["snr"][1]]
    assert in_paper.rows[1][1:] == [means["nvr"][2], means["snr"][2]]
    against = tables["full compared with plain"]
    (nvr,) = [row for row in against.rows if "(nvr)" in str(row[0])]
    shown = tables["The method minus each other variant, over all tasks"].rows[0][1]
    assert isinstance(shown, Estimate) and isinstance(nvr[1], Estimate) and shown.text() == nvr[1].text()
    assert nvr[against.columns.index("scenarios")] == 12, "three of the fifteen are repeats"


@pytest.mark.parametrize(
    ("clinic", "asked", "first"),
    [
        ("patient", {"scenarios": "1", "variants": ("duel-cot",), "libraries": {"all": "none"}}, "wins_standard"),
        ("frontdesk", {"scenarios": "imposters:2", "variants": ("tool",), "judges": ("scheduling",)}, "protected"),
    ],
)
async def test_a_run_made_for_one_question_begins_with_its_answer(
    clinic: str, asked: dict[str, object], first: str
) -> None:
    """Who won the duels; whether imposters were kept out."""
    async with open_store(MEMORY) as store:
        outcome = await run(store, make_config({"clinic": clinic, **asked}))
        made = await make_report(store, outcome.run)
    words = [block.text for block in made.all_sections[0].body if isinstance(block, Paragraph)]
    assert headline(made.results.metric(first)) in words[1]


def test_the_card_of_a_single_variant_gives_its_figure() -> None:
    both = results()
    alone = replace(both, variants=("full",), episodes=tuple(both.of("full")))
    assert found_in_brief(alone, summarise(alone), ("good_words",)) == "Share of good words (good words): 0.942."
    assert "0." not in found_in_brief(both, summarise(both), ("good_words",))


def test_wide_tables_show_that_they_scroll() -> None:
    style = (Path(__file__).parents[2] / "src/polyclinic/eval/report.css").read_text(encoding="utf-8")
    assert "::-webkit-scrollbar-thumb" in style and "no-repeat scroll" in style and "position: sticky" in style
