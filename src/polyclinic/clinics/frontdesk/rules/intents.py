"""What a caller wants with the appointment it has: another time, to give it up, or neither.

A text is read clause by clause (`clauses`). In each clause a verb for giving up or for moving counts if its object is
the visit, or if it has no object. A verb that is denied ("don't cancel") means that the visit stays. A present wish
counts more than an earlier wish, and later clauses count more than earlier clauses. A caller who cannot come and asks
for another time wants to move the visit. A caller who cannot come and asks for no other time gives it up.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Literal

from polyclinic.clinics.frontdesk.rules.clauses import Clause, clauses, last_retraction
from polyclinic.clinics.frontdesk.rules.giving_up import CANCELS, NO_LONGER, OTHER_THING
from polyclinic.clinics.frontdesk.rules.intent_patterns import (
    ABSENT,
    ASKS_OTHER,
    COMES,
    DOES_IT,
    HAD_DONE,
    KEEPS_ANOTHER,
    MOVES,
    NEGATED,
    NO_NEW,
    NOT_ANOTHER_TIME,
    NOT_THEN,
    RATHER,
    SAME,
    SEVERAL,
    SOME_DAY,
    STILL_CANCELS,
    TAKES_BACK,
    TALKED_OUT,
    UNDECIDED,
    UNSURE,
)
from polyclinic.clinics.frontdesk.rules.plainly import patterns, says, without
from polyclinic.clinics.frontdesk.rules.wording import wording
from polyclinic.core.value import unchanging

Intent = Literal["move", "cancel", "neither", "open"]
VisitEvent = Literal["cancel", "no cancel", "move", "no move", "same", "comes", "absent", "no new", "asks other"]


@unchanging
class _Heard:
    """What a clause says about the visit, and how firmly it is meant."""

    event: VisitEvent
    firm: int
    clause: int
    """Where the clause begins in the text."""


def _denied(clause: str, at: int) -> bool:
    before = clause[:at]
    return NEGATED.search(before) is not None and STILL_CANCELS.search(before) is None


def _events(clause: Clause, several: bool = False) -> list[_Heard]:
    """What a clause says about the visit; of `several` visits, one that is kept does not count."""
    text = SOME_DAY.sub(lambda later: " " * len(later[0]), clause.text)
    found = list[tuple[VisitEvent, int]]()
    wants = 0 if clause.asks else clause.firm
    stays = next((match for match in SAME.finditer(text) if not _denied(text, match.start())), None)
    keeps_another = several and KEEPS_ANOTHER.search(text) is not None
    if stays is not None and not keeps_another and RATHER.search(text) is None:
        return [_Heard("same", clause.firm, clause.begins)]
    if TALKED_OUT.search(text):
        return [_Heard("same", 2, clause.begins)]
    of_visits = OTHER_THING.sub(lambda other: " " * len(other[0]), text)
    for match in (*CANCELS.finditer(of_visits), *patterns()["gives_up"].finditer(of_visits)):
        found.append(("no cancel" if _denied(text, match.start()) else "cancel", wants))
    if NO_NEW.search(text):
        found.append(("no new", clause.firm))
    if NO_LONGER.search(text):
        found.append(("cancel", 0 if clause.supposed or clause.asks else 2))
    if not any(event in ("cancel", "no new") for event, _ in found):
        for match in (*MOVES.finditer(of_visits), *patterns()["moves"].finditer(without("was_earlier", of_visits))):
            found.append(("no move" if _denied(text, match.start()) else "move", wants))
        if NOT_THEN.match(text):
            found.append(("move", wants))
    if not (found or keeps_another) and any("not " not in match[0] for match in COMES.finditer(text)):
        found.append(("comes", clause.firm))
    if ABSENT.search(of_visits):
        found.append(("absent", max(clause.firm, 1)))
    if (
        ASKS_OTHER.search(NOT_ANOTHER_TIME.sub(" ", text))
        and of_visits == text
        and not clause.others
        and not any(event == "no new" for event, _ in found)
    ):
        found.append(("asks other", clause.firm))
    return [_Heard(event, firm, clause.begins) for event, firm in found]


@lru_cache(maxsize=2048)
def plain_intent(text: str) -> Intent:
    """What the caller wants if the words are plain; "open" if the reader must decide by the whole meaning."""
    words = wording(text)
    begins = last_retraction(words)
    if not TAKES_BACK.search(words, begins):
        begins = 0
    undecided = UNDECIDED.search(words) is not None
    meant = [clause for clause in clauses(text) if not (undecided and UNSURE.search(clause.text))]
    several = SEVERAL.search(words) is not None
    heard = [one for clause in meant for one in _events(clause, several) if one.firm and one.clause >= begins]
    if not heard and len(meant) < len(clauses(text)):
        return "neither"
    events = {one.event for one in heard}
    new = says("first_visit", text) and not events & {"cancel", "absent"}
    decided = None if new else _decided(heard) or _then_does(text)
    if decided is not None:
        return decided
    own = says("has_one", text) or "absent" in events
    if "asks other" in events and own and not new and not says("how_it_is", text):
        return "cancel" if "no new" in events else "move"
    if "absent" in events:
        return "cancel" if "no new" in events or says("let_be", text) or not says("late", text) else "neither"
    if new or any(says(other, text) for other in ("late", "how_it_is", "books_or_asks")):
        return "neither"
    if not heard and (HAD_DONE.search(words) or OTHER_THING.search(words)):
        return "neither"
    if patterns()["gives_up"].search(text) or patterns()["moves"].search(text):
        return "open" if all(clause.firm == 2 and not clause.asks for clause in clauses(text)) else "neither"
    return "open"


def _then_does(text: str) -> Intent | None:
    """The wish of somebody who first asks how to do something and then asks for it: "How can I cancel?

    I'd like that now".
    """
    if DOES_IT.search(wording(text)) is None:
        return None
    asked = [one for clause in clauses(text) if clause.asks for one in _events(replace(clause, asks=False))]
    return next((one.event for one in reversed(asked) if one.event in ("cancel", "move")), None)


def _asks_after_giving_up(heard: list[_Heard], firm: int) -> bool:
    """Whether somebody gives a time up and then asks for another one."""
    given_up = max(one.clause for one in heard if one.event == "cancel" and one.firm >= firm)
    return any(one.event == "asks other" and one.firm >= firm and one.clause > given_up for one in heard)


def _decided(heard: list[_Heard]) -> Intent | None:
    """The last firm wish; without one, the last wish that the caller once had."""
    for firm in (2, 1):
        told = [one.event for one in heard if one.firm >= firm]
        last = next((event for event in reversed(told) if event in ("cancel", "move", "same")), None)
        if last == "cancel" and "no new" not in told and _asks_after_giving_up(heard, firm):
            return "move"
        if last == "cancel" and "comes" in told[told.index("cancel") :]:
            return "neither"
        if last == "cancel":
            return "cancel"
        if last == "move":
            return "cancel" if told[-1] == "no new" else "move"
        if "no new" in told and "absent" in told:
            return "cancel"
        if "absent" in told and "asks other" in told:
            return "move"
        if "asks other" in told and (last == "same" or "no cancel" in told or any(one.firm < firm for one in heard)):
            after = told.index("asks other") > (told.index("same") if last == "same" else -1)
            return "move" if after else "neither"
        if last == "same" or "comes" in told or "no cancel" in told or ("no move" in told and "absent" not in told):
            return "neither"
    return None
