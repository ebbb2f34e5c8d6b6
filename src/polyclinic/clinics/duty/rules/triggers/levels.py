"""The only exact trigger: it compares a triage level that is stated as a number with the lowest safe level."""

from __future__ import annotations

import re

from polyclinic.clinics.duty.rules.triggers.scene import Hit, Scene
from polyclinic.clinics.duty.rules.triggers.words import sentences
from polyclinic.clinics.duty.scenario.schema import Triage
from polyclinic.text.sentences import is_question

_LEVEL = re.compile(r"\blevel (?:is |of )?([1-5])\b", re.IGNORECASE)
_DENIED = re.compile(r"\b(?:not|never|no|n't|than|instead of|above|below)\b[^,.;]{0,24}$", re.IGNORECASE)


def stated_level(text: str) -> tuple[int, str] | None:
    """The triage level that the text states last, and its sentence; None if there is none. Questions and denials do not
    count.
    """
    found: tuple[int, str] | None = None
    for sentence in sentences(text):
        match = _LEVEL.search(sentence)
        if match is not None and not is_question(sentence) and not _DENIED.search(sentence[: match.start()]):
            found = int(match.group(1)), sentence
    return found


def down_triage(scene: Scene) -> Hit | None:
    """A stated level that is less urgent than is safe, although there is a red flag."""
    if not isinstance(scene.scenario, Triage) or not scene.scenario.red_flags:
        return None
    level = stated_level(scene.text)
    if level is None or level[0] <= scene.scenario.lowest_safe_level:
        return None
    flag = scene.scenario.red_flags[0].text
    return Hit(rationale=f"level {level[0]} although there is a red flag: {flag}", words=level[1])
