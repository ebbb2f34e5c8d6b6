"""The patient's understudy: says its part plainly, with the manner of its persona, in one of two voices."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from polyclinic.clinics.frontdesk.prompts.patient import PatientBooking, PatientCalls, PatientIntake
from polyclinic.clinics.frontdesk.scenario.diseases import packaged_diseases
from polyclinic.clinics.frontdesk.understudies.voice import line
from polyclinic.core.understudy import Ask, Understudy, answers
from polyclinic.text.lazily import lazy_pattern

_WHO_ARE_YOU = lazy_pattern(r"\b(name|phone|address|personal number|who are you|where do you live)\b", re.IGNORECASE)
_WHAT_IS_IT = lazy_pattern(r"\bdiagnos|\btold you what|\bwhat illness|\bdoctor.*(before|already)", re.IGNORECASE)
_ADULT = {"female": "woman", "male": "man"}


class PatientUnderstudy(Understudy):
    """Plays the patient; knows only what is in its prompt."""

    @answers(PatientIntake)
    def intake(self, ask: Ask[PatientIntake]) -> str:
        """Give the complaint first; particulars and history when asked."""
        prompt, asked = ask.prompt, ask.prompt.staff_says
        if _first_words(ask):
            words = {"symptom": prompt.symptoms[0], "manner": _manner(ask)}
            return _line(ask, _as(prompt, "opens"), **words, speaker=prompt.speaker, name=prompt.name)
        if not prompt.diagnosis and ask.mistake("self_diagnoses"):
            return _line(ask, "guesses", disease=_guess(prompt.symptoms))
        if prompt.axes.confusion == "high" and ask.chance("dazed", 0.35):
            return _line(ask, "dazed")
        about = _asked_about(asked)
        if about == "history":
            return _history(ask)
        return _particulars(ask) if about == "particulars" else _more_symptoms(ask)

    @answers(PatientBooking)
    def booking(self, ask: Ask[PatientBooking]) -> str:
        """State the wish; if there was a change of mind, turn down the offer first."""
        prompt = ask.prompt
        lead = line(prompt.voice, "patient", "changed") if prompt.rejected else ""
        wish = "silent" if ask.mistake("silent_wish") else prompt.wish
        words = line(prompt.voice, "patient", wish, physician=prompt.physician, date=prompt.valid_from)
        return f"{lead}{words}"

    @answers(PatientCalls)
    def calls(self, ask: Ask[PatientCalls]) -> str:
        """Say what the caller wants, with the details at once or when asked for them."""
        prompt, first = ask.prompt, _first_words(ask)
        details = {
            "physician": prompt.physician,
            "date": prompt.date.isoformat(),
            "time": prompt.time,
            "name": prompt.name,
        }
        if ask.mistake("vague"):
            return line(prompt.voice, "patient", prompt.intent if first else "vague")
        if first and not ask.chance("volunteers", 0.6):
            return line(prompt.voice, "patient", prompt.intent)
        return line(prompt.voice, "patient", f"{prompt.intent}_which" if first else "which", **details)


@lru_cache(maxsize=256)
def _asked_about(question: str) -> Literal["history", "particulars", "complaint"]:
    """What a question is about. The result is cached, because a desk asks the same few questions."""
    if _WHAT_IS_IT.search(question):
        return "history"
    return "particulars" if _WHO_ARE_YOU.search(question) else "complaint"


def _first_words(ask: Ask[PatientIntake] | Ask[PatientCalls]) -> bool:
    return not any(message.role == "assistant" for message in ask.messages)


def _line(ask: Ask[PatientIntake], key: str, **words: str) -> str:
    return line(ask.prompt.voice, "patient", key, **words)


def _as(prompt: PatientIntake, key: str) -> str:
    """The key of the sentence for this speaker: a parent, an interpreter, somebody with little English, or anybody."""
    if prompt.companion:
        return f"{key}_{prompt.companion}"
    return f"{key}_basic" if prompt.axes.language == "A" and key in ("opens", "more") else key


def _manner(ask: Ask[PatientIntake]) -> str:
    return line(ask.prompt.voice, "manner", ask.prompt.axes.personality)


def _guess(symptoms: tuple[str, ...]) -> str:
    """The disease of the table with these symptoms, as a wrong guess of a patient who reads too much."""
    told = set(symptoms)
    return next((disease.name for disease in packaged_diseases() if told <= set(disease.symptoms)), "something rare")


def _history(ask: Ask[PatientIntake]) -> str:
    prompt = ask.prompt
    if not prompt.diagnosis:
        return _line(ask, "undiagnosed")
    if prompt.axes.recall == "low" and ask.chance("forgets", 0.5):
        return _line(ask, "forgets")
    return _line(ask, "diagnosed", disease=prompt.diagnosis)


def _particulars(ask: Ask[PatientIntake]) -> str:
    prompt = ask.prompt
    if prompt.axes.personality == "distrustful" and ask.chance("doubts", 0.3):
        return _line(ask, "doubts")
    said = _line(ask, _as(prompt, "person"), name=prompt.name, sex=prompt.sex, adult=_ADULT[prompt.sex])
    if not ask.mistake("withholds"):
        said += _line(ask, _as(prompt, "numbers"), phone=prompt.phone, identifier=prompt.identifier)
    if ask.chance("leaves_out", 0.04):
        return said
    return f"{said}{_line(ask, _as(prompt, 'address'), address=prompt.address)}"


def _more_symptoms(ask: Ask[PatientIntake]) -> str:
    said = " ".join(message.content for message in ask.messages if message.role == "assistant")
    left = [symptom for symptom in ask.prompt.symptoms if symptom not in said]
    if not left:
        return _line(ask, "no_more")
    told = left[: 2 if ask.prompt.axes.personality == "verbose" or ask.prompt.axes.language == "C" else 1]
    more = _line(ask, _as(ask.prompt, "more"), symptoms=" and ".join(told), manner=_manner(ask))
    asides = [_line(ask, "aside", complaint=other) for other in ask.prompt.others if other not in said]
    return "".join([more, *asides])
