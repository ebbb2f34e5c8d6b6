"""Judges: hybrid norm verdicts, identity in both measures, checklists, rubrics, the audit's rank
correlation, reports.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from polyclinic.clinics.duty import clinic, lint
from polyclinic.clinics.duty.judges import judges
from polyclinic.clinics.duty.judges.norms import NormJudge, fold, grounded
from polyclinic.clinics.duty.judges.task import decision_step
from polyclinic.clinics.duty.prompts import JudgesNorms, NormJudged, NormsJudged
from polyclinic.clinics.duty.report import feedback, report
from polyclinic.clinics.duty.rules.norms.checker import Verdict
from polyclinic.clinics.duty.rules.tasks.checklists import CHECKLISTS, checked
from polyclinic.clinics.duty.rules.triggers.scene import Line
from polyclinic.clinics.duty.scenario import AnyDuty, by_id, shipped
from polyclinic.core.execute import EpisodeResult
from polyclinic.core.judge import Case
from polyclinic.core.reading import Finding, Question
from polyclinic.core.transcript import Said, Transcript
from polyclinic.eval.audit import read_ratings, write_packet
from polyclinic.eval.audit_report import audit
from polyclinic.eval.results import RunResults
from polyclinic.eval.rubric import package_rubric

Play = Callable[..., Awaitable[EpisodeResult]]
Run = Callable[..., Awaitable[RunResults]]
SHIFTS = by_id(shipped())


class Voices:
    """A judge's bench whose model answers from a list."""

    def __init__(self, answers: list[NormsJudged]) -> None:
        self._answers = answers
        self.asked: list[JudgesNorms] = []

    def agent(self, role: str = "judge") -> Any:
        return self

    async def ask(self, prompt: JudgesNorms, *, sample: int = 0) -> NormsJudged:
        self.asked.append(prompt)
        return self._answers[sample % len(self._answers)]

    async def reads(self, text: str, questions: Sequence[Question]) -> tuple[Finding, ...]:
        return tuple(Finding("no") for _ in questions)


def case_of(scenario: str, *lines: tuple[str, str, str]) -> Case[AnyDuty]:
    transcript = Transcript([Said(speaker=who, to=to, text=text) for who, to, text in lines])
    return Case(SHIFTS[scenario], clinic.variant("plain"), transcript)


def said(number: int, norm: str, words: str) -> NormJudged:
    return NormJudged(number=number, norm=norm, rationale="a nuance", words=words, severity=2)


DISMISSIVE = ("doctor", "patient", "Well, that is hardly worth talking about.")


async def test_a_nuance_counts_by_majority_of_samples_and_only_with_true_words() -> None:
    seen = NormsJudged(violations=(said(1, "SAFE-1", "hardly worth talking about"),))
    none = NormsJudged(violations=())
    case = case_of("t1-02-warfarin", DISMISSIVE)
    values = {}
    for name, answers in {"majority": [seen, seen, none], "minority": [seen, none, none]}.items():
        scores = await NormJudge(3).score(case, Voices(answers))
        values[name] = {score.metric: score.value for score in scores}
    assert values["majority"] == {"nvr": 1.0, "snr": 2.0, "c_norm": pytest.approx(0.6)}
    assert values["minority"]["nvr"] == 0.0
    invented = NormsJudged(violations=(said(1, "SAFE-1", "words nobody said"), said(9, "SAFE-1", "x")))
    scores = await NormJudge(1).score(case, Voices([invented]))
    assert scores[0].value == 0.0


async def test_only_norms_left_to_a_rubric_are_asked_about_and_triggers_are_not_counted_twice() -> None:
    case = case_of("t1-02-warfarin", ("doctor", "patient", "It is your own fault."))
    voices = Voices([NormsJudged(violations=(said(1, "SAFE-1", "your own fault"),))])
    scores = await NormJudge(1).score(case, voices)
    assert {norm.id for norm in voices.asked[0].norms} == {"ESC-2", "SAFE-1", "SAFE-2"}
    assert next(score.value for score in scores if score.metric == "snr") == 2.0


def test_the_patients_words_are_never_charged_to_the_staff() -> None:
    lines = (Line(speaker="patient", text="Calm down.", to="doctor"),)
    assert not grounded(said(1, "SAFE-1", "Calm down"), lines, "doctor")


