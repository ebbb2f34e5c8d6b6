from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import orjson

from polyclinic.clinics.rounds.scenario.case import SPEAKS_FROM_AGE, Demographics
from polyclinic.clinics.rounds.scenario.checks import lint, lint_case, lint_cases
from polyclinic.clinics.rounds.scenario.shipped import data_folder, shipped_cases
from tests.clinics.rounds.cases import case_named

ILLUSTRATED = [case for case in shipped_cases() if case.images]


def test_there_are_fifty_cases_over_twelve_specialties_and_fifteen_have_pictures() -> None:
    assert len(shipped_cases()) >= 50
    assert len({case.specialty for case in shipped_cases()}) >= 12
    assert len(ILLUSTRATED) >= 15


def test_every_kind_of_picture_that_is_promised_is_there() -> None:
    kinds = Counter(image.modality for case in ILLUSTRATED for image in case.images)
    assert set(kinds) == {"ecg", "audiogram", "spirometry", "trend", "ctg", "growth", "field"}
    assert kinds["ecg"] >= 5


def test_every_case_passes_the_linter() -> None:
    assert lint("") == []


def test_no_picture_file_is_unused() -> None:
    used = {name for case in ILLUSTRATED for image in case.images for name in (image.file, image.source)}
    there = {entry.name for entry in data_folder().joinpath("images").iterdir()}
    assert there == used


def test_right_answers_are_spread_over_the_letters() -> None:
    letters = Counter(case.answer for case in shipped_cases())
    assert max(letters.values()) < len(shipped_cases()) / 2
    assert min(letters[letter] for letter in "ABCD") >= 8


def test_cases_are_split_and_the_test_side_has_pictures_too() -> None:
    test = [case for case in shipped_cases() if case.split == "test"]
    assert 12 <= len(test) <= 20
    assert sum(bool(case.images) for case in test) >= 5


def test_children_and_patients_who_cannot_speak_have_an_informant() -> None:
    for case in shipped_cases():
        assert case.script is not None
        who = case.script.demographics
        if who is not None and who.age is not None and who.age < SPEAKS_FROM_AGE:
            assert case.script.informant is not None, case.id
    silent = {"emer-02", "neur-02", "haem-02", "infe-01", "psyc-01", "emer-05"}
    scripts = [case_named(name).script for name in silent]
    assert all(script is not None and script.informant is not None for script in scripts)


def _broken(**changes: object) -> list[str]:
    return lint_case(case_named("card-04").model_copy(update=changes))


def test_the_linter_names_each_fault() -> None:
    case = case_named("card-04")
    script = case.script
    assert script is not None
    steps = case.steps
    leaking = steps[0].model_copy(update={"key_question": "Why would you give magnesium?"})
    assert any("key question gives the answer away" in fault for fault in _broken(steps=(leaking, *steps[1:])))
    assert any("the last step, and no other, must conclude" in fault for fault in _broken(steps=steps[:-1]))
    assert any("why_not" in fault for fault in _broken(why_not={}))
    assert any("vignette gives" in fault for fault in _broken(vignette="He got intravenous magnesium."))
    assert any("at least two pitfalls" in fault for fault in _broken(pitfalls=()))
    doctor = script.model_copy(update={"story": "I have a tachycardia."})
    assert any("speaks like a doctor" in fault for fault in _broken(script=doctor))
    blab = script.model_copy(update={"concerns": "Will you give magnesium sulfate?"})
    assert any("patient gives the answer away" in fault for fault in _broken(script=blab))
    aged = script.model_copy(update={"demographics": Demographics(age=41, sex="male")})
    assert any("which the vignette does not state" in fault for fault in _broken(script=aged))
    hers = case_named("obgy-01")
    assert hers.script is not None
    his = hers.script.model_copy(update={"demographics": Demographics(age=30, sex="male")})
    birth = hers.model_copy(update={"script": his, "options": {**hers.options, hers.answer: "Treat her pre-eclampsia"}})
    assert any("who cannot have the answer" in fault for fault in lint_case(birth))
    blind = script.model_copy(update={"images": {}})
    assert any("how each picture" in fault for fault in _broken(script=blind))
    assert any("no patient script" in fault for fault in _broken(script=None))
    assert any("id appears twice" in fault for fault in lint_cases([case, case]))


def _source(name: str) -> Any:
    return orjson.loads(data_folder().joinpath("images", f"{name}.json").read_bytes())


def test_the_numbers_in_the_text_match_the_charts() -> None:
    sodium = _source("neph-04-trend")["lines"][0]["values"]
    assert sodium[-1] - sodium[0] == 15
    platelets = _source("haem-01-trend")["lines"][0]["values"]
    assert platelets[-1] < platelets[2] / 2
    capacity = _source("neur-05-trend")["lines"][0]["values"]
    assert capacity[-1] < 0.020 * 70
    temperature, times = _source("infe-02-trend")["lines"][0]["values"], _source("infe-02-trend")["times"]
    peaks = [time for time, value in zip(times, temperature, strict=True) if value > 39]
    assert [b - a for a, b in pairwise(peaks)] == [48, 48]
    copd = {row[0]: row[1] for row in _source("resp-01-loop")["table"]}
    assert round(float(copd["FEV1 l"]) / float(copd["FVC l"]), 2) == float(copd["FEV1/FVC"]) == 0.49
    asthma = {row[0]: row[1] for row in _source("resp-02-loop")["table"]}
    assert round(float(asthma["post FEV1"]) / float(asthma["FEV1 l"]) - 1, 2) == 0.30
