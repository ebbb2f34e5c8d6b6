"""Judges: hybrid norm verdicts, identity in both measures, checklists, rubrics, the audit's rank
correlation, reports.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest

from polyclinic.clinics.duty import clinic
from polyclinic.clinics.duty.judges import judges
from polyclinic.clinics.duty.judges.norms import fold, norms
from polyclinic.clinics.duty.judges.panel import task
from polyclinic.clinics.duty.judges.view import ShiftHeard
from polyclinic.clinics.duty.report import feedback, report
from polyclinic.clinics.duty.report.tables import IN_PAPER
from polyclinic.clinics.duty.rules.norms.checker import NormsRead, NormVerdict
from polyclinic.clinics.duty.rules.norms.norm import inventory
from polyclinic.clinics.duty.rules.tasks import CHECKLISTS
from polyclinic.clinics.duty.rules.triggers import SceneLine
from polyclinic.clinics.duty.scenario.load import by_id, shipped
from polyclinic.clinics.duty.scenario.schema import AnyDuty
from polyclinic.clinics.duty.understudies.judge import JudgeUnderstudy
from polyclinic.core.judge import Case
from polyclinic.core.message import user
from polyclinic.core.model import Request, Settings
from polyclinic.core.reading import Finding, Question
from polyclinic.core.transcript import Said, Scored, Started, Transcript, Violated
from polyclinic.core.understudy import Ask
from polyclinic.eval.audit import read_ratings, write_packet
from polyclinic.eval.audit_report import audit
from polyclinic.eval.prompts import JudgesRubric
from polyclinic.eval.results import RunResults
from polyclinic.eval.rubric_file import package_rubric
from polyclinic.eval.sections import Paragraph, Table
from polyclinic.eval.sheet import sheet_form

from .conftest import reader

Run = Callable[..., Awaitable[RunResults]]
SHIFTS = by_id(shipped())
NORMS = {norm.id: norm for norm in inventory()}


class Found:
    """A judge's bench with a reader that answers yes where it finds these words in the text, and otherwise no."""

    def __init__(self, **words: str) -> None:
        self._words = words

    def agent(self, role: str = "judge") -> Any:
        raise AssertionError("no model is asked")

    async def reads(self, text: str, questions: Sequence[Question]) -> tuple[Finding, ...]:
        rules = {NORMS[name.replace("_", "-")].then: words for name, words in self._words.items() if name != "back"}
        found = []
        for question in questions:
            words = (
                rules.get(question.fact("then"), "") if question.kind == "duty-norm" else self._words.get("back", "")
            )
            found.append(Finding("yes", words) if words and words in text else Finding("no"))
        return tuple(found)

    async def together(self, *branches: Coroutine[Any, Any, Any]) -> list[Any]:
        return [await branch for branch in branches]


def case_of(scenario: str, *lines: tuple[str, str, str], stage: str = "plan") -> Case[AnyDuty]:
    said = [Said(speaker=who, to=to, text=text, data={"stage": stage}) for who, to, text in lines]
    return Case(SHIFTS[scenario], clinic.variant("plain"), Transcript(said))


async def test_norms_are_judged_by_meaning_on_the_words_of_the_staff_alone() -> None:
    case = case_of(
        "t1-02-warfarin",
        ("doctor", "patient", "Well, that is hardly worth talking about."),
        ("patient", "doctor", "Hardly worth talking about?"),
        ("doctor", "patient", "Let us look at it."),
    )
    scores = await norms.score(case, Found(SAFE_1="hardly worth"))
    assert {score.metric: score.value for score in scores} == {"nvr": 0.5, "snr": 2.0, "c_norm": pytest.approx(0.8)}
    assert "hardly worth" in scores[0].evidence[0]


async def test_the_checklist_uses_findings_of_the_reader_and_exact_names_and_numbers() -> None:
    lines = (
        ("doctor", "patient", "Do you take the warfarin, and the clarithromycin?"),
        ("patient", "doctor", "I take both."),
        ("doctor", "patient", "Have the test."),
        ("patient", "doctor", "So a test, and no aspirin."),
    )
    values = {}
    for name, bench in {"good": Found(back="So a test"), "broken": Found(back="So a test", SAFE_3="Have the")}.items():
        scores = await task.score(case_of("t1-02-warfarin", *lines), bench)
        values[name] = {score.metric: score.value for score in scores}
    assert values["good"]["success"] == 1.0
    assert values["broken"]["tsr"] == 0.75
    assert values["good"]["se"] == 1.0
    level = case_of("t2-01-chest-pain", ("doctor", "nurse", "I make it level 4."))
    low = {score.metric: score for score in await task.score(level, Found())}
    assert "defensible level" in low["tsr"].reason


