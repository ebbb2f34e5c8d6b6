"""The offline patient: it tells its story, repeats what it was told when asked to, and asks again when it feels
ignored.
"""

from __future__ import annotations

import re

from polyclinic.clinics.duty.prompts.people import PatientTurn
from polyclinic.clinics.duty.understudies.voices import voice
from polyclinic.core.understudy import Ask, Understudy, answers
from polyclinic.text.saying_back import saying_back
from polyclinic.text.sentences import is_question, sentences

ASKS_AGAIN = 0.35
STEPS_KEPT = 4
_TURNED = {
    "you are": "I am",
    "you were": "I was",
    "you aren't": "I am not",
    "you weren't": "I wasn't",
    "are you": "am I",
    "were you": "was I",
    "aren't you": "am I not",
    "weren't you": "wasn't I",
    "i am": "you are",
    "i was": "you were",
    "i wasn't": "you weren't",
    "am i": "are you",
    "was i": "were you",
    "your": "my",
    "yours": "mine",
    "yourself": "myself",
    "you're": "I'm",
    "you've": "I've",
    "you'll": "I'll",
    "i'm": "you're",
    "we": "you",
    "us": "you",
    "our": "your",
    "i": "you",
    "me": "you",
    "my": "your",
}
_PERSONS = re.compile(
    rf"\b(?:{'|'.join(sorted((*_TURNED, 'you'), key=lambda each: (-len(each), each)))})\b", re.IGNORECASE
)
_SUBJECT = re.compile(
    r"(?:^|[,;:.] |\b(?:if|when|until|before|after|that|what|how|as|and|or|so|while|once|because|than|whether|do|will"
    r"|can|should|did|have|are) )$",
    re.IGNORECASE,
)
"""What stands before "you" where it is the subject of a sentence."""
_WHO_DECIDED = re.compile(r"(?:The attending|My supervisor|The doctor)\b")
"""A sentence about who decided: the steps follow it."""
_NO_STEP = re.compile(rf"\bI(?:'\w+)?\b|^{_WHO_DECIDED.pattern}")
"""A sentence about the speaker, or about who decided: nothing that the patient is to do."""


class PatientUnderstudy(Understudy):
    """Mistake: ``silent`` says nothing at all."""

    @answers(PatientTurn)
    def answers_staff(self, ask: Ask[PatientTurn]) -> str:
        """The steps it was told, if it is asked for them; else the next part of its story."""
        prompt = ask.prompt
        if ask.mistake("silent"):
            return ""
        words, answered = voice(prompt.steers.voice).patient, prompt.steers.answered
        told = self._steps(ask)
        if told:
            said = words.back.replace("{steps}", ", ".join(told))
        else:
            said = prompt.story[answered] if answered < len(prompt.story) else words.nothing
        comfort = next((line.value for line in prompt.steers.traits if line.dimension == "felt_understood"), 0.5)
        worry = ask.chance("worry", ASKS_AGAIN * (1.5 - comfort)) and bool(prompt.concerns) and answered > 0
        more = prompt.concerns[answered % len(prompt.concerns)].rstrip("?. ") + "." if worry else ""
        return f"{said} {words.worry.replace('{concern}', more)}".strip() if worry else said

    @staticmethod
    def _steps(ask: Ask[PatientTurn]) -> list[str]:
        """What the last message told the patient to do, if it also asked the patient to repeat it."""
        last = ask.prompt.heard[-1] if ask.prompt.heard else None
        if last is None or last.to != "patient":
            return []
        parts = sentences(last.text, lines=False)
        back = saying_back(last.text)
        if not back:
            return []
        asked = parts[: back[-1]]
        begins = max((place for place, part in enumerate(asked[:-1], 1) if _WHO_DECIDED.match(part)), default=0)
        steps = [part.rstrip(".") for part in asked[begins:] if not (is_question(part) or _NO_STEP.search(part))]
        return [as_the_patient(step) for step in steps[-STEPS_KEPT:]]


def as_the_patient(step: str) -> str:
    """A step in the words of the patient who heard it: "you" becomes "I" or "me", and "we" becomes "you"."""
    turned = _PERSONS.sub(lambda found: _turn(found[0], step[: found.start()]), step)
    return turned if turned.startswith("I ") else turned[:1].lower() + turned[1:]


def _turn(word: str, before: str) -> str:
    if word.lower() == "you":
        return "I" if _SUBJECT.search(before) else "me"
    return _TURNED[word.lower()]
