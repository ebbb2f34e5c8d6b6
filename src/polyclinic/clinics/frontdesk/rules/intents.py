"""What a caller wants with the appointment it has: another time, to give it up, or neither.

Only what the caller wants now counts. What was done earlier, what others did, what would happen if, and what is
expressly not wanted ("I don't want it moved") are left out before the plain words for moving and giving up are looked
for. Who cannot come at the time they have and asks for another wants to move; who says that no other is needed gives
up.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from polyclinic.clinics.frontdesk.rules.plainly import says, without

Intent = Literal["move", "cancel", "neither", "open"]


@dataclass(frozen=True)
class _Heard:
    """What a caller's words hold, each told apart from what only sounds like it."""

    moves: bool
    gives_up: bool
    absent: bool
    refuses_new: bool
    asks_other: bool


@lru_cache(maxsize=2048)
def plain_intent(text: str) -> Intent:
    """What the caller wants, where the words are plain; "open" where only the whole meaning can tell."""
    heard = _hear(text)
    if heard.refuses_new and not heard.moves and (heard.gives_up or heard.absent or says("let_be", text)):
        return "cancel"
    if heard.gives_up and heard.moves:
        return "open"
    if heard.gives_up:
        return "cancel"
    if heard.moves:
        return "move"
    if says("stays", text):
        return "neither"
    if heard.asks_other and (heard.absent or says("has_one", text)) and not _of_its_own(text):
        return "move"
    if (heard.absent and says("let_be", text)) or (says("died", text) and says("has_one", text)):
        return "cancel"
    if any(says(other, text) for other in ("late", "first_visit", "how_it_is", "books_or_asks")):
        return "neither"
    return "cancel" if says("cannot_come", text) else "open"


def _hear(text: str) -> _Heard:
    now = without("idle", text)
    kept = without("refuses_new", without("was_earlier", now))
    return _Heard(
        moves=says("moves", kept),
        gives_up=says("gives_up", now),
        absent=says("cannot_come", now) or says("unsuitable", now) or says("late", now),
        refuses_new=says("refuses_new", text),
        asks_other=says("asks_other", now),
    )


def _of_its_own(text: str) -> bool:
    """Whether the question is not about another time: a first visit, or how things are with the one there is."""
    return says("first_visit", text) or says("how_it_is", text)
