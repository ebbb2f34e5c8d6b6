"""What set phrases of medical notes mean in plain words: "NKDA", "noncontributory", "as above"."""

from __future__ import annotations

import re

from polyclinic.clinics.patient.scenario.record import Topic

_NO_ALLERGY = re.compile(
    r"no known|nk[df]?a\b|n\.\s?k\.\s?(?:[df]\.\s?)?a\b|(?:none|nil)(?: known| reported)?\W*$"
    r"|no (?:\w+ )?allerg(?:y|ies)\W*$",
    re.IGNORECASE,
)
_POINTS_ELSEWHERE = re.compile(
    r"(?:as|see|per|same as)(?: \w+){0,2} (?:above|below|hpi|history of present illness)\W*"
    r"|(?:see|per) hpi\W*|as (?:above|noted)\W*|not (?:obtained|available|documented|recorded|known)\W*|n/?a\W*"
    r"|unobtainable\W*|unknown\W*",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"(?:none|nil|negative|non-?contributory|unremarkable|not (?:significant|contributory|relevant))"
    r"(?: (?:known|reported|pertinent|significant|at (?:this time|present)))?\W*"
    r"|no significant(?: \w+){0,3}(?: history)?\W*",
    re.IGNORECASE,
)
_TOLD_AS_NONE = {
    Topic.SYMPTOM: "Has noticed nothing else.",
    Topic.HISTORY: "Has had no serious illness before.",
    Topic.MEDICATION: "Takes no medicines.",
    Topic.FAMILY: "There is no illness in the family that matters here.",
}


def in_plain_words(topic: Topic, text: str) -> str:
    """A line of a note as a person would say it; empty if it only points to another place."""
    if _POINTS_ELSEWHERE.fullmatch(text):
        return ""
    if topic is Topic.ALLERGY and names_no_allergy(text):
        return "Has no known allergies."
    return _TOLD_AS_NONE.get(topic, text) if _NOTHING.fullmatch(text) else text


def names_no_allergy(text: str) -> bool:
    """Whether a line says that no allergy is known."""
    return bool(_NO_ALLERGY.match(text))
