"""The patient offline: finds the memories that a question asks for and tells each of them once.

Mistakes: ``blabs`` (names the diagnosis or treatment), ``lectures`` (talks like a doctor).
"""

from __future__ import annotations

from polyclinic.clinics.rounds.prompts import PatientAnswers, PatientOpens
from polyclinic.clinics.rounds.prompts.replies import PatientSays
from polyclinic.clinics.rounds.rules.teaching import nearest_fact
from polyclinic.clinics.rounds.scenario.case import PatientScript
from polyclinic.clinics.rounds.scenario.shipped import shipped_cases
from polyclinic.core.understudy import Ask, Understudy, answers

_OPENERS = {
    "anxious worrier": "I am so worried.",
    "stoic endurer": "It will pass.",
    "optimist": "Well, here I am, your star guest.",
    "complainer": "I have been waiting for ages.",
    "dramatiser": "You have no idea what I am going through.",
    "inquisitive analyst": "Let me tell it in order.",
}
_FOR_ANOTHER = {
    "anxious worrier": "Please tell me it is not serious.",
    "stoic endurer": "I will keep it short.",
    "optimist": "I am glad that you are here.",
    "complainer": "Somebody finally comes.",
    "dramatiser": "I have never been so frightened.",
    "inquisitive analyst": "I will tell it in order.",
}


def _opener(archetype: str, script: PatientScript) -> str:
    return (_FOR_ANOTHER if script.informant else _OPENERS)[archetype]


class PatientUnderstudy(Understudy):
    """Finds the memories that a batch of questions asks for and tells them once, in its manner."""

    @answers(PatientOpens)
    def opens(self, ask: Ask[PatientOpens]) -> PatientSays:
        """The chief complaint, coloured."""
        prompt = ask.prompt
        return PatientSays(
            response=f"{_opener(prompt.archetype, prompt.script)} {prompt.script.chief_complaint} {prompt.script.story}"
        )

    @answers(PatientAnswers)
    def responds(self, ask: Ask[PatientAnswers]) -> PatientSays:
        """All questions in one reply; what it does not know it says so."""
        prompt, script = ask.prompt, ask.prompt.script
        keywords = [fact.about for fact in script.facts]
        told: list[str] = []
        unknown = False
        for question in prompt.questions:
            number = nearest_fact(question, keywords)
            if number is None:
                unknown = True
            elif script.facts[number].says not in told:
                told.append(script.facts[number].says)
        if unknown:
            told.append("About the rest I really could not say.")
        if not told:
            told.append(script.chief_complaint)
        if ask.mistake("blabs"):
            told.append(self._blab(script.chief_complaint))
        if ask.mistake("lectures"):
            told.append("I suspect a tachycardia with hypotension.")
        heard = " ".join(prompt.said_before)
        if script.concerns not in heard:
            told.append(script.concerns)
        if len(prompt.said_before) < 2:
            told.insert(0, _opener(prompt.archetype, script))
        return PatientSays(response=" ".join(told))

    @staticmethod
    def _blab(complaint: str) -> str:
        case = next(
            case for case in shipped_cases() if case.script is not None and case.script.chief_complaint == complaint
        )
        return f"Somebody said that it is about {case.gives_away[0]}."
