"""The end of an interview: the diagnosis, what the patient is told, and what a doctor learns from the case."""

from __future__ import annotations

import re
from typing import ClassVar

from polyclinic.clinics.patient.prompts.doctor.replies import Conclusion
from polyclinic.clinics.patient.prompts.patient.facts import Player, TalkSoFar
from polyclinic.clinics.patient.rules.vocabulary import orders_a_test
from polyclinic.core.form import FormHints
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import Unreadable
from polyclinic.text.layout import blocks, listed
from polyclinic.text.normal import normalise
from polyclinic.text.questions import in_question_order
from polyclinic.text.sentences import is_question

_NO_DIAGNOSIS = re.compile(
    r"(?:yes|yeah|no|ok|okay|sure|maybe|pass|skip|unsure|not sure|i'?m not sure|i am not sure|(?:i have )?no idea"
    r"|none|nothing|unknown|hello|thanks|thank you|(?:i )?(?:don'?t|do not|cannot|can'?t) (?:know|say|tell)"
    r"|네|예|응|아니요|아니오|글쎄요|몰라요|모르겠어요|모르겠습니다|모름|잘 모르겠어요|잘 모르겠습니다)"
)
_FIELD = re.compile(r"\W*(?:(?:my|the|final|main|working|likely) )*(?:diagnosis|dx|진단)\W*[:=]\s*", re.IGNORECASE)
_REASONS = re.compile(r"[\s.,;]*\b(?:reasons?|reasoning|why|이유)\s*[:=]\s*", re.IGNORECASE)


class Concludes(Prompt[Conclusion]):
    """The doctor gives the diagnosis."""

    template = "concludes.md"
    words: ClassVar[int] = 70
    for_human: ClassVar[str] = "The questions are over. Give your diagnosis now, and why, as DIAGNOSIS: REASONS."
    discipline: str
    profile: str
    complaint: str
    earlier: str
    heard: str
    notes: tuple[str, ...]
    memory: TalkSoFar
    player: Player

    def form_hints(self) -> FormHints:
        """The form for a person has a field for the diagnosis and one for the reasons."""
        return FormHints(
            ask="The questions are over. Give your diagnosis now, and why.",
            labels={"reasoning": "Why", "diagnosis": "Your diagnosis"},
        )

    @classmethod
    def from_human(cls, text: str) -> Conclusion:
        """Read what a person typed, as ``diagnosis: reasoning``, also with the names of the two fields."""
        words = _FIELD.sub("", text, count=1) if _FIELD.match(text) else text
        named = _REASONS.search(words)
        diagnosis, _, reasoning = words.partition(":")
        if named:
            diagnosis, reasoning = words[: named.start()], words[named.end() :]
        return Conclusion(reasoning=reasoning.strip()[:600], diagnosis=diagnosis.strip()[:160])

    def check_person(self, reply: Conclusion) -> None:
        """A question, a test, a number, yes, no or "I do not know" is no diagnosis, typed or filled in."""
        said = reply.diagnosis.strip()
        if (
            is_question(said)
            or in_question_order(said)
            or not any(map(str.isalpha, said))
            or orders_a_test(said)
            or _NO_DIAGNOSIS.fullmatch(normalise(said).strip(" .!"))
        ):
            raise Unreadable(
                f"'{said}' is no diagnosis, and there are no more questions: please name the illness that you think "
                "most likely, even if you are not sure, for example: migraine"
            )


class Advises(Prompt[str]):
    """The doctor tells the patient what happens next."""

    template = "advises.md"
    words: ClassVar[int] = 60
    discipline: str
    profile: str
    complaint: str
    diagnosis: str
    player: Player

    @property
    def for_human(self) -> str:
        """What a person who plays the doctor says at the end."""
        return f"You decided for {self.diagnosis}. Tell the patient what happens next."


class Studies(Prompt[str]):
    """A doctor reads a finished case and notes questions that would have brought out what matters, one in each line."""

    template = "studies.md"
    words: ClassVar[int] = 160
    discipline: str
    expertise: str
    lines: tuple[str, ...]
    tests: tuple[str, ...]
    player: Player

    @property
    def for_human(self) -> str:
        """What a person who studies a case is shown."""
        asked = "Which question would have brought out what matters?"
        return blocks(listed("A finished case:", self.lines), asked)
