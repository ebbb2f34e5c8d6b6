"""A statement beside the known mistakes of a case: nearer to the mistake, or to what is right."""

from __future__ import annotations

import numpy as np

from polyclinic.reading.pitfalls import pitfall_features

PAIRS = [
    ("Potassium is low in primary adrenal failure", "Potassium is high, because aldosterone is missing"),
    ("Treatment should wait for the cortisol result", "Waiting can be fatal; take blood and treat at once"),
]


def test_a_mistake_leans_to_what_is_wrong_and_its_correction_does_not() -> None:
    wrong = pitfall_features("I would hold the treatment and wait for the cortisol result.", PAIRS)
    right = pitfall_features("Take blood and treat at once.", PAIRS)
    assert wrong[1] > 0.1 > -0.1 > right[1]
    assert wrong[6] > right[6] and right[7] > wrong[7]


def test_the_clause_about_a_mistake_counts_and_not_the_rest_of_the_text() -> None:
    alone = pitfall_features("Potassium is low in primary adrenal failure.", PAIRS)
    amid = pitfall_features("Good morning, all. Potassium is low in primary adrenal failure. Who has a pen?", PAIRS)
    assert np.array_equal(alone[:2], amid[:2])


def test_a_case_without_known_mistakes_says_nothing() -> None:
    assert not pitfall_features("Potassium is low.", ()).any()
