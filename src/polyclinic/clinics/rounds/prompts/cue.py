"""What steers offline players."""

from __future__ import annotations

from polyclinic.core.prompt import Facts


class Cue(Facts):
    """What steers an offline player: the case to look up in its textbook, its voice, and how strongly teaching changes
    a student. `person` says that a real person answers.

    `case` opens the textbook (`understudies.textbook`): the steps, the answer and the common errors of a shipped case.
    They replace the medical knowledge that a language model has. How much of it a student knows depends on its ability
    (`understudies.learning`). The patient's memories are not medical knowledge and are never looked up there.
    """

    case: str = ""
    voice: str = "first"
    learning: float = 1.0
    person: bool = False
    archetype: str = ""
