from __future__ import annotations

import json

import pytest

from polyclinic.core.judge import Metric, weighted_value
from polyclinic.core.transcript import Said, Score, Transcript
from polyclinic.errors import EngineError
from polyclinic.eval.agreement import krippendorff_alpha
from polyclinic.eval.metrics import judge_table, metric_estimate
from polyclinic.eval.results import CastMember, EpisodeRow, Failure, RoleUsage, RunResults
from polyclinic.eval.summary import summarise


def score(
    metric: str, value: float, judge: str = "j", sample: int = 0, subject: str = "", weight: float = 1.0
) -> Score:
    return Score(metric=metric, value=value, judge=judge, sample=sample, subject=subject, weight=weight)


def row(scenario: str, trial: int, *scores: Score, variant: str = "v", **fields: object) -> EpisodeRow:
    return EpisodeRow(f"{variant}/{scenario}/{trial}", scenario, variant, trial, scores=scores, **fields)  # type: ignore[arg-type]


def test_judge_samples_are_averaged_before_anything_else() -> None:
    assert row("s", 0, score("m", 1, sample=0), score("m", 4, sample=1), score("other", 9)).value("m") == 2.5


def test_two_judges_of_one_metric_count_equally_whatever_their_samples() -> None:
    scores = (score("m", 0, "a"), score("m", 1, "b", 0), score("m", 1, "b", 1), score("m", 1, "b", 2))
    assert weighted_value(scores) == (0.5, 1.0)


def test_subjects_are_pooled_by_weight_and_their_weights_add_up() -> None:
    scores = (score("m", 1, subject="ann", weight=1), score("m", 0, subject="ben", weight=3))
    assert weighted_value(scores) == (0.25, 4.0)


def test_an_unscored_metric_is_none_not_zero() -> None:
    assert weighted_value(()) is None
    assert row("s", 0).value("m") is None


def test_scores_whose_weights_are_all_zero_get_their_plain_mean() -> None:
    assert weighted_value((score("m", 1, subject="a", weight=0), score("m", 0, subject="b", weight=0))) == (
        0.5,
        0.0,
    )


def make() -> RunResults:
    used = {"nurse": RoleUsage(2, 100, 10, 1_500_000_000), "judge": RoleUsage(1, 50, 5)}
    return RunResults(
        run="r1",
        clinic="demo",
        cast=(CastMember("nurse", "openai:gpt-5-mini", "llm"), CastMember("judge", "understudy", "understudy")),
        variants=("plain", "full"),
        metrics=(Metric("b", "second"), Metric("a", "first"), Metric("unused", "never scored")),
        episodes=(
            row("s1", 0, score("a", 1), score("b", 0), variant="full", usage=used),
            row("s1", 1, score("a", 0), variant="full", usage=used),
            row("s2", 0, score("a", 1), variant="full"),
            row("s3", 0, variant="full", status="failed", failures=(Failure("model", "down"), Failure("tool", "x"))),
            row("s1", 0, score("a", 0.5), variant="plain", failures=(Failure("judge", "unread", fatal=False),)),
        ),
    )


def test_the_summary_has_exactly_the_stable_shape() -> None:
    plain = summarise(make()).to_plain()
    assert list(plain) == ["run", "clinic", "cast", "variants", "failures", "usage"]
    assert plain["cast"] == {"nurse": "openai:gpt-5-mini", "judge": "understudy"}
    assert plain["failures"] == {"model": 1, "tool": 1, "judge": 1}
    assert plain["usage"]["nurse"] == {"calls": 4, "input_tokens": 200, "output_tokens": 20, "cost_usd": 3.0}
    assert list(plain["variants"]) == ["plain", "full"]
    assert list(plain["variants"]["full"]) == ["b", "a"]
    assert set(plain["variants"]["full"]["a"]) == {"mean", "low", "high", "n"}
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain


def test_failures_are_counted_separately_and_enter_no_mean() -> None:
    found = summarise(make()).variants["full"]["a"]
    assert found.mean == pytest.approx((0.5 + 1.0) / 2) and found.n == 3
    alone = summarise(make()).variants["plain"]["a"]
    assert (alone.low, alone.high, alone.n) == (None, None, 1)
    assert "b" not in summarise(make()).variants["plain"]


def test_a_metric_nobody_scored_has_no_estimate() -> None:
    assert metric_estimate(make(), "full", "unused") is None
    assert make().metric_names() == ["b", "a"]


def test_a_transcript_is_loaded_when_it_is_read_and_a_missing_one_is_an_error() -> None:
    loads: list[int] = []

    def load() -> Transcript:
        loads.append(1)
        return Transcript([Said(speaker="a", text="b")])

    lazy = row("s", 0, source=load)
    assert lazy.has_transcript and not loads
    assert len(lazy.transcript) == 1 and loads == [1]
    with pytest.raises(EngineError, match="without the transcript"):
        _ = row("s", 0).transcript


def test_judges_samples_become_a_table_for_agreement() -> None:
    results = RunResults(
        run="r",
        clinic="c",
        episodes=(
            row("s1", 0, score("m", 1, "a"), score("m", 1, "b", 0), score("m", 2, "b", 1)),
            row("s2", 0, score("m", 5, "a"), score("m", 5, "b", 0)),
            row("s3", 0),
        ),
    )
    names, table = judge_table(results, "m")
    assert names == ["a (sample 1)", "b (sample 1)", "b (sample 2)"] and table.shape == (2, 3)
    found = krippendorff_alpha(table).value
    assert found is not None and found > 0.5


def test_for_an_undeclared_metric_higher_is_taken_as_better() -> None:
    assert make().metric("nobody").higher_is_better
