"""Addresses by their parts: house, street, flat, town, region and postcode, in any order and with short forms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from polyclinic.clinics.frontdesk.rules.hangul import latin
from polyclinic.clinics.frontdesk.rules.places import COUNTRIES, NATIONS, STATES, TOWNS
from polyclinic.clinics.frontdesk.rules.told import is_told, masked
from polyclinic.text.lazily import lazy_pattern
from polyclinic.text.normal import normalise, without_accents
from polyclinic.text.numbers import figures
from polyclinic.text.phrases import by_first_letter
from polyclinic.text.words import FUNCTION_WORDS, words

_SHORT = {
    "street": "st", "saint": "st", "str": "st", "road": "rd", "avenue": "ave", "av": "ave", "lane": "ln", "drive": "dr",
    "place": "pl", "square": "sq", "court": "ct", "boulevard": "blvd", "close": "cl", "crescent": "cres",
    "terrace": "ter", "gardens": "gdns", "garden": "gdns", "highway": "hwy", "parkway": "pkwy", "circle": "cir",
    "mount": "mt", "fort": "ft", "north": "n", "south": "s", "east": "e", "west": "w", "and": "&", "heights": "hts",
    "strasse": "st", "straße": "st", "apartments": "apts", "grove": "grv", "park": "pk", "hill": "hl", "house": "hse",
    "district": "gu",
}  # fmt: skip
_LABELS = {
    "apt", "apartment", "flat", "unit", "suite", "ste", "room", "rm", "building", "bldg", "blk", "number", "no", "nr",
    "block", "dong", "ho", "floor", "fl", "zip", "zips", "zipcode", "postcode", "postal", "code", "door",
    "house-number",
}  # fmt: skip
_COUNTRY = lazy_pattern(rf"\b(?:{by_first_letter('|'.join(sorted(COUNTRIES, key=len, reverse=True)))})\b")
_GERMAN_STREET = lazy_pattern(r"(?<=[a-z]{3})str(?:asse)?\b\.?")
_JOINED_STREET = lazy_pattern(r"(?<=[a-z]{3})(?=(?:street|road|avenue|lane)\b)")
_STATE = lazy_pattern(rf"\b(?:{by_first_letter('|'.join(sorted(STATES, key=len, reverse=True)))})\b")
_SHORT_NATION = lazy_pattern(r"\b(rep|s)\. ?(?=(?:of )?korea\b)")
_SINGAPORE = lazy_pattern(r"\bs ?\(?(\d{6})\b")
_SMALL = {"on", "at", "in", "the", "of", "si"}
"""Not all function words: "a" and "i" may be letters of units, and "do" ends the name of a province."""
_MIXED = lazy_pattern(r"(?<=\d)(?=[^\W\d_])|(?<=[^\W\d_])(?=\d)")
_POSTCODE = lazy_pattern(r"(?:^|\s)(\d{5,6}(?:-\d{4})?|[a-z]{1,2}\d[a-z\d]?\s*\d[a-z]{2})$")
_FILLERS = {
    *FUNCTION_WORDS, "thats", "near", "live", "city", "address", "province", "county", "state", "town", "korea", "uk",
    "usa", "republic", "england", "scotland",
}  # fmt: skip


@lru_cache(4096)
def _tokens(text: str) -> tuple[str, ...]:
    """The words that identify an address, in short forms. The letter of a unit is separated from its number."""
    said = without_accents(figures(latin(normalise(text)))).replace("'", "")
    said = _SINGAPORE.sub(r"singapore \1", said)
    said = _JOINED_STREET.sub(" ", said)
    said = _SHORT_NATION.sub(r"\1 ", said)
    said = _COUNTRY.sub(lambda country: COUNTRIES[country[0]], _GERMAN_STREET.sub("str", said))
    said = _STATE.sub(lambda state: STATES[state[0]], said).replace("&", " and ").replace("_", " ")
    pieces = [piece for word in words(said) for piece in _MIXED.sub(" ", TOWNS.get(word, word)).split()]
    return tuple(_SHORT.get(piece, piece) for piece in pieces if piece not in _LABELS and piece not in _SMALL)


@lru_cache(4096)
def _parts(address: str) -> tuple[tuple[str, ...], ...]:
    """An address in parts; a postcode at the end of a part becomes a part of its own."""
    found: list[tuple[str, ...]] = []
    for part in re.split(r"[,;\n]", normalise(address)):
        code = _POSTCODE.search(part.strip())
        pieces = (part.strip()[: code.start()], code[1]) if code else (part,)
        found += [tokens for piece in pieces if (tokens := _tokens(piece))]
    return tuple(found)


def _place(tokens: tuple[str, ...], part: tuple[str, ...]) -> range:
    """Where these words follow each other in the text, however they are spaced: Daehak-ro, Daehak ro, Daehakro."""
    wanted = "".join(part)
    for first in range(len(tokens)):
        joined, last = "", first
        for last in range(first, len(tokens)):
            joined += tokens[last]
            if len(joined) >= len(wanted):
                break
        if joined == wanted:
            return range(first, last + 1)
    return range(0)


def _holds(tokens: tuple[str, ...], part: tuple[str, ...]) -> bool:
    return len(_place(tokens, part)) > 0


def _number_last(part: tuple[str, ...]) -> tuple[str, ...]:
    """The same street with the house number at the end instead of the beginning."""
    return (*part[1:], part[0]) if part[0].isdecimal() else part


def _is_code(part: tuple[str, ...]) -> bool:
    return _POSTCODE.fullmatch("".join(part)) is not None


def _has_another_code(tokens: tuple[str, ...], parts: tuple[tuple[str, ...], ...], code: tuple[str, ...]) -> bool:
    """Whether a code of the same form stands after a part of the address, perhaps with a state between."""
    for part in parts:
        ends = max(_place(tokens, part), default=len(tokens)) + 1
        ends += ends < len(tokens) and tokens[ends] in STATES.values()
        beside = tokens[ends : ends + len(code)]
        if beside != code and _is_code(beside) and [*map(len, beside)] == [*map(len, code)]:
            return True
    return False


def _is_region(named: list[tuple[str, ...]]) -> bool:
    """Whether the last of several parts is a province or a state."""
    return len(named) > 1 and (named[-1][-1] == "do" or named[-1][-1] in STATES.values())


def says_address(address: str, text: str, *, whole: bool = False) -> bool:
    """Whether a text states this address. Without `whole`, the postcode may be missing.

    Without `whole`, the last of three or more named parts may be missing too: it is a region that the town implies.
    Another postcode beside these parts is never missing: it makes another address.
    """
    tokens, parts = _tokens(text), _parts(address)
    missing = [part for part in parts if not (_holds(tokens, part) or _holds(tokens, _number_last(part)))]
    if not missing:
        return bool(parts)
    if any(_is_code(part) and _has_another_code(tokens, parts, part) for part in missing):
        return False
    named = [part for part in parts if not any(piece.isdecimal() for piece in part)]
    spare = [part for part in parts if _is_code(part)] + [part for part in named if " ".join(part) in NATIONS]
    spare += named[-1:] if len(named) > 2 or _is_region(named) else []
    return not whole and all(part in spare for part in missing)


_STREET = lazy_pattern(
    r"\b\d+(?:-\d+)? [\w-]+(?: [\w-]+)?[ -]?(?:ro|gil|daero|street|st|road|rd|avenue|ave|lane|ln|drive|close|way"
    r"|court)\b"
    r"|\b[\w-]+[ -](?:ro|gil|daero) \d+\b"
)
_BESIDE = lazy_pattern(
    r"[\W_]*(?:(?:in|at|of|the|that's in|here in|which is in|and|now|these days|at present|at the moment)[\W_]*)?"
    r"(?<![?!;])"
)
_NAMES_END = lazy_pattern(
    r"(?:not|never|isn't|rather than|instead of|no longer)(?: (?:in|at|the|of|number|no|flat|apt|apartment|unit"
    r"|room))*[\s,.#]*$"
)


def _written(word: str) -> tuple[str, ...]:
    """The short form of a word, and all its long forms."""
    return (word, *(long for long, short in _SHORT.items() if short == word))


@lru_cache(4096)
def _loose(part: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern that finds a part of an address in a text, with the number before or after the street."""
    words = [
        r"\s?".join(word) if word.isdecimal() else rf"(?:{'|'.join(map(re.escape, _written(word)))})" for word in part
    ]
    between = r"[\W_]*(?:(?:number|no|nr|apt|flat|unit|on|at|in|the|of)\b[\W_]*)*"
    ways = [between.join(words)] + ([between.join((*words[1:], words[0]))] if part[0].isdecimal() else [])
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(ways)})(?![^\W_])")


