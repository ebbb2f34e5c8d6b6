"""Example questions to the attention agent.

This agent works only while a library is learned, and rehearsals never learn.
"""

from __future__ import annotations

from itertools import islice, product

from polyclinic.clinics.patient.prompts.patient.attention import Attends, Merges
from polyclinic.clinics.patient.rules.requirements import chunks, requirement_lines
from polyclinic.core.known_scene import KnownScene

SCENES = 6
QUESTIONS = ("Where does it hurt?", "What have other doctors told you?", "Which medicines do you take?")


def known_scenes() -> tuple[KnownScene, ...]:
    """Example prompts for picking lines from the requirements and for merging the picked lines."""
    asked = list(islice(product(chunks(requirement_lines()), QUESTIONS), SCENES))
    picks = [KnownScene("attention", Attends(chunk=chunk, question=question)) for chunk, question in asked]
    merges = [KnownScene("attention", Merges(lines=chunk[:3], question=question)) for chunk, question in asked]
    return (*picks, *merges)
