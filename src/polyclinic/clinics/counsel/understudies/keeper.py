"""The offline keeper of memory."""

from __future__ import annotations

import re

from polyclinic.clinics.counsel.prompts.keeper import KeeperRemembers, KeeperSummarises
from polyclinic.clinics.counsel.prompts.replies import NOTHING, Remembers
from polyclinic.clinics.counsel.readings import SIGNAL, SIGNALS
from polyclinic.clinics.counsel.state import PREFERENCES
from polyclinic.core.memory import cut
from polyclinic.core.understudy import Ask, Understudy, answers
from polyclinic.text.normal import straight

VALUE_CHARS, WORDS_CHARS = 120, 80
_TAKEN_BACK = re.compile(r"forget what i said|i take (?:that|it) back|취소|없던 ?일로")


class KeeperUnderstudy(Understudy):
    """Keeps what the stage asked about, in the patient's own words."""

    @answers(KeeperRemembers)
    def remembers(self, ask: Ask[KeeperRemembers]) -> Remembers:
        """At most one fact a turn; with the mistake, the opposite of a known fact."""
        prompt = ask.prompt
        if ask.mistake("contradict") and prompt.facts:
            known = prompt.facts[0]
            return Remembers(
                words="", action="add", subject=known.subject, value=cut(f"not {known.value}", VALUE_CHARS)
            )
        return self._fact(ask)

    @staticmethod
    def _fact(ask: Ask[KeeperRemembers]) -> Remembers:
        stage, utterance = ask.prompt.stage, ask.prompt.utterance
        words = cut(utterance, WORDS_CHARS)

        def means(signal: str) -> bool:
            return ask.understands(utterance, SIGNAL.ask(signal=SIGNALS[signal]))

        subject = ""
        if stage.startswith(PREFERENCES):
            subject = f"preference_{stage.partition('.')[2]}"
            if _TAKEN_BACK.search(straight(utterance.lower())):
                return Remembers(words=words, action="delete", subject=subject, value="")
            subject = subject if means("preference") else ""
        elif stage == "empathy" and means("values"):
            subject = "values"
        elif means("distress"):
            subject = "worry"
        elif stage == "disease_awareness":
            subject = "understanding"
        if not subject:
            return Remembers(words="", action="keep", subject=NOTHING, value="")
        return Remembers(words=words, action="add", subject=subject, value=cut(utterance, VALUE_CHARS))

    @answers(KeeperSummarises)
    def summarises(self, ask: Ask[KeeperSummarises]) -> str:
        """The patient's latest words, cut to the limit; with the mistake, all of them, without a limit."""
        prompt = ask.prompt
        spoken = [turn.words for turn in prompt.turns if turn.speaker == "patient"]
        text = " / ".join([prompt.summary, *spoken] if ask.mistake("verbose") else [*spoken[-4:]])
        return text if ask.mistake("verbose") else cut(text or prompt.summary or "…", prompt.limit)
