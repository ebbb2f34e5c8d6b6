"""One typed class for each template in this folder. What a class has no field for, its role cannot be told.

Whatever somebody says is plain text (`Prompt[str]`): reports, guidance, a patient's words. Decisions are small forms.
`words` is the longest reply. `cue` steers offline players and is never printed.
"""

from __future__ import annotations

from typing import ClassVar

from polyclinic.clinics.rounds.prompts.people import (
    REVIEW,
    case_for_tutor,
    chosen_letter,
    is_fine,
    refuse_empty,
    script_for_human,
    sheet_for_human,
    written_by_students,
)
from polyclinic.clinics.rounds.prompts.people import Key as Key
from polyclinic.clinics.rounds.prompts.people import Sheet as Sheet
from polyclinic.clinics.rounds.prompts.replies import (
    ExpertAnswer,
    FactVerdict,
    SafetyVerdict,
    StudentAction,
    StudentChoice,
    WrittenScript,
    WrittenSteps,
)
from polyclinic.clinics.rounds.rules.thinking import shows_thinking
from polyclinic.clinics.rounds.scenario.case import PatientScript
from polyclinic.clinics.rounds.state import Analysis, Line
from polyclinic.core.message import Frozen, Image
from polyclinic.core.prompt import Facts, Prompt
from polyclinic.core.reply import Unreadable, with_choices
from polyclinic.people.students import Student
from polyclinic.text.layout import blocks


class Cue(Facts):
    """What steers an offline player: the case's place in its textbook, its voice, and how much teaching does to a
    student. `person` says that somebody answers in their own words.
    """

    case: str = ""
    voice: str = "first"
    learning: float = 1.0
    person: bool = False


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


class PatientOpens(Prompt[str]):
    """The patient's first words."""

    template: ClassVar[str] = "patient_opens.md"
    words: ClassVar[int] = 60
    style: str
    archetype: str
    speaker: str
    script: PatientScript
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """What a person in the bed knows."""
        return blocks(
            script_for_human(self.speaker, self.script), "Medical students have come. Tell them what brings you here."
        )


class PatientAnswers(Prompt[str]):
    """The patient answers all of a round's questions in one reply."""

    template: ClassVar[str] = "patient_answers.md"
    words: ClassVar[int] = 120
    style: str
    archetype: str
    speaker: str
    script: PatientScript
    said_before: tuple[str, ...]
    questions: tuple[str, ...]
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """The questions, beside what a person in the bed knows."""
        return blocks(script_for_human(self.speaker, self.script), "Answer the questions, all in one reply.")


class StudentAnalyses(Prompt[str]):
    """A student reports its reasoning to the tutor, unseen by the others. `last`: there is no later report."""

    template: ClassVar[str] = "student_analyses.md"
    words: ClassVar[int] = 120
    student: Student
    sheet: Sheet
    pictures: tuple[Image, ...]
    history: tuple[Line, ...]
    last: bool
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """What a person is asked instead of the model's instructions."""
        last = "This is your last report. " if self.last else ""
        return blocks(
            f"You sit in as {self.student.name}.",
            f"{last}Report to the tutor what you notice and think; nobody else sees it.",
        )

    def check(self, reply: str) -> None:
        """Leaving it out is no report, where a person reports."""
        if self.cue.person:
            refuse_empty(reply, "say what you notice and think, however little")


class StudentActs(Prompt[StudentAction]):
    """A student decides what to ask after the guidance."""

    template: ClassVar[str] = "student_acts.md"
    words: ClassVar[int] = 60
    student: Student
    sheet: Sheet
    pictures: tuple[Image, ...]
    history: tuple[Line, ...]
    has_patient: bool
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """What a person is asked instead of the model's instructions."""
        both = "patient: your question, expert: your question, both with ;; between, or pass"
        return f"What do you ask? Write {both if self.has_patient else 'expert: your question, or pass'}."

    @classmethod
    def from_human(cls, text: str) -> StudentAction:
        """A person writes ``patient: …`` or ``expert: …``, both separated by ``;;``, or ``pass``."""
        wanted: dict[str, str] = {}
        if text.strip().casefold() not in {"", "pass"}:
            for part in text.split(";;"):
                who, colon, words = part.partition(":")
                if not colon or who.strip().casefold() not in {"patient", "expert"}:
                    raise ValueError(
                        "write 'patient: your question', 'expert: your question', both with ;; between, or 'pass'"
                    )
                wanted[who.strip().casefold()] = words.strip()
        return StudentAction(patient_question=wanted.get("patient", ""), expert_question=wanted.get("expert", ""))


