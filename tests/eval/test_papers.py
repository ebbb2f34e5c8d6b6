"""The papers' tables and figures are made from a run: side by side, before and after, by level, people's ratings."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from polyclinic.clinics.counsel.variants import ABLATIONS
from polyclinic.clinics.duty.report.tables import IN_PAPER
from polyclinic.clinics.patient.variants import DOCTORS, DUELS, LEARNERS, METHODS
from polyclinic.clinics.rounds.report.page import share_right
from polyclinic.core.transcript import Called
from polyclinic.eval.audit import AuditKey, Rating
from polyclinic.eval.audit_report import people_by_variant
from polyclinic.eval.charts import Dots
from polyclinic.eval.criteria import Criterion
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.papers import as_in_paper
from polyclinic.eval.report import RunReport
from polyclinic.eval.rubric_file import load_rubric
from polyclinic.eval.sections import Figure, Grid, Section, Table
from polyclinic.runner.api import run
from polyclinic.runner.plan.config import make_config, read_config
from polyclinic.runner.registry import load_clinic
from polyclinic.runner.reports import make_report
from polyclinic.store.store import open_store
from polyclinic.testing.runs import MEMORY

RECIPES = sorted((Path(__file__).parents[2] / "recipes").glob("*.toml"))


async def reported(**asked: Any) -> RunReport:
    async with open_store(MEMORY) as store:
        outcome = await run(store, make_config(asked))
        return await make_report(store, outcome.run)


def section(report: RunReport, title: str) -> Section:
    return next(each for each in report.all_sections if each.title.startswith(title))


async def test_eirenes_figure_1_shows_answers_to_the_same_words_side_by_side() -> None:
    variants = ("full", "nocritic", "noescalation", "neither", "single")
    made = await reported(clinic="counsel", scenarios="quiet@en:2", variants=variants, judges=("safety",))
    (table,) = section(made, "Figure 1").body
    assert isinstance(table, Table) and tuple(table.columns[2:]) == variants
    assert all(str(cell).strip() for row in table.rows for cell in row)


async def test_evopatients_figures_12_13_and_18_show_before_and_after() -> None:
    made = await reported(clinic="patient", scenarios="2", variants=("evolved-emptied", "evolved"))
    found = section(made, "Before and after").body
    captions = [block.caption for block in found if isinstance(block, (Figure, Table))]
    assert [number for number in ("12", "13", "18") if any(f"figure {number}" in caption for caption in captions)] == [
        "12",
        "13",
        "18",
    ]


async def test_clinedus_figure_2_lays_the_student_models_of_one_recipe_side_by_side() -> None:
    recipe = read_config(str(next(path for path in RECIPES if path.stem == "rounds-mixture")))
    small = recipe.model_copy(update={"scenarios": "card-03", "judges": ("ets", "msm", "mps")})
    made = await reported(**small.model_dump())
    table, grid = section(made, "Student models").body
    assert isinstance(table, Table) and isinstance(grid, Grid) and "table 9 of the paper" in table.caption
    students = [
        "understudy",
        "understudy:mistake=silent@0.5",
        "understudy:mistake=silent",
        "mixture of 3 models",
    ]
    assert [row[:2] for row in table.rows] == [[each, name] for name in ("full", "plain-tutor") for each in students]
    assert all(isinstance(cell, Estimate) and cell.n == 1 for row in table.rows for cell in row[2:])
    for at, (metric, figure) in enumerate(zip(("ETS", "MSM", "MPS"), grid.figures, strict=True)):
        assert metric in figure.caption and "figure 2" in figure.caption and isinstance(figure.chart, Dots)
        assert list(figure.chart.rows) == students and list(figure.chart.series) == ["full", "plain-tutor"]
        assert [*figure.chart.series["full"], *figure.chart.series["plain-tutor"]] == [r[2 + at] for r in table.rows]
    spoke = {row.variant: {call.role for call in row.transcript.of(Called)} for row in made.results.episodes}
    assert {role for role in spoke["full-seat-2"] if role.startswith("student")} == {"student-2"}
    assert {role for role in spoke["full"] if role.startswith("student")} == {"student-1", "student-2", "student-3"}


async def test_a_run_with_one_student_model_has_only_the_table_of_tutors() -> None:
    made = await reported(clinic="rounds", scenarios="card-03", judges=("ets", "msm", "mps"))
    (teaching,) = section(made, "Teaching quality").body
    assert isinstance(teaching, Table) and teaching.caption == "Teaching by tutor and variant"
    assert "Table 4 of the paper" in teaching.note
    assert not [each for each in made.all_sections if each.title == "Student models"]


async def test_students_of_every_level_are_shown_and_students_of_one_case_count_as_one() -> None:
    made = await reported(clinic="rounds", scenarios="card-03", variants=("lecture",), judges=("learning",))
    figure, table = section(made, "Students of different levels").body
    assert isinstance(figure, Figure) and isinstance(table, Table)
    assert list(table.columns) == ["variant", "beginner", "intermediate", "advanced"]
    found = share_right([(float(case == "a"), case) for case in "ab" for _ in range(10)])
    assert found is not None and found.low == pytest.approx(0.013, abs=0.005), "two cases, not twenty"


async def test_clinedus_table_4_holds_the_ratings_that_people_gave_each_variant() -> None:
    made = await reported(clinic="demo", scenarios="2", variants=("plain", "tool"))
    question = Criterion(id="warm", question="Is it warm?", low=1, high=5, anchors={1: "no", 5: "yes"})
    items = {f"I{n}": episode.id for n, episode in enumerate(made.results.episodes)}
    key = AuditKey(run=made.results.run, clinic="demo", seed=0, questions=(question,), items=items)
    ratings = [Rating("anna", item, "warm", 5 if ":tool:" in episode else 2) for item, episode in items.items()]
    table = people_by_variant(made.results, key, ratings)
    assert table is not None and [row[0] for row in table.rows] == ["plain", "tool"]
    assert [getattr(row[1], "mean", None) for row in table.rows] == [2.0, 5.0]
    clear = question.model_copy(update={"id": "clear"})
    both = key.model_copy(update={"questions": (question, clear)})
    table = people_by_variant(made.results, both, [*ratings, *(replace(r, question="clear", value=3) for r in ratings)])
    assert table is not None and table.columns == ["variant", "warm", "clear", "average"]
    assert [getattr(row[3], "mean", None) for row in table.rows] == [2.5, 4.0]


def test_the_questions_of_the_user_study_can_be_rated() -> None:
    rubric = load_rubric(RECIPES[0].parent / "rubrics" / "rounds-users.toml")
    assert [question.id for question in rubric.criteria] == ["iq", "ie", "or"]


@pytest.mark.parametrize("path", RECIPES, ids=[path.stem for path in RECIPES])
def test_every_recipe_names_what_exists(path: Path) -> None:
    config = read_config(str(path))
    clinic = load_clinic(config.clinic)
    for name in config.variants:
        clinic.variant(name)
    assert clinic.scenarios(config.scenarios.partition(":")[0] or config.scenarios, 0)


PLACES = re.compile(r"(?i)(?:table|figure)s? \d+|paper")
PARTS = {
    "counsel": (("full", "single"), "quiet@en:1"),
    "duty": (("full", "plain"), "t1-02-warfarin"),
    "frontdesk": (("tool",), "primary:1:3"),
    "patient": (("requirements", "evolved"), "ami-01"),
    "rounds": (("full", "students-1"), "card-03"),
}
ALONE = {"frontdesk": {"Scheduling errors with tools (table 5)", "Tools among new appointments (table 6)"}}
"""Tables of the paper that compare one way of scheduling only."""


@pytest.mark.parametrize("clinic", sorted(PARTS))
async def test_a_heading_names_a_papers_table_only_where_the_run_has_its_variants(clinic: str) -> None:
    variants, scenarios = PARTS[clinic]
    made = await reported(clinic=clinic, scenarios=scenarios, variants=variants)
    blocks = [block for each in made.all_sections for block in each.body]
    figures = [figure for block in blocks if isinstance(block, Grid) for figure in block.figures]
    captions = {block.caption for block in (*blocks, *figures) if isinstance(block, (Figure, Table))}
    headings = captions | {each.title for each in made.all_sections}
    assert {heading for heading in headings if PLACES.search(heading)} == ALONE.get(clinic, set())


def test_a_heading_names_its_place_where_the_run_has_all_variants() -> None:
    assert as_in_paper("Answers", "table 1", ("a", "b"), ("b", "c", "a")) == "Answers (table 1)"
    assert as_in_paper("Answers", "table 1", ("a", "b"), ("b", "c")) == "Answers"


@pytest.mark.parametrize(
    "recipe", ["patient-ablation", "patient-duels", "patient-doctors", "patient", "duty", "counsel"]
)
def test_the_variants_of_a_papers_table_are_those_of_its_recipe(recipe: str) -> None:
    compared = {
        "patient-ablation": LEARNERS,
        "patient-duels": DUELS,
        "patient-doctors": DOCTORS,
        "patient": METHODS,
        "duty": IN_PAPER,
        "counsel": ABLATIONS,
    }[recipe]
    assert set(compared) <= set(read_config(str(next(path for path in RECIPES if path.stem == recipe))).variants)
