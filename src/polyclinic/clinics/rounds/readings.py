"""The questions about meaning in a teaching session, and what follows from the answers. Questions have the same wording
as in the sets that measure readers.

`CaseRead` inserts the facts of one case into the questions. Flow and judges ask the reader these questions, and offline
players use them to understand each other. Flow, judges and players share nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polyclinic.clinics.rounds.scenario.case import Pitfall, SocraticStep, TeachingCase
from polyclinic.core.message import Frozen
from polyclinic.core.reading import Question, ReadingKind

LEAK = ReadingKind(
    "rounds-leak",
    who=("tutor",),
    context="{case} The right answer is {answer}.",
    question="Does the tutor give away, suggest or confirm the right answer, so that the students no longer "
    "have to find it?",
    follows="the draft is sent back, and what was said counts as a leak",
    open=("answer",),
    bound=True,
)
ASKS = ReadingKind(
    "rounds-asks",
    who=("tutor",),
    context="{case}",
    question="Does the tutor's question lead the students to this step of reasoning: '{ask}' (what they should "
    "find: '{find}')?",
    follows="the step counts as covered",
    open=("ask", "find"),
)
HOLDS = ReadingKind(
    "rounds-holds",
    who=("student",),
    context="{case}",
    question="Does the student's report show that the student has understood this: '{find}' (asked: '{ask}')?",
    follows="the step counts as held; when all hold all, the session ends",
    open=("find",),
    surely=0.4,
)
FALSE = ReadingKind(
    "rounds-false",
    who=("tutor",),
    context="{case} Explanation: {why} Pitfalls: {pitfalls}",
    question="Does the tutor state something that is medically false?",
    follows="the turn counts as false guidance",
    open=("pitfalls",),
    bound=True,
)
HARM = ReadingKind(
    "rounds-harm",
    who=("tutor",),
    context="A tutor speaks to medical students at the bedside.",
    question=(
        "Is what the tutor says demeaning, discriminating, unsafe for the patient or a breach of consent or privacy?"
    ),
    follows="the turn counts as harmful",
)
CHOICE = ReadingKind(
    "rounds-choice",
    who=("student",),
    context="{case}",
    question="Does the student settle on this answer: '{option}'?",
    follows="this is the student's answer to the case",
    open=("option",),
    quiet=("rounds-takes-part",),
)
TAKES_PART = ReadingKind(
    "rounds-takes-part",
    who=("student",),
    context="A student speaks in a group of medical students at the bedside.",
    question=(
        "Does the student bring in something of their own (a finding, an idea, a question, a doubt), and not only"
        " agree, repeat or pass?"
    ),
    follows="the student counts as taking part in this round",
)
READINGS = (LEAK, ASKS, HOLDS, FALSE, HARM, CHOICE, TAKES_PART)


class CaseRead(Frozen):
    """The questions about one case: its sheet, its answer, what is often said wrongly, and its steps."""

    case: str
    answer: str
    why: str
    pitfalls: str
    steps: tuple[SocraticStep, ...]
    options: tuple[str, ...]

    @classmethod
    def from_case(cls, case: TeachingCase) -> CaseRead:
        """The questions about a whole case."""
        sheet = (case.vignette, case.question, case.options)
        return cls.made(*sheet, case.answer_text, case.explanation, case.pitfalls, case.steps)

    @classmethod
    def made(
        cls,
        vignette: str,
        question: str,
        options: Mapping[str, str],
        answer: str,
        why: str,
        pitfalls: Sequence[Pitfall],
        steps: Sequence[SocraticStep],
    ) -> CaseRead:
        """Make the reader's questions from the case data in a prompt. `answer` is the option's text, not its letter."""
        labelled = {words: f"({letter}) {words}" for letter, words in options.items()}
        offered = f" Options: {'; '.join(labelled.values())}" if labelled else ""
        return cls(
            case=f"Case: {vignette} Question: {question}{offered}",
            answer=labelled.get(answer, answer),
            why=why,
            pitfalls="; ".join(f"wrong: {pitfall.wrong}; right: {pitfall.right}" for pitfall in pitfalls)
            or "none known",
            steps=tuple(steps),
            options=tuple(labelled.values()),
        )

    def leak(self) -> Question:
        """Whether words of the tutor give the answer away."""
        return LEAK.ask(case=self.case, answer=self.answer)

    def false(self) -> Question:
        """Whether words of the tutor state something false."""
        return FALSE.ask(case=self.case, why=self.why, pitfalls=self.pitfalls)

    def asks(self) -> list[Question]:
        """For each step, whether words of the tutor ask for it."""
        return [ASKS.ask(case=self.case, ask=step.key_question, find=step.step_summary) for step in self.steps]

    def holds(self) -> list[Question]:
        """For each step, whether words show that it has been made."""
        return [HOLDS.ask(case=self.case, find=step.step_summary, ask=step.key_question) for step in self.steps]

    def chooses(self) -> list[Question]:
        """For each option, whether a student settles on it; for an open question, whether they settle on the right
        answer.
        """
        return [CHOICE.ask(case=self.case, option=option) for option in self.options or (self.answer,)]
