"""Who somebody is, compared by value: the same name, number or address however it is written.

Spaces, hyphens, commas and case do not change a value. A phone number may have a country code or not. "Female", "F" and
"woman" are the same sex. An address is the same in another order. Everything else is another value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from polyclinic.clinics.frontdesk.rules.addresses import same_address, says_address, tells_address
from polyclinic.clinics.frontdesk.rules.clauses import KIN
from polyclinic.clinics.frontdesk.rules.names import same_name, says_name, tells_name
from polyclinic.clinics.frontdesk.rules.phones import WHOLE_NUMBER, digits, holds_number, same_number, says_number
from polyclinic.clinics.frontdesk.rules.sexes import sex_of, sexes_said
from polyclinic.people.demographics import Person
from polyclinic.text.lazily import lazy_pattern
from polyclinic.text.normal import letters
from polyclinic.text.phrases import by_first_letter
from polyclinic.text.words import words

_ID_LABEL = lazy_pattern(
    r"\b(?:no|nr|rrn|id|number|reg|registration|ssn|card|resident|num|arc|alien|foreigner|passport|personal|patient"
    r"|pin)\b",
    re.IGNORECASE,
)
FIELDS = ("name", "sex", "phone", "identifier", "address")


def same(field: str, written: str, person: Person) -> bool:
    """Whether the value that was written down is this person's."""
    told: str = getattr(person, field)
    if written == told:
        return True
    if field == "sex":
        return sex_of(written) == told
    if field == "phone":
        return same_number(written, told)
    if field == "identifier":
        return digits(written) == digits(told) and letters(_ID_LABEL.sub("", written)) == letters(told)
    if field == "name":
        return same_name(written, told, person.family, person.given)
    return same_address(written, told)


def was_said(field: str, person: Person, text: str) -> bool:
    """Whether a person's words state this value as the patient's own."""
    told: str = getattr(person, field)
    if field == "sex":
        return told in sexes_said(text)
    if plainly(told, text):
        return True
    if field == "address":
        return tells_address(told, text)
    if field == "name":
        return tells_name(told, text) or _turned(person, text)
    return says_number(told, text, phone=field == "phone")


def _turned(person: Person, text: str) -> bool:
    """Whether the text says the given name directly before the family name."""
    turned = f"{person.given} {person.family}".strip()
    return bool(person.given and person.family) and tells_name(turned, text)


def stands(field: str, value: str, heard: Sequence[str]) -> bool:
    """Whether a value that was written down is in what the patient said, and nobody made it up.

    The last words are searched first, because they answer the last question.
    """
    heard = heard[::-1]
    if field == "sex":
        sex = sex_of(value)
        return sex != "" and any(sex in sexes_said(text) for text in heard)
    if field in ("phone", "identifier"):
        return len(digits(value)) >= WHOLE_NUMBER and any(
            plainly(value, text) or holds_number(value, text, phone=field == "phone") for text in heard
        )
    if any(_whole(value, text) for text in heard):
        return True
    if field == "name":
        return any(says_name(value, text) for text in heard)
    wanted = letters(value)
    return len(wanted) >= WHOLE_NUMBER and any(says_address(value, text, whole=True) for text in heard)


_NEAR, _LONGEST = 60, 20
_CLAIM = lazy_pattern(r"\b(?:my|our|the)(?: [a-z]+){0,2} (?:name|number|address) is $")
_DOUBTS = "never|wrong|mistake|old|sorry|mean|meant|wait|actually|rather|instead|form|screen|crossed|mine|used"
_NO = r"no(?!(?:,? no)?(?:body|[ -]one) has (?:\w+ )?\w+(?:ed|ld|en)\b)"
"""A "no" that does not say that nobody has done something: this denies no value."""
_DOUBT = lazy_pattern(rf"\b(?:not|{_NO}|{by_first_letter(_DOUBTS)}|{KIN})\b|n['’]t|\?")
_DOUBT_WORD = lazy_pattern(rf"not|no|{_DOUBTS}|{KIN}|laws?|half|worker|kin")
"""Both patterns expect lower case, because case-insensitive patterns are slower."""


def plainly(value: str, text: str) -> bool:
    """Whether a text states a value in the plainest way ("my number is …") and nothing near it contradicts.

    Most texts do, and then need no further analysis.
    """
    begins = text.find(value) if value else -1
    ends = begins + len(value)
    if begins < 0 or text[ends : ends + 1].isalnum():
        return False
    before = text[max(0, begins - _NEAR) : begins].lower()
    sentence = before[max(before.rfind(". "), 0) :]
    if _CLAIM.search(sentence) is None or (_may_doubt(sentence) and _DOUBT.search(sentence) is not None):
        return False
    after = text[ends : ends + 2 * _NEAR].lower()  # longer than _NEAR, so that a phrase that begins near is complete
    doubt = _DOUBT.search(after) if _may_doubt(after[: _NEAR + _LONGEST]) else None
    return doubt is None or doubt.start() >= _NEAR


@lru_cache(4096)
def _may_doubt(text: str) -> bool:
    """Whether a text has a word or mark that `_DOUBT` needs in order to match. Results are cached for each word too."""
    if "?" in text or "n't" in text or "n’t" in text:
        return True
    return True in [_doubts(word) for word in words(text)]


@lru_cache(4096)
def _doubts(word: str) -> bool:
    return _DOUBT_WORD.fullmatch(word) is not None


def _whole(value: str, text: str) -> bool:
    """Whether a value is in a text as separate words."""
    begins = text.find(value) if value else -1
    if begins < 0:
        return False
    before, after = text[:begins][-1:], text[begins + len(value) :][:1]
    return not before.isalnum() and not after.isalnum()
