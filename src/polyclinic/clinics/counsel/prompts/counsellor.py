"""The counsellor and the planner."""

from __future__ import annotations

from polyclinic.clinics.counsel.prompts.replies import NONE, Cited, Cue, Plan, SourceShown
from polyclinic.clinics.counsel.rules.messages import names_of
from polyclinic.clinics.counsel.scenario import Lang
from polyclinic.clinics.counsel.state import Fact
from polyclinic.core.form import FormHints
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import with_choices
from polyclinic.core.spoken import refuse_unspeakable
from polyclinic.text.layout import blocks, listed
from polyclinic.text.normal import language_of

_SPEAKERS = ("counsellor", "assistant", "상담자", "상담사")


class PlannerPlans(Prompt[Plan]):
    """Which stage does the patient's answer call for? `allowed` are the stages that the planner may choose."""

    template = "plan.{lang}.md"
    words = 30
    lang: Lang
    stage: str
    allowed: tuple[str, ...]
    signals: tuple[str, ...]
    asked: str
    utterance: str
    feedback: str
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """What is shown to a person who plans, in the language of the talk. They have heard what was said."""
        stages, signals = (", ".join(words.values()) for words in self._choices.values())
        stage = names_of("stages", self.lang)[self.stage]
        if self.lang == "ko":
            how = (
                f"지금 단계: {stage}. 그분의 마지막 말에는 어느 단계가 맞습니까? ‘단계: 신호: 근거가 되는 말’로 쓰세요."
                f" 그대로면 단계만 쓰세요. 단계: {stages}. 신호: {signals}."
            )
        else:
            how = (
                f"Stage: {stage}. Which stage do their last words call for? Write STAGE: SIGNAL: the words that call"
                f" for it; if nothing moves, only the stage. Stages: {stages}. Signals: {signals}."
            )
        return blocks(self._again, how)

    @property
    def _choices(self) -> dict[str, dict[str, str]]:
        """The stages and signals that may be chosen, with the words that people read and type for them."""
        stages, signals = names_of("stages", self.lang), names_of("signals", self.lang)
        return {
            "to": {name: stages[name] for name in self.allowed},
            "signal": {name: signals[name] for name in (*self.signals, NONE)},
        }

    def form_hints(self) -> FormHints:
        """Stage and signal to choose from."""
        ask, stage, signal, words = (
            ("이제 어느 단계입니까?", "단계", "신호", "근거가 되는 말")
            if self.lang == "ko"
            else ("Which stage now?", "Stage", "Signal", "The words that call for it")
        )
        named = {"to": stage, "signal": signal, "words": words}
        return FormHints(ask=f"{self._again} {ask}".strip(), labels=named, choices=self._choices)

    @property
    def _again(self) -> str:
        """Why a person is asked a second time about the same words."""
        if not self.feedback:
            return ""
        if self.lang == "ko":
            return f"검토자가 상담자의 초안을 돌려보냈습니다. 다시 계획해 주세요. {self.feedback}"
        return f"The critic sent the counsellor's draft back, so plan again. {self.feedback}"

    @classmethod
    def from_human(cls, text: str) -> Plan:
        """A person writes ``stage: signal: words``; the words, or signal and words, may be left out."""
        stage, signal, words = (part.strip() for part in (*text.split(":", 2), "", "")[:3])
        return Plan(words=words.strip("“”\"'"), signal=signal or NONE, to=stage)

    def reply_form(self) -> type[Plan]:
        """The reply with only the choices that this prompt offers."""
        return with_choices(Plan, signal=(*self.signals, NONE), to=self.allowed)


def _what_do_you_say(lang: Lang) -> str:
    return "무슨 말을 하시겠어요?" if lang == "ko" else "What do you say?"


class _SaidAloud(Prompt[str]):
    """What the person hears. A language model's reply that is no speech is asked for again."""

    lang: Lang
    utterance: str
    cue: Cue = Cue()

    def check(self, reply: str) -> None:
        """Refuses a model's data, headings, repetitions and refusals, and words that the person may not understand."""
        if self.cue.model:
            theirs = language_of(self.utterance, 2) or self.lang
            refuse_unspeakable(reply, self.wording(), _SPEAKERS, self.lang, theirs)


