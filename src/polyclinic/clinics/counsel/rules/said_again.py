"""A person's own words, said back: "My sister came to sit with me" becomes "So your sister came to sit with you."

It shows that they were heard. What a person says of themselves is reported, not confirmed: "You tell me that you feel
like a burden." In Korean the words are quoted, because the ending of a verb says who speaks to whom.
"""

from __future__ import annotations

import re
from typing import Literal

from polyclinic.clinics.counsel.rules.courtesy import only_courtesy
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
_LEFT_OUT = re.compile(
    r"^(?:(?:but|and|so|because|well|oh|yes|no|ok|okay|hello|hi|you know|honestly|sorry)\b[, ]+)+", re.IGNORECASE
)
_SPEAKS_TO = re.compile(r"\b(?:you|your|u)\b|[\"“”]", re.IGNORECASE)
_WHOLE = re.compile(
    r"^(?:the|it|it's|this|there|he|she|they|today|yesterday)\b|\b(?:i|i'm|im|i've|ive|i'd|we|my|our)\b", re.IGNORECASE
)
"""What a whole sentence begins with or has, so that "So" or "You tell me that" can stand before it."""
_DEATH = re.compile(
    r"\b(?:die|dies|died|dying|dead|death|kill\w*|suicid\w*|end (?:it|my)|disappear)\b|죽|자살|끝내|사라지",
    re.IGNORECASE,
)
"""Words about death are answered, never said back."""
Manner = Literal["told", "felt"]


def said_again(text: str, lang: Lang, manner: Manner) -> str:
    """The last sentence of a text that can be said back, as said by somebody who heard it; empty if there is none."""
    fitting = [part for part in sentences(text) if _can_be_said(part, lang)]
    if not fitting:
        return ""
    words = fitting[-1].rstrip(" .!~…,;")
    return str(data("heard")["again"][manner][lang]).format(words=words if lang == "ko" else _to_you(words))


def _can_be_said(sentence: str, lang: Lang) -> bool:
    count = len(spoken_words(sentence))
    if is_question(sentence) or only_courtesy(sentence) or _DEATH.search(sentence):
        return False
    if not _LEAST_WORDS[lang] <= count <= _MOST_WORDS[lang]:
        return False
    return lang == "ko" or bool(_WHOLE.search(_LEFT_OUT.sub("", sentence)) and not _SPEAKS_TO.search(sentence))


def _to_you(sentence: str) -> str:
    """An English sentence with "you" for "I", beginning with a small letter where it is no name."""
    plain = _LEFT_OUT.sub("", sentence.replace("’", "'"))
    turned = _AM.sub(lambda hit: f"{hit[1]} {_ARE[hit[2]]}", plain)
    turned = _WORD.sub(lambda hit: _YOU.get(hit[0].lower(), hit[0]), turned)
    return turned[0].lower() + turned[1:]
