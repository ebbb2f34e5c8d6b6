"""One typed class for each template in this folder. What a class has no field for, its role cannot be told."""

from __future__ import annotations

from typing import ClassVar

from polyclinic.clinics.rounds.prompts.replies import (
    ExpertAnswer,
    FactVerdict,
    PatientSays,
    Revision,
    SafetyVerdict,
    StudentAction,
    StudentChoice,
    StudentReport,
    TutorTurn,
    TutorWords,
    WrittenScript,
    WrittenSteps,
)
from polyclinic.clinics.rounds.scenario.case import Case, PatientScript, Pitfall, SocraticStep
from polyclinic.clinics.rounds.state import Analysis, Line
from polyclinic.core.message import Frozen, Image
from polyclinic.core.prompt import Prompt
from polyclinic.people.students import Student


class Sheet(Frozen):
    """The case as everybody in the room may read it: no answer, no steps, no script."""

    case_id: str
    vignette: str
    question: str
    options: dict[str, str]
    captions: tuple[str, ...]

    @classmethod
    def from_case(cls, case: Case) -> Sheet:
        """The public side of a case."""
        return cls(
            case_id=case.id,
            vignette=case.vignette,
            question=case.question,
            options=case.options,
            captions=tuple(image.caption for image in case.images),
        )


class Key(Frozen):
    """The case's other side, for the tutor, the specialist and the judges: answer, explanation, steps, pitfalls."""

    answer: str
    explanation: str
    steps: tuple[SocraticStep, ...]
    pitfalls: tuple[Pitfall, ...]

    @classmethod
    def from_case(cls, case: Case) -> Key:
        """The teacher's side of a case."""
        return cls(answer=case.answer_text, explanation=case.explanation, steps=case.steps, pitfalls=case.pitfalls)


class WritesSteps(Prompt[WrittenSteps]):
    """An author breaks a case down into Socratic steps."""

    template: ClassVar[str] = "writes_steps.md"
    sheet: Sheet
    answer: str
    image_ids: tuple[str, ...]
    pictures: tuple[Image, ...]


class WritesScript(Prompt[WrittenScript]):
    """An author turns a case into a patient's memory."""

    template: ClassVar[str] = "writes_script.md"
    sheet: Sheet
    image_ids: tuple[str, ...]


class PatientOpens(Prompt[PatientSays]):
    """The patient's first words."""

    template: ClassVar[str] = "patient_opens.md"
    style: str
    archetype: str
    speaker: str
    script: PatientScript


class PatientAnswers(Prompt[PatientSays]):
    """The patient answers all of a round's questions in one reply."""

    template: ClassVar[str] = "patient_answers.md"
    style: str
    archetype: str
    speaker: str
    script: PatientScript
    said_before: tuple[str, ...]
    questions: tuple[str, ...]


class StudentAnalyses(Prompt[StudentReport]):
    """A student reports its reasoning to the tutor, unseen by the others."""

    template: ClassVar[str] = "student_analyses.md"
    student: Student
    sheet: Sheet
    pictures: tuple[Image, ...]
    own_last: str
    history: tuple[Line, ...]

    @property
    def for_human(self) -> str:
        """What a person is asked instead of the model's instructions."""
        shown = "".join(f" There is a picture: {caption}." for caption in self.sheet.captions)
        return f"You sit in as {self.student.name}.{shown} Report what you notice and think; only the tutor sees it."


class StudentActs(Prompt[StudentAction]):
    """A student decides what to ask after the guidance."""

    template: ClassVar[str] = "student_acts.md"
    student: Student
    sheet: Sheet
    pictures: tuple[Image, ...]
    own_last: str
    history: tuple[Line, ...]
    has_patient: bool

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
        return StudentAction(query_for_patient=wanted.get("patient"), query_for_expert=wanted.get("expert"))


