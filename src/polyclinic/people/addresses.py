"""A written address in parts, so that a city or a postcode can be found.

Addresses are written as people say them. What cannot be split into parts stays only in the text; nothing is guessed.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from polyclinic.people.locales import Locale, Region, load_locale

_POSTCODE = re.compile(r"\b(\d{5}|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2})\s*$", re.IGNORECASE)
_PROVINCE = "-do"


class AddressParts(NamedTuple):
    """The parts of an address; a part that the text does not contain is empty."""

    line: str = ""
    district: str = ""
    city: str = ""
    state: str = ""
    postcode: str = ""


@lru_cache(maxsize=4096)
def address_parts(text: str, locale_name: str) -> AddressParts:
    """Split an address into parts. A region that is known for the locale's country shows where to split."""
    locale = load_locale(locale_name)
    postcode = _POSTCODE.search(text)
    rest = text[: postcode.start()] if postcode else text
    pieces = _pieces(rest, locale)
    found = _region(locale, pieces)
    code = " ".join(postcode[1].upper().split()) if postcode else ""
    if found is None:
        return AddressParts(line=", ".join(pieces), postcode=code)
    at, region = found
    before, after = pieces[:at], pieces[at + 1 :]
    near, rest_of_it = (before[-1:], before[:-1]) if before else (after[:1], after[1:])
    if near and not _is_area(region, near[0]):
        near, rest_of_it = [], [*rest_of_it, *near]
    area, line = "".join(near), ", ".join(rest_of_it)
    if region.name.endswith(_PROVINCE):
        return AddressParts(line, "", area, region.name, code)
    return AddressParts(line, area, region.name, "", code)


def _pieces(text: str, locale: Locale) -> list[str]:
    """The pieces between commas or on separate lines. A region at the end of a piece is separated too."""
    pieces = [piece.strip() for piece in text.replace("\n", ",").split(",") if piece.strip()]
    for region in locale.regions:
        if pieces and pieces[-1].casefold().endswith(f" {region.name.casefold()}"):
            cut = len(pieces[-1]) - len(region.name)
            return [*pieces[:-1], pieces[-1][:cut].strip(), region.name]
    return pieces


def _region(locale: Locale, pieces: list[str]) -> tuple[int, Region] | None:
    """The last piece that names a region, and that region."""
    for at in range(len(pieces) - 1, -1, -1):
        for region in locale.regions:
            if pieces[at].casefold() == region.name.casefold():
                return at, region
    return None


def _is_area(region: Region, piece: str) -> bool:
    """Whether a piece is an area of the region. A piece that is not on our list counts too, unless it has a number."""
    return piece.casefold() in {area.casefold() for area in region.areas} or not re.search(r"\d", piece)