class StudentChooses(Prompt[StudentChoice]):
    """A student's private answer: before the teaching, after it, and on an unseen case."""

    template: ClassVar[str] = "student_chooses.md"
    words: ClassVar[int] = 60
    student: Student
    sheet: Sheet
    pictures: tuple[Image, ...]
    notes: str
    history: tuple[Line, ...]
    cue: Cue = Cue()

    def reply_form(self) -> type[StudentChoice]:
        """The case's own letters; a person may say it in words, which are then read."""
        if not self.sheet.options or self.cue.person:
            return StudentChoice
        return with_choices(StudentChoice, choice=tuple(self.sheet.options))

    @property
    def for_human(self) -> str:
        """What a person is asked: the case, and the answer for oneself alone."""
        later = self.notes or self.history
        asked = "What is your answer now?" if later else "What is your answer before the teaching begins?"
        options = "".join(f"\n({letter}) {words}" for letter, words in self.sheet.options.items())
        how = "one letter" if options else "a few words"
        return blocks(
            self.sheet.vignette,
            f"{self.sheet.question}{options}",
            f"{asked} Nobody sees it. Write {how}, then : and why, if you like.",
        )

    def check(self, reply: StudentChoice) -> None:
        """A person's choice must be one of the options, by its letter or in its words."""
        if not self.cue.person:
            return
        refuse_empty(reply.choice, "give your best answer, even if you are not sure")
        if self.sheet.options and not chosen_letter(reply.choice, self.sheet.options):
            raise Unreadable(f"that is none of the options: write {' or '.join(self.sheet.options)}")

    @classmethod
    def from_human(cls, text: str) -> StudentChoice:
        """A person writes the letter (or the answer in words), then the reason after a colon if they like."""
        choice, _, reason = text.strip().partition(":")
        if not choice.strip():
            raise ValueError("write the letter of your answer, for example: B, or B: because …")
        return StudentChoice(choice=choice.strip(), reason=reason.strip())


class TutorGuides(Prompt[str]):
    """The Socratic tutor thinks in tags about history, question, each student, group and image, then speaks to the
    group. `rules.thinking` reads the two apart. `last`: the session ends with this round.
    """

    template: ClassVar[str] = "tutor_guides.md"
    words: ClassVar[int] = 400
    sheet: Sheet
    key: Key
    pictures: tuple[Image, ...]
    history: tuple[Line, ...]
    last: bool
    analyses: tuple[Analysis, ...]
    cue: Cue = Cue()

    def most_words(self) -> int:
        """Every student is thought about, so the thinking grows with the group."""
        return 200 + 25 * len(self.analyses)

    @property
    def for_human(self) -> str:
        """What a person is asked: all that the tutor knows, without the form of a model's thinking."""
        return blocks(
            *case_for_tutor(self.sheet, self.key, self.analyses, self.last),
            "Say one thing to the whole group. Reviewers read it before the students hear it.",
        )


class _Words(Prompt[str]):
    """What a tutor says to the group, and nothing else: thinking is never heard."""

    def check(self, reply: str) -> None:
        """Thinking in what should be words alone is asked again."""
        if shows_thinking(reply):
            raise Unreadable("write only your words to the group, without your thinking")


class TutorAsks(_Words):
    """The Socratic tutor without structured thinking."""

    template: ClassVar[str] = "tutor_asks.md"
    words: ClassVar[int] = 100
    sheet: Sheet
    key: Key
    pictures: tuple[Image, ...]
    history: tuple[Line, ...]
    last: bool
    analyses: tuple[Analysis, ...]
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """What a person who teaches is told."""
        return blocks(
            *case_for_tutor(self.sheet, self.key, self.analyses, self.last), "Say one thing to the whole group."
        )


