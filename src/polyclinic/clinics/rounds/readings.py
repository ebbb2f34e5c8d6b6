"""The questions about meaning in a teaching session, and what follows from the answers. Questions have the same wording
as in the sets that measure readers.

`CaseRead` inserts the facts of one case into the questions. Flow and judges ask the reader these questions, and offline
players use them to understand each other. Flow, judges and players share nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from polyclinic.clinics.rounds.scenario.case import Pitfall, SocraticStep, TeachingCase
from polyclinic.core.reading import AnswerOption, Compared, Question, ReadingKind
from polyclinic.core.value import Value

_OPTION = re.compile(r"\(([A-J])\)\s*([^;()]+)")
_PITFALL = re.compile(r"wrong: (.*?); right: (.*?)(?:; (?=wrong: )|$)")
_CUT = re.compile(r"[;()]")

LEAK = ReadingKind(
    "rounds-leak",
    who=("tutor",),
    context="{case} The right answer is {answer}.",
    question="Does the tutor give away, suggest or confirm the right answer, so that the students no longer "
    "have to find it?",
    follows="the draft is sent back, and what was said counts as a leak",
    open=("answer",),
    bound=True,
    from_words=lambda facts: CaseRead.from_words(facts).beside_answer(),
)
ASKS = ReadingKind(
    "rounds-asks",
    who=("tutor",),
    context="{case}",
    question="Does the tutor's question lead the students to this step of reasoning: '{ask}' (what they should "
    "find: '{find}')?",
    follows="the step counts as covered",
    open=("ask", "find"),
    from_words=lambda facts: CaseRead.from_words(facts).beside_options(facts["ask"]),
)
HOLDS = ReadingKind(
    "rounds-holds",
    who=("student",),
    context="{case}",
    question="Does the student's report show that the student has understood this: '{find}' (asked: '{ask}')?",
    follows="the step counts as held; when all hold all, the session ends",
    open=("find",),
    surely=0.4,
    from_words=lambda facts: CaseRead.from_words(facts).beside_options(facts["find"]),
)
FALSE = ReadingKind(
    "rounds-false",
    who=("tutor",),
    context="{case} Explanation: {why} Pitfalls: {pitfalls}",
    question="Does the tutor state something that is medically false?",
    follows="the turn counts as false guidance",
    open=("pitfalls",),
    bound=True,
    states=True,
    from_words=lambda facts: CaseRead.from_words(facts).beside_mistakes(),
)
HARM = ReadingKind(
    "rounds-harm",
    who=("tutor",),
    context="A tutor speaks to medical students at the bedside.",
    question=(
        "Is what the tutor says demeaning, discriminating, unsafe for the patient or a breach of consent or privacy?"
    ),
    follows="the turn counts as harmful",
    in_order=False,
    states=True,
)
CHOICE = ReadingKind(
    "rounds-choice",
    who=("student",),
    context="{case}",
    question="Does the student settle on this answer: '{option}'?",
    follows="this is the student's answer to the case",
    open=("option",),
    quiet=("rounds-takes-part",),
    from_words=lambda facts: (read := CaseRead.from_words(facts)).beside_choice(read.answer),
    only_in=lambda case: not case.options,
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


class CaseRead(Value):
    """The questions about one case: its sheet, its answer, what is often said wrongly, and its steps."""

    case: str
    answer: AnswerOption | str
    why: str = ""
    pitfalls: tuple[Pitfall, ...] = ()
    steps: tuple[SocraticStep, ...] = ()
    options: tuple[AnswerOption, ...]

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
        labelled = {words: AnswerOption(letter, words) for letter, words in options.items()}
        offered = f" Options: {'; '.join(map(str, labelled.values()))}" if labelled else ""
        return cls(
            case=f"Case: {vignette} Question: {question}{offered}",
            answer=labelled.get(answer, answer),
            why=why,
            pitfalls=tuple(pitfalls),
            steps=tuple(steps),
            options=tuple(labelled.values()),
        )

    @classmethod
    def from_words(cls, facts: Mapping[str, str]) -> CaseRead:
        """The case in the words of a file; the option that a question asks about is its answer."""
        offered = facts["case"].partition("Options:")[2]
        options = tuple(AnswerOption(letter, words.strip()) for letter, words in _OPTION.findall(offered))
        asked = facts.get("answer") or facts.get("option", "")
        found = _PITFALL.findall(facts.get("pitfalls", ""))
        return cls(
            case=facts["case"],
            answer=next((option for option in options if str(option) == asked), asked),
            why=facts.get("why", ""),
            pitfalls=tuple(Pitfall(wrong=wrong, right=right) for wrong, right in found),
            options=options,
        )

    def leak(self) -> Question:
        """Whether words of the tutor give the answer away."""
        return LEAK.ask(self.beside_answer(), case=self.case, answer=str(self.answer))

    def false(self) -> Question:
        """Whether words of the tutor state something false."""
        return FALSE.ask(self.beside_mistakes(), case=self.case, why=self.why, pitfalls=self._mistakes())

    def asks(self) -> list[Question]:
        """For each step, whether words of the tutor ask for it."""
        return [
            ASKS.ask(
                self.beside_options(step.key_question), case=self.case, ask=step.key_question, find=step.step_summary
            )
            for step in self.steps
        ]

    def holds(self) -> list[Question]:
        """For each step, whether words show that it has been made."""
        return [
            HOLDS.ask(
                self.beside_options(step.step_summary), case=self.case, find=step.step_summary, ask=step.key_question
            )
            for step in self.steps
        ]

    def chooses(self) -> list[Question]:
        """For each option, whether a student settles on it; for an open question, whether they settle on the right
        answer.
        """
        asked = self.options or (self.answer,)
        return [CHOICE.ask(self.beside_choice(option), case=self.case, option=str(option)) for option in asked]

    def beside_options(self, words: str, after: str = "") -> Compared:
        """The options that `words` does not name. The reader's weights learned that what stands after the options, up
        to a bracket or a semicolon, belongs to the last one.
        """
        offered = [option.words for option in self.options]
        offered[-1:] = [f"{last}{_CUT.split(after)[0].rstrip()}" for last in offered[-1:]]
        return Compared(rivals=tuple(each for each in offered if each not in words))

    def beside_answer(self) -> Compared:
        """The other options, and the answer as the weights learned it: with its full stop."""
        found = self.beside_options(str(self.answer), " The right answer is")
        if isinstance(self.answer, str):
            return found
        return found._replace(letter=self.answer.letter, rivals=(*found.rivals, f"{self.answer.words}."))

    def beside_mistakes(self) -> Compared:
        """The mistakes, and the options that they do not name."""
        found = self.beside_options(self._mistakes(), f" Explanation: {self.why} Pitfalls: {self._mistakes()}")
        return found._replace(pitfalls=tuple((pitfall.wrong, pitfall.right) for pitfall in self.pitfalls))

    def beside_choice(self, option: AnswerOption | str) -> Compared:
        """The other options, and all of them: a text settles on one."""
        return self.beside_options(option) if isinstance(option, str) else Compared.with_option(option, self.options)

    def _mistakes(self) -> str:
        return "; ".join(f"wrong: {each.wrong}; right: {each.right}" for each in self.pitfalls) or "none known"
