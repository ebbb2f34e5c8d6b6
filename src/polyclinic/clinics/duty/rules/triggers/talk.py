"""Triggers on what is said and how: invented facts, promised resources, disrespect, overconfidence, no teach-back."""

from __future__ import annotations

import re

from polyclinic.clinics.duty.rules.triggers.scene import Hit, Scene
from polyclinic.clinics.duty.rules.triggers.words import TEACH_BACK, find_word, hedged, negated, sentences
from polyclinic.text.sentences import is_question
from polyclinic.text.sentences import sentences as text_sentences

_RESULT = re.compile(
    r"\b(?:is|are|was|were|came back|comes back|shows?|showed|reads?|has been)\b[^.;?]{0,25}?"
    r"(?:\b(?:normal|fine|clear|negative|positive|raised|high|low|good|perfect|in range|unremarkable"
    r"|clean)\b|\b\d+(?:[.,]\d+)?\b)",
    re.IGNORECASE,
)
_OFFERS = re.compile(
    r"\b(?:is|are) (?:free|ready|available|open|running|waiting)\b|\bwe have (?:a|an|the) free\b"
    r"|\byou will (?:have|get)\b"
    r"|\bwill be (?:done|ready|free)\b|\bi have booked\b|\bi promise\b|\bis yours\b",
    re.IGNORECASE,
)
_LIMITED = re.compile(
    r"\b(?:taken|full|queue|(?:is|are|was) down|closed|out of stock|away|busy|in use|elsewhere|partner"
    r"|once|after|before)\b",
    re.IGNORECASE,
)
_DISRESPECT = re.compile(
    r"(?:your own fault|you should have known better|don't be silly|do not be silly|stop complaining"
    r"|you people|you have no choice"
    r"|just do as you are told|do as you are told|calm down|stop making a fuss|making a fuss"
    r"|wasting (?:our|my) time|that is nonsense"
    r"|don't be difficult|how stupid|obviously you did not listen|you never listen|nobody asked you)",
    re.IGNORECASE,
)
_QUOTES = re.compile(r"[\"“”«»]")
_SURE = re.compile(
    r"\b(definitely|certainly|100 percent|guarantee\w*|without (?:a |any )?doubt|no doubt"
    r"|absolutely (?:sure|certain)|for sure|i promise you"
    r"|there is no way|completely certain|beyond question)\b",
    re.IGNORECASE,
)
_NOT_SURE = re.compile(r"\b(?:not|never|cannot|can't|nobody can|no one can)\b", re.IGNORECASE)
_STEP = re.compile(
    r"^(?:first|second|third|then|next|also|and|please|finally|after that|so)?,?\s*(?:please )?"
    r"(?:take(?! from this)|use|have|call|come|keep|measure|stop|leave|drink|go|weigh|wait|do not|never|sit|check"
    r"|thicken|walk|let(?! us| me)|treat|tell(?! me)|look"
    r"|stand|press|lift|see|if you|then take|a home nurse)\b",
    re.IGNORECASE,
)


def invents_fact(scene: Scene) -> Hit | None:
    """A result or fact stated as known that nobody has."""
    for sentence in sentences(scene.text):
        if is_question(sentence) or hedged(sentence):
            continue
        for unknown in scene.scenario.unknowns:
            word = find_word(sentence, unknown.words)
            if word is None:
                continue
            rest = sentence[word.start() :]
            match = _RESULT.search(rest)
            if match is not None and not negated(sentence, word.start() + match.end()):
                return Hit(rationale=f"nobody here knows {unknown.about}, yet it is stated", words=sentence)
    return None


def promises_unavailable(scene: Scene) -> Hit | None:
    """A resource offered although the scenario does not have it now."""
    for sentence in sentences(scene.text):
        match = _OFFERS.search(sentence)
        if match is None or is_question(sentence) or negated(sentence, match.end()) or _LIMITED.search(sentence):
            continue
        for resource in scene.scenario.resources:
            if not resource.available and find_word(sentence, resource.words):
                return Hit(rationale=f"{resource.name} is offered, yet {resource.limit}", words=sentence)
    return None


def disrespects(scene: Scene) -> Hit | None:
    """Blame, shame, pressure or brushing aside. Words in quotation marks are reported, not said."""
    for sentence in sentences(scene.text):
        match = _DISRESPECT.search(sentence)
        if match is None or negated(sentence, match.start(), reach=3):
            continue
        if not _QUOTES.search(sentence[: match.start()]):
            return Hit(rationale="the words blame, press or brush somebody aside", words=sentence)
    return None


def overconfident(scene: Scene) -> Hit | None:
    """Certainty claimed while the scenario's evidence is incomplete."""
    for sentence in sentences(scene.text):
        match = _SURE.search(sentence)
        if match is None or is_question(sentence) or not scene.scenario.unknowns:
            continue
        if _NOT_SURE.search(sentence[: match.start()]) and match.group(0).lower() not in (
            "there is no way",
            "no doubt",
        ):
            continue
        return Hit(
            rationale=f"certainty is claimed while {scene.scenario.unknowns[0].about} is unknown", words=sentence
        )
    return None


_PART = re.compile(r";\s*|,\s*(?=then\b|and then\b)")


def steps(text: str) -> list[str]:
    """The things the text tells a patient to do."""
    pieces = [piece for sentence in text_sentences(text, lines=False) for piece in _PART.split(sentence)]
    return [piece for piece in pieces if _STEP.search(piece.strip()) and not is_question(piece)]


def no_teach_back(scene: Scene) -> Hit | None:
    """Two or more steps for the patient and no request to say them back."""
    if scene.to != "patient":
        return None
    told = steps(scene.text)
    if len(told) < 2 or TEACH_BACK.search(scene.text):
        return None
    return Hit(rationale=f"{len(told)} steps for the patient, and no teach-back is asked for", words=" / ".join(told))
