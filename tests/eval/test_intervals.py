from __future__ import annotations

import time
from statistics import NormalDist

import numpy as np
import pytest

from polyclinic.eval.cells import cell_text
from polyclinic.eval.estimate import Estimate, mean_with_interval, number_text, student_t
from polyclinic.eval.intervals import (
    FEW,
    IntervalMethod,
    _kept_draws,
    estimate,
    fold_clusters,
    interval,
    resampled_means,
    tails_of,
)


def bounds(found: Estimate | None) -> tuple[float, float]:
    assert found is not None and found.low is not None and found.high is not None
    return found.low, found.high


def test_no_values_give_no_estimate() -> None:
    assert estimate([]) is None


def test_one_value_has_no_interval_rather_than_a_width_of_zero() -> None:
    assert estimate([0.7]) == Estimate(0.7, None, None, 1)


def test_one_scenario_with_several_trials_resamples_its_trials() -> None:
    found = estimate([0.0, 1.0, 1.0, 0.0, 1.0], clusters=["same"] * 5)
    low, high = bounds(found)
    assert low < 0.6 < high


def test_large_normal_samples_get_the_textbook_interval() -> None:
    values = np.random.default_rng(3).normal(10, 2, 400)
    half = NormalDist().inv_cdf(0.975) * values.std(ddof=1) / 20
    methods: tuple[IntervalMethod, ...] = ("bca", "percentile")
    for method in methods:
        low, high = bounds(estimate(values.tolist(), method=method))
        assert low == pytest.approx(values.mean() - half, abs=0.04)
        assert high == pytest.approx(values.mean() + half, abs=0.04)


def test_bca_follows_the_skew_further_than_percentile() -> None:
    values = np.random.default_rng(5).lognormal(0, 1.2, 60).tolist()
    mean = float(np.mean(values))
    bca, plain = bounds(estimate(values)), bounds(estimate(values, method="percentile"))
    assert (bca[1] - mean) / (mean - bca[0]) > (plain[1] - mean) / (mean - plain[0])
    assert bca[0] > plain[0] and bca[1] > plain[1]


def test_bca_equals_a_direct_implementation_of_its_formula() -> None:
    values = np.random.default_rng(11).exponential(1, 25)
    draws = resampled_means(values, np.ones(25))
    theta = values.mean()
    normal = NormalDist()
    z0 = normal.inv_cdf(float((draws < theta).mean()))
    left_out = np.array([np.delete(values, i).mean() for i in range(25)])
    spread = left_out.mean() - left_out
    a = (spread**3).sum() / (6 * (spread**2).sum() ** 1.5)
    tails = [normal.cdf(z0 + (z0 + normal.inv_cdf(q)) / (1 - a * (z0 + normal.inv_cdf(q)))) for q in tails_of(25)]
    expected = np.quantile(draws, tails)
    assert bounds(estimate(values.tolist())) == pytest.approx(tuple(expected), abs=1e-9)


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_intervals_contain_the_true_value_about_as_often_as_they_say(method: IntervalMethod) -> None:
    generator = np.random.default_rng(17)
    covered = 0
    for index in range(300):
        sample = generator.beta(2, 5, 40)
        found = estimate(sample.tolist(), method=method, resamples=500, seed=index)
        low, high = bounds(found)
        covered += low <= 2 / 7 <= high
    assert 0.90 <= covered / 300 <= 0.98


def test_correlated_trials_do_not_count_as_more_evidence() -> None:
    generator = np.random.default_rng(2)
    scenario = generator.normal(0, 1, 20)
    values = np.repeat(scenario, 10) + generator.normal(0, 0.1, 200)
    names = np.repeat(np.arange(20), 10).tolist()
    clustered, naive = bounds(estimate(values.tolist(), clusters=names)), bounds(estimate(values.tolist()))
    assert clustered[1] - clustered[0] > 2 * (naive[1] - naive[0])


