"""The offline critic: it reads drafts by meaning."""

from __future__ import annotations

from polyclinic.clinics.counsel.prompts.replies import Criticism, DraftFault
from polyclinic.clinics.counsel.prompts.reviewers import CriticJudges
from polyclinic.clinics.counsel.readings import FEELING, SIGNAL, SIGNALS, SLIP
from polyclinic.clinics.counsel.rules.courtesy import only_courtesy
from polyclinic.clinics.counsel.rules.own_words import beyond_own_words
from polyclinic.core.understudy import Ask, Understudy, answers
from polyclinic.errors import ModelError
from polyclinic.text.sentences import sentences


class CriticUnderstudy(Understudy):
    """Reads the draft for slips, sentence by sentence, and for a feeling that was passed over. What the documents say
    word for word is not read, nor are set phrases and the person's words said back.
    """

    @answers(CriticJudges)
    def judges(self, ask: Ask[CriticJudges]) -> Criticism | str:
        """The verdict; the mistakes are to let all pass, to refuse all, to talk nonsense and to fail."""
        prompt = ask.prompt
        if ask.mistake("fail"):
            raise ModelError("the understudy was told to fail")
        if ask.mistake("nonsense"):
            return "it is lovely"
        if ask.mistake("blind"):
            return Criticism(reason="nothing found", fault="none", words="", feedback="")
        if ask.mistake("pedant"):
            first = next(iter(sentences(prompt.draft)), prompt.draft)
            return Criticism(reason="never content", fault="feelings", words=first, feedback="With more feeling.")
        draft = prompt.draft
        for source in prompt.sources:
            draft = draft.replace(source.say, "") if source.say else draft
        draft = beyond_own_words(draft, prompt.utterance)
        if only_courtesy(draft) or not ask.understands(draft, SLIP.ask(said=prompt.utterance)):
            return Criticism(reason="nothing found", fault="none", words="", feedback="")
        words = self._worst(ask, draft)
        hurt = ask.understands(prompt.utterance, SIGNAL.ask(signal=SIGNALS["distress"]))
        fault: DraftFault = (
            "feelings" if hurt and not ask.understands(words, FEELING.ask(said=prompt.utterance)) else "choice"
        )
        leave = f"'{words}'라는 말을 빼십시오." if prompt.lang == "ko" else f"Leave out '{words}'."
        return Criticism(reason="it slips", fault=fault, words=words, feedback=leave)

    @staticmethod
    def _worst(ask: Ask[CriticJudges], draft: str) -> str:
        slip = SLIP.ask(said=ask.prompt.utterance)
        return next((text for text in sentences(draft) if ask.understands(text, slip)), draft)
