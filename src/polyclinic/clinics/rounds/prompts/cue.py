"""What steers offline players."""

from __future__ import annotations

from polyclinic.clinics.rounds.prompts.people import Key as Key
from polyclinic.clinics.rounds.prompts.people import Sheet as Sheet
from polyclinic.core.prompt import Facts


class Cue(Facts):
    """What steers an offline player: the case's place in its textbook, its voice, and how much teaching does to a
    student. `person` says that somebody answers in their own words.

    `case` opens the textbook (`understudies.textbook`): the steps, the answer and the common errors of a shipped case.
    They stand for the medicine that a language model brings along; how much of it a student has, its ability says
    (`understudies.learning`). What nobody could know from medicine, the patient's memories, is never looked up there.
    """

    case: str = ""
    voice: str = "first"
    learning: float = 1.0
    person: bool = False
