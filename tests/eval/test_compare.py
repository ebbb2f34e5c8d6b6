from __future__ import annotations

import numpy as np
import pytest

from polyclinic.core.judge import Metric
from polyclinic.core.transcript import Score
from polyclinic.errors import UserError
from polyclinic.eval.compare import Arm, compare, compare_variants, holm, sign_flip_p
from polyclinic.eval.results import EpisodeRow, RunResults

UP, DOWN = Metric("quality", "higher is better"), Metric("harm", "lower is better", higher_is_better=False)


def run(values: dict[str, dict[str, list[float]]], metric: Metric = UP, name: str = "r1") -> RunResults:
    """Make a run from {variant: {scenario: trial values}}."""
    episodes = [
        EpisodeRow(
            id=f"{variant}-{scenario}-{trial}",
            scenario=scenario,
            variant=variant,
            trial=trial,
            scores=(Score(metric=metric.name, value=value, judge="j"),),
        )
        for variant, scenarios in values.items()
        for scenario, trials in scenarios.items()
        for trial, value in enumerate(trials)
    ]
    return RunResults(run=name, clinic="demo", variants=tuple(values), metrics=(metric,), episodes=tuple(episodes))


def test_sign_flip_matches_fishers_exact_count_for_darwins_maize() -> None:
    # Fisher, R. A. (1935), The Design of Experiments, section 21: of 32,768 sign patterns, 863 reach the observed total
    # in one direction and as many in the other.
    darwin = np.array([49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48], dtype=float)
    assert sign_flip_p(darwin) == pytest.approx(2 * 863 / 32768)


def test_sampled_flips_agree_with_the_exact_ones() -> None:
    generator = np.random.default_rng(8)
    base = generator.normal(0.4, 1, 16)
    exact = sign_flip_p(base)
    padded = np.concatenate([base, [1e-6, -1e-6]])  # 18 pairs: too many for the exact count, same statistic
    assert sign_flip_p(padded) == pytest.approx(exact, abs=0.02)


def test_no_difference_gives_a_p_value_of_one() -> None:
    assert sign_flip_p(np.zeros(5)) == 1.0


def test_p_values_are_uniform_when_nothing_differs() -> None:
    generator = np.random.default_rng(3)
    found = [sign_flip_p(generator.normal(0, 1, 10)) for _ in range(400)]
    assert 0.02 <= np.mean(np.array(found) <= 0.05) <= 0.08


def test_holms_adjusted_p_values_never_fall() -> None:
    # Worked by hand: 4 x 0.005, 3 x 0.01, 2 x 0.03, then 0.04 lifted to 0.06.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_pairing_removes_what_scenarios_have_in_common() -> None:
    hard = np.random.default_rng(1).normal(0, 5, 30)
    results = run(
        {
            "plain": {f"s{i}": [float(v)] for i, v in enumerate(hard)},
            "full": {f"s{i}": [float(v + 1 + 0.01 * i)] for i, v in enumerate(hard)},
        }
    )
    (found,) = compare(Arm(results, "plain"), Arm(results, "full"))
    assert found.difference == pytest.approx(1.145)
    assert found.low is not None and found.low > 1
    assert found.p_value < 0.001 and found.significant
    assert (found.wins, found.ties, found.losses, found.pairs) == (30, 0, 0, 30)


def test_wins_follow_the_metrics_direction() -> None:
    results = run({"a": {"s1": [0.9], "s2": [0.9], "s3": [0.5]}, "b": {"s1": [0.1], "s2": [1.0], "s3": [0.5]}}, DOWN)
    (found,) = compare(Arm(results, "a"), Arm(results, "b"))
    assert (found.wins, found.ties, found.losses) == (1, 1, 1)
    assert found.difference < 0


def test_trials_are_averaged_within_their_scenario_first() -> None:
    results = run({"a": {"s1": [0, 1], "s2": [1]}, "b": {"s1": [1, 1, 1, 1], "s2": [0]}})
    (found,) = compare(Arm(results, "a"), Arm(results, "b"))
    assert found.difference == pytest.approx((0.5 - 1.0) / 2)


def test_only_shared_scenarios_count_and_the_rest_is_reported() -> None:
    left, right = (
        run({"v": {"s1": [0], "s2": [1]}}, name="one"),
        run({"v": {"s2": [0], "s3": [1], "s4": [1]}}, name="two"),
    )
    (found,) = compare(Arm(left, "v"), Arm(right, "v"))
    assert (found.pairs, found.unpaired) == (1, 3)
    assert (found.left, found.right) == ("v (one)", "v (two)")
    assert found.low is None and found.difference == -1


def test_without_shared_scenarios_there_is_no_comparison() -> None:
    assert compare(Arm(run({"v": {"s1": [0]}}), "v"), Arm(run({"v": {"s2": [0]}}), "v")) == []


def test_every_variant_is_compared_with_the_baseline() -> None:
    results = run({"a": {"s": [0.0]}, "b": {"s": [1.0]}, "c": {"s": [2.0]}})
    assert {name: found[0].difference for name, found in compare_variants(results).items()} == {"b": 1.0, "c": 2.0}
    assert list(compare_variants(results, "b")) == ["a", "c"]


def test_an_unknown_variant_is_the_users_error() -> None:
    with pytest.raises(UserError, match="no variant 'x'"):
        compare(Arm(run({"v": {"s": [0]}}), "v"), Arm(run({"v": {"s": [0]}}), "x"))
