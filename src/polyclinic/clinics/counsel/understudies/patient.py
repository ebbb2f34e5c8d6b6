"""The offline patient and the offline desk."""

from __future__ import annotations

from polyclinic.clinics.counsel.prompts import DeskSays, DeskWaits, PatientSays, PatientSpeaks
from polyclinic.clinics.counsel.state import PREFERENCES
from polyclinic.clinics.counsel.understudies.words import topic_of, words
from polyclinic.core.understudy import Ask, Understudy, answers

_LEANING = {"comfort": "comfort", "home": "home", "trial": "trial", "full": "full", "family decides": "family"}
_SCRIPT: tuple[DeskSays, ...] = (
    DeskSays(kind="patient", text="Hello. They said that I could talk with somebody here."),
    DeskSays(kind="patient", text="Yes, we can talk about it."),
    DeskSays(kind="take_over", by="the understudy's clinician"),
    DeskSays(kind="person", text="I am here now. How are you?", by="the understudy's clinician"),
    DeskSays(kind="hand_back", by="the understudy's clinician"),
    DeskSays(kind="close", by="the understudy's clinician"),
)


class PatientUnderstudy(Understudy):
    """Answers what it was asked, with its person's own lines; voices the scenario's cue in its turn."""

    @answers(PatientSpeaks)
    def speaks(self, ask: Ask[PatientSpeaks]) -> PatientSays:
        """The next words."""
        prompt = ask.prompt
        if ask.mistake("silent"):
            return PatientSays(text="…", leaves=True)
        if prompt.cue:
            return PatientSays(text=prompt.cue)
        last = next((line for line in reversed(prompt.recent) if line.startswith("counsellor:")), "")
        topic = topic_of(last)
        text = self._answer(prompt, topic)
        return PatientSays(text=text, leaves=topic == "closing")

    @staticmethod
    def _answer(prompt: PatientSpeaks, topic: str) -> str:
        lang = prompt.lang
        own = prompt.persona.lines[lang]
        spoken = "\n".join(line for line in prompt.recent if line.startswith("patient:"))

        def once(first: str, then: str) -> str:
            return then if first in spoken else first

        if not topic:
            return words("patient", lang, "greeting" if prompt.turn == 1 else "unsure")
        if topic == "gentle":
            return words("patient", lang, "reassured")
        if topic.startswith(PREFERENCES):
            return words("patient", lang, _LEANING[prompt.persona.leaning])
        if topic == "disease_awareness":
            return once(own.misunderstanding, words("patient", lang, "corrected"))
        if topic == "acp_awareness":
            return once(own.question, words("patient", lang, "understood"))
        if topic == "empathy":
            return once(own.worry, own.value)
        return words("patient", lang, "consent" if topic == "opening" else "farewell")


class DeskUnderstudy(Understudy):
    """Plays a short live conversation: two messages, a person who takes over and hands back, and the end."""

    @answers(DeskWaits)
    def waits(self, ask: Ask[DeskWaits]) -> DeskSays:
        """The next step of the script."""
        return _SCRIPT[min(ask.prompt.step, len(_SCRIPT)) - 1]
