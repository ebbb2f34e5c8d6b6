"""The offline patient and the offline desk."""

from __future__ import annotations

from polyclinic.clinics.counsel.prompts.other import DeskWaits, PatientSpeaks
from polyclinic.clinics.counsel.prompts.replies import DeskSays
from polyclinic.clinics.counsel.state import PREFERENCES
from polyclinic.clinics.counsel.understudies.words import lines_of, topic_of, words
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
    """Answers what it was asked with its person's own lines. In the scenario's risk turn, it voices the risk."""

    @answers(PatientSpeaks)
    def speaks(self, ask: Ask[PatientSpeaks]) -> str:
        """The next words."""
        prompt = ask.prompt
        if ask.mistake("silent"):
            return "…"
        if prompt.voices:
            return prompt.voices
        return self._answer(ask, topic_of(prompt.said))

    @staticmethod
    def _answer(ask: Ask[PatientSpeaks], topic: str) -> str:
        prompt, lang, voice = ask.prompt, ask.prompt.lang, ask.prompt.cue.voice
        own = lines_of(voice, prompt.persona, lang)
        spoken = "\n".join(message.content for message in ask.messages if message.role == "assistant")

        def first_unsaid(*lines: str) -> str:
            return next((line for line in lines if line not in spoken), lines[-1])

        def say(name: str) -> str:
            return words(voice, "patient", lang, name)

        if not prompt.said:
            return say("greeting")
        if topic == "gentle":
            return say("reassured")
        if topic.startswith(PREFERENCES):
            return say(_LEANING[prompt.persona.leaning])
        if topic == "disease_awareness":
            return first_unsaid(own.misunderstanding, say("corrected"))
        if topic == "acp_awareness":
            return first_unsaid(own.question, say("understood"))
        if topic == "empathy":
            return first_unsaid(own.worry, own.value)
        if topic == "closing" or prompt.last:
            return say("farewell")
        if topic == "opening":
            return say("consent")
        return first_unsaid(own.misunderstanding, own.worry, own.question, own.value, say("unsure"))


class DeskUnderstudy(Understudy):
    """Plays a short live conversation: two messages, a person who takes over and hands back, and the end."""

    @answers(DeskWaits)
    def waits(self, ask: Ask[DeskWaits]) -> DeskSays:
        """The next step of the script."""
        return _SCRIPT[min(ask.prompt.step, len(_SCRIPT)) - 1]