def tells_address(address: str, text: str) -> bool:
    """Whether a text states this address as the patient's own: the street is theirs, and no part of it is denied."""
    if not says_address(address, text):
        return _number_apart(address, text)
    said = without_accents(figures(normalise(text)))
    spots = {part: [found.span() for found in _loose(part).finditer(said)] for part in _with_streets(address)}
    for part, places in spots.items():
        if places and all(_NAMES_END.search(said[:begins]) for begins, _ in places) and not _has_number(part):
            return False
    if any(_only_denied(number, said) for number in _tokens(address) if number.isdecimal()):
        return False
    numbered = [part for part in spots if _has_number(part)]
    street = next((part for part in numbered if not all(map(str.isdecimal, part))), numbered[0] if numbered else None)
    mine = [_with_its_town(said, place, spots) for place in (spots[street] if street is not None else [])]
    if not mine:
        return True
    return is_told(masked(said, mine, (match.span() for match in _STREET.finditer(said))), "address")


def _only_denied(number: str, said: str) -> bool:
    """Whether the text names a number of the address only to deny it: "flat 407, not 704"."""
    places = [match.start() for match in re.finditer(rf"(?<!\d){number}(?!\d)", said)]
    return bool(places) and all(_NAMES_END.search(said[:at]) for at in places)


