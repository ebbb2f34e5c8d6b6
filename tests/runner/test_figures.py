"""The results of a run: who played, and the figures that a person gets at the end of a session."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polyclinic.clinics.demo import clinic
from polyclinic.clinics.demo.judges import SAFE
from polyclinic.core.judge import Case, Judge, Metric
from polyclinic.eval.overview import same_rules
from polyclinic.eval.results import CastMember
from polyclinic.eval.rules import RuleJudge
from polyclinic.eval.sections import Paragraph
from polyclinic.reading.measure import accuracy
from polyclinic.runner.api import run
from polyclinic.runner.execute.rescore import rescore
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.registry import load_clinic
from polyclinic.runner.results import UNMEASURED, figure_lines, load_results, own_feedback
from polyclinic.store.store import open_store
from polyclinic.testing.runs import MEMORY, played

SHARE = Metric("share", "whether it was right, as a share")


@pytest.mark.parametrize(
    ("metric", "value", "line"),
    [
        (SAFE, 1.0, "whether no draft stayed over the limit: yes"),
        (SAFE, 0.0, "whether no draft stayed over the limit: no"),
        (SAFE, 0.5, "whether no draft stayed over the limit: 0.500"),
        (SHARE, 1.0, "whether it was right, as a share: 1"),
    ],
)
def test_only_a_metric_of_yes_or_no_is_told_as_yes_or_no(metric: Metric, value: float, line: str) -> None:
    judge: Judge = RuleJudge("one", (metric,), lambda case: [])
    measured = replace(clinic, judges=lambda: (judge,))
    assert list(figure_lines(measured, {metric.name: value})) == [f"  {line}"]


@pytest.mark.parametrize("language", ["en", "ko"])
async def test_feedback_from_a_reader_that_nobody_measured_says_so_first(language: str) -> None:
    results = await played(clinic="rounds", variants=("one-student",), scenarios="1")
    rounds, (episode,) = load_clinic("rounds"), results.episodes
    case = Case(results.scenarios[episode.scenario], rounds.variant(episode.variant), episode.transcript)
    person = CastMember("student-1", "human", "human")

    def told(reader: str, *others: CastMember, known: int = 0) -> bool:
        cast = (*others, CastMember("reader", reader, "llm"))
        good = accuracy([(label, "yes" if label else "no") for label in (True, False) for _ in range(known)])
        measured = dict.fromkeys(results.read_roles, good) if known else {}
        session = replace(results, cast=cast, reader_accuracy=measured)
        (first, *_) = own_feedback(rounds, "student-1", case, language, session)
        begin, *_ = first.body
        return isinstance(begin, Paragraph) and begin.text == UNMEASURED[language]

    assert told("http://127.0.0.1:1/v1:m", person)
    assert told("http://127.0.0.1:1/v1:m", person, known=5), "a few lines are not enough"
    assert not told("http://127.0.0.1:1/v1:m", person, known=20)
    assert not told("builtin:sentences", person)
    assert not told("http://127.0.0.1:1/v1:m", CastMember("student-1", "understudy", "understudy"))


async def test_a_recording_names_who_was_recorded_and_a_rescoring_its_own_reader() -> None:
    """So a poor reader's metrics do not become valid by replaying a run, or by scoring it again."""
    async with open_store(MEMORY) as store:
        values = {"clinic": "rounds", "scenarios": "1", "variants": ("full",)}
        first = (await run(store, make_config(values))).run
        second = (await run(store, make_config({**values, "cast": f"all=replay:{first}"}))).run
        scoring, *_ = await rescore(store, first, judges=("conduct",), cast="reader=builtin:sentences")
        live, replayed = await load_results(store, first), await load_results(store, second)
        judged = await load_results(store, first, scoring)
    assert {member.kind for member in replayed.cast} == {"replay"}
    assert [member.original for member in replayed.cast] == list(live.cast)
    assert same_rules(replayed), "rules played then, and rules were recorded"
    readers = {member.role: member.model for member in judged.cast}
    assert (readers["reader"], readers["tutor"]) == ("builtin:sentences", "understudy")
