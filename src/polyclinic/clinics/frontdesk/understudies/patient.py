"""The patient's understudy: says its part plainly, with the manner of its persona."""

from __future__ import annotations

import re

from polyclinic.clinics.frontdesk.prompts import PatientBooking, PatientCalls, PatientIntake
from polyclinic.clinics.frontdesk.scenario.diseases import packaged_diseases
from polyclinic.core.understudy import Ask, Understudy, answers
from polyclinic.people.patient_axes import PatientAxes

ASKS_PARTICULARS = re.compile(r"\b(name|phone|address|personal number)\b", re.IGNORECASE)
ASKS_HISTORY = re.compile(r"\bdiagnos|\btold you what", re.IGNORECASE)
GREETS = re.compile(r"\bhow can i help\b", re.IGNORECASE)
_MANNER = {
    "neutral": "",
    "distrustful": " I hope this stays between us.",
    "impatient": " Can we hurry up, please?",
    "overanxious": " I am so afraid that it is something bad.",
    "overly_positive": " I am sure it is nothing much.",
    "verbose": " It began after my cousin's wedding, where we danced until late and ate far too much.",
}


class PatientUnderstudy(Understudy):
    """Knows only what its prompt tells it."""

    @answers(PatientIntake)
    def intake(self, ask: Ask[PatientIntake]) -> str:
        """Complaint first; particulars and history when asked."""
        prompt, asked = ask.prompt, ask.prompt.staff_says
        if GREETS.search(asked):
            return f"Hello. I have {prompt.symptoms[0]}.{_MANNER[prompt.axes.personality]}"
        if not prompt.diagnosis and ask.mistake("self_diagnoses"):
            return f"I have read about it. I am sure it is {_guess(prompt.symptoms)}."
        if _loses_the_thread(ask, prompt.axes):
            return "Sorry, my head is not clear today. What did you want to know?"
        if ASKS_HISTORY.search(asked):
            return _history(ask)
        if ASKS_PARTICULARS.search(asked):
            return _particulars(ask)
        return _more_symptoms(ask)

    @answers(PatientBooking)
    def booking(self, ask: Ask[PatientBooking]) -> str:
        """The wish, after a change of mind where there was one."""
        prompt = ask.prompt
        lead = "Sorry, I have changed my mind. " if prompt.rejected else ""
        if ask.mistake("silent_wish"):
            return f"{lead}I leave it to you."
        if prompt.wish == "physician":
            return f"{lead}I would like to see {prompt.physician}, please."
        if prompt.wish == "date":
            return f"{lead}I can only come from {prompt.valid_from} on; any doctor will do."
        return f"{lead}I would like the earliest time there is, with any doctor."

    @answers(PatientCalls)
    def calls(self, ask: Ask[PatientCalls]) -> str:
        """What it wants; the details at once, or when asked for them."""
        prompt = ask.prompt
        wants = "cancel my appointment" if prompt.intent == "cancel" else "move my appointment to an earlier time"
        details = f"with {prompt.physician} on {prompt.date.isoformat()} at {prompt.time}"
        first = GREETS.search(prompt.staff_says) is not None
        if ask.mistake("vague"):
            return f"I would like to {wants}." if first else "I do not have the details here."
        if first and not ask.chance("volunteers", 0.6):
            return f"I would like to {wants}."
        if first:
            return f"I would like to {wants} {details}. My name is {prompt.name}."
        return f"It is the one {details}. My name is {prompt.name}."


def _guess(symptoms: tuple[str, ...]) -> str:
    """The disease of the table with these symptoms: what a patient who reads too much might come up with."""
    return next((disease.name for disease in packaged_diseases() if disease.symptoms == symptoms), "something rare")


def _loses_the_thread(ask: Ask[PatientIntake], axes: PatientAxes) -> bool:
    return axes.confusion == "high" and ask.chance("dazed", 0.35)


def _history(ask: Ask[PatientIntake]) -> str:
    prompt = ask.prompt
    if not prompt.diagnosis:
        return "No, nobody has told me what it is."
    if prompt.axes.recall == "low" and ask.chance("forgets", 0.5):
        return "Yes, they gave it a name, but it slips my mind."
    return f"Yes, I was told that I have {prompt.diagnosis}."


def _particulars(ask: Ask[PatientIntake]) -> str:
    prompt = ask.prompt
    if prompt.axes.personality == "distrustful" and ask.chance("doubts", 0.3):
        return "Why do you need all of that?"
    said = f"My name is {prompt.name}. I am {prompt.sex}."
    if not ask.mistake("withholds"):
        said += f" My phone number is {prompt.phone}. My personal number is {prompt.identifier}."
    return said if ask.chance("leaves_out", 0.04) else f"{said} My address is {prompt.address}."


def _more_symptoms(ask: Ask[PatientIntake]) -> str:
    said = " ".join(message.content for message in ask.messages if message.role == "assistant")
    left = [symptom for symptom in ask.prompt.symptoms if symptom not in said]
    if not left:
        return "That is all I have noticed."
    told = left[: 2 if ask.prompt.axes.personality == "verbose" or ask.prompt.axes.language == "C" else 1]
    return f"I also have {' and '.join(told)}.{_MANNER[ask.prompt.axes.personality]}"
