"""The author, who breaks a case down and writes the patient's part. One small form at a time."""

from __future__ import annotations

from typing import ClassVar

from polyclinic.clinics.rounds.prompts.people import Sheet
from polyclinic.clinics.rounds.prompts.replies import (
    MEMORIES,
    WrittenMemories,
    WrittenScript,
    WrittenStep,
    memories_form,
)
from polyclinic.clinics.rounds.scenario.case import SocraticStep
from polyclinic.core.message import Image
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import with_choices

MOST_STEPS = 8
NO_IMAGE = "none"


class WritesStep(Prompt[WrittenStep]):
    """An author writes the next of a case's Socratic steps, after those in `written`. `last`: this must be the last
    step.
    """

    template: ClassVar[str] = "writes_step.md"
    words: ClassVar[int] = 80
    sheet: Sheet
    answer: str
    image_ids: tuple[str, ...]
    pictures: tuple[Image, ...]
    written: tuple[SocraticStep, ...] = ()
    last: bool = False
    for_human: ClassVar[str] = "Write the next step of this case, as JSON: only a program can be the author here."

    def reply_form(self) -> type[WrittenStep]:
        """The form of the reply: the first step cannot conclude, the last one must. A picture must be one of the
        case's.
        """
        stages = ("conclude",) if self.last else ("observe", "interpret", *(("conclude",) if self.written else ()))
        return with_choices(WrittenStep, stage=stages, image=(*self.image_ids, NO_IMAGE))


class WritesScript(Prompt[WrittenScript]):
    """An author turns a case into a patient's story."""

    template: ClassVar[str] = "writes_script.md"
    words: ClassVar[int] = 150
    sheet: Sheet
    for_human: ClassVar[str] = "Write the patient's story, as JSON: only a program can be the author here."


class WritesMemories(Prompt[WrittenMemories]):
    """An author writes what the patient of that story remembers when asked, and how the pictures looked."""

    template: ClassVar[str] = "writes_memories.md"
    words: ClassVar[int] = 30
    sheet: Sheet
    speaker: str
    story: str
    for_human: ClassVar[str] = "Write the patient's memories, as JSON: only a program can be the author here."

    def most_words(self) -> int:
        """The longest reply: `words` words for each memory and each picture."""
        return self.words * (MEMORIES + len(self.sheet.captions))

    def reply_form(self) -> type[WrittenMemories]:
        """The form of the reply: a field for each memory and each picture."""
        return memories_form(len(self.sheet.captions))
