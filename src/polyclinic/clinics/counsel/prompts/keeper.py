"""The keeper of memory."""

from __future__ import annotations

from polyclinic.clinics.counsel.prompts.replies import NOTHING, Remembers, means_no
from polyclinic.clinics.counsel.rules.messages import names_of
from polyclinic.clinics.counsel.scenario import Lang
from polyclinic.clinics.counsel.state import SUBJECTS, Fact
from polyclinic.core.form import FormHints
from polyclinic.core.message import Frozen
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import Unreadable, with_choices
from polyclinic.text.layout import blocks, listed


class KeeperRemembers(Prompt[Remembers]):
    """Which facts of this turn belong in long-term memory?"""

    template = "remember.{lang}.md"
    words = 40
    lang: Lang
    facts: tuple[Fact, ...]
    stage: str
    asked: str
    utterance: str
    subjects: tuple[str, ...] = SUBJECTS

    @property
    def for_human(self) -> str:
        """What is shown to a person who keeps the memory, in the language of the talk. They have heard what was
        said.
        """
        words = names_of("subjects", self.lang)
        subjects = ", ".join(words[name] for name in self.subjects)
        facts = [f"{words.get(fact.subject, fact.subject)}: {fact.value}" for fact in self.facts]
        if self.lang == "ko":
            return blocks(
                listed("지금까지 적어 둔 것:", facts),
                "그분의 마지막 말에서 적어 둘 것이 있습니까? ‘주제: 몇 마디’로, 없으면 ‘없음’이라고 쓰세요."
                f" 주제: {subjects}.",
            )
        return blocks(
            listed("Remembered so far:", facts),
            "What of the patient's last words is worth keeping? Write SUBJECT: a few words, or nothing."
            f" Subjects: {subjects}.",
        )

    def form_hints(self) -> FormHints:
        """What can be done with a note, and what it can be about, as choices."""
        about = {**names_of("subjects", self.lang), NOTHING: "없음" if self.lang == "ko" else NOTHING}
        if self.lang == "ko":
            named = {"words": "그분의 말", "action": "할 일", "subject": "주제", "value": "적어 둘 내용"}
            does = {"add": "새로 적기", "update": "고쳐 적기", "delete": "지우기", "keep": "그대로 두기"}
            return FormHints(ask="적어 둘 것이 있습니까?", labels=named, choices={"action": does, "subject": about})
        named = {"words": "Their words", "action": "What you do", "subject": "What it is about", "value": "Your note"}
        does = {"add": "write a note", "update": "change a note", "delete": "remove a note", "keep": "nothing"}
        return FormHints(ask="What is worth keeping?", labels=named, choices={"action": does, "subject": about})

    def full_answer(self, typed: str) -> str:
        """The answer, if it names a subject or means nothing; else it is asked for in the language of the talk."""
        if means_no(typed) or typed.partition(":")[2].strip():
            return typed
        raise Unreadable(
            "‘주제: 몇 마디’로 쓰세요. 예: 가족: 두 딸. 적어 둘 것이 없으면 ‘없음’이라고 쓰세요"
            if self.lang == "ko"
            else "write SUBJECT: a few words, for example family: two daughters; or nothing"
        )

    @classmethod
    def from_human(cls, text: str) -> Remembers:
        """A person writes ``subject: words``, or ``nothing``."""
        if means_no(text):
            return Remembers(words="", action="keep", subject=NOTHING, value="")
        subject, _, value = text.partition(":")
        return Remembers(words="", action="add", subject=subject.strip(), value=value.strip())

    def reply_form(self) -> type[Remembers]:
        """The reply with only the subjects that memory keeps."""
        return with_choices(Remembers, subject=(*self.subjects, NOTHING))


class SpokenTurn(Frozen):
    """What one person said."""

    speaker: str
    words: str

    def __str__(self) -> str:
        return f"{self.speaker}: {self.words}"


class KeeperSummarises(Prompt[str]):
    """Older turns in at most 200 characters."""

    template = "summarise.{lang}.md"
    words = 40
    lang: Lang
    limit: int
    summary: str
    turns: tuple[SpokenTurn, ...]

    @property
    def for_human(self) -> str:
        """What is shown to a person who sums up, in the language of the talk."""
        if self.lang == "ko":
            known = f"지금까지의 요약: {self.summary}" if self.summary else ""
            return blocks(known, listed("그 뒤:", map(str, self.turns)), f"{self.limit}자 안으로 요약해 주세요.")
        return blocks(
            f"Summed up so far: {self.summary}" if self.summary else "",
            listed("Since then:", map(str, self.turns)),
            f"Sum it up in at most {self.limit} characters.",
        )
