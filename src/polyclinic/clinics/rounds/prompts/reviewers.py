"""The reviewers of a draft, and the expert."""

from __future__ import annotations

from typing import ClassVar

from polyclinic.clinics.rounds.prompts.people import REVIEW, CaseKey, Sheet, is_fine, keyed_case_for_human
from polyclinic.clinics.rounds.prompts.replies import ExpertAnswer, FactVerdict, SafetyVerdict
from polyclinic.core.form import FormHints
from polyclinic.core.prompt import Prompt
from polyclinic.text.layout import blocks, listed


def _draft_for_human(statement: str) -> str:
    return blocks(f"The tutor wants to say: “{statement}”", REVIEW)


def _review_form(verdict: str) -> FormHints:
    labels = {"reason": "What is wrong with it, if anything", verdict: "Your verdict"}
    return FormHints(ask="May the students hear it?", labels=labels, choices={"issue": {"none": "nothing is wrong"}})


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
        return _review_form("verdict")

    @classmethod
    def from_human(cls, text: str) -> FactVerdict:
        """A person writes ``ok``, or what is wrong."""
        return FactVerdict(reason=text.strip(), verdict="correct" if is_fine(text) else "wrong")


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
        return _review_form("issue")

    @classmethod
    def from_human(cls, text: str) -> SafetyVerdict:
        """A person writes ``ok``, or what is wrong."""
        return SafetyVerdict(reason=text.strip(), issue="none" if is_fine(text) else "safety")


class AnswersKnowledge(Prompt[ExpertAnswer]):
    """The expert answers a general question. Its prompt does not say which case is taught."""

    template: ClassVar[str] = "answers_knowledge.md"
    words: ClassVar[int] = 80
    question: str

    @property
    def for_human(self) -> str:
        """What is asked of a person who plays the expert."""
        return blocks(f"A student asks: “{self.question}”", "Answer as a textbook would, or write pass if it cannot.")

    def form_hints(self) -> FormHints:
        """The form: the answer, and whether a textbook has it."""
        labels = {"explanation": "Your answer", "general": "A textbook answers this"}
        return FormHints(ask="Answer as a textbook would.", labels=labels)

    @classmethod
    def from_human(cls, text: str) -> ExpertAnswer:
        """A person writes the explanation, or ``pass``."""
        general = text.strip().casefold() != "pass"
        return ExpertAnswer(explanation=text.strip() if general else "", general=general)
