"""Scenes for a reader: texts of the training authors with known labels, spread evenly over the kinds of question."""

from __future__ import annotations

from itertools import zip_longest

from polyclinic.core.clinic import Clinic
from polyclinic.core.known_scene import KnownScene
from polyclinic.core.read_text import ReadsText
from polyclinic.core.reading import READER
from polyclinic.reading.sets import Labelled
from polyclinic.runner.audition.scenes import AuditionScene, known_scene
from polyclinic.runner.readings import labelled

READINGS = 16


def reader_scenes(clinic: Clinic) -> list[AuditionScene]:
    """Scenes for the reader, half with the answer yes and half with no; none for a clinic that reads nothing."""
    if not clinic.readings:
        return []
    by_kind: dict[tuple[str, bool], list[Labelled]] = {}
    for row in labelled(clinic.name, split="train"):
        by_kind.setdefault((row.question.kind, row.label), []).append(row)
    rows = [row for turn in zip_longest(*by_kind.values()) for row in turn if row is not None]
    chosen = [row for label in (True, False) for row in [row for row in rows if row.label == label][: READINGS // 2]]
    return [
        known_scene(
            KnownScene(
                READER,
                ReadsText(text=row.text, context=row.question.context, questions=(row.question,)),
                {"q1": ("yes",) if row.label else ("no", "unclear")},
            )
        )
        for row in chosen
    ]