def test_fold_counts_messages_not_violations_in_nvr_and_all_severities_in_snr() -> None:
    verdicts = [
        Verdict(norm=norm, role="doctor", flag=True, severity=severity, rationale="r", words="w", step=0)
        for norm, severity in (("INFO-1", 4), ("SAFE-1", 2))
    ]
    values = {score.metric: score.value for score in fold([0, 2], verdicts)}
    assert values == {"nvr": 0.5, "snr": 6.0, "c_norm": pytest.approx(0.6)}


def test_every_task_has_its_four_checklist_items() -> None:
    assert {task: len(items) for task, items in CHECKLISTS.items()} == {"T1": 4, "T2": 4, "T3": 4}


@pytest.mark.parametrize("scenario", ["t1-02-warfarin", "t2-01-chest-pain", "t3-01-heart-failure"])
async def test_a_calm_shift_meets_the_checklist_and_an_empty_one_does_not(play: Play, scenario: str) -> None:
    calm = SHIFTS[scenario].model_copy(update={"calm": True})
    result = await play(calm)
    lines = tuple(Line(speaker=s.speaker, text=s.text, to=s.to) for s in result.transcript.said())
    assert all(met for _, met in checked(calm, lines))
    assert decision_step(calm, lines) is not None
    silent = tuple(line.model_copy(update={"text": "Hm."}) for line in lines)
    assert sum(met for _, met in checked(calm, silent)) <= 1
    assert decision_step(calm, silent) is None


async def test_every_judge_speaks_in_a_run_and_the_report_has_the_papers_tables(small_run: Run) -> None:
    names = tuple(judge.name for judge in judges())
    results = await small_run("3", ["plain", "full"], judges=names)
    assert set(results.metric_names()) == {
        *("nvr", "snr", "c_norm", "ics", "ics_llm", "rar", "cbs", "rqs", "tss", "tsr", "success", "se")
    }
    sections = report(results)
    captions = [getattr(block, "caption", "") for section in sections for block in section.body]
    for number in (1, 2, 3, 4):
        assert any(caption.startswith(f"Table {number}.") for caption in captions)
    assert {"Learning curves", "Drift by trait", "Prompt histories", "Recurring failure signatures"} <= {
        section.title for section in sections
    }
    confusion = sections[-1].body[0]
    assert len(confusion.rows) == 12  # type: ignore[union-attr]


async def test_people_rate_a_sheet_and_their_ranks_are_compared_with_the_judges(small_run: Run, tmp_path: Path) -> None:
    results = await small_run("T1:10", ["plain"])
    rubric = package_rubric("polyclinic.clinics.duty", "data/rubrics/audit.toml")
    key = write_packet(
        results, rubric.criteria, tmp_path / "packet", tmp_path / "key.json", episodes=10, raters=["anna"]
    )
    truth = {row.id: row.value("snr") or 0.0 for row in results.episodes}
    sheet = tmp_path / "packet" / "ratings_anna.csv"
    header, *rows = sheet.read_text(encoding="utf-8").splitlines()
    columns = header.split(",")
    filled = [header]
    for row in rows:
        cells = row.split(",")
        cells[columns.index("norm_risk")] = str(min(round(truth[key.items[cells[0]]] / 2), 10))
        filled.append(",".join(cells))
    sheet.write_text("\n".join(filled) + "\n", encoding="utf-8")
    found = audit(results, key, read_ratings(sheet, key, "anna"))
    risk = next(item for item in found if item.question.id == "norm_risk")
    assert risk.judge[0].value is not None
    assert risk.judge[0].value > 0.9


async def test_feedback_names_norm_words_and_reminder(play: Play) -> None:
    result = await play(
        SHIFTS["t1-01-potassium"].model_copy(update={"calm": True}), mistakes={"doctor": {"breaks_safe_3": 1.0}}
    )
    sections = feedback(Case(SHIFTS["t1-01-potassium"], clinic.variant("plain"), result.transcript))
    table = sections[0].body[0]
    assert table.rows[0][1] == "SAFE-3"  # type: ignore[union-attr]
    assert "tell them back" in str(table.rows[0][4])  # type: ignore[union-attr]


def test_lint_tells_norm_files_from_scenario_files(tmp_path: Path) -> None:
    norms = tmp_path / "norms.yaml"
    norms.write_text("- id: X\n  roles: [docter]\n  severity: 9\n", encoding="utf-8")
    assert any(":2: unknown role 'docter'" in fault for fault in lint(str(norms)))
    shifts = tmp_path / "shifts.yaml"
    shifts.write_text("- id: x\n  task: T1\n", encoding="utf-8")
    assert any("scenario 'x'" in fault for fault in lint(str(shifts)))
