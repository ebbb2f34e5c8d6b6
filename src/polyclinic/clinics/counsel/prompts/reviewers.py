"""The guard, who checks before anything is said, and the critic, who checks each draft."""

from __future__ import annotations

from collections.abc import Mapping

from polyclinic.clinics.counsel.prompts.replies import (
    NONE,
    Criticism,
    Cue,
    GuardVerdict,
    SourceShown,
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
_FINE = frozenset({"ok", "okay", "fine", "looksfine", "looksfinetome", "nothingwrong", "nothingiswrong"}) | frozenset(
    {"괜찮아요", "괜찮습니다", "문제없음", "문제없어요", "문제없습니다"}
)
_FAULTS: dict[Lang, dict[str, str]] = {
    "en": {
        "accuracy": "it states a fact that is wrong or has no source",
        "choice": "it urges, promises or judges",
        "feelings": "it passes over a feeling",
        NONE: "nothing",
    },
    "ko": {
        "accuracy": "틀리거나 출처가 없는 사실을 말함",
        "choice": "재촉하거나 약속하거나 판단함",
        "feelings": "마음을 지나침",
        NONE: "없음",
    },
}


def _numbered(words: Mapping[str, str], harmless: str) -> list[str]:
    """What can be chosen, with numbers, without the harmless choice: for that, people write no."""
    return [f"{number}. {told}" for number, (name, told) in enumerate(words.items(), 1) if name != harmless]


def _chosen(typed: str, words: Mapping[Lang, Mapping[str, str]]) -> str:
    """What a person chose: by number, by name, or by the words of either language. What is none of these stays."""
    names = list(words["en"])
    known = {letters(each): name for told in words.values() for name in names for each in (name, told[name])}
    known |= {str(number): name for number, name in enumerate(names, 1)}
    return known.get(letters(typed), typed.strip().casefold())


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
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """What is shown to a person who plays the guard, in the language of the talk. They have heard the words."""
        how = (
            "그분의 마지막 말에 위험이 있습니까? 없으면 ‘없음’, 있으면 ‘번호: 근거가 되는 말’로 쓰세요."
            if self.lang == "ko"
            else "Is there danger in the patient's last words? Write no, or a number, then : and the words it rests on."
        )
        return listed(how, _numbered(LABEL_WORDS[self.lang], _NO_DANGER))

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
        """A person writes ``1: I will end it tonight``, the label or its words instead of the number, or ``no``."""
        typed, _, words = text.strip().partition(":")
        label = _NO_DANGER if means_no(text) else _chosen(typed, LABEL_WORDS)
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
        """What is shown to a person who criticises drafts. They have heard what the draft answers."""
        draft, how = (
            ("상담자의 초안", "초안에 문제가 있습니까? ‘없음’, 또는 ‘번호: 고칠 점’으로 쓰세요.")
            if self.lang == "ko"
            else ("The counsellor's draft", "Is anything wrong? Write no, or a number, then : and what to change.")
        )
        return blocks(f"{draft}: “{self.draft}”", listed(how, _numbered(_FAULTS[self.lang], NONE)))

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
        """A person writes ``no``, or ``2: what to change``; the fault or its words may stand for the number."""
        typed, _, feedback = text.strip().partition(":")
        fault = NONE if means_no(text) or letters(text) in _FINE else _chosen(typed, _FAULTS)
        told = feedback.strip()
        return Criticism.model_validate({"reason": told, "fault": fault, "words": "", "feedback": told})
