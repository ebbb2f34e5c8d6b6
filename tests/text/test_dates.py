"""Numbers in words, and dates and days however they are said."""

from __future__ import annotations

from datetime import date

import pytest

from polyclinic.text.date_words import plain
from polyclinic.text.dates import dates_in, mentions
from polyclinic.text.days import days_named
from polyclinic.text.numbers import figures

MONDAY = date(2025, 9, 1)


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("nineteen seventy-eight, oh-two, twenty-eight", "1978, 02, 28"),
        ("two thousand and five", "2005"),
        ("nineteen oh five", "1905"),
        ("the thirty-first", "the 31st"),
        ("oh one oh, double seven", "01 0, 77"),
        ("one hundred and twelve Mill Lane", "112 Mill Lane"),
        ("공일공 3847", "010 3847"),
        ("nothing to count", "nothing to count"),
    ],
)
def test_numbers_in_words_become_digits(said: str, written: str) -> None:
    assert figures(said) == written


@pytest.mark.parametrize(
    "said",
    [
        "the fifth of September two thousand twenty-five",
        "Septmber 5th, 2025",
        "5-Sep-2025",
        "9/5/25",
        "20250905",
        "250905",
        "2025년 9월 5일",
        "the fifth of the ninth, 2025",
        "in 2025, on the 5th of September",
    ],
)
def test_one_date_is_understood_in_every_form(said: str) -> None:
    assert date(2025, 9, 5) in dates_in(said)
    assert date(2025, 9, 6) not in dates_in(said)


def test_the_caller_can_choose_the_order_of_day_and_month() -> None:
    assert dates_in("09/05/2025", order="month first") == [date(2025, 9, 5)]
    assert dates_in("09/05/2025", order="day first") == [date(2025, 5, 9)]
    assert dates_in("25/06/1981") == [date(1981, 6, 25)]


def test_a_year_of_two_digits_may_be_in_either_century() -> None:
    (mention,) = mentions(plain("first of April '59"))
    assert mention.may_be(date(1959, 4, 1)) and mention.may_be(date(2059, 4, 1))


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("next Tuesday after the 12th", date(2025, 9, 16)),
        ("next Tuesday", date(2025, 9, 9)),
        ("Tuesday", date(2025, 9, 2)),
        ("the day after tomorrow", date(2025, 9, 3)),
        ("in a fortnight", date(2025, 9, 15)),
        ("a week on Friday", date(2025, 9, 12)),
        ("the first Monday in October", date(2025, 10, 6)),
        ("from mid-September", date(2025, 9, 15)),
        ("after the weekend", date(2025, 9, 8)),
        ("end of next month", date(2025, 10, 31)),
        ("다음 주 월요일", date(2025, 9, 8)),
        ("Wednesday the 17th", date(2025, 9, 17)),
    ],
)
def test_days_are_counted_from_today(said: str, day: date) -> None:
    (mention,) = days_named(plain(said), MONDAY)
    assert mention.may_be(day) and not mention.may_be(date(2025, 9, 30))


def test_an_ordinal_that_counts_something_else_is_not_a_day() -> None:
    for text in ("the first opening you have", "a second opinion", "on the third floor", "I may come"):
        assert not days_named(plain(text), MONDAY), text


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("9/12, I'm American", "2025-09-12"),
        ("9/12, British style", "2025-12-09"),
        ("12/9, that's the twelfth of September", "2025-09-12"),
        ("April 22nd, sorry, 21st", "2025-04-21"),
        ("the 3rd of November, no, December", "2025-12-03"),
        ("3. Oktober", "2025-10-03"),
    ],
)
def test_the_order_of_day_and_month_and_a_correction_are_heard(said: str, meant: str) -> None:
    assert dates_in(said, 2025) == [date.fromisoformat(meant)]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("a fortnight today", "2025-09-15"),
        ("Friday fortnight", "2025-09-19"),
        ("two weeks from tomorrow", "2025-09-16"),
        ("first Monday of the new year", "2026-01-05"),
        ("not the 20th, a day later", "2025-09-21"),
    ],
)
def test_days_counted_from_another_day(said: str, meant: str) -> None:
    named = days_named(plain(said), date(2025, 9, 1))
    assert named[-1].may_be(date.fromisoformat(meant))
    assert not named[-1].may_be(date(2025, 9, 1))
