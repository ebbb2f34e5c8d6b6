"""Dates that a patient said, in whatever form."""

from __future__ import annotations

import re
from datetime import date

from polyclinic.text.dates import Order, plain
from polyclinic.text.days import days_named

_OWN = re.compile(r"\b(?:mine|my own|me)(?: is|'s| was|:)?(?: on)?(?: the)? ?$")
"""What stands before the speaker's own date where somebody else's is told too."""


_ANOTHERS = re.compile(
    r"\bmy (?:\w+ )?(?:brother|sister|wife|husband|parents|mother|father|son|daughter"
    r"|twin)\b[^;]*\d[^;]* (?:; )?(?:and )?"
    r"i (?:was born|arrived|came|followed)\b[^;]{0,12}(?:\d years?|the year|two|a year|later|years)"
)
"""A relative's date, from which the speaker's own would have to be worked out."""


def mentions_date(day: date, text: str, today: date | None = None, order: Order = "any") -> bool:
    """Whether a date was said, in any usual way; the year may be left out, and the month where no other is named."""
    if day.isoformat() in text and "mine" not in text:
        return True
    words = plain(text)
    named = days_named(words, today, order)
    whole = [mention for mention in named if mention.whole]
    if _ANOTHERS.search(words):
        return False
    own = [mention for mention in whole if len(whole) > 1 and _OWN.search(words[: mention.begins])]
    return any(mention.may_be(day) for mention in own or whole or named)
