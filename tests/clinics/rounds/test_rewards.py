from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import orjson
import pytest

from polyclinic.clinics.rounds.rewards import CRITERIA, JUDGED, PENALTY, VETO, combine, reward, structure

TABLE: list[dict[str, Any]] = orjson.loads(Path(__file__).with_name("hand_scored.json").read_bytes())


def test_the_table_of_hand_scored_outputs_is_large_enough() -> None:
    assert len(TABLE) >= 60
    assert len({row["output"] for row in TABLE}) >= 60


@pytest.mark.parametrize("row", TABLE, ids=[row["about"].replace(" ", "-") for row in TABLE])
def test_rewards_agree_with_the_hand_scored_table(row: dict[str, Any]) -> None:
    form, reason = structure(row["output"], row["students"], row["images"])
    assert form == row["is_1"], reason
    found = reward(row["output"], row["students"], row["images"], row["judged"])
    assert found is not None
    assert (found.value, list(found.vetoed)) == (row["reward"], row["vetoed"])


def test_the_veto_is_as_documented_for_every_combination_of_scores() -> None:
    for values in product((-2, -1, 0, 1, 2), repeat=3):
        scores = dict.fromkeys(CRITERIA, 1) | dict(zip(VETO, values, strict=True))
        found = combine(scores)
        if min(values) < 0:
            assert found.value == PENALTY and found.vetoed == tuple(name for name in VETO if scores[name] < 0)
        else:
            assert found.value == sum(scores.values()) and not found.vetoed


def test_other_criteria_never_veto_and_the_range_is_as_documented() -> None:
    lowest = combine({name: 0 if name in VETO else -2 for name in CRITERIA})
    highest = combine(dict.fromkeys(CRITERIA, 2))
    assert (lowest.value, lowest.vetoed) == (-8, ())
    assert highest.value == 14


def test_a_failed_judge_gives_no_reward_but_a_broken_form_is_still_vetoed() -> None:
    good = next(row for row in TABLE if row["reward"] == 14)
    assert reward(good["output"], good["students"], good["images"], None) is None
    found = reward("nonsense", ["Ann"], False, None)
    assert found is not None and found.value == PENALTY and found.vetoed == ("IS-1",)


@pytest.mark.parametrize(
    "scores", [dict.fromkeys(JUDGED, 1), {**dict.fromkeys(CRITERIA, 1), "AQ-3": 1}, dict.fromkeys(CRITERIA, 3)]
)
def test_missing_unknown_and_off_scale_criteria_are_refused(scores: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"exactly the criteria|outside"):
        combine(scores)
