"""What a patient said that is exact: names and dates. Wishes and intentions are read by meaning."""

from __future__ import annotations

from datetime import date

from polyclinic.clinics.frontdesk.scenario.slots import Wish
from polyclinic.clinics.frontdesk.scenario.times import dates_in, days_alone
from polyclinic.clinics.frontdesk.state import plain_name


def names_it(wish: Wish, text: str) -> bool:
    """Whether the words hold what this wish needs: the physician's name, or the date. The earliest time needs
    neither.
    """
    if wish.kind == "physician":
        return mentions_name(wish.physician, text)
    if wish.kind == "date":
        return wish.valid_from is not None and mentions_date(wish.valid_from, text)
    return True


def mentions_name(name: str, text: str) -> bool:
    """Whether a person's full name was said, not as a part of longer words; titles, case and spaces do not matter."""
    wanted, words = plain_name(name), plain_name(text)
    begins = words.find(wanted)
    while begins >= 0:
        ends = begins + len(wanted)
        if not (words[:begins][-1:].isalnum() or words[ends : ends + 1].isalnum()):
            return True
        begins = words.find(wanted, begins + 1)
    return False


def mentions_date(day: date, text: str) -> bool:
    """Whether a date was said, in any usual way; the year may be left out, and the month where no other is named."""
    if day.isoformat() in text:
        return True
    named = dates_in(text, year=day.year)
    return day in named or (not named and day.day in days_alone(text))
