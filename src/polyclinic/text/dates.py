"""The dates in a text, however they are written or said.

Examples: 2025-09-05, 09/05/2025, "the fifth of September", "Sept 5 '25", "nineteen seventy-eight, oh-two,
twenty-eight", 9월 5일.

A text is first brought into one form (`plain`): figures for number words, full names for months and weekdays, even if
they are misspelt. Parts that the text does not give (the year of "5 September", the month of "the 5th") stay open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Literal

from polyclinic.text.date_words import MONTHS, WEEKDAYS, plain
from polyclinic.text.lazily import lazy_pattern

Order = Literal["any", "month first", "day first"]
_FEASTS = {
    r"(?:christ|x)mas eve": (12, 24), r"(?:christ|x)mas(?: day)?": (12, 25), r"boxing day": (12, 26),
    r"hogmanay": (12, 31), r"new year'?s eve": (12, 31),
    r"new year'?s day": (1, 1), r"valentine'?s(?: day)?": (2, 14), r"leap day": (2, 29), r"hall?owe'?en": (10, 31),
    r"april fools?'?s?(?: day)?": (4, 1), r"bonfire night": (11, 5), r"independence day": (7, 4),
    r"st\.? patrick'?s(?: day)?": (3, 17), r"(?:armistice|remembrance|veterans'?) day": (11, 11),
    r"bastille day": (7, 14), r"groundhog day": (2, 2), r"may day": (5, 1),
}  # fmt: skip
_MONTH = rf"(?P<month>{'|'.join(MONTHS)})"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4}|'?\d{2})(?!\d|:|st\b|nd\b|rd\b|th\b| ?(?:am|pm|o'clock|a m|p m)\b)"
_EDGE, _END = r"(?<![\w/.-])", r"(?![\w/]|[.-]\d)"
_OF_A_YEAR = rf"(?: (?:of |in )?(?:the year )?{_YEAR})?"
_PART = r"(?:; )?(?:and )?(?:the |my )?{} (?:is |was )?(?:the )?"
_DAY_PART = _PART.format("day") + _DAY
_MONTH_PART = _PART.format("month") + rf"(?P<month>\d{{1,2}}|{'|'.join(MONTHS)})(?:st|nd|rd|th)?"
_YEAR_PART = rf"(?:{_PART.format('year')})?(?P<year>\d{{4}}|\d{{2}})"
"""The parts of a date that are named one by one: "the month is eleven, the day is three"."""
_FORMS = tuple(
    lazy_pattern(_EDGE + form + _END)
    for form in (
        r"(?P<year>\d{4})[-/. ](?P<month>\d{1,2})[-/. ](?P<day>\d{1,2})",
        r"(?P<year>(?:19|20)\d\d)(?P<month>\d\d)(?P<day>\d\d)",
        r"(?P<month>\d{1,2})[-/. ](?P<day>\d{1,2})[-/. ](?P<year>\d{4}|'?\d{2})",
        r"(?P<year>\d\d)(?P<month>[01]\d)(?P<day>[0-3]\d)",
        rf"(?:{_DAY} (?:day )?(?:of )?(?:the month )?(?:of )?|{_DAY.replace('day', 'day2')}-){_MONTH}[ -]?{_OF_A_YEAR}",
        rf"(?:(?P<early>\d{{4}}) )?{_MONTH} (?:on )?(?:the )?{_DAY}{_OF_A_YEAR}",
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th) (?:of )?(?:the )?(?P<month>\d{{1,2}})(?:st|nd|rd"
        rf"|th)(?: month)?{_OF_A_YEAR}",
        rf"(?P<feast>{'|'.join(_FEASTS)}){_OF_A_YEAR}",
        r"(?P<month>\d{1,2})/(?P<day>\d{1,2})",
        rf"{_MONTH} (?:of |in )?(?P<year>\d{{4}}|'\d{{2}})",
        r"(?P<month>[0-3]\d)(?P<day>[0-3]\d)(?P<year>(?:19|20)\d\d)",
        r"(?P<year>[3-9]\d)[-/. ](?P<month>\d{1,2})[-/. ](?P<day>\d{1,2})",
        f"{_DAY_PART} {_MONTH_PART} {_YEAR_PART}",
        f"{_YEAR_PART} {_MONTH_PART} {_DAY_PART}",
        f"{_MONTH_PART} {_DAY_PART} {_YEAR_PART}",
    )
)
_KOREAN = lazy_pattern(r"(?:(?P<year>\d{4}|\d{2})년 ?)?(?P<month>\d{1,2})월 ?(?P<day>\d{1,2})일")
_KOREAN_DAY = lazy_pattern(r"(?<![\d월])(?<!월 )(?P<day>\d{1,2})일(?! ?(?:후|뒤|동안|간|째))")
_ALONE = lazy_pattern(
    rf"{_EDGE}(?:(?:the |on |until |till |from |after |since |by )(?P<said>\d{{1,2}})(?:st|nd|rd|th)"
    rf"|(?P<day>\d{{1,2}})(?:st|nd|rd|th)|(?:{'|'.join(WEEKDAYS)}) (?P<beside>\d{{1,2}})(?! ?(?:am"
    rf"|pm|o'clock|:|people)\b)){_END}"
    r"(?! (?:of (?!this|next|the month)|floor|time|opinion|opening|one|thing|slot|available|appointment|gap|visit"
    r"|free|chance|place|child|doctor|i (?:can|could)|you (?:can|have)|street|avenue|birthday)\b)"
)
_YEAR_ALONE = lazy_pattern(r"(?<![\w/.'-])(?:(?P<year>(?:19|20)\d\d)|'(?P<short>\d\d))(?![\w/]|[.-]\d)")
_ISO = lazy_pattern(r"(?<![\d/.-])(\d{4})-(\d\d)-(\d\d)(?![\d/-]|\.\d)")
_MORE = lazy_pattern(
    rf"\d|\b(?:{'|'.join(month[:3] for month in MONTHS)})[a-z]*\b|(?:th|eve|day|ty)\b|ty-|teen|first|second|third"
    r"|thousand|mas\b|hallo|valentine|night|[가-힣]"
)
"""Finds text that may be another date, besides those that are written in full."""
_ORDER = lazy_pattern(
    r"\b(?:(?P<month>month (?:comes |goes |is )?1st|month (?:then|before) (?:the )?day"
    r"|(?:american|us|u s) (?:style|way|format|order|fashion|date)|i'm american|i am american)"
    r"|(?:the )?day (?:comes |goes |is )?1st|day (?:then|before) (?:the )?month"
    r"|(?:british|uk|english|european|indian|nigerian|australian|irish) (?:style|way|format|order|fashion|date))\b"
)
"""Words that tell in which order somebody gives day and month."""
_KEPT = 4096


@dataclass(frozen=True)
class Mention:
    """A date in a text: its position in the plain text, and the dates that it can mean.

    These are (year, month, day), with None for a part that the text does not give.
    """

    begins: int
    ends: int
    meant: tuple[tuple[int | None, int | None, int | None], ...]

    def may_be(self, day: date) -> bool:
        """Whether this mention can mean this day."""
        parts = (day.year, day.month, day.day)
        return any(all(a is None or a == b for a, b in zip(one, parts, strict=True)) for one in self.meant)

    @property
    def whole(self) -> bool:
        """Whether day and month are given."""
        return any(month is not None and day is not None for _, month, day in self.meant)


@lru_cache(_KEPT)
def mentions(text: str, order: Order = "any") -> tuple[Mention, ...]:
    """The dates that a plain text names, in order.

    A year that is written separately is added to a date that has no year.
    """
    found: list[Mention] = []
    if order == "any" and (named := _ORDER.search(text)):
        order = "month first" if named["month"] else "day first"
    taken = [False] * (len(text) + 1)
    for mention in (*_named(text, order), *_days_alone(text)):
        if not any(taken[mention.begins : mention.ends]):
            found.append(mention)
            taken[mention.begins : mention.ends] = [True] * (mention.ends - mention.begins)
    years = [year for year in _YEAR_ALONE.finditer(text) if not any(taken[year.start() : year.end()])]
    found.sort(key=lambda mention: mention.begins)
    return _agreed(_joined(found, years))


def _agreed(found: tuple[Mention, ...]) -> tuple[Mention, ...]:
    """Read 9/12 as the other mention of the same date says: "9/12, that's September twelfth"."""
    sure = {parts[1:] for one in found for parts in one.meant if len({parts[1:] for parts in one.meant}) == 1}
    return tuple(
        Mention(one.begins, one.ends, meant)
        if (meant := tuple(parts for parts in one.meant if parts[1:] in sure))
        else one
        for one in found
    )


def _joined(found: list[Mention], years: list[re.Match[str]]) -> tuple[Mention, ...]:
    """Complete the mentions with a year that stands elsewhere in the text, or with the day in "May '72, the 29th"."""
    halves = [one for one in found if one.meant[0][1] is not None and one.meant[0][2] is None]
    days = [one for one in found if one.meant[0][1] is None]
    if len(halves) == 1 and len(days) == 1:
        day = days[0].meant[0][2]
        whole = Mention(days[0].begins, days[0].ends, tuple((year, month, day) for year, month, _ in halves[0].meant))
        found = [whole if one is days[0] else one for one in found]
    found = [one for one in found if one.meant[0][2] is not None]
    if len(years) != 1:
        return tuple(found)
    told = years[0]["year"] or f"'{years[0]['short']}"
    return tuple(
        Mention(one.begins, one.ends, tuple((y, month, day) for _, month, day in one.meant for y in _years(told)))
        if one.whole and one.meant[0][0] is None
        else one
        for one in found
    )


def _centuries(year: int | None) -> tuple[int | None, ...]:
    return (year,) if year is None or year > 99 else (2000 + year, 1900 + year)


def _years(told: str | None) -> tuple[int | None, ...]:
    """The possible years. A year of two digits can be in this century or the last one."""
    return _centuries(int(told.lstrip("'"))) if told else (None,)


def _named(text: str, order: Order) -> Iterator[Mention]:
    for number, form in enumerate((*_FORMS, _KOREAN)):
        for match in form.finditer(text):
            meant = tuple(dict.fromkeys(_meant(match, number, order)))
            if meant:
                yield Mention(match.start(), match.end(), meant)


_NUMERIC = (2, 8, 10)
"""The indices of the patterns for dates that consist only of figures, so that day and month may be swapped."""


def _meant(match: re.Match[str], form: int, order: Order) -> Iterator[tuple[int | None, int | None, int | None]]:
    parts = match.groupdict()
    told = parts.get("year") or parts.get("early")
    if parts.get("feast"):
        month, day = next(when for feast, when in _FEASTS.items() if re.fullmatch(feast, parts["feast"]))
        yield from ((year, month, day) for year in _years(told))
        return
    named = parts["month"]
    one = MONTHS.index(named) + 1 if named in MONTHS else int(named)
    figure = parts.get("day") or parts.get("day2")
    two = int(figure) if figure else None
    ways: list[tuple[int, int | None]] = [(one, two)]
    if form in _NUMERIC and two is not None:
        turned: list[tuple[int, int | None]] = [(two, one)]
        ways = ways + turned if order == "any" else turned if order == "day first" else ways
    for first, then in ways:
        yield from ((year, first, then) for year in _years(told) if _real(year, first, then))
    if form == _NUMERIC[0] and one > 31 and told and two is not None:
        last = int(told.lstrip("'"))
        yield from ((year, two, last) for year in _centuries(one) if _real(year, two, last))


def _real(year: int | None, month: int, day: int | None) -> bool:
    try:
        date(year or 2024, month, day or 1)
    except ValueError:
        return False
    return True


def _days_alone(text: str) -> Iterator[Mention]:
    for match in _ALONE.finditer(text):
        day = int(match["said"] or match["day"] or match["beside"])
        if 0 < day <= 31:
            yield Mention(match.start(), match.end(), ((None, None, day),))
    for match in _KOREAN_DAY.finditer(text):
        yield Mention(match.start(), match.end(), ((None, None, int(match["day"])),))


def dates_in(text: str, year: int | None = None, order: Order = "any") -> list[date]:
    """The dates that a text names with their month, in order.

    A date without a year gets `year`, if that is given. 09/05/2025 gives both dates that it can mean. A year of two
    digits is in this century.
    """
    return list(_dates_in(text, year, order))


@lru_cache(_KEPT)
def _dates_in(text: str, year: int | None, order: Order) -> dict[date, None]:
    found: list[date] = []
    written = _ISO.findall(text)
    if _MORE.search(_ISO.sub(" ", text).lower()) is None:
        whole = (tuple(map(int, parts)) for parts in written)
        return dict.fromkeys(date(*parts) for parts in whole if _real(*parts))
    for mention in mentions(plain(text), order):
        for told, month, day in mention.meant:
            named = told if told is not None else year
            old = told is not None and (told + 100, month, day) in mention.meant
            if named is not None and month is not None and day is not None and not old and _real(named, month, day):
                found.append(date(named, month, day))
    return dict.fromkeys(found)


_SEVERAL = lazy_pattern(r"\d(?:st|nd|rd|th)? (?:or|and|&) (?:the )?\d")
"""Two days with one month: "17 or 18 March"."""


def one_date(text: str, period: Sequence[date] = ()) -> date | None:
    """The one date that a text names; None if it names none, or several.

    04/02/2025 can be two dates. The one in the period counts; if both or none are in it, the month comes first. A date
    without a year must be in the period.
    """
    words = plain(text)
    named = mentions(words)
    if not named or _SEVERAL.search(words):
        return None
    meant = [day for day in period if all(one.may_be(day) for one in named)]
    if len(meant) == 1:
        return meant[0]
    first = mentions(words, "month first")
    found = [day for day in meant or dates_in(text) if all(one.may_be(day) for one in (*named, *first))]
    return found[0] if len(found) == 1 else None
