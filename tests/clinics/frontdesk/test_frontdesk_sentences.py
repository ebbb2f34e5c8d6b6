"""Rubrics on natural sentences: exact values by value, free words by meaning, measured on a file of sentences."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from polyclinic.cli.main import cli
from polyclinic.clinics.frontdesk.rules.particulars import same, was_said
from polyclinic.clinics.frontdesk.rules.spoken import mentions_date
from polyclinic.clinics.frontdesk.rules.stated import states_intent, states_wish
from polyclinic.clinics.frontdesk.scenario.slots import Wish
from polyclinic.clinics.frontdesk.scenario.times import read_date
from polyclinic.errors import DataError
from polyclinic.people.demographics import Person
from polyclinic.text.dates import dates_in

PERSON = Person.model_validate(
    {
        "name": "Kim Min-ji",
        "family": "Kim",
        "given": "Min-ji",
        "sex": "female",
        "birth_date": "1980-01-01",
        "phone": "+821012345678",
        "identifier": "800101-2345678",
        "address": "24, High Street, Suwon",
        "region": "",
    }
)


async def nobody_reads(text: str, questions: object) -> tuple[()]:
    """A reader that must never be asked: plain sentences need none."""
    raise AssertionError(f"'{text}' was not plain enough")


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Any doctor who can see me today.", True),
        ("As soon as possible, please.", True),
        ("There is no hurry, next month will do.", False),
    ],
)
async def test_a_wish_for_the_earliest_time_is_recognised_in_plain_words(text: str, stated: bool) -> None:
    assert await states_wish(nobody_reads, Wish(kind="asap"), [text]) is stated


@pytest.mark.parametrize(
    "text", ["Not Dr. Kim Min-ji, please.", "Anyone but Dr. Kim Min-ji.", "I don't want Doctor Kim Min-ji."]
)
async def test_a_doctor_to_be_avoided_is_not_a_wish_for_that_doctor(text: str) -> None:
    assert not await states_wish(nobody_reads, Wish(kind="physician", physician="Dr. Kim Min-ji"), [text])


async def test_wanting_only_one_doctor_is_a_wish_for_that_doctor() -> None:
    wish = Wish(kind="physician", physician="Dr. Kim Min-ji")
    assert await states_wish(nobody_reads, wish, ["I want nobody but Dr. Kim Min-ji."])


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Any time from September the 5th, 2025.", True),
        ("I can't come before 09/05/2025.", True),
        ("not before 5th Sep '25", True),
        ("The 5th or later.", True),
        ("It must be before September 5, 2025.", False),
        ("I cannot come on September 5, 2025.", False),
        ("From the 15th of September on.", False),
    ],
)
async def test_an_earliest_day_is_distinguished_from_a_latest_day(text: str, stated: bool) -> None:
    wish = Wish(kind="date", valid_from=read_date("2025-09-05"))
    assert await states_wish(nobody_reads, wish, [text]) is stated


@pytest.mark.parametrize(
    ("text", "intent", "stated"),
    [
        ("Please don't cancel it, I only want it earlier.", "cancel", False),
        ("Please don't cancel it, I only want it earlier.", "move", True),
        ("I won't be able to make it.", "cancel", True),
        ("I'd like to bring my visit forward.", "move", True),
        ("I called earlier, please cancel my visit.", "move", False),
        ("If I were to cancel, would I be charged? I'm still coming.", "cancel", False),
        ("I was going to cancel, but I'll be there as agreed.", "cancel", False),
        ("I can't make Friday, and no, I don't want another date.", "cancel", True),
        ("I can't make Friday, and no, I don't want another date.", "move", False),
        ("You've got me at 8:15, that's no use to me, what else is there that week?", "move", True),
        ("Has my appointment been moved? I got a strange text.", "move", False),
    ],
)
async def test_moving_is_distinguished_from_cancelling(text: str, intent: str, stated: bool) -> None:
    assert await states_intent(nobody_reads, "move" if intent == "move" else "cancel", [text]) is stated


@pytest.mark.parametrize(
    ("field", "written", "right"),
    [
        ("phone", "010 1234 5678", True),
        ("phone", "010 1234 5687", False),
        ("sex", "Female", True),
        ("sex", "M", False),
        ("name", "Ms. Min-ji Kim", True),
        ("address", "24 High St., Suwon", True),
        ("address", "24 High Street Suwon", True),
        ("address", "42 High Street, Suwon", False),
        ("identifier", "8001012345678", True),
    ],
)
def test_what_the_staff_wrote_down_is_compared_by_value(field: str, written: str, right: bool) -> None:
    assert same(field, written, PERSON) is right


@pytest.mark.parametrize(
    ("field", "text", "own"),
    [
        ("identifier", "This card is of my roommate: 800101-2345678. Mine is at home.", False),
        ("identifier", "My number is 800101-2345678, my roommate has the form.", True),
        ("address", "I used to live at 24 High Street, Suwon, now I'm in Seoul.", False),
        ("name", "Kim Min-ji is my sister, this time you've got me, Kim Su-jin.", False),
        ("name", "It's for my daughter, Kim Min-ji, she's four.", True),
        ("phone", "Not 010-1234-5678 any more, call 010-2222-3333.", False),
    ],
)
def test_values_of_somebody_else_and_denied_values_are_not_the_patients(field: str, text: str, own: bool) -> None:
    assert was_said(field, PERSON, text) is own


def test_two_area_codes_are_two_numbers() -> None:
    seoul = PERSON.model_copy(update={"phone": "02-563-4410"})
    assert same("phone", "+82 2 563 4410", seoul) and not same("phone", "(032) 563 4410", seoul)


def test_a_corrected_year_and_somebody_elses_date_do_not_count() -> None:
    day = read_date("1981-03-03")
    assert day is not None
    for text in (
        "3 March 1982, no wait, 1981",
        "his is 9 April 1984 and mine is 3 March 1981",
        "3MAR1981",
        "81. 3. 3.",
    ):
        assert mentions_date(day, text), text
    assert not mentions_date(day, "my wife's is 3 March 1981, mine is 2 May 1980")


def test_spoken_digits_are_digits_and_a_husband_is_not_the_patient() -> None:
    assert was_said("phone", PERSON, "It is oh one oh, one two three four, five six seven eight.")
    assert not was_said("phone", PERSON, "It is oh one oh, one two three four, five six double seven.")
    man = PERSON.model_copy(update={"sex": "male"})
    assert not was_said("sex", man, "My husband is waiting outside; I am a woman.")
    assert was_said("sex", man, "I'm a bloke.")


def test_dates_in_short_forms_are_dates() -> None:
    day = read_date("2025-09-05")
    assert day is not None
    for text in ("5/9/25", "09/05/2025", "September the 5th, 2025", "5th of Sept '25", "2025.9.5"):
        assert day in dates_in(text), text
    assert mentions_date(day, "on the fifth") and not mentions_date(day, "on the fifteenth of May")
    assert not mentions_date(day, "the 5th of May") and not mentions_date(day, "May the 5th")


def test_a_file_of_sentences_is_measured_and_a_wrong_line_is_named(tmp_path: Path) -> None:
    shipped = CliRunner().invoke(cli, ["eval", "frontdesk-rubrics", "--json"])
    data = json.loads(shipped.stdout)
    assert data["lines"] >= 60 and data["right"] >= 0.97
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    line = {"check": "same-sex", "value": "female", "text": "M", "label": 1}
    good.write_text(json.dumps(line) + "\n")
    found = CliRunner().invoke(cli, ["eval", "frontdesk-rubrics", "--file", str(good), "--json"])
    assert json.loads(found.stdout)["wrong_lines"] == [1]
    for wrong in ({**line, "check": "same-mood"}, {**line, "label": 2}, {**line, "value": ""}):
        bad.write_text(json.dumps(wrong) + "\n")
        refused = CliRunner().invoke(cli, ["eval", "frontdesk-rubrics", "--file", str(bad)])
        assert isinstance(refused.exception, DataError) and "bad.jsonl:1:" in str(refused.exception)
