"""The report: the paper's tables and figures from one run, with numbers that add up."""

from __future__ import annotations

import asyncio

import pytest

from polyclinic.clinics.frontdesk import clinic
from polyclinic.clinics.frontdesk.report import report
from polyclinic.core.judge import Case
from polyclinic.eval.charts import HeatMap
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Details, Figure, Section, Table, sections_to_plain
from polyclinic.runner.api import carry_on, start_run
from polyclinic.runner.config import make_config
from polyclinic.runner.results import load_results
from polyclinic.store.store import open_store


@pytest.fixture(scope="module")
def run() -> tuple[RunResults, list[Section]]:
    async def go() -> tuple[RunResults, list[Section]]:
        cast = "staff=understudy:mistake=wrong_department@0.3+late@0.3+falls_back@0.2,patient=understudy"
        values = {"clinic": "frontdesk", "scenarios": "paper:1:16", "variants": ["tool", "reasoning"], "cast": cast}
        async with open_store("sqlite://:memory:") as store:
            id_ = await start_run(store, make_config({**values, "seed": 2}))
            await carry_on(store, id_)
            results = await load_results(store, id_)
            return results, report(results)

    return asyncio.run(go())


def tables(sections: list[Section]) -> dict[str, Table]:
    found = [block for section in sections for block in section.body if isinstance(block, Table)]
    return {table.caption: table for table in found}


def test_all_tables_and_figures_come_from_one_run(run: tuple[RunResults, list[Section]]) -> None:
    _, sections = run
    text = " ".join(tables(sections))
    for number in (2, 3, 4, 5, 6, 11):
        assert f"(table {number})" in text
    figures = [block.caption for section in sections for block in section.body if isinstance(block, Figure)]
    for number in (2, 3, 10):
        assert any(f"(figure {number})" in caption for caption in figures)
    assert any(isinstance(block, Details) for section in sections for block in section.body), "no dialogue to read"
    assert sections_to_plain(sections)


def test_rows_are_by_level_and_variant_and_the_counts_add_up(run: tuple[RunResults, list[Section]]) -> None:
    results, sections = run
    found = tables(sections)
    success = found["Success rates (table 2)"]
    assert [(row[0], row[2]) for row in success.rows] == [
        (level, variant) for level in ("primary", "secondary", "tertiary") for variant in ("tool", "reasoning")
    ]
    intake = found["Intake errors (table 3)"]
    wrong = sum(int(str(row[3]).split(" /")[0]) for row in intake.rows)
    scored = [score for episode in results.episodes for score in episode.scores if score.metric == "intake"]
    assert wrong == sum(score.value == 0 for score in scored) > 0
    by_code = sum(int(str(cell).split(" ")[0]) for row in intake.rows for cell in row[4:9] if cell != "-")
    assert by_code == wrong
    late = [row for row in found["Scheduling errors with reasoning (table 11)"].rows if str(row[12]) != "-"]
    assert late, "no NET although the staff was late on purpose"
    assert any("0 /" not in str(row[4]) for row in found["Tools among new appointments (table 6)"].rows)


def test_diaries_fill_up(run: tuple[RunResults, list[Section]]) -> None:
    _, sections = run
    maps = [
        block.chart
        for section in sections
        for block in section.body
        if isinstance(block, Figure) and isinstance(block.chart, HeatMap) and block.caption.startswith("Diaries")
    ]
    assert len(maps) == 9
    for first, second, third in zip(maps[::3], maps[1::3], maps[2::3], strict=True):
        sums = [sum(value or 0 for row in chart.values for value in row) for chart in (first, second, third)]
        assert sums[2] > 0 and sums == sorted(sums)
        assert all(0 <= value <= 1 for row in third.values for value in row if value is not None)


def test_feedback_tells_a_person_what_went_wrong(run: tuple[RunResults, list[Section]]) -> None:
    results, _ = run
    assert clinic.feedback is not None
    episode = next(episode for episode in results.episodes if episode.value("intake") == 0.0)
    case = Case(results.scenarios[episode.scenario], clinic.variant(episode.variant), episode.transcript, episode.trial)
    (section,) = clinic.feedback(case)
    table = next(block for block in section.body if isinstance(block, Table))
    assert any("ID: incorrect department" in str(row[1]) for row in table.rows)
