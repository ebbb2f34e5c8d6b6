"""The students, who report, ask and choose."""

from __future__ import annotations

from typing import ClassVar

from polyclinic.clinics.rounds.prompts.cue import Cue
from polyclinic.clinics.rounds.prompts.people import Present, Sheet, refuse_empty
from polyclinic.clinics.rounds.prompts.replies import StudentAction, StudentChoice
from polyclinic.clinics.rounds.readings import CaseRead
from polyclinic.clinics.rounds.rules.addressing import questions_for
from polyclinic.clinics.rounds.rules.choice import chosen_letter, standing_clauses
from polyclinic.clinics.rounds.state import RoomLine
from polyclinic.core.form import FormHints
from polyclinic.core.message import Image
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import Unreadable, with_choices
from polyclinic.people.students import Student
from polyclinic.text.layout import blocks
from polyclinic.text.passing import passes


class StudentAnalyses(Prompt[str]):
    """A student reports its reasoning to the tutor; the others do not see it. `last`: there is no later report."""

    template: ClassVar[str] = "student_analyses.md"
    words: ClassVar[int] = 120
    student: Student
    sheet: Sheet
    pictures: tuple[Image, ...]
    history: tuple[RoomLine, ...]
    last: bool
    room: Present = Present()
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """What is shown to a person instead of the model's instructions."""
        last = "This is your last report. " if self.last else ""
        whom = "Report to the tutor what" if self.room.tutor else "Write down what"
        return blocks(
            f"You sit in as {self.student.name}.",
            f"{last}{whom} you notice and think; nobody else sees it.",
        )

    def check(self, reply: str) -> None:
        """Refuses an empty report from a person."""
        if self.cue.person:
            refuse_empty(reply, "say what you notice and think, however little")


class StudentActs(Prompt[StudentAction]):
    """A student decides what to ask after the guidance."""

    template: ClassVar[str] = "student_acts.md"
    words: ClassVar[int] = 60
    may_pass: ClassVar[bool] = True
    student: Student
    sheet: Sheet
    pictures: tuple[Image, ...]
    history: tuple[RoomLine, ...]
    room: Present = Present()
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """What is shown to a person instead of the model's instructions."""
        expert = "expert: and a question about medicine in general"
        if not self.room.patient:
            return f"What do you ask? Write {expert}, or pass."
        return (
            f"What do you ask? Ask the patient in your own words, or write {expert}, or both with ;; between, or pass."
        )

    def form_hints(self) -> FormHints:
        """One field for the patient and one for the expert, if both can be asked."""
        return FormHints(
            ask="What do you ask? Leave all empty to ask nothing.",
            hidden=() if self.room.patient else ("patient_question",),
            labels={"patient_question": "Ask the patient", "expert_question": "Ask the expert"},
        )

    @classmethod
    def from_human(cls, text: str) -> StudentAction:
        """A person writes questions in their own words, with ``patient:`` or ``expert:`` before them if they like, both
        separated by ``;;``, or ``pass``.
        """
        nothing = passes(text) or text.strip().strip(".!").casefold() in {
            *("", "nothing", "no", "no question", "no questions", "없음", "없어요", "없습니다", "질문 없음")
        }
        wanted = {} if nothing else questions_for(text)
        return StudentAction(patient_question=wanted.get("patient", ""), expert_question=wanted.get("expert", ""))

    def check_person(self, reply: StudentAction) -> None:
        """Refuses a question to a patient who is not there."""
        if reply.patient_question.strip() and not self.room.patient:
            raise Unreadable("there is no patient today: write expert: and your question, or pass")


class StudentChooses(Prompt[StudentChoice]):
    """A student's private answer: before the teaching, after it, and on an unseen case."""

    template: ClassVar[str] = "student_chooses.md"
    words: ClassVar[int] = 60
    student: Student
    sheet: Sheet
    pictures: tuple[Image, ...]
    notes: str
    history: tuple[RoomLine, ...]
    room: Present = Present()
    cue: Cue = Cue()

    def reply_form(self) -> type[StudentChoice]:
        """A model must choose a letter of the case. A person may answer in words, which the reader then reads."""
        if not self.sheet.options or self.cue.person:
            return StudentChoice
        return with_choices(StudentChoice, choice=tuple(self.sheet.options))

    @property
    def for_human(self) -> str:
        """What is shown to a person: the case, and the question for their private answer."""
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
        """A person's choice must be one of the options, by its letter, in its words or by meaning."""
        if not self.cue.person:
            return
        refuse_empty(reply.choice, "give your best answer, even if you are not sure")
        if self.sheet.options and not self.letter(reply):
            raise Unreadable(f"that does not clearly choose one option: write {' or '.join(self.sheet.options)}")

    def letter(self, reply: StudentChoice) -> str:
        """The option that a person's words choose; empty if that is not clear. A colon may precede it: "Mine: B"."""
        sheet = self.sheet
        asked = CaseRead.made(sheet.vignette, sheet.question, sheet.options, "", "", (), ()).chooses()
        whole = f"{reply.choice}: {reply.reason}" if reply.reason else ""
        return chosen_letter(reply.choice, sheet.options, asked) or chosen_letter(whole, sheet.options, asked)

    def understood(self, reply: StudentChoice) -> str:
        """Which option a person's words were taken for; empty if they wrote its letter alone."""
        letter = self.letter(reply) if self.sheet.options else ""
        if letter in ("", reply.choice.strip("(). ").upper()):
            return ""
        again = "" if self.notes or self.history else " You are asked again after the teaching."
        return f"Understood as {letter}: {self.sheet.options[letter].rstrip('.')}.{again}"

    def form_hints(self) -> FormHints:
        """The options to choose from."""
        later = self.notes or self.history
        return FormHints(
            ask=f"What is your answer {'now' if later else 'before the teaching begins'}? Nobody sees it.",
            labels={"choice": "Your answer", "reason": "Why"},
            choices={
                "choice": {letter: f"({letter}) {words}" for letter, words in self.sheet.options.items()},
            },
        )

    @classmethod
    def from_human(cls, text: str) -> StudentChoice:
        """A person writes the letter (or the answer in words), then the reason after a colon if they like.

        If the words before the colon only reject something ("Not tablets: surgery"), the answer is behind it.
        """
        choice, _, reason = text.strip().partition(":")
        if choice.strip() and not standing_clauses(choice):
            choice, reason = text, ""
        if not choice.strip():
            raise ValueError("write the letter of your answer, for example: B, or B: because …")
        return StudentChoice(choice=choice.strip(), reason=reason.strip())
