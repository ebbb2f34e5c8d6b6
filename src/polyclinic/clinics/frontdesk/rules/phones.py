"""Phone numbers by value: written or spoken, with or without a country code, or corrected in the same sentence."""

from __future__ import annotations

import re
from functools import lru_cache

from polyclinic.clinics.frontdesk.rules.owners import OTHER, THIS
from polyclinic.clinics.frontdesk.rules.told import is_told, masked
from polyclinic.text.lazily import lazy_pattern
from polyclinic.text.numbers import figures

_NO_DIGIT = lazy_pattern(r"\D+")
_NUMBER = lazy_pattern(r"\+?[(\[]?\d+")
_LETTER_O = lazy_pattern(r"(?<=[\d+ -])[oO](?=[\doO -])|\b[oO](?=\d)")
_PUT_RIGHT = lazy_pattern(
    r"(?:\b(?:no|sorry|mean|meant|correction|make that|wait|actually|rather|oops|not|pardon|mistake"
    r"|apologies)\b[^\d]{0,30}"
    r"|\b(?:ends?|ending|last \w+)\b[^\d]{0,15})$",
    re.IGNORECASE,
)
_FILLER = lazy_pattern(
    r"[\W_]*(?:(?:then|and|(?:an? )?(?:dash|stroke|slash|line|bar)|hyphen|space|next|after that|thereafter"
    r"|afterwards|followed by|dot"
    r"|point|minus|comma|okay|ok|that's|(?:after|behind) (?:it|that|the (?:line|dash|hyphen|stroke|slash|bar))|first"
    r"|my (?:own )?(?:number|mobile|phone)|the number"
    r"|area code|code|country|plus"
    r"|the rest is|rest|got that|right|yes|um|uh|er|uhh|erm|so far|is|hang on|hold on|wait|(?:and )?(?:ends"
    r"|ending|ends with|ending in)|starts|it starts|(?:the )?(?:first|second|middle|last)|(?:the )?(?:#+|first"
    r"|second|other|next|middle|last)? ?(?:bit|part|half"
    r"|block|group)(?:'s)?|begins|(?:in |the )?(?:front|behind|back)(?: number| digits)?|one (?:second|moment)"
    r"|let me see|hmm)[\W_]*){0,4}"
)
"""What may be between two pieces of one number."""
_ORDINAL = lazy_pattern(r"\b\d{1,2}(?:st|nd|rd|th)\b", re.IGNORECASE)
_AT_THE_END = lazy_pattern(r"^[^\d.;]{0,6}\b(?:at the end|in the end|the last|last|to finish|final)\b", re.IGNORECASE)
_TIMES = {"two": 2, "three": 3, "four": 4, "five": 5, "2": 2, "3": 3, "4": 4, "5": 5}
_DIGITS = ("zeros", "ones", "twos", "threes", "fours", "fives", "sixes", "sevens", "eights", "nines")
_SEVERAL = lazy_pattern(
    rf"\b({'|'.join(_TIMES)}) ({'|'.join((*_DIGITS, 'zeroes', 'ohs', 'noughts'))})\b(?: (?:and|then) an? (?=[a-z]))?",
    re.IGNORECASE,
)
"""A digit told by how often it stands: "four threes"."""
_NO_NUMBER = lazy_pattern(
    r"\b(my|the|this|that|your|which|other|new|old|only|same|right|another|wrong)((?: (?!is\b|number\b|flat\b"
    r"|house\b)[a-z]+)?) one"
    r"(?=[,.:;!?]|\s+(?:is|was|that|it|i|you|plus|now)\b|'s)",
    re.IGNORECASE,
)
"""One that stands for a thing: "my UK one, plus four four"."""
_COUNTRY_CODE = 3
_REPAIR = 25
"""The most characters between a piece of a number and the piece that corrects it: "33, no sorry, 38"."""
_TELLING = 9
"""How many last digits identify a number even if it is joined to another one."""
WHOLE_NUMBER = 7
"""Fewer digits or letters than this occur in many texts by chance, and prove nothing."""


@lru_cache(maxsize=256)
def digits(value: str) -> str:
    """Only the digits."""
    return _NO_DIGIT.sub("", value)


def same_number(one: str, other: str) -> bool:
    """Whether two phone numbers are the same, such as ``010 1234 5678`` and ``+82 (0)10 1234 5678``."""
    short, long = sorted((_local(one), _local(other)), key=len)
    if _is_national(one) and _is_national(other):
        return short == long
    if len(short) < WHOLE_NUMBER:
        return bool(short) and short == long
    return long.endswith(short) and len(long) - len(short) <= _COUNTRY_CODE


def _is_national(number: str) -> bool:
    """Whether a number begins with the single zero of a national number; it is then followed by an area code."""
    figures_ = digits(number)
    return figures_.startswith("0") and not figures_.startswith("00")


def _local(number: str) -> str:
    """The digits, without the zero that is dropped after a country code."""
    return digits(number.replace("(0)", "")).lstrip("0")


