"""Whether a sentence only stops medicines that the shift says to stop.

"Hold the lithium and the indapamide until I call" is right advice where the shift says so. What else a sentence may do
with a medicine is left to the reader.
"""

from __future__ import annotations

import re
from itertools import pairwise

from polyclinic.clinics.duty.rules.going_on import AWAY, STOPS
from polyclinic.clinics.duty.scenario.schema import AnyDuty
from polyclinic.text.normal import normalise
from polyclinic.text.words import words

BY_CHANGING = frozenset({"INFO-3"})
"""Norms that a change of a medicine can break."""
_PARTS = re.compile(r"[,;:]|\band\b|\bbut\b")
_TAKES_AWAY = re.compile(
    r"\s*(?:(?:so|then|please|now|for now|today|tonight|also|(?:i want|i'd like) you to|you should|we will)[ ,]+)*"
    rf"(?:{STOPS}|omit|withhold|leave off|no)\b"
    r"(?: (?:the|your|his|her|this|that|new))*"
)
_THEIRS = re.compile(r"\s*(?:the|your|his|her)?\s*")
_TESTED = re.compile(r"\s*(?:have|get) (?:your |the |a )?(?:bloods?|levels?|tests?)\b|\s*(?:the |your )?kidneys?\b")
_OTHER_ACT = re.compile(
    r"\d|\b(?:takes?|taking|gives?|giving|(?:re)?start\w*|begin|doubl\w+|tripl\w+|rais\w+|increas\w+|halv\w+|reduc\w+|"
    r"lower\w*|uses?|using|adds?|swap\w*|switch\w*|replac\w+|carry on|continu\w+|keep\w*|instead|safe\w*|fine|"
    r"harmless|nothing|never|for good|for ?ever|permanent\w*|better|whenever|unless|if|swallow|drink|go up|worr\w+)\b"
)


def takes_what_is_supported(norm: str, sentence: str, scenario: AnyDuty) -> bool:
    """Whether all that a sentence does with medicines is to stop those that the shift says to stop. Beside that it may
    only send the person to a test.
    """
    changes = [change for change in scenario.supported_changes if change.change in AWAY]
    if norm not in BY_CHANGING or not changes:
        return False
    said = tuple(change.drug.lower() for change in changes)
    described = tuple(" ".join(pair) for change in changes for pair in pairwise(words(change.why)))
    others = {medicine.name.lower() for medicine in scenario.current_meds} - set(said)
    parts = [part for part in _PARTS.split(normalise(sentence)) if part.strip()]
    away = [_TAKES_AWAY.match(part) for part in parts]
    for part, taken in zip(parts, away, strict=True):
        rest = part[taken.end() :] if taken else _THEIRS.sub("", part, count=1)
        named = rest.strip().startswith((*said, *described) if taken else said)
        if _OTHER_ACT.search(rest) or any(name in part for name in others) or not (named or _TESTED.match(part)):
            return False
    return any(away)