def test_rates_are_pooled_by_their_number_of_chances() -> None:
    found = estimate([1.0, 0.0], weights=[1.0, 9.0])
    assert found is not None and found.mean == pytest.approx(0.1)


def test_trials_of_a_scenario_are_averaged_before_scenarios_are() -> None:
    means, masses = fold_clusters([1.0, 0.0, 0.0, 1.0], ["a", "a", "a", "b"], None)
    assert means.tolist() == pytest.approx([1 / 3, 1.0]) and masses.tolist() == [1.0, 1.0]
    found = estimate([1.0, 0.0, 0.0, 1.0], clusters=["a", "a", "a", "b"])
    assert found is not None and found.mean == pytest.approx(2 / 3) and found.n == 4


def test_values_count_equally_if_all_weights_are_zero() -> None:
    found = estimate([1.0, 3.0], weights=[0.0, 0.0])
    assert found is not None and found.mean == 2.0


def test_equal_values_without_a_range_have_no_interval_rather_than_certainty() -> None:
    found = estimate([0.1] * 7)
    assert found is not None and (found.low, found.high, found.n) == (None, None, 7)
    assert found.mean == pytest.approx(0.1)


def test_all_successes_get_the_exact_binomial_interval_not_certainty() -> None:
    # Clopper and Pearson (1934): with x = n the lower limit is (alpha / 2) ** (1 / n).
    assert bounds(estimate([1.0] * 12, bounds=(0, 1))) == pytest.approx((0.7354, 1.0), abs=0.0001)
    assert bounds(estimate([0.0] * 12, bounds=(0, 1))) == pytest.approx((0.0, 0.2646), abs=0.0001)
    assert bounds(estimate([5.0] * 6, clusters=list("aabbcc"), bounds=(1, 5))) == pytest.approx((2.170, 5), abs=0.001)
    endless = estimate([3.0] * 4, bounds=(0, float("inf")))
    assert endless is not None and endless.low is None and endless.high is None


def test_the_mean_lies_in_its_interval_and_that_of_many_within_the_values() -> None:
    generator = np.random.default_rng(12)
    methods: tuple[IntervalMethod, ...] = ("bca", "percentile")
    for index in range(300):
        size = int(generator.integers(2, 16))
        values = generator.choice([0.0, 0.0, 0.0, 1.0, 0.3, 50.0], size).tolist()
        weights = generator.choice([0.0, 1.0, 7.0], size).tolist()
        names = generator.integers(0, 9, size).tolist()
        for method in methods:
            found = estimate(values, clusters=names, weights=weights, method=method, resamples=200, seed=index)
            if found is not None and found.low is None:
                continue
            low, high = bounds(found)
            assert found is not None and low <= found.mean <= high
            if len(set(names)) >= FEW:
                assert min(values) - 1e-9 <= low and high <= max(values) + 1e-9


@pytest.mark.parametrize("count", range(2, 9))
@pytest.mark.parametrize("width", [1.0, 20.0, 200.0])
def test_a_few_scenarios_get_an_interval_that_contains_the_true_mean_as_often_as_it_says(
    count: int, width: float
) -> None:
    """A bootstrap of two values contains it in half of the runs, of five in 83 %."""
    generator = np.random.default_rng(count)
    covered = 0
    for index in range(150):
        values = generator.beta(0.7 * width, 0.3 * width, count).tolist()
        low, high = bounds(estimate(values, bounds=(0, 1), resamples=1000, seed=index))
        covered += low <= 0.7 <= high
    assert covered / 150 >= 0.87


def test_a_few_values_that_happen_to_agree_do_not_look_like_certainty() -> None:
    for values in ([0.656, 0.657], [0.656, 0.657, 0.656], [0.5, 0.5, 0.5, 0.5001]):
        low, high = bounds(estimate(values, bounds=(0, 1)))
        alike = bounds(estimate([values[0]] * len(values), bounds=(0, 1)))
        assert (low, high) == pytest.approx(alike, abs=0.01)


