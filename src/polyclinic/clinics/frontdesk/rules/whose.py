"""Whose particular it is. A number, name or address that a text tells of somebody else, of earlier days, or in order to
deny it is not the speaker's, although it stands in the words.

Somebody may also speak for the patient ("my daughter, Lee Seo-yeon"). So what belongs to a relative counts as the
patient's unless the speaker gives the same of themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from polyclinic.text.sentences import is_question, sentence_spans
from polyclinic.text.words import words_and_numbers

_DOUBT = re.compile(
    r"\b(?:not|never|wrong|mistake|old|used|was|were|ex|no longer|crossed|nobody|instead|factory|office|branch|shop"
    r"|work"
    r"|home|pharmacy|dial\w*|of my|is (?:my|a|an|the)|entered|posting|sending|myself|me)\b"
)
"""Without one of these words a value is the speaker's."""
_REACH = 60
_DENIED_BEFORE = re.compile(
    r"(?:\b(?:used to (?:be|live at)|was|were|previously|formerly|instead of|rather than|wrong(?:ly)?|not"
    r"|moved (?:out of|from)"
    r"|(?:has|have|had) (?:\w+ )?(?:entered|written|put(?: down)?)|['’]d put down|posting\b[^.;]*|sending\b[^.;]*to"
    r"|dial\w*"
    r"|(?:old|previous|former|ex['’]s) (?:\w+ )?(?:one|number|address|name)?(?: is| was)?"
    r"|(?:factory|office|work|workplace|branch|school|shop|care home|pharmacy|clinic|hotel)\b[^.;]{0,30}?(?:is|at|on)"
    r"|of my \w+))[\s:,'\"(-]*$"
)
_KIN = (
    r"(?:brother|sister|ex|wife|husband|mother|father|mum|dad|son|daughter|cousin|uncle|aunt|twin|roommate|flatmate"
    r"|neighbou?r|boss|colleague|predecessor|friend|landlord|passenger)"
)
_DENIED_AFTER = re.compile(
    r"^(?:[\s,)\"'-]*(?:is|was|belongs to|['’]s)?[\s,]*(?:a |an |the )?(?:passenger|stranger|customer|ex|old one"
    r"|wrong)"
    r"|[\s\"')]*\? (?:wrong|no\b|never|who)|[^.;?]{0,12}\b(?:then )?crossed|[^.;?]{0,12}\bwhere nobody"
    r"|[^.;?]{0,30}\bnot mine"
    r"|[^.;?]{0,60}\bnever (?:borne|heard|had|lived|been)|[^.;?]{0,30}\b(?:the pharmacy|the night nurse|is dead"
    r"|no longer))"
)
_OF_KIN = re.compile(rf"^\W*(?:is|was) my (?:\w+ )?{_KIN}\b")
_SELF = re.compile(r"\b(?:i myself|myself|i am|i['’]m|me,|got me|mine|use)\b")


def is_own(text: str, begins: int, ends: int) -> bool:
    """Whether what stands at this place of a text is told as the patient's, and is meant to hold."""
    text = _lower(text)
    before, after = text[max(0, begins - _REACH) : begins], text[ends : ends + 2 * _REACH]
    if _DENIED_BEFORE.search(before) or _DENIED_AFTER.match(after) or _about_others(text, begins, ends):
        return False
    return not (_OF_KIN.match(after) and _SELF.search(after))


_CLAIMED = re.compile(
    r"\b(?:my|mine|our|i['’]m|i am|i live|me|it['’]s|it is|that['’]s|this is|here|now|patient|she['’]s|he['’]s"
    r"|for my)\b"
    r"[^.;!?]{0,40}$"
)
_OTHERS = re.compile(
    rf"\b(?:{_KIN[3:-1]}|stranger|customer|tenant|company|factory|office|shop|school|branch|pharmacy|hotel|taxi"
    rf"|bank|police"
    r"|agency|nurse|driver|ward|his|hers|theirs|your|yours|somebody['’]s|someone['’]s)\b"
)
_ASKS = re.compile(r"^\W*(?:is|was|does|did|do|are|isn['’]t|who|whose|which|where|why|how come)\b")


def _about_others(text: str, begins: int, ends: int) -> bool:
    """Whether the sentence asks about this value, or tells of others without a word that claims it."""
    starts, stops = next(span for span in _sentences(text) if span[0] <= begins < span[1])
    before, sentence = text[starts:begins], text[starts:stops]
    if _ASKS.match(before) and is_question(sentence):
        return True
    if not before[-1:].isalnum() and not _names_others(sentence):
        return False
    return _OTHERS.search(before + text[ends:stops]) is not None and _CLAIMED.search(before) is None


def value_is_own(value: str, text: str) -> bool:
    """The same of a value by itself; of several places one is enough, and a value that is written otherwise is own."""
    if not value or not _leaves_doubt(text):
        return True
    if any(is_own(text, *place) for place in _as_written(value, text)):
        return True
    loosely = r"[\W_]*".join(re.escape(word) for word in words_and_numbers(value))
    spots = [match.span() for match in re.finditer(loosely, text, re.IGNORECASE)]
    places = [spot for spot in spots if _ends_there(text, spot[1])]
    return not places or any(is_own(text, *place) for place in places)


def _as_written(value: str, text: str) -> Iterator[tuple[int, int]]:
    """Where a value stands letter by letter: most do, and to look for that takes a tenth of the time."""
    bare = value.lstrip("+( ")
    if not (bare.isascii() and bare[:1].isalnum() and bare[-1:].isalnum()):
        return
    begins = text.find(bare)
    while begins >= 0:
        ends = begins + len(bare)
        if _ends_there(text, ends):
            yield begins, ends
        begins = text.find(bare, ends)


def _ends_there(text: str, place: int) -> bool:
    return not text[place : place + 1].isalnum()


# A person's words are asked about one particular after another. All patterns are of small letters: those that take
# both kinds are much slower.
@lru_cache(maxsize=64)
def _lower(text: str) -> str:
    """The text in small letters, each in its place."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else "".join([low if len(low := c.lower()) == 1 else c for c in text])


@lru_cache(maxsize=64)
def _leaves_doubt(text: str) -> bool:
    return _DOUBT.search(_lower(text)) is not None


@lru_cache(maxsize=64)
def _sentences(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(sentence_spans(text))


@lru_cache(maxsize=64)
def _names_others(sentence: str) -> bool:
    return _OTHERS.search(sentence) is not None
