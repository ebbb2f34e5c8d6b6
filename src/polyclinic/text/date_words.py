"""Bring a text into the form in which dates are searched.

Number words become figures, and months and weekdays get their full names. This also works if the text shortens or
misspells them, or writes a month in another language.
"""

from __future__ import annotations

import re
from functools import lru_cache

from polyclinic.text.lazily import lazy_pattern
from polyclinic.text.normal import normalise
from polyclinic.text.numbers import figures

_KEPT = 4096


MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_ELSEWHERE = (
    "janvier januar enero gennaio", "février fevrier februar febrero febbraio", "märz maerz marzo",
    "avril abril aprile", "mai mayo maggio", "juin juni junio giugno", "juillet juli julio luglio", "août aout agosto",
    "septembre septiembre settembre", "octobre oktober octubre ottobre", "novembre noviembre",
    "décembre decembre dezember diciembre dicembre",
)  # fmt: skip
"""The names of months in other languages."""
_SHORT = {
    **{month[:3]: month for month in MONTHS}, "sept": "september",
    "mon": "monday", "tue": "tuesday", "tues": "tuesday", "wed": "wednesday", "weds": "wednesday",
    **{name: month for names, month in zip(_ELSEWHERE, MONTHS, strict=True) for name in names.split()},
    "thu": "thursday", "thur": "thursday", "thurs": "thursday", "fri": "friday", "sat": "saturday", "sun": "sunday",
}  # fmt: skip
_SHORT_MONTH = 4
_AMBIGUOUS = {"sat", "sun", "mar", "wed", "mon", "dec", "jan"}
"""Short forms that are also words or names. They count only next to a figure."""
_WHOLE = {name: name for name in (*MONTHS, *WEEKDAYS)}
_APART = lazy_pattern(rf"(?<=\d)(?=(?:{'|'.join(month[:3] for month in MONTHS)})[a-z]*\d)")
_JOINED = lazy_pattern(
    rf"\b({'|'.join(month[:3] for month in MONTHS)}[a-z]*)(?=\d{{2,4}}\b)|(?<=\d) (?=(?:st|nd|rd|th)\b)"
)
"""Splits "3MAR1981" into its parts, and joins "30 th"."""
_OOPS = (
    r"(?:; )?(?:(?:no|oh|ah|er|um|sorry|wait|actually|rather|correction|i mean(?:t)?|make that|make it|not that|it's"
    r"|it is|what am i saying|hang on|i'm wrong|silly me|my mistake|scratch that) (?:; )?(?:the )?)+"
)
_YEAR_PUT_RIGHT = lazy_pattern(rf"\b(?:19|20)\d\d {_OOPS}(?=(?:19|20)\d\d\b)")
_DAY_PUT_RIGHT = lazy_pattern(
    rf"\b(?P<month>{'|'.join(MONTHS)}) (?:the )?\d{{1,2}}(?:st|nd|rd|th)? {_OOPS}(?P<day>\d{{1,2}})(?:st|nd|rd|th)\b"
    rf"(?! (?:of )?(?:{'|'.join(MONTHS)})\b)"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?P<month2>{'|'.join(MONTHS)}) {_OOPS}(?P<day2>\d{{1,2}})(?:st|nd|rd|th)\b"
    rf"(?! (?:of )?(?:{'|'.join(MONTHS)})\b)"
    rf"|\b(?P<day3>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?:{'|'.join(MONTHS)}) {_OOPS}(?:not (?:{'|'.join(MONTHS)}) )?"
    rf"(?P<month3>{'|'.join(MONTHS)})\b(?! (?:the )?\d{{1,2}}(?:st|nd|rd|th)?\b)"
)
"""A date of which only the day or only the month is corrected: "April 22nd, sorry, 21st"."""
_SAID_AGAIN = lazy_pattern(rf"\b(?P<again>\d{{1,2}} (?:{'|'.join(MONTHS)})) (?=(?P=again) \d{{4}}\b)")
"""A corrected date that is then said in full: "the 25th of July, no, 26th, 26 July 1983"."""
_ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_DAY_DOT = lazy_pattern(rf"(?<=\d)\. (?=(?:{'|'.join(MONTHS)})\b)")
"""The dot after a day: "3. Oktober"."""
_LAST_OF_YEAR = lazy_pattern(r"\blast day (?:of|in) (?=(?:19|20)\d\d\b)")
_ROMAN = lazy_pattern(r"\b(\d{1,2})[ ./-]([ivx]{1,4})[ ./-](\d{4})\b")


