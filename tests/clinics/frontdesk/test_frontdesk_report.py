"""The report: the paper's tables and figures from one run, with numbers that add up."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from polyclinic.clinics.frontdesk import clinic
from polyclinic.clinics.frontdesk.report import report, sample
from polyclinic.clinics.frontdesk.report.figures import diaries
from polyclinic.clinics.frontdesk.report.rows import rows_of, with_deviation
from polyclinic.clinics.frontdesk.scenario.schema import Contact
from polyclinic.core.judge import Case
from polyclinic.eval.charts import Bars, HeatMap
from polyclinic.eval.estimate import Estimate, mean_with_interval
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Details, Dialogue, Figure, Section, Table, sections_to_plain
from polyclinic.runner.results import load_results
from polyclinic.store.store import Store
from polyclinic.testing.runs import played

Reported = tuple[RunResults[Contact], list[Section]]


async def results_of(store: Store, run: str) -> RunResults[Contact]:
    return cast("RunResults[Contact]", await load_results(store, run))


@pytest.fixture(scope="module")
def run() -> Reported:
    async def go() -> Reported:
        cast = "staff=understudy:mistake=wrong_department@0.3+late@0.3+falls_back@0.2,patient=understudy"
        values = {"clinic": "frontdesk", "scenarios": "paper:1:16", "variants": ["tool", "reasoning"], "cast": cast}
        results = await played(**values, seed=2)
        return results, report(results)

    return asyncio.run(go())


def tables(sections: list[Section]) -> dict[str, Table]:
    found = [block for section in sections for block in section.body if isinstance(block, Table)]
    return {table.caption: table for table in found}


def test_all_tables_and_figure_10_come_from_one_run(run: Reported) -> None:
    _, sections = run
    text = " ".join(tables(sections))
    for number in (2, 3, 4, 5, 6, 11):
        assert f"(table {number})" in text
    figures = [block.caption for section in sections for block in section.body if isinstance(block, Figure)]
    assert any("(figure 10)" in caption for caption in figures)
    assert not any("(figure 2)" in caption for caption in figures), "figure 2 compares five and eight rounds"
    assert any(isinstance(block, Details) for section in sections for block in section.body), "no dialogue to read"
    assert sections_to_plain(sections)


def test_rows_are_by_level_and_variant_and_the_counts_add_up(run: Reported) -> None:
    results, sections = run
    found = tables(sections)
    success = found["Success rates (table 2)"]
    assert [(row[0], row[2]) for row in success.rows] == [
        (level, variant) for level in ("primary", "secondary", "tertiary") for variant in ("tool", "reasoning")
    ]
    for row, level in zip(success.rows[::2], ("primary", "secondary", "tertiary"), strict=True):
        tasks = [episode for episode in results.episodes if episode.variant == "tool" and level in episode.scenario]
        assert f"(n = {sum(score.metric == 'intake' for task in tasks for score in task.scores)})" in str(row[3])
    intake = found["Intake errors (table 3)"]
    wrong = sum(int(str(row[3]).split(" /")[0]) for row in intake.rows)
    scored = [score for episode in results.episodes for score in episode.scores if score.metric == "intake"]
    assert wrong == sum(score.value == 0 for score in scored) > 0
    by_code = sum(int(str(cell).split(" ")[0]) for row in intake.rows for cell in row[4:9] if cell != "-")
    assert by_code == wrong
    late = [row for row in found["Scheduling errors with reasoning (table 11)"].rows if str(row[12]) != "-"]
    assert late, "no NET although the staff was late on purpose"
    assert any("0 /" not in str(row[5]) for row in found["Tools among new appointments (table 6)"].rows)
    for caption, count in (("Intake errors (table 3)", 5), ("Scheduling errors with reasoning (table 11)", 10)):
        for row in found[caption].rows:
            codes = sum(int(str(cell).split(" ")[0]) for cell in row[4 : 4 + count] if cell != "-")
            assert codes == int(str(row[3]).split(" /")[0]), "the codes do not add up to the errors"
    kinds = found["Kinds of booking dialogues"]
    talked = sum("dialogue" in episode.data for episode in results.episodes)
    assert len(kinds.rows) == 10 and sum(int(str(cell)) for cell in kinds.rows[-1][1:]) == talked
    ended = found["How contacts ended"]
    assert all(row[2] == sum(int(str(cell)) for cell in row[3:-2]) for row in ended.rows), "a contact is in no column"
    contacts = [e for e in results.episodes if not e.scenario.endswith(("opening", "closing"))]
    assert sum(int(str(row[2])) for row in ended.rows) == len(contacts)
    assert "±" not in str(success.rows[0][3]), "one hospital has no deviation between hospitals"


def test_a_single_value_has_no_deviation() -> None:
    assert with_deviation([4.0]) == "4.00" and with_deviation([4.0, 3.0]) == "3.50 ± 0.50"


def test_the_matrix_of_wrong_departments_adds_up_to_table_4(run: Reported) -> None:
    _, sections = run
    figures = [block for section in sections for block in section.body if isinstance(block, Figure)]
    for variant in ("tool", "reasoning"):
        lines = tables(sections)["Departments and rounds (table 4)"].rows
        wrong = sum(int(str(row[4]).split(" /")[0].replace(",", "")) for row in lines if row[2] == variant)
        caption = f"Wrongly assigned patients by department, {variant} (figure 10)"
        (chart,) = [block.chart for block in figures if block.caption == caption]
        assert isinstance(chart, HeatMap)
        assert sum(value or 0 for row in chart.values for value in row) == wrong > 0
        assert all(chart.values[i][i] == 0 for i in range(len(chart.rows)))


def test_datasets_without_a_level_have_their_own_rows_and_bars_as_in_figures_2_and_3() -> None:
    variants = ["intake", "intake-8"]
    sections = report(asyncio.run(played(clinic="frontdesk", scenarios="history:1:9", variants=variants, seed=2)))
    names = ("history-none", "history-half", "history-all")
    assert [row[0] for row in tables(sections)["Success rates"].rows] == [n for n in names for _ in range(2)]
    figures = [block for section in sections for block in section.body if isinstance(block, Figure)]
    for number in (2, 3):
        (chart,) = [block.chart for block in figures if f"(figure {number})" in block.caption]
        assert isinstance(chart, Bars) and list(chart.series) == ["intake", "intake-8"]
        assert chart.groups[0] == "history-none (0 %)" and chart.groups[2] == "history-all (100 %)"
    ended = tables(sections)["How contacts ended"]
    assert all(row[ended.columns.index("taken in")] == 9 for row in ended.rows)


def test_diaries_are_drawn_for_the_variant_that_books() -> None:
    sections = report(asyncio.run(played(clinic="frontdesk", scenarios="primary:1:6", variants=["intake", "tool"])))
    captions = [b.caption for section in sections for b in section.body if isinstance(b, Figure)]
    assert sum(caption.startswith("Diaries of Primary hospital 1, tool") for caption in captions) == 3


def test_a_sample_says_when_the_booking_is_not_in_the_department_named_to_the_patient(run: Reported) -> None:
    results, _ = run
    rows = [row for row in rows_of(results) if (s := row.score("department")) is not None and s.value == 0]
    details = sample(rows[0])
    assert details.summary.count("ID, incorrect department (fault: staff)") == 1
    (dialogue,) = details.body
    assert isinstance(dialogue, Dialogue)
    (note,) = [line for line in dialogue.lines if line.speaker == "the simulation"]
    assert str(rows[0].episode.data["department"]) in note.text


def test_diaries_fill_up(run: Reported) -> None:
    """New appointments only fill the diaries: calls to move or cancel are left out here."""
    rows = [row for row in rows_of(run[0]) if row.contact.kind not in ("move", "cancel")]
    maps = [block.chart for block in diaries(rows) if isinstance(block, Figure) and isinstance(block.chart, HeatMap)]
    assert len(maps) == 9
    for first, second, third in zip(maps[::3], maps[1::3], maps[2::3], strict=True):
        sums = [sum(value or 0 for row in chart.values for value in row) for chart in (first, second, third)]
        assert 0 < sums[0] < sums[1] < sums[2]
        assert all(0 <= value <= 1 for row in third.values for value in row if value is not None)


def test_feedback_tells_a_person_what_went_wrong(run: Reported) -> None:
    results, _ = run
    assert clinic.feedback is not None
    episode = next(episode for episode in results.episodes if episode.value("intake") == 0.0)
    case = Case(results.scenarios[episode.scenario], clinic.variant(episode.variant), episode.transcript, episode.trial)
    short, section = clinic.feedback(case, "staff", "en")
    assert short.title == "In short" and "Missing: the record of the patient: " in str(short.body)
    assert "ID:" not in str(short.body), "codes are for the table"
    table = next(block for block in section.body if isinstance(block, Table))
    assert any("ID: incorrect department" in str(row[1]) for row in table.rows)


def test_the_ninth_decile_of_waits_is_at_most_the_longest_wait_and_no_interval_is_empty(run: Reported) -> None:
    _, sections = run
    waits = [table for name, table in tables(sections).items() if name.startswith("Waiting time to the visit")]
    assert waits
    for row in [row for table in waits for row in table.rows]:
        mean, ninth, longest = row[1:4]
        assert ninth is None or cast("float", ninth) <= cast("float", longest), row
        if isinstance(mean, Estimate) and mean.low is not None and mean.high is not None:
            assert mean.low < mean.high, row


def test_two_values_have_a_wider_interval_than_many_and_equal_values_have_none() -> None:
    two, many, equal = map(mean_with_interval, ([1.0, 1.2], [1.0, 1.2] * 50, [1.1, 1.1]))
    assert two.high is not None and many.high is not None
    assert two.high > 2.0, "Student's t for one degree of freedom, not the normal distribution"
    assert 1.11 < many.high < 1.13
    assert (equal.mean, equal.low, equal.high) == (1.1, None, None)
