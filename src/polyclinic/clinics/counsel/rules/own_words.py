"""Set phrases in which the counsellor speaks of itself: what it is, and that it does not know something.

No document can support them, and they state nothing about medicine, law or services. So they need no source. The flow
and the judges look for facts in the rest of an answer.
"""

from __future__ import annotations

from functools import cache

from polyclinic.clinics.counsel.scenario import data
from polyclinic.text.sentences import sentences

_PHRASES = ("who", "unknown")


@cache
def _own() -> frozenset[str]:
    small = data("heard")["small"]
    return frozenset(part for name in _PHRASES for text in small[name].values() for part in sentences(text))


def beyond_own_words(answer: str) -> str:
    """The sentences of an answer that are no such phrase. Empty if it has no others."""
    kept = [part for part in sentences(answer) if part not in _own()]
    return answer if len(kept) == len(sentences(answer)) else " ".join(kept)
