"""Whether a patient said what it was given to say. Names and dates are parsed; wishes and intentions are read.

It tells the simulator's faults from the staff's: nobody can book what was never asked for. What a sentence says plainly
(the usual words for soon, from a day on, anybody but) is decided by these words; everything else goes to the reader.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import Literal, Protocol

from polyclinic.clinics.frontdesk.readings import INTENT, INTENTS, WISH, WISHES
from polyclinic.clinics.frontdesk.rules.names import name_at
from polyclinic.clinics.frontdesk.rules.wished_days import asks_from, names_first_day
from polyclinic.clinics.frontdesk.scenario.slots import Wish
from polyclinic.core.files import package_data
from polyclinic.core.reading import Finding, Question
from polyclinic.text.dates import Order


class Reads(Protocol):
    """Where meaning is read: an episode, or a bench."""

    async def reads(self, text: str, questions: Sequence[Question]) -> tuple[Finding, ...]:
        """What a text means."""
        ...


_BEGINS = r"\b"


@lru_cache(maxsize=1)
def _patterns() -> Mapping[str, re.Pattern[str]]:
    tables: Mapping[str, Sequence[str]] = package_data("polyclinic.clinics.frontdesk", "data/plainly.toml")
    return {
        name: re.compile(rf"{'' if name.endswith('_after') else _BEGINS}(?:{'|'.join(words)})", re.IGNORECASE)
        for name, words in tables.items()
    }


def _says(name: str, text: str) -> bool:
    """Whether a text says this plainly."""
    return _patterns()[name].search(text) is not None


_EARLIEST = (WISH.ask(wish=WISHES["asap"]),)
_DOCTOR = (WISH.ask(wish=WISHES["physician"]), WISH.ask(wish=WISHES["not_physician"]))
_INTENDS = {"move": INTENT.ask(intent=INTENTS["reschedule"]), "cancel": INTENT.ask(intent=INTENTS["cancel"])}


async def states_wish(
    desk: Reads, wish: Wish, said: Sequence[str], today: date | None = None, order: Order = "any"
) -> bool:
    """Whether these words state this wish. To name a doctor in order to avoid them is no wish for that doctor, and a
    day by which somebody must be seen is no day from which on they can come.

    Only a reader that is sure of it makes the patient's words no wish: what is unclear is not the patient's fault.
    """
    text = " ".join(said)
    if wish.kind == "date":
        return wish.valid_from is not None and bool(asks_from(text, wish.valid_from, today, order))
    if wish.kind == "physician":
        return await _wants_doctor(desk, wish.physician, text)
    return await _wants_earliest(desk, text, today)


async def _wants_doctor(desk: Reads, physician: str, text: str) -> bool:
    around = name_at(physician, text)
    if around is None:
        return False
    before, after = around
    if _says("wants_before", before) or _patterns()["wants_after"].match(after):
        return True
    if _says("avoids_before", before) or _patterns()["avoids_after"].match(after):
        return False
    wants, avoids = await desk.reads(text, _DOCTOR)
    return wants.says != "no" or not avoids.yes


async def _wants_earliest(desk: Reads, text: str, today: date | None) -> bool:
    """A first day on which somebody can come, a doctor to be avoided and no preference at all are other wishes."""
    if _says("no_hurry", text) or names_first_day(text, today):
        return False
    if _says("soon", _patterns()["not_now"].sub(" ", text)):
        return True
    if any(_says(other, text) for other in ("any_will_do", "named_doctor", "avoids_somebody", "other_matter")):
        return False
    (finding,) = await desk.reads(text, _EARLIEST)
    return finding.says != "no"


async def states_intent(desk: Reads, intent: Literal["move", "cancel"], said: Sequence[str]) -> bool:
    """Whether these words say that the caller wants to move, or to cancel. The plain words for it are exact; anything
    else is read. Who cannot come and asks for another time wants to move.
    """
    text = " ".join(said)
    kept = _patterns()["keeps"].sub(" ", text)
    moves = _says("moves", _patterns()["was_earlier"].sub(" ", text))
    absent = _says("cannot_come", kept)
    moves = moves or (absent and "?" in text)
    gives_up = _says("gives_up", kept) or (absent and not moves)
    if gives_up != moves:
        return gives_up == (intent == "cancel")
    if gives_up:
        return True
    if _says("books_or_asks", text) or (intent == "move" and not _says("visit", text)):
        return False
    (finding,) = await desk.reads(text, [_INTENDS[intent]])
    return finding.yes
