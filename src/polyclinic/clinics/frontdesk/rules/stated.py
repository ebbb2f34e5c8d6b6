"""Whether a patient said what it was given to say. Names and dates are parsed; wishes and intentions are read.

It tells the simulator's faults from the staff's: nobody can book what was never asked for. What a sentence says plainly
(the usual words for soon, from a day on, anybody but) is decided by these words; everything else goes to the reader.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal, Protocol

from polyclinic.clinics.frontdesk.readings import INTENT, INTENTS, WISH, WISHES
from polyclinic.clinics.frontdesk.rules.spoken import names_it
from polyclinic.clinics.frontdesk.scenario.diary import plain_name
from polyclinic.clinics.frontdesk.scenario.slots import Wish
from polyclinic.core.files import package_data
from polyclinic.core.reading import Finding, Question


class Reads(Protocol):
    """Where meaning is read: an episode, or a bench."""

    async def reads(self, text: str, questions: Sequence[Question]) -> tuple[Finding, ...]:
        """What a text means."""
        ...


@lru_cache(maxsize=1)
def _patterns() -> Mapping[str, re.Pattern[str]]:
    tables: Mapping[str, Sequence[str]] = package_data("polyclinic.clinics.frontdesk", "data/plainly.toml")
    return {name: re.compile(rf"\b(?:{'|'.join(words)})", re.IGNORECASE) for name, words in tables.items()}


def _says(name: str, text: str) -> bool:
    """Whether a text says this plainly."""
    return _patterns()[name].search(text) is not None


_EARLIEST = (WISH.ask(wish=WISHES["asap"]), WISH.ask(wish=WISHES["no_preference"]))
_DOCTOR = (WISH.ask(wish=WISHES["physician"]), WISH.ask(wish=WISHES["not_physician"]))
_INTENDS = {"move": INTENT.ask(intent=INTENTS["reschedule"]), "cancel": INTENT.ask(intent=INTENTS["cancel"])}


async def states_wish(desk: Reads, wish: Wish, said: Sequence[str]) -> bool:
    """Whether these words state this wish. To name a doctor in order to avoid them is no wish for that doctor, and a
    day by which somebody must be seen is no day from which on they can come.

    Only a reader that is sure of it makes the patient's words no wish: what is unclear is not the patient's fault.
    """
    text = " ".join(said)
    if not names_it(wish, text):
        return False
    if wish.kind == "date":
        return _says("from_then", text) or not (_says("by_then", text) or _says("not_then", text))
    if wish.kind == "physician":
        plain = _plainly_wanted(wish.physician, text)
        if plain is not None:
            return plain
        wants, avoids = await desk.reads(text, _DOCTOR)
        return wants.says != "no" or not avoids.yes
    if _says("soon", text) or _says("no_hurry", text):
        return not _says("no_hurry", text)
    return any(finding.says != "no" for finding in await desk.reads(text, _EARLIEST))


def _plainly_wanted(physician: str, text: str) -> bool | None:
    """False where the words around the name turn it away; None where they say nothing about it."""
    words = plain_name(text)
    begins = words.find(plain_name(physician))
    before, after = words[:begins], words[begins + len(plain_name(physician)) :]
    if _says("wants_before", before):
        return True
    return False if _says("avoids_before", before) or _says("avoids_after", after) else None


async def states_intent(desk: Reads, intent: Literal["move", "cancel"], said: Sequence[str]) -> bool:
    """Whether these words say that the caller wants to move, or to cancel. The plain words for it are exact; anything
    else is read.
    """
    text = " ".join(said)
    gives_up = _says("gives_up", _patterns()["keeps"].sub(" ", text))
    sooner = _says("sooner", _patterns()["was_earlier"].sub(" ", text))
    if gives_up != sooner:
        return gives_up == (intent == "cancel")
    if gives_up:
        return True
    (finding,) = await desk.reads(text, [_INTENDS[intent]])
    return finding.yes
