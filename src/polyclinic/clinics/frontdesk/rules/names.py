"""A person's name in a text, in either order, with or without hyphens and accents, or spelt out letter by letter."""

from __future__ import annotations

import re
from functools import lru_cache

from polyclinic.clinics.frontdesk.rules.hangul import same_korean_name
from polyclinic.clinics.frontdesk.rules.told import is_told, masked
from polyclinic.clinics.frontdesk.scenario.diary import plain_name
from polyclinic.text.lazily import lazy_pattern
from polyclinic.text.normal import letters, straight, without_accents
from polyclinic.text.phrases import phrase_pattern

_TITLE = r"(?:mr|mrs|ms|miss|mx|dr|prof|sir|madam)\b\.?"
_TITLES = lazy_pattern(rf"^\s*{_TITLE}\s*|\s*[(,]\s*{_TITLE}\)?\s*$", re.IGNORECASE)
_SPELT = lazy_pattern(r"\b[a-z](?:[-.][a-z])+\b|\b[a-z](?: [a-z]){2,}\b")
_LABEL = lazy_pattern(
    r"\b(?:sur|family |last |first |given |fore|middle )name|\bwith (?:an?|one|two|no) |\bspel(?:t|l|led)"
    r"|\bthat'?s\b|\bas in\b|\bgiven\b|\bsurname\b"
)
_INITIAL = r"(?:(?!(?:and|or|not|is|but|no|my|for|with|the)\b)[^\W\d_]+\.?\s+)?"
"""A middle name, or its first letter."""


@lru_cache(4096)
def _pattern(name: str) -> re.Pattern[str]:
    """A pattern for a name: its words with spaces, commas or hyphens between them, the family name first or last."""
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
    """The text before and after the first place where a full name is said; None if it is not said.

    In the text after it, "them" replaces the name. Titles, case, accents and spaces do not matter; parts of longer
    words do not count.
    """
    words = _said(text)
    found = _pattern(name).search(words) if plain_name(name) else None
    return None if found is None else (words[: found.start()], _pattern(name).sub("them", words[found.end() :]))


_OTHER_NAME = lazy_pattern(
    r"\b(?!(?:my|is|am|the|not|and|for|its|name|names|was|with|dr|sister|brother|daughter|son|wife|husband"
    r"|mother|father|called|meant|from|of)\b)"
    r"[a-z]{2,9},? [a-z]{2,}-[a-z]{2,}\b|\b[a-z]{2,}-[a-z]{2,} [a-z]{2,9}\b(?! ?')"
)
_CAPITALS = lazy_pattern(
    r"\b(?!I\b|I'|My\b|The\b|It\b|No\b|Not\b|Dr\b|Mr\b|Mrs\b|Ms\b|Miss\b)[A-Z][a-z]+(?:[- ][A-Z]?[a-z]+)*(?:[ -]"
    r"[A-Z][a-z]+)+\b"
)
_TITLED = lazy_pattern(
    r"\b(?:dr\b\.?|prof\b\.?|doctor|professor) (?!(?:with|her|him|and|who|for|is|that|at|in|on|please|pls|to|or|if"
    r"|from|will"
    r"|can|you|i|was|has|there|today|tomorrow|called|named|did|does|a|an|the|of|about|any|his|my|this|next|now|first|as"
    r"|then|but|so|available|free|soon|said|says|told|again|instead|i'm|we|it|not"
    r"|no)\b)([^\W\d_]+(?: [^\W\d_]+-[^\W\d_]+)?)",
    re.IGNORECASE,
)
_SOUGHT = lazy_pattern(
    r"\b(?:(?:speak|talk|spoke|talking|speaking|write|reply) (?:to|with)|message for|looking for|ask(?:ed"
    r"|ing)? for|visit(?:ing)?|nurse|doctor|see|seen by|(?:letter|parcel|mail|post)(?: \w+)? (?:to|for)"
    r"|appointment with|referred by|treated by|waiting for|is there an?|(?:married|engaged|related) to|divorced from"
    r"|(?:friend|neighbou?r|colleague) of)(?: (?:called|named|nurse|doctor|a|an|mr\.?"
    r"|mrs\.?|ms"
    r"|miss|the|a|my \w+|one))*[\s:,'\"]*$"
    r"|\b(?:an?|the|some|one|that|your)(?! (?:\w+ )?(?:patient|child|baby|boy|girl|son"
    r"|daughter))(?: \w+){1,4} (?:called"
    r"|named|by the name of) $"
)


def other_names(text: str, said: str) -> list[tuple[int, int]]:
    """Where other people's names seem to be in the text."""
    spots = [match.span() for match in _OTHER_NAME.finditer(said)]
    for match in _CAPITALS.finditer(straight(text)):
        at = said.find(match[0].lower())
        if at >= 0:
            spots.append((at, at + len(match[0])))
    for match in _TITLED.finditer(straight(text)):
        at = said.find(match[1].lower())
        if at >= 0:
            spots.append((at, at + len(match[1])))
    return spots


_PART = lazy_pattern(r"[a-z]+-[a-z]+")


def name_spans(name: str, text: str) -> tuple[str, list[tuple[int, int]]]:
    """A text without titles, and where a doctor's name is in it.

    The name may be given in full. The given name alone is enough if the family name is elsewhere in the text ("There
    are two Kims. So-dam's mine.").
    """
    said = _said(text)
    spots = [match.span() for match in _pattern(name).finditer(said)] if plain_name(name) else []
    if not spots and len(parts := without_accents(plain_name(name)).split()) > 1:
        given = [part for part in parts if _PART.fullmatch(part)]
        family = [part for part in parts if part not in given]
        if given and all(phrase_pattern(one, possessive=True).search(said) for one in family):
            spots = [match.span() for match in phrase_pattern(given[0]).finditer(said)]
    return said, spots


def tells_name(name: str, text: str) -> bool:
    """Whether a text states this name as the patient's own."""
    said = _said(text)
    mine = [match.span() for match in _pattern(name).finditer(said)] if plain_name(name) else []
    if not mine:
        return says_name(name, text)
    kept = [(a, b) for a, b in mine if _SOUGHT.search(said[:a]) is None]
    return bool(kept) and is_told(masked(said, kept, other_names(text, said)), "name")


def mentions_name(name: str, text: str) -> bool:
    """Whether a person's full name was said."""
    return name_at(name, text) is not None


def same_name(written: str, name: str, family: str, given: str) -> bool:
    """Whether what was written down is this name, in either order."""
    if same_korean_name(written, name):
        return True
    plain = letters(without_accents(_TITLES.sub("", written)))
    words = without_accents(_TITLES.sub("", written)).replace(",", " ").split()
    if any(letters("".join(words[at:] + words[:at])) == letters(without_accents(name)) for at in range(1, len(words))):
        return True
    return plain in (letters(without_accents(name)), letters(without_accents(f"{given}{family}")))


def says_name(name: str, text: str) -> bool:
    """Whether a text holds a full name: in one piece, or word by word because it is spelt out or given in parts."""
    if mentions_name(name, text):
        return True
    said = _said(text)
    spelt = [letters(run) for run in _SPELT.findall(said)]
    if not (spelt or _LABEL.search(said)):
        return False
    return all(
        phrase_pattern(part, part.replace("-", ""), loose="-").search(said) or letters(part) in spelt
        for part in without_accents(plain_name(name)).split()
    )
