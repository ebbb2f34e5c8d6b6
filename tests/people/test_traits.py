"""Communicator traits: dimensions, ranges, profiles, and priors from a survey that a user can replace."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from polyclinic.errors import DataError
from polyclinic.people.traits import COMMUNICATORS, dimensions, draw_profile
from polyclinic.people.traits_survey import priors_from, read_items, read_priors, shipped_items, shipped_priors

ITEMS = "item,role,dimension,reverse,scale_min,scale_max,text\n" + "".join(
    f"N{i},nurse,{dimension.id},{i % 2},1,5,words\n" for i, dimension in enumerate(dimensions("nurse"))
)


def responses(value: int, *, skip: str = "") -> str:
    rows = [f"r1,nurse,N{i},{value}\n" for i, d in enumerate(dimensions("nurse")) if d.id != skip]
    return "respondent,role,item,response\n" + "".join(rows)


def test_doctor_and_patient_have_nine_dimensions_and_nurse_and_trainee_have_some() -> None:
    assert {role: len(dimensions(role)) for role in COMMUNICATORS} == {
        "doctor": 9,
        "nurse": 6,
        "trainee": 6,
        "patient": 9,
    }


def test_shipped_priors_cover_every_dimension_with_mean_and_variance() -> None:
    for role in COMMUNICATORS:
        priors = shipped_priors()[role]
        assert list(priors) == [dimension.id for dimension in dimensions(role)]
        assert all(0 < prior.mean < 1 and prior.between > 0 and prior.within > 0 for prior in priors.values())


def test_the_shipped_survey_has_reverse_coded_items_for_every_role() -> None:
    for role in COMMUNICATORS:
        kinds = {item.reverse for item in shipped_items().values() if item.role == role}
        assert kinds == {True, False}


def test_profiles_stay_inside_their_roles_ranges_and_differ_between_people() -> None:
    drawn = [draw_profile("doctor", shipped_priors()["doctor"], random.Random(seed)) for seed in range(60)]
    for dimension in dimensions("doctor"):
        values = [profile.traits[dimension.id].mean for profile in drawn]
        assert all(dimension.range[0] <= value <= dimension.range[1] for value in values)
        assert len(set(values)) > 10
    assert drawn[3] == draw_profile("doctor", shipped_priors()["doctor"], random.Random(3))


def test_moving_a_trait_stops_at_the_end_of_its_range() -> None:
    profile = draw_profile("trainee", shipped_priors()["trainee"], random.Random(1))
    moved = profile.moved({"help_seeking": 0.0})
    assert moved.traits["help_seeking"].mean == 0.5
    assert moved.traits["initiative"] == profile.traits["initiative"]
    assert "asks for supervision" in moved.persona()


def test_reverse_coded_items_are_reversed() -> None:
    priors = priors_from(responses(5), read_items(ITEMS, "items.csv"), "own.csv")["nurse"]
    means = [prior.mean for prior in priors.values()]
    assert means == [1.0, 0.0, 1.0, 0.0, 1.0, 0.0]


def test_a_users_survey_replaces_its_roles_and_leaves_the_others(tmp_path: Path) -> None:
    survey, table = tmp_path / "own.csv", tmp_path / "items.csv"
    survey.write_text(responses(3), encoding="utf-8")
    table.write_text(ITEMS, encoding="utf-8")
    priors = read_priors(survey, table)
    assert all(prior.mean == 0.5 for prior in priors["nurse"].values())
    assert priors["doctor"] == shipped_priors()["doctor"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("respondent,role,item\n", "own.csv:1: the header lacks response"),
        (responses(9), "own.csv:2: response 9 is outside the scale of N0; write 1 to 5"),
        (responses(3).replace("N1,", "N77,"), "own.csv:3: no item 'N77'"),
        (responses(3).replace("r1,nurse,N0", "r1,docter,N0"), "own.csv:2: unknown role 'docter'"),
        (responses(3).replace(",N0,3", ",N0,three"), "own.csv:2: 'three' is not a whole number"),
        (responses(3, skip="directness"), "no nurse answered an item on 'directness'"),
        ("respondent,role,item,response\n", "no responses"),
    ],
)
def test_an_error_in_a_survey_is_reported_with_line_and_fix(text: str, says: str) -> None:
    with pytest.raises(DataError) as caught:
        priors_from(text, read_items(ITEMS, "items.csv"), "own.csv")
    assert says in str(caught.value)


def test_an_error_in_an_item_table_is_reported_with_line_and_fix() -> None:
    with pytest.raises(DataError, match=r"items\.csv:2: a nurse has no dimension 'warmth'"):
        read_items(ITEMS.replace(dimensions("nurse")[0].id, "warmth", 1), "items.csv")
    with pytest.raises(DataError, match=r"items\.csv:2: reverse is 'yes'"):
        read_items(ITEMS.replace(",0,1,5,", ",yes,1,5,", 1), "items.csv")
