from __future__ import annotations

from dataclasses import replace

import pytest

from polyclinic.core.judge import Metric
from polyclinic.core.reading import Says
from polyclinic.core.transcript import Score
from polyclinic.eval.overview import results_section
from polyclinic.eval.results import CastMember, EpisodeRow, RunResults
from polyclinic.eval.sections import Table
from polyclinic.eval.summary import summarise
from polyclinic.eval.validity import NOT_VALID, Ground, grounds, valid_metrics, valid_only, validity_section
from polyclinic.reading.measure import RESULTS as READER_RESULTS
from polyclinic.reading.measure import SENTENCE_RESULTS, Accuracy, accuracy, kept_results
from polyclinic.runner.readings import all_kinds
from polyclinic.runner.registry import load_clinic
from polyclinic.runner.results import kinds_never_read
from polyclinic.testing.runs import played

GOOD = Accuracy(100, 0.9, 0.9, 0.9, 0.84, 0.96, 0.0, yes=50, no=50)
POOR = Accuracy(100, 0.6, 0.6, 0.6, 0.5, 0.7, 0.0, yes=50, no=50)
RESULTS = RunResults(
    run="r",
    clinic="x",
    cast=(CastMember("tutor", "openai:m", "llm"), CastMember("reader", "openai:m", "llm")),
    metrics=(Metric("leaks", "", rests_on=("x-leak",)), Metric("turns", "")),
    episodes=(
        EpisodeRow(
            "e",
            "s",
            "v",
            scores=(Score(metric="leaks", value=0.5, judge="j"), Score(metric="turns", value=0.5, judge="j")),
        ),
    ),
    variants=("v",),
    read_roles={"x-leak": ("tutor",)},
    reader_accuracy={"x-leak": GOOD},
)


def test_a_metric_read_by_a_good_reader_is_valid_and_says_how_good_the_reader_is() -> None:
    ground = grounds(RESULTS)["leaks"]
    assert ground.valid
    assert "right on 0.90 of 100" in ground.about


def test_a_metric_read_by_a_poor_or_unmeasured_reader_is_not_valid_for_a_language_model() -> None:
    assert valid_metrics(replace(RESULTS, reader_accuracy={"x-leak": POOR})) == ["turns"]
    assert valid_metrics(replace(RESULTS, reader_accuracy={})) == ["turns"]


def test_a_reader_that_was_measured_on_one_answer_alone_is_not_believed() -> None:
    """Who says yes to everything is right on all lines with the label yes."""
    measured = accuracy([(True, "yes")] * 50)
    assert measured.balanced == 1
    ground = grounds(replace(RESULTS, reader_accuracy={"x-leak": measured}))["leaks"]
    assert not ground.valid and "not measured: 50 lines with yes and 0 with no" in ground.about


@pytest.mark.parametrize(("yes", "no", "valid"), [(1, 1, False), (12, 7, False), (8, 11, False), (8, 12, True)])
def test_a_reader_that_was_measured_on_few_lines_is_not_measured(yes: int, no: int, valid: bool) -> None:
    """Two lines are both right by chance one time in four."""
    pairs: list[tuple[bool, Says]] = [(True, "yes") for _ in range(yes)]
    pairs += [(False, "no") for _ in range(no)]
    measured = accuracy(pairs)
    assert measured.balanced == 1
    results = replace(RESULTS, reader_accuracy={"x-leak": measured})
    assert ("leaks" in valid_metrics(results)) is valid
    assert ("not measured" in grounds(results)["leaks"].about) is not valid
    assert bool(validity_section(results)) is not valid


def test_a_reader_that_leaves_everything_unclear_is_measured_as_wrong() -> None:
    measured = accuracy([(label, "unclear") for label in (True, False) for _ in range(50)])
    assert not measured.too_few and measured.balanced == 0 and measured.unclear == 1
    assert valid_metrics(replace(RESULTS, reader_accuracy={"x-leak": measured})) == ["turns"]


def test_the_readers_in_the_package_were_measured_on_enough_lines_of_every_kind() -> None:
    for file in (READER_RESULTS, SENTENCE_RESULTS):
        kept = kept_results(file)
        assert set(kept) == set(all_kinds())
        assert [kind for kind, one in kept.items() if one.too_few] == []


