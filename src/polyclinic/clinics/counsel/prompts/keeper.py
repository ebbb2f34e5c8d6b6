"""The keeper of memory."""

from __future__ import annotations

from polyclinic.clinics.counsel.prompts.replies import NOTHING, Remembers
from polyclinic.clinics.counsel.scenario import Lang
from polyclinic.clinics.counsel.state import SUBJECTS
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import with_choices
from polyclinic.text.layout import blocks, listed


class KeeperRemembers(Prompt[Remembers]):
    """Which facts of this turn belong in long-term memory?"""

    template = "remember.{lang}.md"
    words = 40
    lang: Lang
    facts: tuple[str, ...]
    stage: str
    asked: str
    utterance: str
    subjects: tuple[str, ...] = SUBJECTS

    @property
    def for_human(self) -> str:
        """What a person who keeps the memory is shown."""
        return blocks(
            listed("Remembered so far:", self.facts),
            f"They were asked: “{self.asked}”",
            f"They say: “{self.utterance}”",
            f"What is worth keeping? Write SUBJECT: a few words, or nothing. Subjects: {', '.join(self.subjects)}.",
        )

    @classmethod
    def from_human(cls, text: str) -> Remembers:
        """A person writes ``subject: words``, or ``nothing``."""
        subject, colon, value = text.strip().partition(":")
        kept = bool(colon and value.strip())
        action = "add" if kept else "keep"
        return Remembers.model_validate(
            {"words": "", "action": action, "subject": subject.strip() if kept else NOTHING, "value": value.strip()}
        )

    def reply_form(self) -> type[Remembers]:
        """Only subjects that memory keeps."""
        return with_choices(Remembers, subject=(*self.subjects, NOTHING))


class KeeperSummarises(Prompt[str]):
    """Older turns in at most 200 characters."""

    template = "summarise.{lang}.md"
    words = 40
    lang: Lang
    limit: int
    summary: str
    turns: tuple[str, ...]

    @property
    def for_human(self) -> str:
        """What a person who sums up is shown."""
        return blocks(self.summary, listed("Since then:", self.turns), f"Sum it up in at most {self.limit} characters.")
