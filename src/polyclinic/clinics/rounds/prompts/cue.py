"""What steers offline players."""

from __future__ import annotations

from polyclinic.clinics.rounds.prompts.people import Key as Key
from polyclinic.clinics.rounds.prompts.people import Sheet as Sheet
from polyclinic.core.prompt import Facts


class Cue(Facts):
    """What steers an offline player: the case's place in its textbook, its voice, and how much teaching does to a
    student. `person` says that somebody answers in their own words.
    """

    case: str = ""
    voice: str = "first"
    learning: float = 1.0
    person: bool = False
