"""Whether words of the clerk ask for a diagnosis. A language model names it; a person asks in any words."""

from __future__ import annotations

import re

_NAMES_IT = "diagnos"
_IN_OTHER_WORDS = re.compile(
    r"\b(?:doctor|gp|physician|specialist|consultant|hospital|clinic|somebody|someone|anybody|anyone|you been)\b"
    r".{0,40}\b(?:told|tell|said|say|says|seen|see|looked|look|found|find|examined|called|explained|confirmed)\b"
    r"|\b(?:told|said|say|explained|been seen)\b.{0,30}\b(?:doctor|gp|physician|specialist|consultant)\b"
    r"|\bknow what (?:it is|you have|is wrong|causes|the (?:problem|cause|illness) is)\b"
    r"|\b(?:what|which) (?:illness|disease|condition)\b|\bname (?:for|of) (?:it|this|your|the)\b|\breferral\b"
    r"|진단|병명|무슨 병|어떤 병|(?:의사|선생님|병원).{0,20}(?:뭐라|말씀|들으|들었|보셨|소견)",
    re.IGNORECASE,
)


def asks_for_diagnosis(text: str, *, by_person: bool) -> bool:
    """Whether a line asks if a diagnosis is known. Other words than the term count for a person only."""
    return _NAMES_IT in text.casefold() or (by_person and _IN_OTHER_WORDS.search(text) is not None)
