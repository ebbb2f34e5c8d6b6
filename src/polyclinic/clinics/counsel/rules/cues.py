"""What a simulated patient voices in the turn that its scenario names."""

from __future__ import annotations

from functools import lru_cache

from polyclinic.clinics.counsel.scenario import PACKAGE, Talk
from polyclinic.core.files import package_data


@lru_cache(maxsize=1)
def _cues() -> dict[str, dict[str, list[str]]]:
    found: dict[str, dict[str, list[str]]] = package_data(PACKAGE, "data/cues.toml")
    return found


def cue_text(talk: Talk) -> str:
    """The words to voice; empty when the scenario has no risk in it."""
    if talk.risk == "none":
        return ""
    lines = _cues()[talk.risk][talk.lang]
    return lines[len(talk.persona.id) % len(lines)]