def as_figures(text: str) -> str:
    """A text with its spoken digits as figures: "oh one oh, double five", "O1O"."""
    text = _NO_NUMBER.sub(r"\1\2 it", text) if "one" in text else text
    return _LETTER_O.sub("0", figures(_SEVERAL.sub(_several, text)))


def _several(said: re.Match[str]) -> str:
    digit = said[2].lower()
    return str(_DIGITS.index(digit) if digit in _DIGITS else 0) * _TIMES[said[1].lower()] + " "


_Spot = tuple[int, int, str]


def numbers_at(text: str, length: int, wanted: str = "") -> list[_Spot]:
    """The long numbers of a text in figures: the place and the digits of each.

    Pieces are joined until they have about the `length` of the number that is searched, and while they begin the number
    `wanted`. "2039 at the end" means the number before it with another end.
    """
    found: list[_Spot] = []
    piece = 0
    for match in _NUMBER.finditer(text):
        number = digits(match[0])
        begins, ends, last = found[-1] if found else (0, 0, "")
        between = text[ends : match.start()]
        corrects = WHOLE_NUMBER <= len(last) > len(number) and _puts_right(between, text[match.end() :])
        if piece < len(last) < length and _PUT_RIGHT.search(between) and len(between) < _REPAIR:
            found[-1] = (begins, match.end(), last[:-piece] + number)
        elif corrects and not _is_whole(text, match.end(), len(number), length):
            found.append((match.start(), match.end(), last[: -len(number)] + number))
        elif (
            last
            and (len(last) < length or wanted.startswith(last + number))
            and len(last + number) <= length + _COUNTRY_CODE
            and _joins(between)
            and not (len(last) >= WHOLE_NUMBER and "code" in between)
        ):
            found[-1] = (begins, match.end(), last + number)
        else:
            found.append((match.start(), match.end(), number))
        piece = len(number) if between.strip() else piece + len(number)
    return [spot for spot in found if len(spot[2]) >= WHOLE_NUMBER]


def _joins(between: str) -> bool:
    return _FILLER.fullmatch(between.lower()) is not None


def _is_whole(text: str, at: int, known: int, length: int) -> bool:
    """Whether the pieces from here on make a whole number, and not only a corrected end of the last number."""
    enough = max(WHOLE_NUMBER, length - _COUNTRY_CODE - 1)
    for match in _NUMBER.finditer(text, at):
        if known >= enough or not _joins(text[at : match.start()]):
            break
        known, at = known + len(digits(match[0])), match.end()
    return known >= enough


def _puts_right(before: str, after: str) -> bool:
    return _PUT_RIGHT.search(before) is not None or _AT_THE_END.match(after) is not None


def mask_numbers(value: str, text: str, *, phone: bool) -> str:
    """The text with this number and other numbers masked."""
    said = _ORDINAL.sub(lambda found: "#" * len(found[0]), as_figures(text))
    spots = numbers_at(said, len(digits(value)) - value.startswith("+"), digits(value))
    mine = [(a, b) for a, b, number in spots if _is_it(value, number, phone)]
    mine = mine or _begun_again(value, said, phone)
    alike = [(a, b) for a, b, number in spots if abs(len(number) - len(digits(value))) <= _COUNTRY_CODE - (not phone)]
    return masked(said, mine, [spot for spot in alike if spot not in mine])


def _is_it(value: str, number: str, phone: bool) -> bool:
    return same_number(value, number) if phone else number == digits(value)


def _begun_again(value: str, said: str, phone: bool) -> list[tuple[int, int]]:
    """Where the number is if it begins at a later piece: "the new one is 010…", "02-53… 02-5341…"."""
    pieces = list(_NUMBER.finditer(said))
    for first, begins in enumerate(pieces):
        if len(digits(begins[0])) < 2:  # a single digit does not begin a number
            continue
        number, at = "", begins.start()
        for piece, following in zip(pieces[first:], [*pieces[first + 1 :], None], strict=True):
            if number and not _joins(said[at : piece.start()]):
                break
            number, at = number + digits(piece[0]), piece.end()
            ends = following is None or not _joins(said[at : following.start()])
            if ends and len(number) >= WHOLE_NUMBER and _is_it(value, number, phone):
                return [(begins.start(), at)]
            if len(number) > len(digits(value)) + _COUNTRY_CODE:
                break
    return []


def says_number(value: str, text: str, *, phone: bool) -> bool:
    """Whether a text states this number as the patient's, and as still valid."""
    return is_told(mask_numbers(value, text, phone=phone), "phone" if phone else "identifier")


def holds_number(value: str, text: str, *, phone: bool) -> bool:
    """Whether a number is in a text, no matter whose it is, and is not corrected to another one."""
    if says_number(value, text, phone=phone):
        return True
    spots = mask_numbers(value, text, phone=phone)
    if THIS in spots:
        return OTHER not in spots
    end = digits(value)[-_TELLING:]
    return len(end) == _TELLING and end in digits(as_figures(text))
