"""What changes during a call: what the caller has been told, and whether it was understood."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class CallState:
    """How far a call has come. The flow changes it; the nurse reads it."""

    told: list[str] = field(default_factory=list)
    understood: bool = False

    def tell(self, words: str) -> None:
        """The caller has heard these words."""
        self.told.append(words)

    @property
    def answers_given(self) -> int:
        """How often the nurse has answered."""
        return len(self.told)
