"""Whether a patient said what it was given to say. Names and dates are parsed by code; wishes and intentions are read
by meaning.

This separates the simulator's faults from the staff's: nobody can book what was never asked for. Plain words, such as
the usual ones for "soon", "from this day on" or "anybody but", are decided by code. Everything else goes to the reader.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Literal

from polyclinic.clinics.frontdesk.readings import INTENT, INTENTS, WISH, WISHES
from polyclinic.clinics.frontdesk.rules.doctors import wants_doctor
from polyclinic.clinics.frontdesk.rules.intents import plain_intent
from polyclinic.clinics.frontdesk.rules.plainly import says
from polyclinic.clinics.frontdesk.rules.urgency import hurry, is_visit
from polyclinic.clinics.frontdesk.rules.wished_days import asks_from, names_later_day
from polyclinic.clinics.frontdesk.scenario.slots import Wish
from polyclinic.core.reading import Reads
from polyclinic.text.lazily import lazy_pattern

_EARLIEST = (WISH.ask(wish=WISHES["asap"]),)
_DOCTOR = (WISH.ask(wish=WISHES["physician"]), WISH.ask(wish=WISHES["not_physician"]))
_INTENDS = {"move": INTENT.ask(intent=INTENTS["reschedule"]), "cancel": INTENT.ask(intent=INTENTS["cancel"])}

_INSTEAD = lazy_pattern(r"\b(?:instead|rather|book|want to see|like to see)\b", re.IGNORECASE)
_CANCELS = lazy_pattern(r"\bcancel(?!l?ation)", re.IGNORECASE)


async def states_wish(reads: Reads, wish: Wish, said: Sequence[str], today: date | None = None) -> bool:
    """Whether these words state this wish. Naming a doctor in order to avoid them is not a wish for that doctor, and a
    last possible day is not a first possible day.

    The wish counts as not stated only if the reader is sure of it: unclear words are not the patient's fault.
    """
    text = " ".join(said)
    if wish.kind == "date":
        return wish.valid_from is not None and bool(asks_from(text, wish.valid_from, today))
    if wish.kind == "physician":
        return await _wants_doctor(reads, wish.physician, text)
    return await _wants_earliest(reads, text, today)


async def _wants_doctor(reads: Reads, physician: str, text: str) -> bool:
    plainly = wants_doctor(physician, text)
    if plainly == "yes" and _CANCELS.search(text) and plain_intent(text) == "cancel" and not _INSTEAD.search(text):
        return False
    if plainly != "open":
        return plainly == "yes"
    if says("other_doctor", text):
        return False
    wants, avoids = await reads(text, _DOCTOR)
    return wants.says != "no" or not avoids.yes


async def _wants_earliest(reads: Reads, text: str, today: date | None) -> bool:
    """Whether the words ask for the earliest time.

    A first possible day, a doctor to avoid or no preference is another wish.
    """
    plainly = hurry(text, today)
    if plainly == "soon" and _CANCELS.search(text) and plain_intent(text) == "cancel":
        return False
    if plainly != "open":
        return plainly == "soon"
    if any(says(other, text) for other in ("any_will_do", "named_doctor", "avoids_somebody", "other_matter")):
        return False
    if (
        not (says("speaks_of_time", text) and is_visit(text))
        or names_later_day(text, today)
        or plain_intent(text) == "cancel"
    ):
        return False
    (finding,) = await reads(text, _EARLIEST)
    return finding.says != "no"


async def states_intent(reads: Reads, intent: Literal["move", "cancel"], said: Sequence[str]) -> bool:
    """Whether these words say that the caller wants to move, or to cancel.

    Plain words are matched by patterns; for other words the reader is asked. A caller who does not speak of a visit
    wants neither.
    """
    text = " ".join(said)
    plainly = plain_intent(text)
    if plainly != "open":
        return plainly == intent
    if not says("visit", text) or says("of_papers", text):
        return False
    (finding,) = await reads(text, [_INTENDS[intent]])
    return finding.yes