class StudentChooses(Prompt[StudentChoice]):
    """A student's private answer: before the teaching, after it, and on an unseen case."""

    template: ClassVar[str] = "student_chooses.md"
    student: Student
    sheet: Sheet
    pictures: tuple[Image, ...]
    notes: str
    history: tuple[Line, ...]

    @property
    def for_human(self) -> str:
        """What a person is asked: the case, and the answer for oneself alone."""
        asked = "What is your answer now?" if self.notes else "What is your answer before the teaching begins?"
        options = "".join(f"\n({letter}) {words}" for letter, words in self.sheet.options.items())
        how = "one letter" if options else "a few words"
        case = f"{self.sheet.vignette}\n{self.sheet.question}{options}"
        return f"{case}\n{asked} Nobody sees it: {how}, then : and why, if you like."

    @classmethod
    def from_human(cls, text: str) -> StudentChoice:
        """A person writes the letter (or, for an open question, the answer), then the reason after a colon if they
        like.
        """
        choice, _, reason = text.strip().partition(":")
        if not choice.strip():
            raise ValueError("write the letter of your answer, for example: B, or B: because …")
        return StudentChoice(choice=choice.strip(), reason=reason.strip())


class TutorGuides(Prompt[TutorTurn]):
    """The Socratic tutor thinks about history, question, each student, group and image, then speaks to the group."""

    template: ClassVar[str] = "tutor_guides.md"
    sheet: Sheet
    key: Key
    pictures: tuple[Image, ...]
    history: tuple[Line, ...]
    round: int
    analyses: tuple[Analysis, ...]

    @property
    def for_human(self) -> str:
        """What a person is asked: all that the tutor knows, without the form of a model's thinking."""
        return (
            f"{self.render()[-1].content}\n"
            "Say one thing to the whole group. Reviewers read it before the students hear it."
        )

    @classmethod
    def from_human(cls, text: str) -> TutorTurn:
        """A person's words; their thinking is their own."""
        return TutorTurn(internal_monologue="", guidance=text.strip())


class TutorAsks(Prompt[TutorWords]):
    """The Socratic tutor without structured thinking."""

    template: ClassVar[str] = "tutor_asks.md"
    sheet: Sheet
    key: Key
    pictures: tuple[Image, ...]
    history: tuple[Line, ...]
    round: int
    analyses: tuple[Analysis, ...]


class TutorHelps(Prompt[TutorWords]):
    """A plain tutor: the case and the students, no method."""

    template: ClassVar[str] = "tutor_helps.md"
    sheet: Sheet
    answer: str
    pictures: tuple[Image, ...]
    history: tuple[Line, ...]
    round: int
    analyses: tuple[Analysis, ...]


class TutorLectures(Prompt[TutorWords]):
    """A tutor who explains."""

    template: ClassVar[str] = "tutor_lectures.md"
    sheet: Sheet
    key: Key
    pictures: tuple[Image, ...]
    history: tuple[Line, ...]
    round: int
    analyses: tuple[Analysis, ...]


class Objection(Frozen):
    """What a reviewer found wrong with a draft."""

    reviewer: str
    category: str
    feedback: str


class TutorRevises(Prompt[Revision]):
    """The tutor mends a refused draft, keeping its aim."""

    template: ClassVar[str] = "tutor_revises.md"
    sheet: Sheet
    key: Key
    analyses: tuple[Analysis, ...]
    previous_guidance: str
    objections: tuple[Objection, ...]

    @property
    def for_human(self) -> str:
        """What a person is asked: what was found, and to say it again better."""
        found = "\n".join(f"- {objection.reviewer}: {objection.feedback}" for objection in self.objections)
        return f"The students did not hear this yet. Reviewers found:\n{found}\nSay it again, mended."


class ChecksFacts(Prompt[FactVerdict]):
    """The specialist checks a draft against the case and medical knowledge."""

    template: ClassVar[str] = "checks_facts.md"
    sheet: Sheet
    key: Key
    statement: str


class ChecksSafety(Prompt[SafetyVerdict]):
    """The supervisor checks a draft's safety, ethics, fairness, tone and privacy. It sees the words only."""

    template: ClassVar[str] = "checks_safety.md"
    statement: str


class AnswersKnowledge(Prompt[ExpertAnswer]):
    """The expert answers a general question. It is not told which case is on the table."""

    template: ClassVar[str] = "answers_knowledge.md"
    question: str


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
