"""Whether a lay person does what helpers do: comforts, speaks for the house, sends on, asks or advises.

A patient may tell what a helper said: a sentence that reports somebody's words does not count.
"""

from __future__ import annotations

from polyclinic.text.lazily import lazy_pattern
from polyclinic.text.sentences import sentences

_COMFORTS = (
    r"your (?:feelings|emotions|concerns?|frustrations?|worries|fears?|anger|grief|reaction) (?:is|are) (?:\w+ )?"
    r"(?:valid|understandable|normal|natural|important)"
    r"|i (?:completely |fully |really )?(?:understand|hear|acknowledge) your (?:frustration|concern|feeling|worr|anger"
    r"|fear)"
    r"|(?:thank you|thanks|appreciate you) (?:so much )?(?:for )?(?:sharing|opening up|reaching out|trusting me)"
    r"|it takes (?:\w+ )?courage to (?:talk|open|share|speak|ask)"
    r"|i(?:'m| am) here to (?:ensure|make sure|see)(?: that)? you"
)
_SPEAKS_FOR_THE_HOUSE = (
    r"(?:apologi[sz]e|sorry|apologies) for (?:any|the) inconvenience|is important to us"
    r"|(?:may|can|could) i (?:please )?(?:have|take|get) your (?:full name|date of birth|surname|address|name and)"
    r"|happy to (?:help|assist) you|for privacy reasons,? i can(?:'t|not)"
    r"|(?:how|what) (?:can|may|could) i (?:help|assist|do for) you\b(?! (?:know|that|to)\b)"
)
_SENDS_ON = (
    r"(?:contact|consult|call|see|seek|speak (?:to|with)|talk to) (?:an? |your )?(?:local |qualified |mental )*"
    r"(?:healthcare|health|crisis|emergency|medical) (?:provider|professional|line|number|services|help|attention)"
    r"|if you(?:'re| are) (?:experiencing|in crisis|struggling|having thoughts)"
)
_ASKS = (
    r"would you like to (?:tell me more|share|talk about|discuss|explore|learn)"
    r"|do you have any (?:other|more|further) (?:questions|concerns)"
    r"|what (?:brings|brought) you (?:in|here)|what seems to be the (?:problem|trouble|matter)"
)
_ADVISES = (
    r"i (?:would |'d |really |strongly )*(?:recommend|advise)(?: that)? you"
    r"|(?:i (?:would |'d )?suggest(?: that)? you|you (?:should|must|need to|ought to|(?:may|might) want to)|be sure to"
    r"|make sure (?:that )?you|remember to|it(?:'s| is) (?:important|best|advisable) (?:that you|for you to|to))"
    r" (?:also |always |try to )*(?:rest|get (?:plenty of |enough |some )?rest|drink (?:plenty|water|lots|enough|more)"
    r"|stay hydrated|eat (?:a |more |less )?(?:healthy|balanced|well)|take your (?:medicine|medication|tablets|pills)"
    r"|keep an eye on your|monitor|seek|exercise|consult|follow up|maintain)\b"
)
_HELPS = lazy_pattern(rf"\b(?:{_COMFORTS}|{_SPEAKS_FOR_THE_HOUSE}|{_SENDS_ON}|{_ASKS}|{_ADVISES})")
_REPORTED = lazy_pattern(
    r"\b(?:said|says?|saying|told|tells|telling|asked|asks|goes|went|wrote|writes|reads?|advised|according)\b"
)


def helpers_words(line: str) -> str:
    """The words with which somebody helps the other person; empty if there are none. `line` is normalised."""
    if _HELPS.search(line) is None:
        return ""
    matches = (_HELPS.search(part) for part in sentences(line) if not _REPORTED.search(part))
    return next((match[0] for match in matches if match), "")
