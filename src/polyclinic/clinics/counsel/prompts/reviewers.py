"""The guard, who checks before anything is said, and the critic, who checks each draft."""

from __future__ import annotations

from polyclinic.clinics.counsel.prompts.replies import (
    NONE,
    Criticism,
    GuardVerdict,
    SourceShown,
    in_plain_words,
    means_no,
)
from polyclinic.clinics.counsel.scenario import Lang
from polyclinic.core.form import FormHints
from polyclinic.core.prompt import Prompt
from polyclinic.text.layout import blocks, listed
from polyclinic.text.normal import letters

LABEL_WORDS: dict[Lang, dict[str, str]] = {
    "en": {
        "active": "wants to end their life",
        "emergency": "a medical emergency",
        "harm_others": "may harm somebody else",
        "abuse": "is being harmed by somebody",
        "implicit": "danger between the lines",
        "passive": "wishes to be dead, without a plan",
        "acceptance": "no danger",
    },
    "ko": {
        "active": "스스로 목숨을 끊으려 함",
        "emergency": "의학적 응급",
        "harm_others": "다른 사람을 해칠 수 있음",
        "abuse": "누군가에게 해를 입고 있음",
        "implicit": "돌려 말한 위험",
        "passive": "계획 없이 죽고 싶어 함",
        "acceptance": "위험 없음",
    },
}
_NO_DANGER = "acceptance"
_LABELS = {
    letters(each): label for lang in LABEL_WORDS.values() for label, words in lang.items() for each in (label, words)
}
_FINE = frozenset({"ok", "okay", "fine", "looksfine", "looksfinetome", "nothingwrong", "nothingiswrong"}) | frozenset(
    {"괜찮아요", "괜찮습니다", "문제없음", "문제없어요", "문제없습니다"}
)
_FAULTS: dict[Lang, dict[str, str]] = {
    "en": {NONE: "nothing", "accuracy": "a fact", "choice": "it urges", "feelings": "it passes over a feeling"},
    "ko": {NONE: "없음", "accuracy": "사실", "choice": "압박", "feelings": "마음을 지나침"},
}


class GuardChecks(Prompt[GuardVerdict]):
    """Is there danger in what the patient says? A reply in another form is not a verdict: a person must look."""

    template = "guard.{lang}.md"
    words = 50
    in_words = False
    lang: Lang
    summary: str
    recent: tuple[str, ...]
    utterance: str
    unshown: str = ""
    """The label of the first answer, if that answer quoted no words of the message."""

    @property
    def for_human(self) -> str:
        """What is shown to a person who plays the guard, in the language of the talk."""
        how = (
            "이 말에 위험이 있습니까? 없으면 ‘없음’, 있으면 ‘표시: 근거가 되는 말’로 쓰세요. 표시:"
            if self.lang == "ko"
            else "Is there danger in these words? Write no, or the label and the words it rests on, "
            "as LABEL: words. Labels:"
        )
        labels = [f"{in_plain_words(label)}: {words}" for label, words in LABEL_WORDS[self.lang].items()]
        return blocks(f"“{self.utterance}”", listed(how, labels))

    def form_hints(self) -> FormHints:
        """The labels as choices."""
        ask, label, words, reason = (
            ("이 말에 위험이 있습니까?", "판단", "근거가 되는 말", "이유")
            if self.lang == "ko"
            else ("Is there danger in these words?", "What you hear", "The words it rests on", "Why")
        )
        named = {"label": label, "words": words, "reason": reason}
        return FormHints(ask=ask, labels=named, choices={"label": LABEL_WORDS[self.lang]})

    @classmethod
    def from_human(cls, text: str) -> GuardVerdict:
        """A person writes ``active: I will end it tonight``, the meaning of a label instead of the label, or ``no``."""
        typed, _, words = text.strip().partition(":")
        label = _NO_DANGER if means_no(text) else _LABELS.get(letters(typed), typed.strip().casefold())
        return GuardVerdict.model_validate({"reason": "a person's verdict", "words": words.strip(), "label": label})


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
        """What is shown to a person who criticises drafts."""
        if self.lang == "ko":
            return blocks(
                f"그분의 말: “{self.utterance}”",
                f"상담자의 초안: “{self.draft}”",
                "문제가 있습니까? ‘없음’, 또는 accuracy(사실), choice(압박), feelings(마음)와 고칠 점을 쓰세요.",
            )
        return blocks(
            f"The person said: “{self.utterance}”",
            f"The counsellor's draft: “{self.draft}”",
            "Is anything wrong? Write no, or accuracy, choice or feelings, then : and what to change.",
        )

    def form_hints(self) -> FormHints:
        """The faults as choices."""
        ask, fault, words, feedback, reason = (
            ("초안에 문제가 있습니까?", "문제", "문제가 되는 말", "고칠 점", "이유")
            if self.lang == "ko"
            else ("Is anything wrong with the draft?", "What is wrong", "The words at fault", "What to change", "Why")
        )
        named = {"fault": fault, "words": words, "feedback": feedback, "reason": reason}
        return FormHints(ask=ask, labels=named, choices={"fault": _FAULTS[self.lang]})

    @classmethod
    def from_human(cls, text: str) -> Criticism:
        """A person writes ``no``, or ``choice: what to change``."""
        fault, _, feedback = text.strip().partition(":")
        if means_no(text) or letters(text) in _FINE:
            fault = NONE
        return Criticism.model_validate(
            {
                "reason": feedback.strip(),
                "fault": fault.strip().casefold() or NONE,
                "words": "",
                "feedback": feedback.strip(),
            }
        )