def test_every_metric_names_the_findings_it_is_based_on() -> None:
    rests = {metric.name: metric.rests_on for judge in judges() for metric in judge.metrics}
    assert rests["nvr"] == rests["snr"] == rests["c_norm"] == ("duty-norm",)
    assert rests["tsr"] == rests["success"] == ("duty-norm", "duty-teachback")
    assert rests["ics"] == ("duty-trait",)


def test_fold_counts_messages_not_violations_in_nvr_and_all_severities_in_snr() -> None:
    verdicts = [
        NormVerdict(norm=norm, role="doctor", flag=True, severity=severity, rationale="r", words="w", step=0)
        for norm, severity in (("INFO-1", 4), ("SAFE-1", 2))
    ]
    values = {score.metric: score.value for score in fold([0, 2], NormsRead(verdicts, Counter(), Counter(), []))}
    assert values == {"nvr": 0.5, "snr": 6.0, "c_norm": pytest.approx(0.6)}


def test_the_reason_of_a_score_says_the_broken_norm_in_words() -> None:
    norm = NORMS["SAFE-3"]
    broken = NormVerdict(norm=norm.id, role="trainee", flag=True, severity=3, rationale="r", words="w", step=0)
    first, *_ = fold([0], NormsRead([broken], Counter(), Counter(), []), [norm])
    assert first.reason == f"trainee broke SAFE-3 (severity 3): if {norm.if_}, {norm.then}"


async def test_the_judge_names_what_differs_most_by_its_words(small_run: Run) -> None:
    results = await small_run("1", ["full"], judges=("identity",))
    reasons = [
        score.reason
        for row in results.episodes
        for score in (scored.score for scored in row.transcript.of(Scored))
        if score.metric == "ics_llm"
    ]
    assert reasons and all(reason.startswith("what differs most, by ") for reason in reasons)
    assert not any("_" in reason for reason in reasons)


def test_every_task_has_its_four_checklist_items() -> None:
    assert {task: len(items) for task, items in CHECKLISTS.items()} == {"T1": 4, "T2": 4, "T3": 4}


async def test_a_run_of_the_papers_variants_has_the_papers_tables(small_run: Run) -> None:
    results = await small_run("1", IN_PAPER)
    captions = [getattr(block, "caption", "") for section in report(results) for block in section.body]
    for number in (1, 2, 3, 4):
        assert any(caption.startswith(f"Table {number}.") for caption in captions)


async def test_every_judge_gives_scores_in_a_run_and_the_report_shows_them(small_run: Run) -> None:
    names = tuple(judge.name for judge in judges())
    results = await small_run("3", ["plain", "full"], judges=names)
    assert set(results.metric_names()) == {
        *("nvr", "snr", "c_norm", "ics", "ics_llm", "rar", "cbs", "rqs", "tss", "tsr", "success", "se")
    }
    sections = report(results)
    captions = [getattr(block, "caption", "") for section in sections for block in section.body]
    assert not any(caption.startswith("Table ") for caption in captions), "two variants are not the paper's comparison"
    (failures,) = [section.body[0] for section in sections if section.title == "Recurring failure signatures"]
    assert isinstance(failures, Table)
    assert failures.rows and all(str(row[1]).startswith("if ") for row in failures.rows), "norms in words, not codes"
    assert failures.columns[4:6] == ["first half (n = 0)", "second half (n = 3)"]
    assert {"Learning curves", "Drift by trait", "Prompt histories", "Recurring failure signatures"} <= {
        section.title for section in sections
    }


async def test_people_rate_a_sheet_and_their_ranks_are_compared_with_the_judges(small_run: Run, tmp_path: Path) -> None:
    results = await small_run("T2:10", ["plain"])
    rubric = package_rubric("polyclinic.clinics.duty", "data/rubrics/audit.toml")
    key = write_packet(
        results, rubric.criteria, tmp_path / "packet", tmp_path / "key.json", episodes=10, raters=["anna"]
    )
    truth = {row.id: row.value("snr") or 0.0 for row in results.episodes}
    most = max(truth.values())
    sheet = tmp_path / "packet" / "ratings_anna.csv"
    header, *rows = sheet.read_text(encoding="utf-8").splitlines()
    columns = header.split(",")
    filled = [header]
    for row in rows:
        cells = row.split(",")
        cells[columns.index("norm_risk")] = str(round(10 * truth[key.items[cells[0]]] / most))
        filled.append(",".join(cells))
    sheet.write_text("\n".join(filled) + "\n", encoding="utf-8")
    found = audit(results, key, read_ratings(sheet, key, "anna"))
    risk = next(item for item in found if item.question.id == "norm_risk")
    assert risk.judge[0].value is not None
    assert risk.judge[0].value > 0.9


