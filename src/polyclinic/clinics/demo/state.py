"""What changes during a call, what is noted of it for judges and reports, and what is learned from it."""

from __future__ import annotations

from dataclasses import dataclass, field

from polyclinic.core.library import Lesson
from polyclinic.core.note import Note, Payload


@dataclass
class CallState:
    """How far a call has come. The flow changes it; the nurse reads it."""

    told: list[str] = field(default_factory=list)
    understood: bool = False

    def tell(self, words: str) -> None:
        """Remember that the caller was told these words."""
        self.told.append(words)

    @property
    def answers_given(self) -> int:
        """How often the nurse has answered."""
        return len(self.told)


class Recalled(Note):
    """The phrases that the nurse recalled: earlier callers with similar questions understood them."""

    topic = "recalled"
    phrases: tuple[str, ...]


class DoseTold(Payload):
    """The dose in what the nurse said."""

    tablets: int
    times_a_day: int


class OverLimit(Payload):
    """What the pharmacist is told about a call in which no draft was safe."""

    caller: str
    medicine: str
    refused: str


class Phrase(Lesson):
    """Words that a caller understood. The library finds them by the caller's question."""

    library = "phrases"
    phrase: str
