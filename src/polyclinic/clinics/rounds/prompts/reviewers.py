"""The reviewers of a draft, and the expert."""

from __future__ import annotations

from typing import ClassVar

from polyclinic.clinics.rounds.prompts.people import (
    HELD_BACK,
    REVIEW,
    CaseKey,
    Sheet,
    keyed_case_for_human,
)
from polyclinic.clinics.rounds.prompts.replies import ExpertAnswer, FactVerdict, SafetyVerdict
from polyclinic.clinics.rounds.prompts.verdicts import FINE, reviewed
from polyclinic.core.form import FormHints
from polyclinic.core.prompt import Prompt
from polyclinic.text.layout import blocks, listed
from polyclinic.text.passing import passes


def _draft_for_human(statement: str) -> str:
    """One paragraph: a screen leaves out a paragraph that it showed before, and a tutor may say the same again."""
    return f"The tutor wants to say: “{statement}”\n{REVIEW}"


def _review_form(statement: str, verdict: str) -> FormHints:
    return FormHints(
        ask=f"The tutor wants to say: “{statement}” May the students hear it?",
        labels={"reason": "What is wrong with it, if anything", verdict: "Your verdict"},
        choices={"issue": {"none": "nothing is wrong"}},
    )


class ChecksFacts(Prompt[FactVerdict]):
    """The specialist checks a draft against the case and medical knowledge."""

    template: ClassVar[str] = "checks_facts.md"
    words: ClassVar[int] = 80
    sheet: Sheet
    key: CaseKey
    statement: str

    @property
    def for_human(self) -> str:
        """What is shown to a person who reviews: the case as teachers know it, and the draft."""
        return blocks(
            *keyed_case_for_human(self.sheet, self.key),
            listed("The pictures:", self.sheet.captions),
            _draft_for_human(self.statement),
        )

    def form_hints(self) -> FormHints:
        """The verdict to choose."""
        return _review_form(self.statement, "verdict")

    def full_answer(self, typed: str) -> str:
        """``ok``, or what is wrong with this draft."""
        return reviewed(typed, self.statement)

    @classmethod
    def from_human(cls, text: str) -> FactVerdict:
        """A person writes ``ok``, or what is wrong."""
        return FactVerdict(reason=text.strip(), verdict="correct" if text == FINE else "wrong")

    def understood(self, reply: FactVerdict) -> str:
        """That free words hold the draft back."""
        return "" if reply.verdict == "correct" else HELD_BACK


class ChecksSafety(Prompt[SafetyVerdict]):
    """The supervisor checks a draft's safety, ethics, fairness, tone and privacy. It sees the words only."""

    template: ClassVar[str] = "checks_safety.md"
    words: ClassVar[int] = 80
    statement: str

    @property
    def for_human(self) -> str:
        """What is shown to a person who reviews."""
        return _draft_for_human(self.statement)

    def form_hints(self) -> FormHints:
        """The kind of harm to choose."""
        return _review_form(self.statement, "issue")

    def full_answer(self, typed: str) -> str:
        """``ok``, or what is wrong with this draft."""
        return reviewed(typed, self.statement)

    @classmethod
    def from_human(cls, text: str) -> SafetyVerdict:
        """A person writes ``ok``, or what is wrong."""
        return SafetyVerdict(reason=text.strip(), issue="none" if text == FINE else "safety")

    def understood(self, reply: SafetyVerdict) -> str:
        """That free words hold the draft back."""
        return "" if reply.issue == "none" else HELD_BACK


class AnswersKnowledge(Prompt[ExpertAnswer]):
    """The expert answers a general question. Its prompt does not say which case is taught."""

    template: ClassVar[str] = "answers_knowledge.md"
    words: ClassVar[int] = 80
    may_pass: ClassVar[bool] = True
    question: str

    @property
    def for_human(self) -> str:
        """What is asked of a person who plays the expert."""
        how = "Answer as a textbook would: in general, and without what you know of this case. Or write pass."
        return f"A student asks: “{self.question}”\n{how}"

    def form_hints(self) -> FormHints:
        """The form: the answer, and whether a textbook has it."""
        labels = {"explanation": "Your answer", "general": "A textbook answers this"}
        return FormHints(ask=f"A student asks: “{self.question}” Answer as a textbook would.", labels=labels)

    @classmethod
    def from_human(cls, text: str) -> ExpertAnswer:
        """A person writes the explanation, or ``pass``."""
        general = not passes(text)
        return ExpertAnswer(explanation=text.strip() if general else "", general=general)
