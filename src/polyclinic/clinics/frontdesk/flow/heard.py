"""Whether a patient said what it was given to say. Names and dates are parsed; wishes and intentions are read.

It tells the simulator's faults from the staff's: nobody can book what was never asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from polyclinic.clinics.frontdesk.readings import INTENT, INTENTS, WISH, WISHES
from polyclinic.clinics.frontdesk.rules.spoken import names_it
from polyclinic.clinics.frontdesk.scenario.slots import Wish
from polyclinic.core.episode import Episode

_EARLIEST = (WISH.ask(wish=WISHES["asap"]), WISH.ask(wish=WISHES["no_preference"]))
_DOCTOR = (WISH.ask(wish=WISHES["physician"]), WISH.ask(wish=WISHES["not_physician"]))
_INTENDS = {"move": INTENT.ask(intent=INTENTS["reschedule"]), "cancel": INTENT.ask(intent=INTENTS["cancel"])}

_PLAINLY = {
    "move": re.compile(r"\b(?:reschedul|earlier)", re.IGNORECASE),
    "cancel": re.compile(r"\bcancel", re.IGNORECASE),
}


async def states_wish(episode: Episode, wish: Wish, said: Sequence[str]) -> bool:
    """Whether these words state this wish. To name a doctor in order to avoid them is no wish for that doctor.

    Only a reader that is sure of it makes the patient's words no wish: what is unclear is not the patient's fault.
    """
    text = " ".join(said)
    if not names_it(wish, text):
        return False
    if wish.kind == "date":
        return True
    if wish.kind == "physician":
        wants, avoids = await episode.reads(text, _DOCTOR)
        return wants.says != "no" or not avoids.yes
    return any(finding.says != "no" for finding in await episode.reads(text, _EARLIEST))


async def states_intent(episode: Episode, intent: Literal["move", "cancel"], said: Sequence[str]) -> bool:
    """Whether these words say that the caller wants to move, or to cancel. The plain word for it is exact; anything
    else is read.
    """
    text = " ".join(said)
    if _PLAINLY[intent].search(text):
        return True
    (finding,) = await episode.reads(text, [_INTENDS[intent]])
    return finding.yes
