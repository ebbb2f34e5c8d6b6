"""Offers of company or of a small service: "Shall I call your daughters?", "Would you like me to stay?"

Such a question leaves the choice to the person, so it presses nobody, whatever a reader finds in it. The rule is exact,
and narrow on purpose: an offer in one clause, to fetch, call or keep company. Offers about treatment, papers or a
decision are read as before. English only: Korean offers are read rightly.
"""

from __future__ import annotations

import re

from polyclinic.text.normal import normalise
from polyclinic.text.sentences import sentences

_OFFER = re.compile(
    r"(?:(?:shall|should|may|can|could) i|(?:would you like|do you want) me to|is it (?:all right|ok|okay) if i)"
    r"(?: also| perhaps| just)? (?:call|ring|phone|ask|fetch|get|bring|invite|stay|sit|wait|come|open|close|turn|read"
    r"|hold|pour|write|message|text)(?! you (?:a|an|to|so)\b)(?P<whom>(?: [\w'-]+){0,9})\?"
)
_MORE = re.compile(
    r"\b(?:so|because|before|until|unless|or|then|finally|at last|that|why|not|and(?! (?:your|the|his|her)\b)"
    r"|to(?! (?:you|come|visit|join|sit|call)\b))\b"
    r"|\b(?:forms?|papers?|documents?|sign\w*|decisions?|decid\w*|treatments?|doses?|medicines?|drugs?|morphine|pills?"
    r"|tablets?|injections?|stop\w*|start\w*)\b"
)


def is_offer(sentence: str) -> bool:
    """Whether a sentence only offers company or a small service."""
    found = _OFFER.fullmatch(normalise(sentence))
    return found is not None and not _MORE.search(found["whom"])


def without_offers(text: str) -> str:
    """The sentences of a text that are no such offers; empty if there are no others."""
    parts = sentences(text)
    kept = [part for part in parts if not is_offer(part)]
    return text if len(kept) == len(parts) else " ".join(kept)
