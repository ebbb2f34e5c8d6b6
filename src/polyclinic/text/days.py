"""Days named relative to today: tomorrow, next Tuesday, in a fortnight, the Monday after the 12th, 다음 주 월요일."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import lru_cache

from polyclinic.text.date_words import MONTHS, WEEKDAYS
from polyclinic.text.dates import Mention, Order, mentions
from polyclinic.text.lazily import lazy_pattern

_DAY = timedelta(days=1)
_WEEK = timedelta(days=7)
_WEEKDAY = rf"(?P<weekday>{'|'.join(WEEKDAYS)})"
_COUNT = r"(?P<count>\d{1,2}|an?|a couple(?: of)?|couple(?: of)?)"
_UNIT = r"(?P<unit>day|week|fortnight|month)s?'?"
_KOREAN_DAYS = {"오늘": 0, "내일": 1, "모레": 2, "글피": 3, "어제": -1}
_PLAIN_DAYS = {
    "the day before yesterday": -2, "day before yesterday": -2, "yesterday": -1, "day after tomorrow": 2,
    "day after today": 1, "overmorrow": 2,
    "tomorrow": 1, "tomorow": 1, "tommorow": 1, "tommorrow": 1, "tmrw": 1, "today": 0, "tonight": 0,
    "this morning": 0, "this afternoon": 0, "this evening": 0,
}  # fmt: skip
_FROM_NOW = lazy_pattern(
    rf"\b(?:in (?:about )?{_COUNT} {_UNIT}(?: time)?\b|"
    rf"{_COUNT.replace('count', 'count2')} {_UNIT.replace('unit', 'unit2')}"
    r" (?:(?:later )?from (?:now|today)|away|time|hence|later)\b)"
)
_WEEK_ON = lazy_pattern(
    rf"\b(?:{_COUNT} (?P<unit>week|fortnight)s? (?:from |on |after )?(?:(?P<plain>today|tomorrow)|{_WEEKDAY})"
    r"|(?P<day2>today|tomorrow) (?P<unit2>week|fortnight)"
    rf"|{_WEEKDAY.replace('weekday', 'weekday2')} (?P<unit3>week|fortnight))\b"
)
_AFTER = lazy_pattern(rf"\b(?:next |first |1st |the )*{_WEEKDAY} (?:after|following) (?=(?:the )?\S)")
_THE_NEXT = lazy_pattern(
    rf"\b(?:the )?(?:{_WEEKDAY}|(?P<unit>day|week)) after(?: (?:that|it|this))?\b(?= (?:;"
    r"|or|and|then|please|is|would|on|onwards?|if|instead|at|the)\b| ;|$)"
)
"""Finds "the Monday after" in "not Monday, the Monday after": it refers to the day that was named before."""
_LATER_THAN_THAT = lazy_pattern(rf"\b(?:{_COUNT}) (?P<unit>day|week)s? (?:later|after that)\b(?! than)")
_NTH = lazy_pattern(
    rf"\b(?P<nth>[1-5](?:st|nd|rd|th)|last) {_WEEKDAY} (?:of|in) (?P<month>{'|'.join(MONTHS)}|next month|this month"
    r"|the (?:new|next|coming) year)\b"
)
_WEEKDAYS_SAID = lazy_pattern(
    rf"\b(?P<which>(?:the )?(?:next|following|coming|this coming|this) )?{_WEEKDAY}s?"
    r"(?P<then> after next| (?:of |in )?(?:the )?(?:this|next|following|coming|the week after next) ?(?:week)?)?\b"
)
_SPANS = lazy_pattern(
    r"\b(?:(?P<part>beginning|start|middle|mid|end|last day)[ -]?(?:of |in )?)?"
    rf"(?:(?<!\d )(?P<month>{'|'.join(MONTHS)})"
    r"|(?:the |this )?(?P<span>week after next|(?:next|following|coming) week|(?:next|following|coming) month"
    r"|this month|that month"
    r"|weekend))\b(?: (?:of |in )?(?P<year>(?:19|20)\d\d)\b|(?! (?:the )?\d))"
)
_IN_A_MONTH = lazy_pattern(r"\b(?:in|from|until|till|before|after|since|of|start|starting|beginning) (?:the )?$")
_BORN = lazy_pattern(r"\bborn (?:in )?((?:19|20)\d\d)\b(?!-)")
_APART = ("", "the", "a", "on", "on the", "is", "that is", "that's", "that'd be", "of", "which is", "so")
_KOREAN = lazy_pattern(
    r"(?P<plain>오늘|내일|모레|글피|어제)|(?P<which>이번|다음|담|다다음) ?주 ?(?P<weekday>[월화수목금토일])요일"
    r"|(?P<alone>[월화수목금토일])요일|(?P<week>다음|담) ?주|(?P<count>\d{1,2}) ?(?P<unit>일|주일?) ?(?:후|뒤)"
    r"|(?P<one>일주일) ?(?:후|뒤)"
)


def next_weekday(after: date, weekday: int) -> date:
    """The first day after this date that is this weekday (0 is Monday)."""
    return after + _DAY * ((weekday - after.weekday() - 1) % 7 + 1)


def _week_of(today: date, weeks: int, weekday: int) -> date:
    return today - _DAY * today.weekday() + _WEEK * weeks + _DAY * weekday


def _mention(match: re.Match[str], day: date, ends: int | None = None) -> Mention:
    return Mention(match.start(), match.end() if ends is None else ends, ((day.year, day.month, day.day),))


def settled(mention: Mention, today: date) -> date | None:
    """The day that a mention means, seen from today. If month or year is missing, it is the next day that fits."""
    if all(year is not None for year, _, _ in mention.meant):
        years = sorted(mention.meant, key=lambda parts: abs((parts[0] or 0) - today.year))
        year, month, day = years[0]
        return date(year, month, day) if year and month and day else None
    return next((at for n in range(366) if mention.may_be(at := today + _DAY * n)), None)


def _later(today: date, count: str, unit: str) -> date:
    number = int(count) if count.isdecimal() else (2 if "couple" in count else 1)
    if unit == "month":
        months = today.month - 1 + number
        year, month = today.year + months // 12, months % 12 + 1
        return date(year, month, min(today.day, calendar.monthrange(year, month)[1]))
    return today + _DAY * number * {"day": 1, "week": 7, "fortnight": 14}[unit]


def _counted(text: str, today: date) -> Iterator[Mention]:
    for match in _FROM_NOW.finditer(text):
        yield _mention(match, _later(today, match["count"] or match["count2"], match["unit"] or match["unit2"]))
    for match in _WEEK_ON.finditer(text):
        weekday = match["weekday"] or match["weekday2"]
        from_ = next_weekday(today, WEEKDAYS.index(weekday)) if weekday else today
        later = _later(from_, match["count"] or "1", match["unit"] or match["unit2"] or match["unit3"])
        yield _mention(match, later + _DAY * ("tomorrow" in (match["plain"] or match["day2"] or "")))


def _after_dates(text: str, today: date, named: tuple[Mention, ...]) -> Iterator[Mention]:
    for match in _AFTER.finditer(text):
        date_ = next((one for one in named if 0 <= one.begins - match.end() <= 4), None)
        from_ = settled(date_, today) if date_ else None
        if date_ is not None and from_ is not None:
            yield _mention(match, next_weekday(from_, WEEKDAYS.index(match["weekday"])), date_.ends)
    for match in _NTH.finditer(text):
        month = MONTHS.index(match["month"]) + 1 if match["month"] in MONTHS else today.month
        month = 1 if match["month"].endswith("year") else month
        first = date(today.year + (month < today.month), month, 1)
        if match["month"] == "next month":
            first = _later(first, "1", "month")
        days = [first + _DAY * n for n in range(calendar.monthrange(first.year, first.month)[1])]
        fitting = [day for day in days if day.weekday() == WEEKDAYS.index(match["weekday"])]
        nth = -1 if match["nth"] == "last" else int(match["nth"][0]) - 1
        if nth < len(fitting):
            yield _mention(match, fitting[nth])


def _after_the_last(text: str, today: date, named: list[Mention]) -> Iterator[Mention]:
    for match in _THE_NEXT.finditer(text):
        before = [one for one in named if one.ends <= match.start()]
        from_ = settled(before[-1], today) if before else None
        if from_ is None:
            continue
        if match["weekday"]:
            yield _mention(match, next_weekday(from_, WEEKDAYS.index(match["weekday"])))
        else:
            yield _mention(match, from_ + (_DAY if match["unit"] == "day" else _WEEK))
    for match in _LATER_THAN_THAT.finditer(text):
        before = [one for one in named if one.ends <= match.start()]
        from_ = settled(before[-1], today) if before else None
        if from_ is not None:
            yield _mention(match, _later(from_, match["count"], match["unit"]))


def _weekdays(text: str, today: date) -> Iterator[Mention]:
    for match in _WEEKDAYS_SAID.finditer(text):
        weekday, which, then = WEEKDAYS.index(match["weekday"]), match["which"] or "", match["then"] or ""
        if "after next" in then:
            day = _week_of(today, 2, weekday)
        elif "next" in which + then or "following" in which + then:
            day = _week_of(today, 1, weekday)
        elif "this" in then:
            day = _week_of(today, 0, weekday)
        else:
            day = next_weekday(today, weekday)
        yield _mention(match, day)


def _spans(text: str, today: date) -> Iterator[Mention]:
    for match in _SPANS.finditer(text):
        span, part = match["span"] or "", match["part"] or ""
        if "weekend" in span:
            yield _mention(
                match, _week_of(today, 1, 0) if text[: match.start()].endswith("after ") else _week_of(today, 0, 5)
            )
        elif "week" in span:
            weekday = {"middle": 2, "mid": 2, "end": 4}.get(part, 0)
            yield _mention(match, _week_of(today, 2 if "after" in span else 1, weekday))
        elif part or "month" in span or _IN_A_MONTH.search(text[: match.start()]):
            month = MONTHS.index(match["month"]) + 1 if match["month"] else today.month
            year = int(match["year"]) if match["year"] else today.year + (month < today.month)
            first = date(year, month, 1)
            if span and span not in ("this month", "that month"):
                first = _later(first, "1", "month")
            last = calendar.monthrange(first.year, first.month)[1]
            yield _mention(
                match, first.replace(day={"middle": 15, "mid": 15, "end": last, "last day": last}.get(part, 1))
            )


def _korean(text: str, today: date) -> Iterator[Mention]:
    for match in _KOREAN.finditer(text):
        if match["plain"]:
            day = today + _DAY * _KOREAN_DAYS[match["plain"]]
        elif match["weekday"]:
            day = _week_of(
                today, {"이번": 0, "다다음": 2}.get(match["which"], 1), "월화수목금토일".index(match["weekday"])
            )
        elif match["alone"]:
            day = next_weekday(today, "월화수목금토일".index(match["alone"]))
        elif match["week"]:
            day = _week_of(today, 1, 0)
        else:
            day = today + (
                _WEEK if match["one"] else _DAY * int(match["count"]) * (7 if match["unit"][0] == "주" else 1)
            )
        yield _mention(match, day)


def _told(text: str, today: date) -> Iterator[Mention]:
    for word, days in _PLAIN_DAYS.items():
        for match in re.finditer(rf"\b{word}\b(?! (?:week|fortnight))", text):
            yield _mention(match, today + _DAY * days)


@lru_cache(4096)
def days_named(text: str, today: date | None, order: Order = "any") -> tuple[Mention, ...]:
    """All days that a plain text names, in order: dates and, if today is known, days relative to it.

    A weekday next to a date is not a day of its own.
    """
    named = mentions(text, order)
    if today is None:
        return named
    found: list[Mention] = []
    told = sorted((*named, *_told(text, today), *_weekdays(text, today)), key=lambda mention: mention.begins)
    for mention in (
        *_after_the_last(text, today, told), *_after_dates(text, today, named), *named, *_counted(text, today),
        *_korean(text, today), *_told(text, today), *_weekdays(text, today), *_spans(text, today),
    ):  # fmt: skip
        apart = _APART if mention not in named else ()
        if not any(_touch(one, mention, text, apart) for one in found):
            found.append(mention)
    return _birthdays(text, today, sorted(found, key=lambda mention: mention.begins))


def _birthdays(text: str, today: date, found: list[Mention]) -> tuple[Mention, ...]:
    """Give the days the year of birth, if the text names it: "I turned forty today, born 1985"."""
    year = _BORN.search(text)
    if year is None or any(one.meant[0][0] is None for one in found):
        return tuple(found)
    return tuple(
        Mention(one.begins, one.ends, tuple((int(year[1]), month, day) for _, month, day in one.meant))
        if one.meant[0][0] == today.year
        else one
        for one in found
    )


def _touch(one: Mention, other: Mention, text: str, apart: tuple[str, ...]) -> bool:
    """Whether two mentions overlap, or have only one of these short words between them."""
    first, second = sorted((one, other), key=lambda mention: mention.begins)
    return second.begins < first.ends or text[first.ends : second.begins].strip() in apart
