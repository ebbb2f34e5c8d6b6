"""What a simulated patient voices in the turn that its scenario names."""

from __future__ import annotations

from polyclinic.clinics.counsel.scenario import Talk, data


def cue_text(talk: Talk) -> str:
    """The words to voice; empty when the scenario has no risk in it."""
    if talk.risk == "none":
        return ""
    lines: list[str] = data("cues")[talk.risk][talk.lang]
    return lines[len(talk.persona.id) % len(lines)]
