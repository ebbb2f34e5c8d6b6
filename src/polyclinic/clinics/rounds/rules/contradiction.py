"""Exact checks of a student's words, whatever a reader finds. Do the words contradict a step of the case? Do they state
the step word for word?

A reader recognises the topic of a text better than what it says: for it, "all on the right" is close to "all on the
left". Exact checks compare numbers with a unit, and pairs of opposite words. A pair only counts if the step has just
one of the two words: a step with both can be said in many ways.
"""

from __future__ import annotations

import re
from functools import lru_cache

from polyclinic.reading.words import NEGATIONS, content, words
from polyclinic.text.numbers import figures
from polyclinic.text.phrases import phrase_pattern
from polyclinic.text.sentences import is_question

_UNITS = {
    "ms": ("ms", 1.0), "millisecond": ("ms", 1.0),
    "mm": ("mm", 1.0), "millimetre": ("mm", 1.0), "cm": ("mm", 10.0), "centimetre": ("mm", 10.0),
    "minute": ("minutes", 1.0), "min": ("minutes", 1.0), "hour": ("minutes", 60.0),
    "day": ("days", 1.0), "week": ("days", 7.0), "year": ("years", 1.0), "pack-year": ("pack-years", 1.0),
    "mg/kg": ("mg/kg", 1.0), "mg per kilo": ("mg/kg", 1.0), "mg per kg": ("mg/kg", 1.0),
    "mmhg": ("mmHg", 1.0), "db": ("dB", 1.0), "l": ("l", 1.0), "litre": ("l", 1.0), "l/s": ("l/s", 1.0),
    "ml/kg": ("ml/kg", 1.0), "mmol/l": ("mmol/l", 1.0), "%": ("%", 1.0), "per cent": ("%", 1.0),
}  # fmt: skip
"""Units as they are written, with the common unit and the factor to it."""
_NUMBER = r"(\d+(?:\.\d+)?)"
_MEASURE = re.compile(
    rf"(?:{_NUMBER}\s*(?:to|or|and|-|–)\s*)?{_NUMBER}[\s-]*"
    rf"({'|'.join(re.escape(unit) for unit in sorted(_UNITS, key=len, reverse=True))})s?(?![\w/])",
    re.IGNORECASE,
)
_NEAR = 0.15
"""The share by which a number may differ and still count as the same value."""
_MOST = 0.5
"""The share of a step's words that a text must have. Of 1,269 texts by training authors that do not show a step, 15
have this many.
"""

_OPPOSITES = (
    (("left", "left-sided"), ("right", "right-sided")),
    (("nasal", "nose side"), ("temporal", "ear side")),
    (("wide", "widened", "broad"), ("narrow", "narrowed")),
    (("wide pupils", "dilated", "large pupils"), ("pinpoint", "constricted", "small pupils")),
    (("inner",), ("outer",)),
    (("upper",), ("lower",)),
    (("anterior",), ("posterior",)),
    (("medial",), ("lateral",)),
    (("destroyed", "damaged"), ("unharmed", "spared")),
    (("hyperkalaemia",), ("hypokalaemia",)),
    (("hypernatraemia",), ("hyponatraemia",)),
    (("hyperglycaemia",), ("hypoglycaemia",)),
    (("hypertension", "high pressure"), ("hypotension", "low pressure")),
    (("tachycardia",), ("bradycardia",)),
    (("acidosis",), ("alkalosis",)),
    (("arterial",), ("venous",)),
    (("benign",), ("malignant",)),
    (("rise", "rises", "rising", "increase", "increases"), ("fall", "falls", "falling", "decrease", "decreases")),
    (("severe",), ("mild",)),
    (("upwards", "ascending", "ascends"), ("downwards", "descending", "descends")),
    (("absent", "gone", "lost"), ("brisk", "exaggerated")),
    (("inspiratory",), ("expiratory",)),
    (("systolic",), ("diastolic",)),
    (("fixed", "irreversible"), ("reversible", "reverses")),
    (("inherited", "congenital", "genetic"), ("acquired",)),
    (("one-sided", "unilateral"), ("both-sided", "bilateral")),
    (("into cells", "into the cells"), ("out of cells", "out of the cells")),
)
_NO_SIDE = re.compile(
    r"\bright (?:away|now|there|answer|thing|drug|choice|time|way|after|before)\b|\b(?:is|are|be|'s) right\b"
)


def against(text: str, step: str) -> str:
    """What contradicts the step, in a few words; empty where nothing does."""
    said, meant = text.lower(), step.lower()
    return _other_number(said, meant) or _opposite(said, meant)


def says_the_words(text: str, step: str) -> bool:
    """Whether a text has half of a step's words, or synonyms, and nothing contradicts the step. The text must not be a
    question, and must not deny anything unless the step does.
    """
    if is_question(text) or not (NEGATIONS.isdisjoint(words(text)) or NEGATIONS & set(words(step))):
        return False
    wanted = content(step)
    return len(wanted & content(text)) >= max(1, _MOST * len(wanted)) and not against(text, step)


def _other_number(said: str, meant: str) -> str:
    theirs, ours = _measures(said), _measures(meant)
    for unit in theirs.keys() & ours.keys():
        if not any(abs(value - other) <= _NEAR * other for value in theirs[unit] for other in ours[unit]):
            return f"{max(theirs[unit]):g} {unit}"
    return ""


@lru_cache(maxsize=1024)
def _measures(text: str) -> dict[str, set[float]]:
    found: dict[str, set[float]] = {}
    for match in _MEASURE.finditer(figures(text).replace("pack year", "pack-year")):
        unit, factor = _UNITS[match[3].lower()]
        found.setdefault(unit, set()).update(float(number) * factor for number in match.groups()[:2] if number)
    return found


def _opposite(said: str, meant: str) -> str:
    said = _NO_SIDE.sub(" ", said)
    for pair in _OPPOSITES:
        for ours, theirs in (pair, pair[::-1]):
            if _has(meant, ours) and not _has(meant, theirs) and _has(said, theirs) and not _has(said, ours):
                return next(word for word in theirs if _has(said, (word,)))
    return ""


def _has(text: str, any_of: tuple[str, ...]) -> bool:
    return phrase_pattern(*any_of).search(text) is not None
