"""Every table of every clinic's report: n, links to episodes, one interval for one figure, no false certainty."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from html import unescape

import pytest

from polyclinic.eval.cells import cell_text, counted, counted_figure
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.html import render_html
from polyclinic.eval.html_blocks import render_blocks
from polyclinic.eval.overview import TRANSCRIPTS
from polyclinic.eval.report import RunReport
from polyclinic.eval.results import CastMember
from polyclinic.eval.sections import Block, Details, Figure, Grid, Paragraph, Picture, Table, sections_to_plain
from polyclinic.eval.validity import left_out, valid_only
from polyclinic.runner.api import run
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.registry import clinic_modules, load_clinic
from polyclinic.runner.reports import make_report, report_of
from polyclinic.store.store import open_store
from polyclinic.testing.runs import MEMORY

SMALL: dict[str, tuple[str, tuple[str, ...]]] = {
    "counsel": ("quiet@en:2", ("full", "single")),
    "demo": ("3", ("plain", "tool")),
    "duty": ("T1:2", ("plain", "full")),
    "frontdesk": ("walk-in", ("tool", "reasoning")),
    "patient": ("2", ("evolved-emptied", "evolved")),
    "rounds": ("test:2", ("full", "lecture")),
}


LINKED = r'<caption>((?:(?!</caption>).)*?) <a href="#([^"]+)">episodes</a></caption>'
"""The caption of a table, and the place that it links to."""


def tables(blocks: Iterable[Block]) -> Iterator[Table]:
    for block in blocks:
        if isinstance(block, Table):
            yield block
        elif isinstance(block, Details):
            yield from tables(block.body)


def pictures(blocks: Iterable[Block]) -> Iterator[Figure]:
    for block in blocks:
        if isinstance(block, Figure):
            yield block
        elif isinstance(block, Grid):
            yield from block.figures
        elif isinstance(block, Details):
            yield from pictures(block.body)


def measured(table: Table) -> bool:
    """Whether a table holds a figure, also one that is written as text ("3 / 40 (7.5 %)", "2.00 ± 0.10")."""
    figure = re.compile(r"-?\d[\d.,]*(?:$| ?[±/(%\[])")
    return any(
        not isinstance(cell, bool) and figure.match(cell_text(cell, 3)) for row in table.rows for cell in row[1:]
    )


def has_n(table: Table) -> bool:
    caption, names = counted(table)
    return bool(re.search(r"\(n = [\d,]+", " ".join([caption, *names])))


async def small_report(name: str) -> RunReport:
    scenarios, variants = SMALL[name]
    async with open_store(MEMORY) as store:
        outcome = await run(store, make_config({"clinic": name, "scenarios": scenarios, "variants": variants}))
        return await make_report(store, outcome.run)


@pytest.mark.parametrize("name", sorted(clinic_modules()))
async def test_every_table_gives_n_links_to_episodes_and_claims_no_certainty(name: str) -> None:
    made = await small_report(name)
    found = [table for section in made.all_sections if section.title != TRANSCRIPTS for table in tables(section.body)]
    figures = [table for table in found if measured(table)]
    assert figures and [table.caption for table in figures if not has_n(table)] == []
    drawn = [picture for section in made.all_sections for picture in pictures(section.body)]
    assert drawn and [each.caption for each in drawn if not re.search(r"\(n = .*\d", counted_figure(each))] == []
    page = render_html([made])
    captions = [text for text in re.findall("<figcaption>(.*?)</figcaption>", page) if "n = " not in text]
    assert set(captions) <= {picture.caption for picture in _case_pictures(made)}
    linked = {unescape(re.sub("<[^>]+>", "", text)): to for text, to in re.findall(LINKED, page)}
    assert [table.caption for table in figures if counted(table)[0] not in linked] == []
    place, _, episodes = page.partition(f">{TRANSCRIPTS}</h2>")
    assert set(linked.values()) == {place.rpartition('id="')[2].rstrip('"')} and "<ol class=talk>" in episodes
    assert [ends for ends in re.findall(r"<small>(-?[\d.]+) to (-?[\d.]+)</small>", page) if ends[0] == ends[1]] == []
    shown = re.findall(r">(-?\d+\.\d+)(?: <small>|</span>|</td>)", page)
    assert [text for text in shown if len(text.partition(".")[2]) > 3 or len(text.strip("-")) > 6] == []
    assert _intervals(made) and all(len(texts) == 1 for texts in _intervals(made).values()), _intervals(made)


@pytest.mark.parametrize("name", ["counsel", "duty", "frontdesk", "patient", "rounds"])
async def test_a_clinics_own_sections_show_no_figure_that_is_not_valid_for_the_cast(name: str) -> None:
    results = (await small_report(name)).results
    spoken = tuple(CastMember(member.role, "openai:m", "llm") for member in results.cast)
    made = report_of(replace(results, cast=spoken))
    out = [results.metric(metric).label for metric in left_out(made.results)]
    assert out and not any(metric in out for metric, _ in _intervals(made))
    own = load_clinic(name).report
    assert own is not None
    assert sections_to_plain(made.sections) == sections_to_plain(own(valid_only(made.results)))
    assert "Not valid for this cast" in [section.title for section in made.all_sections]


@pytest.mark.parametrize("name", ["duty", "patient", "rounds"])
async def test_where_understudies_learn_the_report_says_that_this_is_a_model(name: str) -> None:
    made = await small_report(name)
    told = [block.text for section in made.sections for block in section.body if isinstance(block, Paragraph)]
    assert any("learn by a stated model" in text and "not a finding" in text for text in told)
    by_models = replace(made.results, cast=tuple(replace(one, kind="llm") for one in made.results.cast))
    told = [str(section.body) for section in report_of(by_models).sections]
    assert not any("learn by a stated model" in text for text in told)


async def test_transcripts_say_in_words_how_an_episode_ended() -> None:
    made = await small_report("duty")
    (section,) = [section for section in made.all_sections if section.title == TRANSCRIPTS]
    titles = [block.summary for block in section.body if isinstance(block, Details)]
    assert titles and all(", a norm was broken" in title or ", no norm was broken" in title for title in titles), titles


def _case_pictures(made: RunReport) -> list[Picture]:
    """Pictures that belong to a case, such as an X-ray: they are not counted from anything."""

    def inside(blocks: Iterable[Block]) -> Iterator[Picture]:
        for block in blocks:
            if isinstance(block, Picture):
                yield block
            elif isinstance(block, Details):
                yield from inside(block.body)

    return [each for section in made.all_sections for each in inside(section.body)]


def _intervals(made: RunReport) -> dict[tuple[str, str], set[str]]:
    """For each metric and variant that a table names in full, what stands there."""
    labels = {made.results.metric(name).label for name in made.results.metric_names()}
    shown: dict[tuple[str, str], set[str]] = {}
    for section in made.all_sections:
        for table in tables(section.body):
            for row in table.rows:
                for column, cell in zip(table.columns, row, strict=True):
                    names = {str(row[0]).partition("\n")[0].strip(" ↑↓"), column.strip(" ↑↓")}
                    metric, variant = names & labels, names & set(made.results.variant_names())
                    if isinstance(cell, Estimate) and metric and variant:
                        shown.setdefault((*metric, *variant), set()).add(cell.text())  # type: ignore[arg-type]
    return shown


def test_a_short_n_stays_on_one_line_and_a_long_one_does_not_widen_the_page() -> None:
    def page(n: str) -> str:
        return render_blocks([Table("Types of questions", ["type", "count"], [["symptom", 4]], n=n)])

    assert "<span class=count>(n = 24 calls)</span>" in page("24 calls")
    assert "class=count" not in page(", ".join(f"variant-{number} 10 questions" for number in range(9)))
