"""What a sentence refuses to do or warns against: "never double it" refuses "double it"."""

from __future__ import annotations

import re
from functools import lru_cache

from polyclinic.text.normal import straight

_MODAL = r"(?:will|would|should|shall|must|may|can|could|do|does|did)"
_REFUSES = re.compile(
    rf"\b(?:{_MODAL}(?: not|n't)|cannot|(?:wo|ca|sha)n't|never|"
    rf"(?:(?:am|are|is)(?: not|n't)|'(?:m|re|s) not)(?: going)? to|"
    rf"(?:nobody|no one|none of (?:us|you|them)) (?:here )?{_MODAL})\b"
    r"(?: (?:ever|just|simply|now|yet|be|want to|wish to|like to|try to|let (?:him|her|them|you)))* (?P<act>\w.*)",
    re.IGNORECASE | re.DOTALL,
)
_CLAUSE_END = re.compile(
    r"(?<=[,;:])\s+|\s+-+\s+|\s+(?=(?:but|instead)\b)|"
    rf"\s+(?=(?:and|so) (?:i|we|you|he|she|it|they|there|please|never|nobody|no one|{_MODAL})\b)",
    re.IGNORECASE,
)
_HANGS_ON = re.compile(
    r"(?:because|before|until|till|unless|if|when|while|even|as|since|without|after|though|although|in case|"
    r"whatever|however|so|or|and)\b",
    re.IGNORECASE,
)
"""A part that begins so belongs to the clause before it, unless it refuses something itself."""
_ADDS = re.compile(r"(?:so|and)\b", re.IGNORECASE)
_PART_END = re.compile(rf"{_CLAUSE_END.pattern}|\s+(?={_HANGS_ON.pattern})", re.IGNORECASE)
_TREATS = re.compile(
    r"\b(?:tak(?:e|es|en|ing)|took|giv(?:e|es|en|ing)|gave|us(?:e|es|ed|ing)|stop|start|restart|skip|omit|swallow|inject|"
    r"doubl|tripl|halv|pause|hold|switch|swap|add|combin|mix|drink|eat|rais|lower|increas|reduc|chang|cut)\w*\b",
    re.IGNORECASE,
)
_SAYS_MORE = re.compile(
    rf"{_TREATS.pattern}|\b(?:even|although|though|however|whatever|safe|harmless|normal|needs?|enough|"
    r"(?:i|we|you|he|she|they) (?:can|could|may|might|should|must|will|would)|"
    r"unless(?! (?:the|your|our|my|a) (?:\w+ )?(?:doctor|attending|consultant|pharmacist|team|clinic|specialist)))\b",
    re.IGNORECASE,
)
"""What makes a hanging part more than a reason or a time: it treats, allows, reassures or makes an exception."""


@lru_cache(maxsize=1024)
def refused_acts(sentence: str) -> tuple[str, ...]:
    """What an English sentence refuses or forbids, act by act, from the verb on. Nothing if any other part of it does
    more than to give a reason or a time.
    """
    acts: list[str] = []
    for part in _PART_END.split(straight(sentence).strip()):
        refuses = _REFUSES.search(part)
        if refuses and not _TREATS.search(part[: refuses.start()]):
            acts.append(refuses["act"])
        elif refuses or not acts:
            return ()
        elif part[:3].lower() == "or " and _TREATS.match(part, 3):
            acts[-1] += f" {part}" if " " not in acts[-1] else ""  # "skip or double it": both have the same object
            acts.append(part[3:])
        elif not _HANGS_ON.match(part) or _ADDS.match(part) or _CLAUSE_END.match(f" {part}") or _SAYS_MORE.search(part):
            return ()
        else:
            acts[-1] += f" {part}"
    return tuple(acts)
