"""Whether a patient really said the wish it was given: needed to tell the simulator's faults from the staff's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from polyclinic.clinics.frontdesk.rules.slots import Wish
from polyclinic.clinics.frontdesk.state import plain_name

_EARLIEST = re.compile(
    r"\b(earliest|soonest|soon|sooner|asap|a\.s\.a\.p|as early as"
    r"|(first|next) ([\w-]+ )?(available|free|possible|time|slot|opening|appointment)"
    r"|quick(ly|est)?|right away|immediately|any time|whenever)\b",
    re.IGNORECASE,
)
_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")


def states_wish(wish: Wish, utterances: Sequence[str]) -> bool:
    """Whether these words state this wish."""
    text = " ".join(utterances)
    if wish.kind == "physician":
        return mentions_name(wish.physician, text)
    if wish.kind == "date":
        return wish.valid_from is not None and mentions_date(wish.valid_from, text)
    return _EARLIEST.search(text) is not None


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
    """Whether a date was said with year, month and day, in any usual way of writing it."""
    if day.isoformat() in text:
        return True
    month, short = day.strftime("%B").lower(), day.strftime("%b").lower()
    lowered = re.sub(r"(\d)(st|nd|rd|th)\b", r"\1", text.lower()).replace(",", " ").replace(".", " ")
    words = " ".join(lowered.split()).replace("sept ", "sep ")
    forms = (
        f"{month} {day.day} {day.year}",
        f"{short} {day.day} {day.year}",
        f"{day.day} {month} {day.year}",
        f"{day.day} of {month} {day.year}",
        f"{day.day} {short} {day.year}",
        f"{day.year} {month} {day.day}",
        f"{day.month}/{day.day}/{day.year}",
        f"{day.year}/{day.month}/{day.day}",
        f"{day.year}/{day.month:02d}/{day.day:02d}",
    )
    return any(re.search(rf"(?<!\d){re.escape(form)}(?!\d)", words) for form in forms)


def iso_dates(text: str) -> list[str]:
    """The ISO dates in a text, in order."""
    return [match.group() for match in _ISO.finditer(text)]