def _with_its_town(
    said: str, place: tuple[int, int], spots: dict[tuple[str, ...], list[tuple[int, int]]]
) -> tuple[int, int]:
    """The place of a street in the text, extended by the parts of the address next to it."""
    begins, ends = place
    for _ in spots:
        for one, other in (spot for places in spots.values() for spot in places):
            if one >= ends and _BESIDE.fullmatch(said[ends:one]):
                ends = other
            elif other <= begins and _BESIDE.fullmatch(said[other:begins]):
                begins = one
    return begins, ends


def _with_streets(address: str) -> Iterator[tuple[str, ...]]:
    """The parts of an address. A house number that is a part by itself is joined to its street."""
    number: tuple[str, ...] = ()
    for part in _parts(address):
        if len(part) == 1 and part[0].isdecimal() and not _is_code(part):
            number = part
            continue
        yield (*number, *part)
        number = ()


def _has_number(part: tuple[str, ...]) -> bool:
    return any(piece.isdecimal() for piece in part) and len(part) > 1


def _number_apart(address: str, text: str) -> bool:
    """Whether the house number is given separately from its street ("Wongok-ro. House 112."), as the only number."""
    tokens = _tokens(text)
    numbers = [token for token in tokens if token.isdecimal()]
    for part in _parts(address):
        named = tuple(piece for piece in part if not piece.isdecimal())
        figure = [piece for piece in part if piece.isdecimal()]
        if named and not _holds(tokens, named):
            return False
        if figure and (numbers != figure or not re.search(r"\b(?:house|number|no|door|building)\b", normalise(text))):
            return False
    return True


def same_address(written: str, address: str) -> bool:
    """Whether what was written down is this address, without anything that is not part of it."""
    if not says_address(address, written):
        return False
    there, whole = set(_tokens(address)), "".join(_tokens(address))
    tokens = _tokens(written)
    found = {at for part in _parts(address) for at in _place(tokens, part)}
    extra = [one for at, one in enumerate(tokens) if at not in found and one not in there and one not in _FILLERS]
    return all(token in whole and not token.isdecimal() for token in extra)
