"""A person's own words, said back: "My sister came to sit with me" becomes "So your sister came to sit with you."

It shows that they were heard. What a person says of themselves is reported, not confirmed: "You tell me that you feel
like a burden." In Korean the words are quoted, because the ending of a verb says who speaks to whom.

Words of death, violence, insult or medicine are never said back. Nothing is said back of a message that a guard does
not find clearly harmless.
"""

from __future__ import annotations

import re
from typing import Literal

from polyclinic.clinics.counsel.rules.courtesy import greets, only_courtesy, thanks_in
from polyclinic.clinics.counsel.rules.lexicon import screen
from polyclinic.clinics.counsel.rules.small_talk import has_words, matters, takes_leave
from polyclinic.clinics.counsel.rules.trained import read_message
from polyclinic.clinics.counsel.scenario import Lang, data
from polyclinic.text.sentences import is_question, sentences
from polyclinic.text.words import spoken_words

_MOST_WORDS: dict[Lang, int] = {"en": 18, "ko": 12}
_LEAST_WORDS: dict[Lang, int] = {"en": 4, "ko": 3}
_YOU = {
    **dict.fromkeys(("i", "me", "we", "us"), "you"),
    **dict.fromkeys(("my", "our"), "your"),
    **dict.fromkeys(("mine", "ours"), "yours"),
    **dict.fromkeys(("i'm", "im", "we're"), "you're"),
    **dict.fromkeys(("i've", "ive", "we've"), "you've"),
    **dict.fromkeys(("i'd", "we'd"), "you'd"),
    **dict.fromkeys(("i'll", "we'll"), "you'll"),
    "myself": "yourself",
    "ourselves": "yourselves",
}
_WORD = re.compile(r"[A-Za-z']+")
_AM = re.compile(r"\b(i|I) (am|was|wasn't)\b")
_ARE = {"am": "are", "was": "were", "wasn't": "weren't"}
_LEFT_OUT = re.compile(r"^(?:(?:but|and|so|because|well|oh|yes|no|ok|okay|you know|honestly)\b[, ]+)+", re.IGNORECASE)
_SPEAKS_TO = re.compile(r"\b(?:you|your|u)\b|[\"“”]", re.IGNORECASE)
_OWN = r"(?:i|i'm|im|i've|ive|i'd|i'll|we|we're|we've|we'd)(?![\w'])"
_WHOLE = re.compile(
    rf"^(?:{_OWN}|(?:it|it's|he|she|they|there's)(?![\w']))"
    rf"|^(?:when|since|after|before|if|every|last|some|now|at|in|today|yesterday|these|most)\b.* {_OWN}"
    r"|^(?:the|this|there|my|our|today|yesterday)\b.* (?:is|are|was|were|am|has|have|had|can|can't|could|couldn't|will"
    r"|won't|would|does|doesn't|did|didn't|don't|\w+ed|came|comes|went|goes|said|says|told|tells|gave|gives|took|takes"
    r"|got|gets|made|makes|kept|keeps|feels|felt|rang|rings|brought|brings|sat|left|saw|found|knows|thinks)\b",
    re.IGNORECASE,
)
"""What a whole sentence begins with, so that "So" or "You tell me that" can stand before it. A noun needs a verb."""
_KOREAN_END = re.compile(r"[요다죠네어아지해야](?:\W|[ㅠㅜ])*$")
_NOT_FROM_ME = re.compile(r"^\W*(?:(?:i'm |i am )?sorry|(?:ha){2,}|lol|[ㅋㅎ]|죄송|미안)|죄송", re.IGNORECASE)
"""An apology and a laugh."""
_DEATH = re.compile(r"\b(?:kill\w*|suicid\w*|end (?:it|my)|disappear)\b|자살|끝내|사라지", re.IGNORECASE)
"""Words about dying beside those of `matters`."""
_BAD_FORM = re.compile(
    r"\b[A-Z]{2,}\b|\b(?:[Aa]m|[Ww]as|[Dd]o|[Dd]id|[Hh]ave|[Cc]an|[Ww]ill|[Ss]hall|[Ss]hould) [Ii]\b"
    r"|^\W*(?:(?:[Mm]y|[Oo]ur|[Tt]he) )?\w+ and [Ii]\b|\b[A-Z][a-z]+ and [Ii]\b"
)
"""Capitals, a verb before "I", and "Mary and I": these would be said back in a wrong form."""
_MOST_READ = 2000
"""The longest message in characters of which a sentence is said back."""
_HARMLESS = 0.06
"""The probability of danger below which the trained guard finds a message clearly harmless.

Below 0.07, which a farewell among plain sentences has ("I think it is time to go to him now", of a dead husband). Plain
sentences have 0.01 or less.
"""
Manner = Literal["told", "felt"]


def said_again(text: str, lang: Lang, manner: Manner) -> str:
    """The last sentence of a text that can be said back, as said by somebody who heard it; empty if there is none."""
    fitting = [part for part in sentences(text) if _can_be_said(part, lang)] if len(text) <= _MOST_READ else []
    if not fitting or not _is_harmless(text):
        return ""
    words = fitting[-1].rstrip(" .!~…,;")
    return str(data("heard")["again"][manner][lang]).format(words=words if lang == "ko" else _to_you(words))


def _is_harmless(text: str) -> bool:
    """Whether neither the words nor a guard find anything in a whole message that should not be said back."""
    if matters(text) or has_words("never_said_back", text) or screen(text).words:
        return False
    reading = read_message(text)
    return reading.level == "none" and reading.danger < _HARMLESS


def _can_be_said(sentence: str, lang: Lang) -> bool:
    count = len(spoken_words(sentence))
    if is_question(sentence) or only_courtesy(sentence) or _DEATH.search(sentence):
        return False
    if greets(sentence) or thanks_in(sentence) or takes_leave(sentence) or _NOT_FROM_ME.search(sentence):
        return False
    if not _LEAST_WORDS[lang] <= count <= _MOST_WORDS[lang]:
        return False
    if lang == "ko":
        return bool(_KOREAN_END.search(sentence))
    plain = _LEFT_OUT.sub("", sentence.replace("’", "'"))
    return bool(_WHOLE.search(plain)) and not _SPEAKS_TO.search(sentence) and not _BAD_FORM.search(plain)


def _to_you(sentence: str) -> str:
    """An English sentence with "you" for "I" and a small first letter, to stand after "So" or "You tell me that"."""
    plain = _LEFT_OUT.sub("", sentence.replace("’", "'"))
    turned = _AM.sub(lambda hit: f"{hit[1]} {_ARE[hit[2]]}", plain)
    turned = _WORD.sub(lambda hit: _YOU.get(hit[0].lower(), hit[0]), turned)
    return turned[0].lower() + turned[1:]