def test_a_metric_says_too_which_readings_decided_what_was_said() -> None:
    """Such a number is valid: it counts what happened. But with another reader, something else would have happened."""
    metric = Metric("turns", "", follows=("x-leak", "x-other"))
    ground = grounds(replace(RESULTS, metrics=(metric,), reader_accuracy={}))["turns"]
    assert ground.valid and ground.about == "exact rule; the reader also decided what was said: x-leak, x-other"


def test_a_kind_that_nobody_was_asked_about_is_not_named() -> None:
    results = replace(RESULTS, reader_accuracy={}, never_read=frozenset({"x-leak"}))
    assert grounds(results)["leaks"] == Ground("exact rule")


async def test_answers_by_letter_are_exact_and_answers_in_words_are_read() -> None:
    """Models choose a letter where a case has options; people may write words. Without options, the reader decides."""
    results = await played(clinic="rounds", variants=("untutored",), scenarios="1")
    assert grounds(results)["first_right"].about == "exact rule"
    clinic, cases = load_clinic("rounds"), list(results.scenarios.values())
    model, person = CastMember("student", "openai:m", "llm"), CastMember("student-2", "human", "human")
    open_case = cases[0].model_copy(update={"options": {}, "answer": "asthma"})
    assert kinds_never_read(clinic, (model,), cases) == {"rounds-choice"}
    assert kinds_never_read(clinic, (model, person), cases) == frozenset()
    assert kinds_never_read(clinic, (model,), [*cases, open_case]) == frozenset()


def test_a_poor_reader_is_accepted_where_only_an_understudy_was_read() -> None:
    cast = (CastMember("tutor", "understudy", "understudy"), CastMember("reader", "openai:m", "llm"))
    assert valid_metrics(replace(RESULTS, cast=cast, reader_accuracy={"x-leak": POOR})) == ["leaks", "turns"]


def test_the_report_prints_not_valid_instead_of_a_number() -> None:
    results = replace(RESULTS, reader_accuracy={"x-leak": POOR})
    table = results_section(results, summarise(results)).body[0]
    assert isinstance(table, Table)
    assert table.rows[0][1] == NOT_VALID
    assert table.rows[1][1] != NOT_VALID


def test_a_recording_is_as_valid_as_those_who_were_recorded() -> None:
    poor = replace(RESULTS, reader_accuracy={"x-leak": POOR})
    for recorded, valid in (
        (CastMember("tutor", "openai:m", "llm"), False),
        (CastMember("tutor", "human", "human"), False),
        (CastMember("tutor", "replay:a", "replay", CastMember("tutor", "openai:m", "llm")), False),
        (None, False),
        (CastMember("tutor", "understudy", "understudy"), True),
    ):
        cast = (CastMember("tutor", "replay:b", "replay", recorded), CastMember("reader", "openai:m", "llm"))
        assert ("leaks" in valid_metrics(replace(poor, cast=cast))) is valid, recorded


def test_a_recorded_reader_is_as_good_as_the_one_that_was_recorded() -> None:
    reader = CastMember("reader", "replay:b", "replay", CastMember("reader", "builtin", "reader"))
    metric = Metric("leaks", "", rests_on=("rounds-leak",))
    results = replace(RESULTS, cast=(CastMember("tutor", "openai:m", "llm"), reader), metrics=(metric,))
    assert grounds(results)["leaks"].about.startswith("reader builtin: rounds-leak (right on 0.")


def test_without_valid_metrics_nothing_is_left_of_them_but_their_names() -> None:
    """What a clinic shows in its own sections, what is compared and what is drawn is made from `valid_only`."""
    poor = replace(RESULTS, reader_accuracy={"x-leak": POOR})
    assert {score.metric for row in valid_only(poor).episodes for score in row.scores} == {"turns"}
    assert valid_only(RESULTS) is RESULTS
    section = validity_section(poor)
    assert section is not None and "leaks" in str(section.body[0])
    assert validity_section(RESULTS) is None