class TutorHelps(Prompt[str]):
    """A plain tutor: the case and the students, no method."""

    template: ClassVar[str] = "tutor_helps.md"
    words: ClassVar[int] = 120
    sheet: Sheet
    answer: str
    pictures: tuple[Image, ...]
    history: tuple[Line, ...]
    analyses: tuple[Analysis, ...]
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """What a person who helps without a method is told."""
        return blocks(
            *sheet_for_human(self.sheet),
            f"The answer: {self.answer}",
            *written_by_students(self.analyses),
            "Say one thing to the whole group.",
        )


class TutorLectures(Prompt[str]):
    """A tutor who explains."""

    template: ClassVar[str] = "tutor_lectures.md"
    words: ClassVar[int] = 150
    sheet: Sheet
    key: Key
    pictures: tuple[Image, ...]
    history: tuple[Line, ...]
    analyses: tuple[Analysis, ...]
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """What a person who explains is told."""
        return blocks(*case_for_tutor(self.sheet, self.key, self.analyses, False), "Explain it to the whole group.")


class Objection(Frozen):
    """What a reviewer found wrong with a draft."""

    reviewer: str
    category: str
    feedback: str


class TutorRevises(_Words):
    """The tutor corrects a refused draft, keeping its aim."""

    template: ClassVar[str] = "tutor_revises.md"
    words: ClassVar[int] = 120
    sheet: Sheet
    key: Key
    analyses: tuple[Analysis, ...]
    previous_guidance: str
    objections: tuple[Objection, ...]
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """What a person is asked: what was found, and to say it again better."""
        found = "\n".join(f"- {objection.reviewer}: {objection.feedback}" for objection in self.objections)
        return blocks(
            f"The students did not hear this yet: {self.previous_guidance}\nReviewers found:\n{found}",
            "Say it again, corrected.",
        )


class ChecksFacts(Prompt[FactVerdict]):
    """The specialist checks a draft against the case and medical knowledge."""

    template: ClassVar[str] = "checks_facts.md"
    words: ClassVar[int] = 80
    sheet: Sheet
    key: Key
    statement: str

    @property
    def for_human(self) -> str:
        """What a person who reviews is shown."""
        return blocks(f"The tutor wants to say: “{self.statement}”", REVIEW)

    @classmethod
    def from_human(cls, text: str) -> FactVerdict:
        """``ok``, or what is wrong."""
        return FactVerdict(reason=text.strip(), verdict="correct" if is_fine(text) else "wrong")


class ChecksSafety(Prompt[SafetyVerdict]):
    """The supervisor checks a draft's safety, ethics, fairness, tone and privacy. It sees the words only."""

    template: ClassVar[str] = "checks_safety.md"
    words: ClassVar[int] = 80
    statement: str

    @property
    def for_human(self) -> str:
        """What a person who reviews is shown."""
        return blocks(f"The tutor wants to say: “{self.statement}”", REVIEW)

    @classmethod
    def from_human(cls, text: str) -> SafetyVerdict:
        """``ok``, or what is wrong."""
        return SafetyVerdict(reason=text.strip(), issue="none" if is_fine(text) else "safety")


class AnswersKnowledge(Prompt[ExpertAnswer]):
    """The expert answers a general question. It is not told which case is on the table."""

    template: ClassVar[str] = "answers_knowledge.md"
    words: ClassVar[int] = 80
    question: str

    @property
    def for_human(self) -> str:
        """What a person who is the expert is asked."""
        return blocks(f"A student asks: “{self.question}”", "Answer as a textbook would, or write pass if it cannot.")

    @classmethod
    def from_human(cls, text: str) -> ExpertAnswer:
        """The explanation, or ``pass``."""
        general = text.strip().casefold() != "pass"
        return ExpertAnswer(explanation=text.strip() if general else "", general=general)


PROMPTS = (
    WritesSteps,
    WritesScript,
    PatientOpens,
    PatientAnswers,
    StudentAnalyses,
    StudentActs,
    StudentChooses,
    TutorGuides,
    TutorAsks,
    TutorHelps,
    TutorLectures,
    TutorRevises,
    ChecksFacts,
    ChecksSafety,
    AnswersKnowledge,
)