class CounsellorReplies(_SaidAloud):
    """The counsellor's next words. Earlier messages of both sides are sent along as chat history.

    `last_draft`: if this draft is refused too, a set answer is said instead. A language model writes its last draft
    with this prompt only if a wish to be dead must be asked about, otherwise with `CounsellorComforts`.
    """

    template = "reply.{lang}.md"
    words = 90
    lang: Lang
    goal: str
    facts: tuple[Fact, ...]
    summary: str
    sources: tuple[SourceShown, ...]
    gentle: str
    utterance: str
    refused: str
    feedback: str
    last_draft: bool
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """What is shown to a person who counsels, in the language of the talk."""
        if self.lang == "ko":
            told = "당신은 상담자입니다. 듣고 알려 드리며, 결정은 그분이 하십니다. 약속하거나 재촉하지 않습니다."
            head, gist, again, ask = (
                "쓸 수 있는 출처:",
                "지금 이야기의 목적",
                "검토자가 초안을 돌려보냈습니다",
                "무슨 말을 하시겠어요?",
            )
        else:
            told = "You are the counsellor. You listen and inform; the person decides. Promise nothing, urge nothing."
            head, gist = "Sources you may use:", "What this part is for"
            again, ask = "The critic sent your draft back", "What do you say?"
        return blocks(
            told,
            f"{gist}: {self.goal}",
            listed(head, [f"{each.title}: {each.say}" for each in self.sources]),
            f"{again}: “{self.refused}”\n{self.feedback}" if self.feedback else "",
            ask,
        )


class CounsellorComforts(_SaidAloud):
    """The last draft of a language model: one sentence on the feeling and one question, shown by examples. `utterance`
    is empty if earlier drafts repeated the person's words: a model that sees them again would repeat them again.

    The prompt holds nothing else that could be repeated: no history, no sources, no word about the refused drafts. If
    this draft is refused too, a set answer is said instead.
    """

    template = "comfort.{lang}.md"
    words = 40
    lang: Lang
    utterance: str
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """What a person would be asked. In fact only a language model gets this prompt."""
        return _what_do_you_say(self.lang)


class CounsellorCites(Prompt[Cited]):
    """Where the facts in the counsellor's words are from."""

    template = "cite.{lang}.md"
    words = 25
    lang: Lang
    said: str
    sources: tuple[SourceShown, ...]

    def reply_form(self) -> type[Cited]:
        """The reply with only the shown sources, or none, as choices."""
        return with_choices(Cited, source=(*(source.id for source in self.sources), NONE))

    @property
    def for_human(self) -> str:
        """What a person is asked about the sources of their own words."""
        titles = [source.title for source in self.sources]
        if self.lang == "ko":
            return listed("방금 한 말의 사실은 어느 출처에서 왔습니까? 제목을 쓰거나 ‘없음’이라고 쓰세요.", titles)
        return listed("Which source are the facts in your words from? Write its title, or none.", titles)

    def form_hints(self) -> FormHints:
        """The sources to choose from."""
        ask, label, none = (
            ("방금 한 말의 사실은 어느 출처에서 왔습니까?", "출처", "없음")
            if self.lang == "ko"
            else ("Which source are the facts in your words from?", "Source", "none")
        )
        titles = {source.id: source.title for source in self.sources}
        return FormHints(
            ask=ask, hidden=("reason",), labels={"source": label}, choices={"source": {**titles, NONE: none}}
        )

    @classmethod
    def from_human(cls, text: str) -> Cited:
        """A person writes the title of a source, or none."""
        return Cited(reason="", source=text.strip() or NONE)


class SingleReplies(Prompt[str]):
    """The baseline: one model, one prompt, no plan, no sources, no critic."""

    template = "single.{lang}.md"
    words = 90
    lang: Lang
    utterance: str
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """What is asked of a person who counsels alone."""
        return _what_do_you_say(self.lang)