@lru_cache(_KEPT)
def plain(text: str) -> str:
    """The text in the form in which dates are searched."""
    text = figures(normalise(text).replace("`", "'"))
    text = _JOINED.sub(lambda found: f"{found[1]} " if found[1] else "", _APART.sub(" ", text))
    text = re.sub(
        r"(?<=\d)\s*[·/.\-]\s*(?=\d)(?!\d+(?:st|nd|rd|th)\b)", lambda sign: sign[0].strip(), text.replace("·", ".")
    )
    text = _LAST_OF_YEAR.sub("december 31 ", text)
    text = _ROMAN.sub(lambda found: f"{found[1]} {_roman_month(found[2])} {found[3]}", text)
    text = _DAY_DOT.sub(" ", re.sub(r"\b[^\W\d_]{3,11}\b\.?(?=\s*\d?)", _spelt, text))
    text = re.sub(r"[.;!?]+(?=\s|$)", " ; ", text)
    text = re.sub(r"[,:()\[\]\"](?!\d\d\b)|(?<!\d)[-.](?=\d)|[-.](?!\d|[a-z])", " ", text)
    text = _YEAR_PUT_RIGHT.sub("", " ".join(text.split()))
    if not any(f" {word} " in text for word in _CORRECTS):
        return text
    return _SAID_AGAIN.sub("", _DAY_PUT_RIGHT.sub(_put_right, text))


_CORRECTS = ("no", "oh", "ah", "er", "um", "sorry", "wait", "actually", "rather", "correction", "mean", "meant", "make")


def _put_right(found: re.Match[str]) -> str:
    parts = found.groupdict()
    day, month = (parts["day"] or parts["day2"] or parts["day3"], parts["month"] or parts["month2"] or parts["month3"])
    return f"{day} {month}"


def _roman_month(sign: str) -> str:
    return MONTHS[_ROMANS.index(sign)] if sign in _ROMANS else sign


def _spelt(found: re.Match[str]) -> str:
    word = found[0].rstrip(".")
    if word in _AMBIGUOUS:
        beside = re.search(r"\d\S*(?: of)?[ -]$", found.string[: found.start()]) or re.match(
            r"\.?,? ?(?:the )?\d", found.string[found.end() :]
        )
        return _SHORT[word] if beside else found[0]
    if word in _WHOLE:
        short = word in MONTHS and len(word) <= _SHORT_MONTH
        return word if short and re.match(r"\s*\d", found.string[found.end() :]) else found[0]
    return _SHORT.get(word) or _nearly(word) or found[0]


@lru_cache(_KEPT)
def _nearly(word: str) -> str:
    """The full name of the month or weekday, which may be misspelt by a letter or two; empty for another word."""
    if word in _WHOLE:
        return word
    if len(word) < 5:
        return ""
    for name in _WHOLE:
        if (
            len(name) > 5
            and len(word) + 1 >= min(len(name), 7)
            and word[0] == name[0]
            and abs(len(word) - len(name)) <= 2
            and _wrong(word, name)
        ):
            return name
    return ""


def _wrong(word: str, name: str) -> bool:
    """Whether a word is this name with one typing error: a letter too many, missing or wrong, or two swapped."""
    longer, shorter = (word, name) if len(word) >= len(name) else (name, word)
    if len(longer) == len(shorter):
        differ = [i for i in range(len(word)) if word[i] != name[i]]
        swapped = len(differ) == 2 and word[differ[0]] == name[differ[1]] and word[differ[1]] == name[differ[0]]
        return len(differ) == 1 or swapped
    if len(longer) - len(shorter) == 1:
        return any(longer[:i] + longer[i + 1 :] == shorter for i in range(len(longer)))
    return len(name) > 7 and sorted(set(word)) == sorted(set(name))
