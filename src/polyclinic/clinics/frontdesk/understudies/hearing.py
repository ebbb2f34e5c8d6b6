"""How the staff's understudy finds particulars in any sentence: by the form of numbers and names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from polyclinic.text.lazily import lazy_pattern
from polyclinic.text.phrases import last_place, word_begins
from polyclinic.text.sentences import SENTENCE_START

_NAME = r"[A-Z][\w'’-]*(?: (?:[a-z]{1,3} )?[A-Z][\w'’-]*){1,3}"
_TWO_NAMES = lazy_pattern(r"[A-Z][\w'’-]* (?:[a-z]{1,3} )?[A-Z]")
"""Every text with a full name matches this."""
_LEADS = ("name's", "Name's", "name is", "Name is", "name:", "Name:", "I am", "I'm", "this is", "This is")
_MORE_LEADS = ("called", "Called", "it is for", "It is for")
_INTRODUCED = lazy_pattern(rf"(?:{word_begins(_LEADS + _MORE_LEADS)})\s*({_NAME})")
_ALONE = lazy_pattern(rf"(?:{SENTENCE_START}|: ?)({_NAME})(?=[,.;]|$)")
_BEFORE = lazy_pattern(rf"({_NAME}) (?:is (?:the|my) name|here|speaking)\b")
_TITLE = lazy_pattern(r"\b(?:Dr|Doctor|Prof)\.? [A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*")
_FEMALE = lazy_pattern(r"\b(?:female|woman|lady)\b")
_MALE = lazy_pattern(r"\b(?:male|man|gentleman)\b")
_DIGIT = lazy_pattern(r"\d")
_NO_DIGIT = lazy_pattern(r"\D")
_DATE = lazy_pattern(r"\d{4}-\d{2}-\d{2}")
_NUMBER = lazy_pattern(r"[+(\d](?<![\w-].)(?:(?<=\d)|(?<=\+)\(?\d|(?<=\()\d)[\d ()/-]{5,}\d(?![\w-])")
_DIAL = lazy_pattern(r"\b(?:phone|mobile|cell|telephone|reach(?:ed)?|call|ring|contact)\b")
_CARD = lazy_pattern(r"\b(?:personal|id|identity|identification|resident|registration|chi|card)\b")
_LIVES = lazy_pattern(
    r"\b(?:address(?: is|:)|live (?:at|in|on)|living (?:at|in)|home is(?: at)?|reside (?:at|in)|stay at)\s+(.+)",
    re.IGNORECASE,
)
_LIVES_HOLDS = ("address", "live at", "live in", "live on", "living", "home is", "reside", "stay at")
"""Every match of `_LIVES` begins with one of these."""
_NEXT_SENTENCE = lazy_pattern(r"[.;](?=\s+(?:My|I|The|You|And|It|Is|What)\b)|[.;!?]?\s*$")
"""Where an address ends. Not at every sentence: an address may hold "St. Mary"."""
_NOT_NAMES = ("I", "Good", "Hello", "Hi", "Yes", "No", "My", "Sure", "The", "Thank", "Well")
"""Not the stop words: Will, An and So are names."""


def listen(said: Iterable[str]) -> dict[str, str]:
    """The particulars in a patient's words; the last mention counts."""
    heard: dict[str, str] = {}
    for text in said:
        heard.update(_particulars(text))
    return heard


@lru_cache(maxsize=4096)
def _particulars(text: str) -> tuple[tuple[str, str], ...]:
    """The particulars in one utterance. The same utterance comes again in each round, so the result is cached."""
    found: dict[str, str] = {}
    lowered = text.lower()
    address = _LIVES.search(text) if any(words in lowered for words in _LIVES_HOLDS) else None
    if address:
        found["address"] = address[1][: _end(address[1])].strip()
    rest = text.replace(found["address"], " ") if address else text
    found |= _numbers(rest)
    name = _name(rest)
    if name:
        found["name"] = name
    lowered = rest.lower()
    if _FEMALE.search(lowered):
        found["sex"] = "female"
    elif _MALE.search(lowered):
        found["sex"] = "male"
    return tuple(found.items())


def _end(text: str) -> int:
    match = _NEXT_SENTENCE.search(text)
    return match.start() if match else len(text)


def _numbers(text: str) -> dict[str, str]:
    """Phone and personal number. The nearest words before a number, or else its form, decide which one it is."""
    found: dict[str, str] = {}
    if _DIGIT.search(text) is None:
        return found
    begins = 0
    for match in _NUMBER.finditer(text):
        before, value = text[begins : match.start()].lower(), match[0].strip()
        begins = match.end()
        if len(_NO_DIGIT.sub("", value)) < 7 or _DATE.fullmatch(value):
            continue
        card, dial = last_place(_CARD, before), last_place(_DIAL, before)
        if card > dial and not value.startswith("+"):
            found["identifier"] = value
        elif dial >= 0 or value.startswith(("+", "0", "(")):
            found["phone"] = value
        else:
            found["identifier"] = value
    return found


def _name(text: str) -> str:
    """The full name with which somebody introduces themselves; names of doctors do not count."""
    if _TWO_NAMES.search(text) is None:
        return ""
    plain = _TITLE.sub(" ", text)
    for pattern in (_BEFORE, _INTRODUCED, _ALONE):
        names: Sequence[str] = [name for name in pattern.findall(plain) if name.split()[0] not in _NOT_NAMES]
        if names:
            return names[-1]
    return ""
