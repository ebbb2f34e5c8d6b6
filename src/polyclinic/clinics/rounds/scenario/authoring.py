"""What an author of teaching cases writes: a file with one case. Pictures are in a folder `images` beside it."""

from __future__ import annotations

from collections.abc import Mapping

from polyclinic.clinics.rounds.scenario.case import TeachingCase
from polyclinic.clinics.rounds.scenario.shipped import parse_cases, shipped_cases
from polyclinic.core.authoring import ENGINE, Writing, only_one
from polyclinic.core.files import yaml_text
from polyclinic.core.form import FormHints


def _write(case: TeachingCase) -> str:
    plain = case.model_dump(mode="json", exclude_defaults=True, exclude={"image_folder"})
    return yaml_text({"cases": [plain]})


def _read(text: str, file: str) -> TeachingCase:
    return only_one(parse_cases(text, file), file)


def _examples() -> Mapping[str, TeachingCase]:
    """Cases without pictures: a picture would have to be copied beside the file."""
    return {case.id: case for case in shipped_cases() if not case.images}


WRITINGS = (
    Writing(
        "case",
        "Teaching case",
        TeachingCase,
        ".yaml",
        _write,
        _read,
        _examples,
        FormHints(hidden=(*ENGINE, "image_folder", "source", "split")),
    ),
)
