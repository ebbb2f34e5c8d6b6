"""Who sees the patient: triage, and calling in colleagues. The choices come from the prompt's own fields."""

from __future__ import annotations

from typing import ClassVar

from polyclinic.clinics.patient.prompts.doctor.replies import NOBODY, Colleagues, Sent
from polyclinic.clinics.patient.prompts.patient.facts import TalkSoFar
from polyclinic.core.form import FormHints
from polyclinic.core.message import Frozen
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import with_choices


class EarlierTriage(Frozen):
    """A similar complaint and where it was sent."""

    complaint: str
    discipline: str


class Triages(Prompt[Sent]):
    """A complaint is sent to one of the disciplines."""

    template = "triages.md"
    words: ClassVar[int] = 40
    disciplines: tuple[str, ...]
    complaint: str
    earlier: tuple[EarlierTriage, ...]

    @property
    def for_human(self) -> str:
        """Where a person at triage may send the patient."""
        return f"You are the triage doctor. Which discipline should see this patient? {', '.join(self.disciplines)}."

    def reply_form(self) -> type[Sent]:
        """The reply schema; it allows only the disciplines of this prompt."""
        return with_choices(Sent, "SentTo", discipline=self.disciplines)

    def form_hints(self) -> FormHints:
        """The form for a person: a list of disciplines."""
        return FormHints(ask="You are the triage doctor. Which discipline should see this patient?", hidden=("reason",))

    @classmethod
    def from_human(cls, text: str) -> Sent:
        """Read the discipline that a person typed."""
        return Sent(reason="", discipline=text.strip())


class Recruits(Prompt[Colleagues]):
    """The doctor decides whether colleagues are needed."""

    template = "recruits.md"
    words: ClassVar[int] = 40
    discipline: str
    profile: str
    disciplines: tuple[str, ...]
    present: tuple[str, ...]
    complaint: str
    earlier: str
    heard: str
    memory: TalkSoFar

    @property
    def for_human(self) -> str:
        """What a person who plays the doctor may do."""
        return f"Type at most two disciplines to call in, separated by a comma, or {NOBODY}."

    def reply_form(self) -> type[Colleagues]:
        """The reply schema; it allows the disciplines of this prompt, or nobody."""
        choices = (*self.disciplines, NOBODY)
        return with_choices(Colleagues, "CalledFrom", first=choices, second=choices)

    def form_hints(self) -> FormHints:
        """The form for a person: two lists of disciplines."""
        return FormHints(ask="Do you want to call in colleagues?", labels={"first": "Call in", "second": "And"})

    @classmethod
    def from_human(cls, text: str) -> Colleagues:
        """Read the disciplines that a person typed, separated by commas."""
        names = [name.strip() for name in text.split(",") if name.strip()]
        first, second = [*names, NOBODY, NOBODY][:2]
        return Colleagues(reason="", first=first, second=second)
