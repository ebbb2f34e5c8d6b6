"""Dates that a patient said, in whatever form."""

from __future__ import annotations

from datetime import date

from polyclinic.text.dates import Order
from polyclinic.text.days import named_in


def mentions_date(day: date, text: str, today: date | None = None, order: Order = "any") -> bool:
    """Whether a date was said, in any usual way; the year may be left out, and the month where no other is named."""
    if day.isoformat() in text:
        return True
    named = named_in(text, today, order)
    whole = [mention for mention in named if mention.whole]
    return any(mention.may_be(day) for mention in whole or named)
