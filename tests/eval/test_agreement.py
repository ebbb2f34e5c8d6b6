"""Coefficients against published worked examples; each test cites where its numbers come from."""

from __future__ import annotations

import time

import krippendorff
import numpy as np
import pytest

from polyclinic.eval.agreement import (
    IccForm,
    KappaWeights,
    _Level,
    cohen_kappa,
    icc,
    krippendorff_alpha,
    ranks,
    spearman,
)

NAN = float("nan")

# Krippendorff, K. (2011), "Computing Krippendorff's Alpha-Reliability": four observers, twelve units, missing data.
KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T

# Shrout, P. E. & Fleiss, J. L. (1979), "Intraclass correlations: uses in assessing rater reliability", tables 2 to 4.
SHROUT_FLEISS = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]])


def unfold(counts: list[list[int]]) -> tuple[list[float], list[float]]:
    """A contingency table as two raters' ratings, categories numbered from 1."""
    pairs = [(i + 1.0, j + 1.0) for i, row in enumerate(counts) for j, n in enumerate(row) for _ in range(n)]
    return [a for a, _ in pairs], [b for _, b in pairs]


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_alpha_matches_krippendorffs_own_example(level: _Level, published: float) -> None:
    found = krippendorff_alpha(KRIPPENDORFF, level)
    assert found.value == pytest.approx(published, abs=0.0005)
    assert found.low is not None and found.high is not None
    assert found.low < published < found.high
    assert found.units == 11  # the twelfth unit has a single rating, which cannot be paired


def test_interval_alpha_equals_that_of_the_krippendorff_package_for_tables_with_gaps() -> None:
    generator = np.random.default_rng(6)
    for _ in range(20):
        table = generator.integers(1, 6, size=(15, 4)).astype(float)
        table[generator.random(table.shape) < 0.3] = NAN
        kept = table[(~np.isnan(table)).sum(axis=1) > 1]
        expected = krippendorff.alpha(kept.T, level_of_measurement="interval")
        assert krippendorff_alpha(table, "interval", resamples=2).value == pytest.approx(expected)


def test_agreement_on_continuous_scores_of_many_episodes_is_fast() -> None:
    table = np.random.default_rng(1).random((2000, 3))
    start = time.process_time()
    krippendorff_alpha(table, "interval")
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("form", "published"), [("1", 0.17), ("2,1", 0.29), ("3,1", 0.71), ("1k", 0.44), ("2,k", 0.62), ("3,k", 0.91)]
)
def test_icc_matches_shrout_and_fleiss(form: IccForm, published: float) -> None:
    assert icc(SHROUT_FLEISS, form).value == pytest.approx(published, abs=0.005)


# Fleiss, J. L., Levin, B. & Paik, M. C., Statistical Methods for Rates and Proportions, 3rd ed., table 18.1: 0.68.
# Landis & Koch (1977) carcinoma slides as in Agresti, Categorical Data Analysis, 2nd ed., section 10.5: 0.493 and 0.78.
# SAS/STAT User's Guide, PROC FREQ, "Cohen's kappa coefficient", two dermatologists: 0.3449 and (linear) 0.5082.
FLEISS = [[75, 1, 4], [5, 4, 1], [0, 0, 10]]
CARCINOMA = [[22, 2, 2, 0], [5, 7, 14, 0], [0, 2, 36, 0], [0, 1, 17, 10]]
DERMATOLOGY = [[10, 4, 1, 0], [5, 10, 12, 2], [2, 4, 12, 5], [0, 2, 6, 13]]


@pytest.mark.parametrize(
    ("counts", "weights", "published", "digits"),
    [
        (FLEISS, "none", 0.676, 0.0005),
        (CARCINOMA, "none", 0.493, 0.0005),
        (CARCINOMA, "quadratic", 0.78, 0.005),
        (DERMATOLOGY, "none", 0.3449, 0.00005),
        (DERMATOLOGY, "linear", 0.5082, 0.00005),
    ],
)
def test_kappa_matches_published_tables(
    counts: list[list[int]], weights: KappaWeights, published: float, digits: float
) -> None:
    found = cohen_kappa(*unfold(counts), weights)
    assert found.value == pytest.approx(published, abs=digits)
    assert found.low is not None and found.high is not None
    assert found.low < published < found.high


def test_kappa_interval_is_near_the_published_one() -> None:
    # The same SAS example gives asymptotic 95 % limits of 0.2030 and 0.4868 for the simple kappa.
    found = cohen_kappa(*unfold(DERMATOLOGY))
    assert found.low == pytest.approx(0.2030, abs=0.03)
    assert found.high == pytest.approx(0.4868, abs=0.03)


def test_weighted_kappa_counts_unused_levels_of_the_scale() -> None:
    first, second = [1.0, 2.0, 5.0, 5.0], [1.0, 5.0, 5.0, 2.0]
    used = cohen_kappa(first, second, "linear").value
    whole = cohen_kappa(first, second, "linear", categories=[1, 2, 3, 4, 5]).value
    assert used is not None and whole is not None and used != pytest.approx(whole)
    with pytest.raises(ValueError, match="not among the categories"):
        cohen_kappa(first, second, categories=[1, 2])


def test_spearman_matches_a_known_example() -> None:
    # Intelligence quotient and hours of television, ten people: rho = -29/165 (Wikipedia, "Spearman's rank").
    iq = [106, 100, 86, 101, 99, 103, 97, 113, 112, 110]
    hours = [7, 27, 2, 50, 28, 29, 20, 12, 6, 17]
    assert spearman(iq, hours).value == pytest.approx(-29 / 165)


def test_tied_values_share_their_mean_rank() -> None:
    assert ranks(np.array([10.0, 20.0, 20.0, 5.0, 20.0])).tolist() == [2.0, 4.0, 4.0, 1.0, 4.0]


def test_perfect_and_reversed_order_are_one_and_minus_one() -> None:
    values = [3.0, 1.0, 4.0, 1.5, 5.0]
    assert spearman(values, [2 * value for value in values]).value == pytest.approx(1)
    assert spearman(values, [-value for value in values]).value == pytest.approx(-1)


def test_resamples_that_all_give_the_same_value_make_no_interval() -> None:
    for found, value in (
        (spearman(range(7), range(7, 0, -1)), -1.0),
        (icc([[2, n] for n in range(3, 10)], "2,1"), 0.0),
    ):
        assert found.value == pytest.approx(value) and found.low is None and found.high is None
        assert "no interval" in found.note


def test_an_undefined_coefficient_is_none_with_a_reason() -> None:
    same = np.full((5, 2), 3.0)
    for found in (
        krippendorff_alpha(same),
        icc(same),
        cohen_kappa(same[:, 0], same[:, 1]),
        spearman(same[:, 0], [1, 2, 3, 4, 5]),
    ):
        assert found.value is None and found.low is None and found.note
    assert krippendorff_alpha(np.array([[1.0, NAN], [NAN, 2.0]])).note == "no unit has two ratings"


def test_incomplete_units_are_left_out_of_icc_and_counted() -> None:
    table = SHROUT_FLEISS.astype(float)
    whole = icc(table, "2,1").value
    found = icc(np.vstack([table, [5, NAN, 5, 5]]), "2,1")
    assert found.value == whole and found.units == 6 and found.note == "1 incompletely rated units left out"


def test_intervals_are_the_same_every_time_they_are_computed() -> None:
    assert krippendorff_alpha(KRIPPENDORFF) == krippendorff_alpha(KRIPPENDORFF)