def test_the_order_of_a_few_values_does_not_matter() -> None:
    there = estimate([0.2, 0.9, 0.5], weights=[1.0, 2.0, 3.0], bounds=(0, 1))
    assert there == estimate([0.5, 0.2, 0.9], weights=[3.0, 1.0, 2.0], bounds=(0, 1))


def test_a_few_shares_get_the_interval_of_clopper_and_pearson() -> None:
    assert bounds(estimate([1.0, 1.0, 0.0], bounds=(0, 1))) == pytest.approx((0.0943, 0.9916), abs=0.01)
    assert bounds(estimate([1.0, 0.0, 0.0, 0.0], bounds=(0, 1))) == pytest.approx((0.0063, 0.8059), abs=0.01)


def test_few_values_without_an_upper_end_get_students_t_within_what_is_possible() -> None:
    endless = (0, float("inf"))
    assert bounds(estimate([5.0, 6.0], bounds=endless)) == pytest.approx((0.0, 5.5 + 12.706 / 2), abs=0.001)
    assert bounds(estimate([5.0, 6.0, 7.0])) == pytest.approx((6 - 4.303 / 3**0.5, 6 + 4.303 / 3**0.5), abs=0.001)


def test_lengths_that_differ_are_refused() -> None:
    with pytest.raises(ValueError, match="same length"):
        estimate([1.0, 2.0], weights=[1.0])


def test_the_same_seed_gives_the_same_interval_and_another_does_not() -> None:
    values = np.random.default_rng(0).random(50).tolist()
    assert estimate(values, seed=1) == estimate(values, seed=1)
    assert estimate(values, seed=1) != estimate(values, seed=2)


def test_the_interval_of_a_large_sample_agrees_with_the_normal_interval() -> None:
    values = np.random.default_rng(4).random(3000)
    low, high = bounds(estimate(values.tolist()))
    half = 1.96 * values.std(ddof=1) / np.sqrt(3000)
    assert (low, high) == pytest.approx((values.mean() - half, values.mean() + half), abs=half * 0.12)


def test_percentile_intervals_are_used_where_bca_is_not_defined() -> None:
    draws = np.array([2.0, 3.0, 4.0])
    assert interval(draws, 1.0, 9, lambda: np.array([1.0, 1.1])) == interval(
        draws, 1.0, 9, lambda: np.empty(0), "percentile"
    )


def test_a_thousand_episodes_take_at_most_fifty_milliseconds() -> None:
    values = np.random.default_rng(1).random(1000).tolist()
    weights = np.random.default_rng(2).random(1000).tolist()
    names = [f"s{i}" for i in range(1000)]
    spent = []
    for _ in range(5):
        _kept_draws.cache_clear()
        start = time.process_time()
        estimate(values, clusters=names, weights=weights)
        spent.append(time.process_time() - start)
    assert min(spent) <= 0.05


@pytest.mark.parametrize(
    ("values", "quantile"), [(2, 12.706), (8, 2.365), (11, 2.228), (15, 2.145), (19, 2.101), (20, 2.093), (41, 2.021)]
)
def test_each_number_of_values_has_its_own_quantile_of_students_t(values: int, quantile: float) -> None:
    """The quantiles are those of the printed tables; the interval of a mean is as wide as they say."""
    assert student_t(values - 1) == pytest.approx(quantile, abs=6e-4)
    found = mean_with_interval([10.0 + (-1) ** number for number in range(values)])
    spread = (sum((10.0 + (-1) ** n - found.mean) ** 2 for n in range(values)) / (values - 1) / values) ** 0.5
    assert found.high == pytest.approx(found.mean + quantile * spread, abs=1e-3)


def test_zero_has_no_sign() -> None:
    assert Estimate(-0.0001, -0.0002, 0.0001, 3).text() == "0.000 [-0.001, 0.001]"
    assert cell_text(-0.0001, 3) == number_text(-0.0001) == "0.000" and cell_text(-0.001, 3) == "-0.001"
