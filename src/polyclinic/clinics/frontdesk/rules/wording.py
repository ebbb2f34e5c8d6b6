"""A caller's words in careful spelling: with apostrophes, and with the short forms of messages written in full."""

from __future__ import annotations

import re
from functools import lru_cache

from polyclinic.text.lazily import lazy_pattern
from polyclinic.text.normal import normalise

_FULL = {
    "thats": "that's", "dont": "don't", "doesnt": "doesn't", "didnt": "didn't", "cant": "can't", "wont": "won't",
    "isnt": "isn't", "wasnt": "wasn't", "arent": "aren't", "aint": "isn't", "ain't": "isn't", "couldnt": "couldn't",
    "wouldnt": "wouldn't", "shouldnt": "shouldn't", "havent": "haven't", "hasnt": "hasn't", "im": "i'm", "ive": "i've",
    "youre": "you're", "youve": "you've", "theyre": "they're", "shes": "she's", "hes": "he's", "theres": "there's",
    "whats": "what's", "whos": "who's", "its": "it's", "lets": "let's", "ye": "you", "u": "you", "ya": "you",
    "yer": "your", "ur": "your", "pls": "please", "plz": "please", "wanna": "want to", "gonna": "going to",
    "gotta": "got to", "cos": "because", "coz": "because", "cuz": "because", "bc": "because", "'cause": "because",
    "'cos": "because", "wi'": "with", "o'": "of", "aint't": "isn't", "dinnae": "don't", "cannae": "can't",
    "wasnae": "wasn't", "isnae": "isn't", "willnae": "won't", "didnae": "didn't", "nae": "no", "mam": "mum",
    "tho": "though", "tmr": "tomorrow", "tmrw": "tomorrow", "appt": "appointment", "appts": "appointments",
    "cancle": "cancel", "cancell": "cancel", "apointment": "appointment", "appoinment": "appointment",
    "appoitment": "appointment", "appointmnet": "appointment", "abeg": "please", "wan": "want to",
}  # fmt: skip
_WORD = lazy_pattern(r"(?<![\w'-])[\w']+(?![\w-])")
_ME_FOR_MY = lazy_pattern(
    r"\bme (?=(?:sister|brother|mum|mother|father|dad|wife|husband|son|daughter|lad|mate|nan|gran|auntie|uncle)\b)"
)
"""The "me" for "my" of the north: "me sister's at …"."""
_NOON = lazy_pattern(r"\b([ap])\.m\.(?= (?:one|appointment|slot|visit|booking|on|to|and|or|please|instead|today)\b)")
"""Dots that end no sentence: "the 4 p.m. one"."""
_NO_FOR_NOT = lazy_pattern(r"\b(i'm|he's|she's|it's|that's|we're|am|can you|could you|will you|do you) no (?=[a-z]{3})")
"""The Scots "no" for "not": "I'm no seeing", "can ye no squeeze"."""
_PIDGIN_NOT = lazy_pattern(r"\bno (fit|go) (?=(?:come|work|make|do|see|attend|reach|use|need|take|keep|be)\b)")
"""The Nigerian "no" for "not": "I no fit come", "the time no go work"."""
_FOUR_FOR = lazy_pattern(r"(?<=[a-z] )4(?= (?:the|my|me|a|an|it|her|him|us|our|that|this)\b)")
_NO_ITSELF = ("doubt", "longer", "more", "good", "use", "problem", "one", "different", "better", "stranger", "later")
_SHORT_I = lazy_pattern(
    r"\b(?:i(?=d (?:like|rather|prefer|love|want|need|be)\b)|i(?=ll (?:be|take|come|have|call|wait|see|just|go|keep|do"
    r"|need|bring|stick|pass|give)\b))"
)


@lru_cache(maxsize=4096)
def wording(text: str) -> str:
    """The text normalised, with its short forms in full."""
    words = normalise(text)
    words = _WORD.sub(lambda found: _FULL.get(found[0], found[0]), words)
    if " 4 " in words:
        words = _FOUR_FOR.sub("for", words)
    if ".m. " in words:
        words = _NOON.sub(r"\1m", words)
    if "me " in words and (" me " in words or words.startswith("me ")):
        words = _ME_FOR_MY.sub("my ", words)
    if " no " in words:
        words = _NO_FOR_NOT.sub(_not, words)
        words = _PIDGIN_NOT.sub(lambda found: "can't " if found[1] == "fit" else "won't ", words)
    return _SHORT_I.sub("i'", words) if "id " in words or "ill " in words else words


def _not(found: re.Match[str]) -> str:
    following = found.string[found.end() :].split(" ", 1)[0].rstrip(".,;!?")
    return found[0] if following in _NO_ITSELF else f"{found[1]} not "
