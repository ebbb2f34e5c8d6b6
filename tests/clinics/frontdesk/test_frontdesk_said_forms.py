"""Dates and phone numbers in generated formats: each is recognised as what it is, and as nothing else."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from polyclinic.clinics.frontdesk.rules.phones import same_number, says_number
from polyclinic.clinics.frontdesk.rules.spoken import mentions_date
from polyclinic.text.date_words import MONTHS, WEEKDAYS

TODAY = date(2025, 9, 1)
_ONES = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
         "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")  # fmt: skip
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ORDINAL = {"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
            "twelve": "twelfth", "twenty": "twentieth", "thirty": "thirtieth"}  # fmt: skip
_DIGITS = ("oh", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def _words(number: int) -> str:
    tens, ones = divmod(number, 10)
    return _ONES[number] if number < 20 else "-".join(part for part in (_TENS[tens], _ONES[ones]) if part)


def _nth(number: int) -> str:
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10 if number // 10 != 1 else 0, 'th') }"


def _nth_words(number: int) -> str:
    *first, last = _words(number).split("-")
    return "-".join([*first, _ORDINAL.get(last, f"{last}th")])


def _year_words(year: int) -> str:
    century, rest = divmod(year, 100)
    if century == 20:
        return f"two thousand {_words(rest)}".strip() if rest < 10 else f"twenty {_words(rest)}"
    return f"nineteen {'oh ' if 0 < rest < 10 else ''}{_words(rest) or 'hundred'}"


def _month(day: date) -> str:
    return MONTHS[day.month - 1].capitalize()


DATES: tuple[Callable[[date], str], ...] = (
    lambda d: d.isoformat(),
    lambda d: f"{d.year}.{d.month}.{d.day}",
    lambda d: f"{d.year}/{d.month:02}/{d.day:02}",
    lambda d: f"{d:%Y%m%d}",
    lambda d: f"{d.day} {_month(d)} {d.year}",
    lambda d: f"{_nth(d.day)} of {_month(d)}, {d.year}",
    lambda d: f"{_month(d)} {d.day}, {d.year}",
    lambda d: f"{_month(d)} the {_nth(d.day)}, {d.year}",
    lambda d: f"{_month(d)[:3]}. {d.day}, '{d:%y}",
    lambda d: f"{d.day}-{_month(d)[:3]}-{d.year}",
    lambda d: f"{d.day:02}{_month(d)[:3].upper()}{d.year}",
    lambda d: f"the {_nth_words(d.day)} of {_month(d)}, {_year_words(d.year)}",
    lambda d: f"{_month(d)} {_nth_words(d.day)} {d.year}",
    lambda d: f"{d.year}, {_month(d)}, the {_nth(d.day)}",
    lambda d: f"{d.year}년 {d.month}월 {d.day}일",
    lambda d: f"{WEEKDAYS[d.weekday()].capitalize()}, {d.day} {_month(d)} {d.year}",
    lambda d: f"{_month(d).lower()} {d.day} {d.year} pls",
    lambda d: f"the {_nth(d.day)} day of {_month(d)} in the year {d.year}",
)
_GONE_WRONG = ("no, sorry, ", "wait, ", "I mean ", "oh, make that ", "no, ")


@given(st.dates(date(1930, 1, 1), date(2029, 12, 31)), st.sampled_from(DATES), st.sampled_from((1, -1, 31, 366)))
@settings(max_examples=400, deadline=None)
def test_a_date_is_recognised_in_every_form_and_no_other_date_is(
    day: date, form: Callable[[date], str], off: int
) -> None:
    said = f"It is {form(day)}."
    assert mentions_date(day, said), said
    other = day + timedelta(days=off)
    assert not mentions_date(other, said), (said, other)


@given(
    st.dates(date(1930, 1, 1), date(2029, 12, 31)),
    st.sampled_from(DATES[4:14]),
    st.integers(1, 27),
    st.sampled_from(_GONE_WRONG),
)
@settings(max_examples=200, deadline=None)
def test_the_last_date_counts_when_a_date_is_corrected(
    day: date, form: Callable[[date], str], off: int, slip: str
) -> None:
    wrong = day + timedelta(days=off)
    said = f"I was born on {form(wrong)}, {slip}{form(day)}."
    assert mentions_date(day, said, birth=True), said
    assert not mentions_date(wrong, said, birth=True), said


_FROM_TODAY: tuple[Callable[[date], str], ...] = (
    lambda d: f"in {(d - TODAY).days} days",
    lambda d: f"{_words((d - TODAY).days)} days from now",
    lambda d: f"the {_nth(d.day)} of {_month(d)}",
    lambda d: f"{_month(d)[:3]} {d.day}",
    lambda d: f"{WEEKDAYS[d.weekday()]} the {_nth_words(d.day)} of {_month(d)}",
)


@given(st.integers(2, 60), st.sampled_from(_FROM_TODAY))
@settings(max_examples=150, deadline=None)
def test_days_counted_from_today_are_recognised(days: int, form: Callable[[date], str]) -> None:
    day = TODAY + timedelta(days=days)
    assert mentions_date(day, form(day), TODAY), form(day)
    assert not mentions_date(day + timedelta(days=7), form(day), TODAY), form(day)


def test_weekdays_with_this_next_and_a_week_later_are_recognised() -> None:
    for number, weekday in enumerate(WEEKDAYS):
        coming = TODAY + timedelta(days=(number - TODAY.weekday() - 1) % 7 + 1)
        next_ = TODAY + timedelta(days=7 + number)
        for said, day in (
            (f"this coming {weekday}", coming),
            (f"next {weekday}", next_),
            (f"a week on {weekday}", coming + timedelta(days=7)),
            (f"{weekday} week", coming + timedelta(days=7)),
            (f"{weekday} of next week", next_),
        ):
            assert mentions_date(day, said, TODAY), (said, day)
            assert not mentions_date(day + timedelta(days=7), said, TODAY), (said, day)


def _spoken(digits: str) -> str:
    return " ".join(_DIGITS[int(digit)] for digit in digits)


def _doubled(digits: str) -> str:
    out, at = list[str](), 0
    while at < len(digits):
        same = len(digits[at:]) - len(digits[at:].lstrip(digits[at]))
        times = {2: "double ", 3: "triple "}.get(min(same, 3), "")
        out.append(times + _DIGITS[int(digits[at])])
        at += {"double ": 2, "triple ": 3}.get(times, 1)
    return " ".join(out)


PHONES: tuple[Callable[[str, str], str], ...] = (
    lambda a, b: f"010-{a}-{b}",
    lambda a, b: f"010 {a} {b}",
    lambda a, b: f"010{a}{b}",
    lambda a, b: f"010.{a}.{b}",
    lambda a, b: f"(010) {a}-{b}",
    lambda a, b: f"+82 10 {a} {b}",
    lambda a, b: f"+82 (0)10-{a}-{b}",
    lambda a, b: f"0082 10 {a} {b}",
    lambda a, b: f"0 1 0 {' '.join(a)} {' '.join(b)}",
    lambda a, b: f"{_spoken('010')}, {_spoken(a)}, {_spoken(b)}",
    lambda a, b: f"{_spoken('010')}. {_spoken(a)}. {_spoken(b)}",
    lambda a, b: f"{_doubled('010')}, {_doubled(a)}, {_doubled(b)}",
    lambda a, b: f"O1O {a} {b}",
    lambda a, b: f"010, then {a}, and then {b}",
)
_FOUR = st.from_regex(r"[1-9][0-9]{3}", fullmatch=True)


@given(_FOUR, _FOUR, st.sampled_from(PHONES), st.sampled_from(PHONES))
@settings(max_examples=300, deadline=None)
def test_a_phone_number_is_recognised_in_every_form(
    a: str, b: str, form: Callable[[str, str], str], other: Callable[[str, str], str]
) -> None:
    number = f"010-{a}-{b}"
    assert says_number(number, f"You can reach me on {form(a, b)}.", phone=True), form(a, b)
    near = f"{(int(b) + 1) % 10000:04}"
    assert not says_number(number, f"You can reach me on {other(a, near)}.", phone=True), other(a, near)
    assert same_number(f"010{a}{b}", f"+82 10 {a} {b}") and not same_number(f"010{a}{b}", f"010{a}{near}")


@given(_FOUR, _FOUR, st.sampled_from(PHONES[:6]))
@settings(max_examples=150, deadline=None)
def test_a_denied_or_former_phone_number_is_not_taken(a: str, b: str, form: Callable[[str, str], str]) -> None:
    near = f"{(int(b) + 7) % 10000:04}"
    old, new = form(a, near), form(a, b)
    for said in (
        f"Not {old}, {new}.",
        f"It used to be {old}, now it is {new}.",
        f"{old}, no sorry, {new}.",
        f"My brother's is {old}, mine is {new}.",
        f"It changed from {old} to {new}.",
    ):
        assert says_number(f"010{a}{b}", said, phone=True), said
        assert not says_number(f"010{a}{near}", said, phone=True), said
