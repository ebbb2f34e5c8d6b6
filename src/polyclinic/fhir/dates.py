"""FHIR dates as half-open ranges of microseconds since 1970 in UTC, which an index can compare.

A partial date covers all of its period (`2025-03` is the whole of March). A dateTime covers its smallest given
unit, such as a minute. An instant is a point. Times without a zone are read as UTC.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

Range = tuple[int, int]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
EARLIEST = -(2**62)
LATEST = 2**62
_PARTIAL = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d:\d\d)?)?)?)?", re.ASCII
)


def microseconds(moment: datetime) -> int:
    """Microseconds since 1970 in UTC."""
    return (moment - EPOCH) // _MICROSECOND


@lru_cache(64)
def instant_text(at: int) -> str:
    """A time in microseconds since 1970, written as a FHIR instant in UTC."""
    moment = EPOCH + timedelta(microseconds=at)
    return moment.isoformat(timespec="microseconds" if at % 1000 else "milliseconds").replace("+00:00", "Z")


@lru_cache(4096)
def instant(text: str) -> int:
    """An instant as a point in time. Raises ValueError when the text is not a date with time and zone."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"an instant needs a time zone: {text}")
    return (moment - EPOCH) // _MICROSECOND


def date_range(text: str) -> Range:
    """The period that a date or dateTime of any precision covers. Raises ValueError for any other text."""
    match = _PARTIAL.fullmatch(text)
    if match is None:
        raise ValueError(f"not a FHIR date: {text}")
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    start = datetime(
        int(year), int(month or 1), int(day or 1), int(hour or 0), int(minute or 0), min(int(second or 0), 59)
    )
    try:
        low = microseconds(start.replace(tzinfo=UTC)) - _offset(zone)
    except OverflowError as error:
        raise ValueError(f"out of range: {text}") from error
    if fraction:
        digits = fraction[:6]
        low += int(digits.ljust(6, "0"))
        return low, low + int(10 ** (6 - len(digits)))
    if second:
        return low, low + 1_000_000
    if minute:
        return low, low + 60_000_000
    if day:
        return low, low + 86_400_000_000
    following = (int(year) + int(month) // 12, int(month) % 12 + 1) if month else (int(year) + 1, 1)
    if following[0] > 9999:
        return low, LATEST
    return low, microseconds(datetime(following[0], following[1], 1, tzinfo=UTC))


def _offset(zone: str | None) -> int:
    if zone is None or zone == "Z":
        return 0
    sign = -1 if zone[0] == "-" else 1
    return sign * (int(zone[1:3]) * 60 + int(zone[4:6])) * 60_000_000


def period_range(period: dict[str, Any]) -> Range:
    """The range of a Period. A missing start or end leaves that side open."""
    start, end = period.get("start"), period.get("end")
    return date_range(start)[0] if start else EARLIEST, date_range(end)[1] if end else LATEST
