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
    r"(?:because|before|until|till|unless|if|when|while|even|as|since|without|after|in case|whatever|however|or|and)\b",
    re.IGNORECASE,
)
"""A clause that begins so belongs to the clause before it, unless it refuses something itself."""


@lru_cache(maxsize=1024)
def refused_acts(sentence: str) -> tuple[str, ...]:
    """What an English sentence refuses or forbids, clause by clause, from the verb on. Nothing if one of its main
    clauses does anything else.
    """
    acts: list[str] = []
    for clause in _CLAUSE_END.split(straight(sentence).strip()):
        refuses = _REFUSES.search(clause)
        if refuses:
            acts.append(refuses["act"])
        elif not acts or not _HANGS_ON.match(clause) or _CLAUSE_END.match(f" {clause}"):
            return ()
    return tuple(acts)
