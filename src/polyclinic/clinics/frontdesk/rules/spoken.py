"""Finds the dates that a patient said, in any form."""

from __future__ import annotations

from datetime import date

from polyclinic.clinics.frontdesk.rules.told import is_told, masked
from polyclinic.text.date_words import plain
from polyclinic.text.days import days_named
from polyclinic.text.lazily import lazy_pattern

_WORKED_OUT = lazy_pattern(
    r"\bi (?:was born|arrived|came|followed)\b[^;]{0,12}(?:\d years?|the year|two|a year|later|years)"
    r"|\b(?:years?|months?|days?) (?:to the day )?(?:after|before|older|younger) (?:him|her|me|that|than|my|them"
    r"|this)\b"
)
"""Phrases that give the speaker's own date only relative to another date."""
_ANOTHER_DAY = lazy_pattern(
    r"\b(?:married|wedding|died|passed|funeral|moved|discharged|operation|operated|surgery|graduated|retired"
    r"|anniversary|started"
    r"|diagnosed|admitted|(?:i|we) (?:\w+ )?(?:came (?!into)|arrived)|last (?:in|here|seen|visit\w*|with you"
    r"|at your|there|came|treated|time (?:i|we|you) (?:was|were|came|saw|had|did|took))|entered|flew"
    r"|travell?ed|visa|bought|joined|appointment|visit|vaccinat\w+|seen|issued|expires?|enlist\w*|drafted"
    r"|conscripted|hired|promoted|founded|built|paid|pay|bills?"
    r"|invoice|receipt|letter|dated|began|begun|fell|hurt|broke|symptoms?|licen[cs]e|happened|accident|open|opened"
    r"|closed?"
    r"|shut|holiday|results?|tests?|since|work|stay|flight|fly|leaving|baptis\w+|contract|ends?|photo|picture"
    r"|ready by|signed|emigrated|immigrated|divorced)\b"
)
_COMES = lazy_pattern(
    r"\b(?:come|coming|book|booked|booking|seen|available|free|slot|see (?:the|a|dr|doctor)|in on|reschedule|move|moved"
    r"|instead|cancel|push|anything|something|opening|time (?:near|around|about))\b"
)
_BIRTH = lazy_pattern(r"(?<!gave )(?<!give )(?<!giving )\b(?:birth\w*|born|dob|d\.o\.b|bday|b-day)\b")
_HAPPENED = lazy_pattern(
    r"^(?!.*\b(?:came|arrived|popped|joined|bore|delivered|turned|entered|falls?|fell|world|day)\b).*\w on (?:the )?$"
)
"""What happened on a day: "I had my hip replaced on the 4th", "it runs out on the 4th"."""
_NO_YEAR = lazy_pattern(r"\b(?:what|which|the|about the|of the|no idea of the) year\b(?! \d)")
_DUE = lazy_pattern(r"\b(?:due|expected|registered|discharged|admitted)\b[^;]{0,12}$")
_WHEN = lazy_pattern(
    r"^ (?:is|was) (?:when|the (?:day|date))\b(?! (?:\w+ )?(?:i|she|he|they) (?:was|were|is|got) born)"
)
_MISSED = lazy_pattern(r"\b(?:missed|(?:day|days) (?:before|after|off|short of))(?: \w+){0,2} $")


def mentions_date(day: date, text: str, today: date | None = None, *, birth: bool = False) -> bool:
    """Whether a date was said, in any usual way, and is still valid.

    The year may be missing, and also the month if no other month is named. A date of `birth` must not be the day of
    another event, or somebody else's.
    """
    if text.strip() == day.isoformat():
        return True
    words = plain(text)
    named = days_named(words, today)
    whole = [mention for mention in named if mention.whole] or list(named)
    if birth and _NO_YEAR.search(words):
        whole = [mention for mention in whole if any(year for year, _, _ in mention.meant)]
    mine = [(one.begins, one.ends) for one in whole if one.may_be(day)]
    if not mine:
        return False
    if birth:
        mine = [(a, b) for a, b in mine if not _of_another_day(words, a, b)]
    others = [(one.begins, one.ends) for one in named if not one.may_be(day)]
    if birth and not others and _WORKED_OUT.search(words):
        return False
    return bool(mine) and is_told(masked(words, mine, others), "birth_date" if birth else "date")


_ASKS = lazy_pattern(
    r"^(?:(?:and|so|hi|hello|sorry) )*(?:are|do|does|is|will|can|could|would|may) (?:you|the|i|we|there)\b"
)


def _of_another_day(words: str, begins: int, ends: int) -> bool:
    """Whether the sentence is about another event on this day."""
    before, after = words[:begins].rsplit(" ; ", 1)[-1], words[ends:].split(" ; ", 1)[0]
    if _DUE.search(before) or _WHEN.match(after):
        return True
    if (_COMES.search(before) or _ASKS.match(before)) and _BIRTH.search(words) is None:
        return True
    other = _ANOTHER_DAY.search(before) or _MISSED.search(before) or _HAPPENED.search(before)
    return other is not None and not _BIRTH.search(before + after)
