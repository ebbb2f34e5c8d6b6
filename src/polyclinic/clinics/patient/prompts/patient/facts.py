"""What a patient knows, and what an offline player gets in addition."""

from __future__ import annotations

from polyclinic.clinics.patient.scenario.record import headed
from polyclinic.core.memory import RememberedLine
from polyclinic.core.message import Frozen
from polyclinic.core.prompt import Facts


class KnownFact(Frozen):
    """One line of the patient's information: a fact in the informant's words, or a result with its test's name."""

    text: str
    topic: str
    test: str = ""

    @property
    def as_told(self) -> str:
        """The line with the heading of its topic."""
        return headed(self.topic, self.text)


class Player(Facts):
    """How an offline player plays: in which voice, and how readily it learns from what it is shown."""

    voice: str = "first"
    uptake: float = 1.0


class TalkSoFar(Facts):
    """The talk so far, for offline players; a language model gets the same turns as messages."""

    summary: str = ""
    recent: tuple[RememberedLine, ...] = ()
