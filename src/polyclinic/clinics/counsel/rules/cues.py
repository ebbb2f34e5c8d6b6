"""What a simulated patient voices in the turn that its scenario names."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib import resources

from polyclinic.clinics.counsel.scenario import PACKAGE, Talk


@lru_cache(maxsize=1)
def _cues() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(resources.files(PACKAGE).joinpath("data/cues.toml").read_text(encoding="utf-8"))


def cue_text(talk: Talk) -> str:
    """The words to voice; empty when the scenario has no risk in it."""
    if talk.risk == "none":
        return ""
    lines = _cues()[talk.risk][talk.lang]
    return lines[len(talk.persona.id) % len(lines)]
