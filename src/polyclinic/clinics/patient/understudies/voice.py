"""The sentences of the offline players, in two voices. No judge, rule or prompt uses them."""

from __future__ import annotations

from functools import lru_cache

from polyclinic.clinics.patient.scenario.shipped import data
from polyclinic.core.message import Frozen
from polyclinic.text.sentences import sentences

_REPEATED = 4
"""How many words of a question are repeated at most."""


class Voice(Frozen):
    """All sentences of one voice."""

    decline: tuple[str, ...]
    mute: str
    nothing: str
    nearest: str
    puzzled: str
    not_done: str
    confused: str
    results: str
    single: str
    confirms: str
    hearsay: str
    all_told: str
    echo: str
    worried: str
    talkative: str
    babble: str
    panic: str
    soothe: str
    advise: str
    test: str
    reasoning: str
    plans: tuple[str, str, str]
    common: tuple[str, ...]
    blind: tuple[str, ...]

    def echoes(self, question: str) -> str:
        """People repeat the last words of a question when they do not answer it."""
        words = sentences(question)[-1].split() if question.strip() else []
        asked = " ".join(words[-_REPEATED:]).rstrip("?.! ")
        return self.echo.format(words=f"… {asked}" if len(words) > _REPEATED else asked) if asked else ""


@lru_cache(maxsize=4)
def voice(name: str) -> Voice:
    """A voice by its name."""
    return Voice.model_validate(data("voices", f"{name}.yaml"))
