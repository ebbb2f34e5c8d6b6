"""The guard, who checks before anything is said, and the critic, who checks each draft."""

from __future__ import annotations

from polyclinic.clinics.counsel.prompts.replies import NONE, Criticism, GuardVerdict, SourceShown
from polyclinic.clinics.counsel.rules.trained import GUARD_LABELS
from polyclinic.clinics.counsel.scenario import Lang
from polyclinic.core.prompt import Prompt
from polyclinic.text.layout import blocks


class GuardChecks(Prompt[GuardVerdict]):
    """Is there danger in what the patient says? What is not in its form is no verdict, and goes to a person."""

    template = "guard.{lang}.md"
    words = 50
    in_words = False
    lang: Lang
    summary: str
    recent: tuple[str, ...]
    utterance: str
    unshown: str = ""
    """The label given before without words of the message that show it."""

    @property
    def for_human(self) -> str:
        """What a person on guard is shown."""
        return blocks(
            f"“{self.utterance}”",
            "Is there danger in these words? Write the label, then the words it rests on: "
            f"LABEL: words. Labels: {', '.join(GUARD_LABELS)}.",
        )

    @classmethod
    def from_human(cls, text: str) -> GuardVerdict:
        """A person writes ``active: I will end it tonight``."""
        label, _, words = text.strip().partition(":")
        return GuardVerdict.model_validate(
            {"reason": "a person's verdict", "words": words.strip(), "label": label.strip().casefold()}
        )


class CriticJudges(Prompt[Criticism]):
    """Does a draft break a constraint?"""

    template = "critic.{lang}.md"
    words = 60
    lang: Lang
    sources: tuple[SourceShown, ...]
    asked: str
    utterance: str
    draft: str

    @property
    def for_human(self) -> str:
        """What a person who criticises drafts is shown."""
        if self.lang == "ko":
            return blocks(
                f"그분의 말: “{self.utterance}”",
                f"상담자의 초안: “{self.draft}”",
                "문제가 있습니까? none, 또는 accuracy(사실), choice(압박), feelings(마음)와 고칠 점을 쓰세요.",
            )
        return blocks(
            f"The person said: “{self.utterance}”",
            f"The counsellor's draft: “{self.draft}”",
            "Is anything wrong? Write none, or accuracy, choice or feelings, then : and what to change.",
        )

    @classmethod
    def from_human(cls, text: str) -> Criticism:
        """A person writes ``none``, or ``choice: what to change``."""
        fault, _, feedback = text.strip().partition(":")
        return Criticism.model_validate(
            {
                "reason": feedback.strip(),
                "fault": fault.strip().casefold() or NONE,
                "words": "",
                "feedback": feedback.strip(),
            }
        )