def test_feedback_is_short_and_names_the_words_the_rule_and_the_next_step() -> None:
    case = case_of("t1-01-potassium", ("doctor", "patient", "Do this and that. And the other."))
    events = [
        *case.transcript.events,
        *(Violated(rule="SAFE-3", by="doctor", severity=3, words="Do this and that."),) * 3,
        Violated(rule="ESC-2", by="doctor", severity=4, words="And the other is quite safe."),
        Violated(rule="SAFE-2", by="doctor", severity=3, words="And the other is quite safe."),
    ]
    started = Started(clinic="duty", scenario="x", variant="full", trial=0, seed=0, cast={"doctor": "human"})
    (section,) = feedback(Case(case.scenario, case.variant, Transcript([started, *events])), "doctor", "en")
    told = [block.text for block in section.body if isinstance(block, Paragraph)]
    assert told[0].startswith("This was dangerous: you said “And the other is quite safe.”; the rule: if "), told
    assert "“Do this and that.”" in told[1] and told[1].startswith("Missing: "), "grave, but nobody is hurt by it"
    assert told[2].startswith("Next step: ") and "not always right" in told[3]
    assert len(told) == 4, "each sentence once, by the gravest rule that it broke"
    right = case_of("t1-01-potassium", ("doctor", "patient", "We take blood today for your potassium."))
    (clean,) = feedback(Case(case.scenario, case.variant, Transcript([started, *right.transcript])), "doctor", "en")
    assert "broke no rule" in str(clean.body[0])
    brief = Violated(rule="INFO-3", by="doctor", severity=4, words="Double it.")
    (short,) = feedback(Case(case.scenario, case.variant, Transcript([started, brief])), "doctor", "en")
    assert "This was dangerous: you said “Double it.”" in str(short.body), "two words are enough"
    greeted = case_of("t1-01-potassium", ("doctor", "patient", "Good morning."))
    (short,) = feedback(Case(case.scenario, case.variant, Transcript([started, *greeted.transcript])), "doctor", "en")
    assert "Good morning" not in str(short.body), "a greeting is nothing to praise"
    colleague = Violated(rule="SAFE-3", by="nurse", severity=3, words="Do this.")
    together = Case(case.scenario, case.variant, Transcript([started, *case.transcript, colleague]))
    short, team = feedback(together, "doctor", "en")
    assert "dangerous" not in str(short.body) and "nurse" in str(team.body), "not held against the person"


def test_lint_distinguishes_norm_files_from_scenario_files(tmp_path: Path) -> None:
    norms = tmp_path / "norms.yaml"
    norms.write_text("- id: X\n  roles: [docter]\n  severity: 9\n", encoding="utf-8")
    assert any(":2: unknown role 'docter'" in fault for fault in clinic.faults_in(str(norms)))
    shifts = tmp_path / "shifts.yaml"
    shifts.write_text("- id: x\n  task: T1\n", encoding="utf-8")
    assert any("scenario 'x'" in fault for fault in clinic.faults_in(str(shifts)))


@pytest.mark.parametrize(
    ("words", "least", "most"),
    [("Bananas are yellow.", 1, 1), ("Who settles the injection before she goes home?", 5, 10)],
)
def test_a_role_that_says_nothing_about_the_shift_earns_no_mark(words: str, least: int, most: int) -> None:
    shift = by_id(shipped())["t3-03-hip"]
    lines = (
        SceneLine(speaker="doctor", text="Is the care plan complete?", to="nurse"),
        SceneLine(speaker="nurse", text=words, to="doctor"),
    )
    facts = ShiftHeard(scenario=shift, lines=lines, norms=inventory(), role="nurse")
    rubric = package_rubric("polyclinic.clinics.duty", "data/rubrics/role.toml")
    prompt = JudgesRubric(
        rubric=rubric.id, title="", instructions="", criteria=rubric.criteria, flags=(), view=words, facts=facts
    )
    ask = Ask(prompt, Request("judge", prompt, (user("x"),), (), Settings(), "e"), {}, reader())
    sheet = sheet_form((("rar", 1, 10),), ()).model_validate_json(JudgeUnderstudy().judges_rubric(ask))
    assert least <= sheet.judged(["rar"], []).criteria[0].score <= most
