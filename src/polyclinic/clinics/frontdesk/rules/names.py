"""A person's name in a text, in either order, with or without hyphens and accents, or spelt out letter by letter."""

from __future__ import annotations

import re
from functools import lru_cache

from polyclinic.clinics.frontdesk.scenario.diary import plain_name
from polyclinic.text.normal import letters, straight, without_accents

_TITLE = r"(?:mr|mrs|ms|miss|mx|dr|prof|sir|madam)\b\.?"
_TITLES = re.compile(rf"^\s*{_TITLE}\s*|\s*[(,]\s*{_TITLE}\)?\s*$", re.IGNORECASE)
_SPELT = re.compile(r"\b[a-z](?:[-.][a-z])+\b|\b[a-z](?: [a-z]){2,}\b")
_LABEL = re.compile(
    r"\b(?:sur|family |last |first |given |fore|middle )name|\bwith (?:an?|one|two|no) |\bspel(?:t|l|led)"
    r"|\bthat'?s\b|\bgiven\b|\bsurname\b"
)
_INITIAL = r"(?:(?!(?:and|or|not|is|but|no|my|for|with|the)\b)[^\W\d_]+\.?\s+)?"
"""A middle name, or its first letter."""


@lru_cache(4096)
def _pattern(name: str) -> re.Pattern[str]:
    """A name's words with spaces, commas or hyphens between them, the family name first or last."""
    parts = [
        re.sub(r"[\s-]+", r"[\\s-]*", re.sub(r"^(ma?c)(?=\w)|'", r"\1['\\s]?", re.escape(part).replace(r"\-", "-")))
        for part in without_accents(plain_name(name)).split()
    ]
    between = rf"[\s,.-]+{_INITIAL}"
    ways = {between.join(way) for way in ((*parts,), (*parts[1:], *parts[:1]), (*parts[-1:], *parts[:-1])) if way}
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(sorted(ways, key=len, reverse=True))})(?![^\W_가-힣])")


def _said(text: str) -> str:
    return plain_name(without_accents(straight(text)))


def name_at(name: str, text: str) -> tuple[str, str] | None:
    """What stands before and after a full name in a text, with "them" where it is said again; None where it is not
    said. Not as a part of longer words; titles, case, accents and spaces do not matter.
    """
    words = _said(text)
    found = _pattern(name).search(words) if plain_name(name) else None
    return None if found is None else (words[: found.start()], _pattern(name).sub("them", words[found.end() :]))


def mentions_name(name: str, text: str) -> bool:
    """Whether a person's full name was said."""
    return name_at(name, text) is not None


def same_name(written: str, name: str, family: str, given: str) -> bool:
    """Whether what was written down is this name, in either order."""
    plain = letters(without_accents(_TITLES.sub("", written)))
    return plain in (letters(without_accents(name)), letters(without_accents(f"{given}{family}")))


def says_name(name: str, text: str) -> bool:
    """Whether a text holds a full name: as it is, or its words apart because they are spelt or told one by one."""
    if mentions_name(name, text):
        return True
    said = _said(text)
    spelt = [letters(run) for run in _SPELT.findall(said)]
    if not (spelt or _LABEL.search(said)):
        return False
    return all(
        re.search(rf"(?<![^\W_]){re.sub(r'-', '[ -]?', re.escape(part).replace(chr(92) + '-', '-'))}(?![^\W_])", said)
        or letters(part) in spelt
        for part in without_accents(plain_name(name)).split()
    )
