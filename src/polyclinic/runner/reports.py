"""Reports of runs in a store: made from results and the clinic's own sections, and written as an HTML file.

Also the questions that people and judges answer about an episode, by the name of a rubric.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from polyclinic.core.files import not_written
from polyclinic.errors import ConfigError, UnknownName
from polyclinic.eval.criteria import Criterion
from polyclinic.eval.html import render_html
from polyclinic.eval.report import RunReport, build_report
from polyclinic.eval.results import RunResults
from polyclinic.eval.rubric import RubricJudge
from polyclinic.eval.rubric_file import load_rubric
from polyclinic.eval.sections import Section
from polyclinic.eval.validity import valid_only
from polyclinic.runner.registry import load_clinic
from polyclinic.runner.results import load_results
from polyclinic.store.scores import LIVE
from polyclinic.store.store import Store


async def make_report(
    store: Store, run: str, *, scoring: str = LIVE, baseline: str = "", transcripts: int = 2
) -> RunReport:
    """The report of one run under one scoring."""
    return report_of(await load_results(store, run, scoring), baseline=baseline, transcripts=transcripts)


def report_of(results: RunResults, *, baseline: str = "", transcripts: int = 2, own_sections: bool = True) -> RunReport:
    """The report of loaded results, with the clinic's own sections. These need transcripts, and show only what is valid
    for this cast.
    """
    clinic = load_clinic(results.clinic)
    if not results.episodes:
        raise ConfigError(
            f"run {results.run} has no finished episode yet; continue with: polyclinic resume {results.run}"
        )
    own = clinic.report if own_sections else None
    sections: Sequence[Section] = own(valid_only(results)) if own is not None else ()
    return build_report(
        results,
        sections,
        title=clinic.title,
        baseline=baseline,
        transcripts_per_variant=transcripts,
        headline=clinic.headline,
    )


def write_html(reports: Sequence[RunReport], path: Path, title: str = "") -> Path:
    """Write one self-contained HTML file, completely or not at all."""
    text = render_html(reports, title)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")  # a pipe or a device: it must not be replaced by a file
            return path
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        raise not_written(path, error) from None
    return path


def rubric_names(clinic: str) -> list[str]:
    """The rubric judges of a clinic."""
    return [judge.name for judge in load_clinic(clinic).judges() if isinstance(judge, RubricJudge)]


def rubric_questions(clinic: str, rubric: str, *, files: bool = True) -> Sequence[Criterion]:
    """The criteria of one named rubric judge, of a rubric file, or of all the clinic's rubric judges."""
    judges = [judge for judge in load_clinic(clinic).judges() if isinstance(judge, RubricJudge)]
    named = [judge.rubric for judge in judges if judge.name == rubric]
    if rubric and not named and not files:
        raise UnknownName("rubric", rubric, rubric_names(clinic))
    if rubric:
        return (named[0] if named else load_rubric(rubric)).criteria
    if not judges:
        raise ConfigError(f"{clinic} has no rubric judge to take questions from: give a rubric file with --rubric FILE")
    return [criterion for judge in judges for criterion in judge.rubric.criteria]
