"""The author, who breaks a case down and writes the patient's part."""

from __future__ import annotations

from typing import ClassVar

from polyclinic.clinics.rounds.prompts.people import Key as Key
from polyclinic.clinics.rounds.prompts.people import Sheet as Sheet
from polyclinic.clinics.rounds.prompts.replies import (
    WrittenScript,
    WrittenSteps,
)
from polyclinic.core.message import Image
from polyclinic.core.prompt import Prompt


class WritesSteps(Prompt[WrittenSteps]):
    """An author breaks a case down into Socratic steps."""

    template: ClassVar[str] = "writes_steps.md"
    words: ClassVar[int] = 500
    sheet: Sheet
    answer: str
    image_ids: tuple[str, ...]
    pictures: tuple[Image, ...]
    for_human: ClassVar[str] = "Write the steps of this case, as JSON: only a program can be the author here."


class WritesScript(Prompt[WrittenScript]):
    """An author turns a case into a patient's memory."""

    template: ClassVar[str] = "writes_script.md"
    words: ClassVar[int] = 500
    sheet: Sheet
    image_ids: tuple[str, ...]
    for_human: ClassVar[str] = "Write the patient's memory, as JSON: only a program can be the author here."
