"""A doctor's question without the courtesies around it: "Mind telling me when it began?" asks "When it began?".

Left in, such words would name things that nobody asked about, for example "mind" a childminder. They are taken away
only if a question stays: "Do you remember things well?" is about memory.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product

from polyclinic.clinics.patient.scenario.shipped import data
from polyclinic.core.message import Frozen
from polyclinic.text.normal import straight
from polyclinic.text.questions import PLAIN_VERB, QUESTION_WORD
from polyclinic.text.sentences import sentences

_KEPT = 8192
_STAYS = re.compile(
    rf"(?:(?:roughly|exactly|about|approximately|more about|a (?:bit|little)(?: more)? about|something about) )?"
    rf"(?:{QUESTION_WORD}(?:'s)?|{PLAIN_VERB}|can|could|would|will|any|your|his|her|the)\b",
    re.IGNORECASE,
)
"""What a question begins with when its courtesies are gone."""


class Courtesies(Frozen):
    """What stands before a question, in one piece or in two, and what stands anywhere in it."""

    may_you: tuple[str, ...]
    tell: tuple[str, ...]
    before: tuple[str, ...]
    anywhere: tuple[str, ...]


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What begins a sentence, and what may stand anywhere in it."""
    known = Courtesies.model_validate(data("courtesy.yaml"))
    pairs = [f"{first} {second}" for first, second in product(known.may_you, known.tell)]
    return (
        re.compile(rf"(?:{_either((*pairs, *known.before))})\b[,;:.\s-]*(?:(?:if|whether) )?", re.IGNORECASE),
        re.compile(rf",?\s*\b(?:{_either(known.anywhere)})\b,?", re.IGNORECASE),
    )


def _either(phrases: tuple[str, ...]) -> str:
    """One of the phrases, the longest first."""
    return "|".join(re.escape(each) for each in sorted(set(phrases), key=lambda each: (-len(each), each)))


@lru_cache(maxsize=_KEPT)
def without_courtesy(question: str) -> str:
    """The question without what is said around it out of courtesy; the question itself if nothing else is left."""
    return " ".join(_bare(part) for part in sentences(straight(question))) or question


def _bare(sentence: str) -> str:
    before, anywhere = _patterns()
    rest = anywhere.sub("", sentence).strip()
    kept = rest if _STAYS.match(rest) else sentence
    at = 0
    while found := before.match(rest, at):
        at = found.end()
        if _STAYS.match(rest, at):
            kept = rest[at:]
    return kept[:1].upper() + kept[1:]
