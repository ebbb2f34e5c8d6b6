"""What supports a critic's objection, and which of the person's own words a counsellor repeated. All rules here are
exact; the reader has already found what the words mean.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from polyclinic.clinics.counsel.rules.risk import Draft, stands
from polyclinic.clinics.counsel.scenario import data
from polyclinic.text.normal import HANGUL, normalise
from polyclinic.text.persons import speaks_of_self
from polyclinic.text.sentences import is_question, sentences
from polyclinic.text.words import spoken_words

_TAKEN = 0.8
_INSTRUCTIONS = re.compile(r"(?:번째|첫|둘째) 문장|한 문장\s*:|상담자의 대답|환자가 말합니다|^그분의 (?:마음|말)")
_LEAST_WORDS = {"en": 4, "ko": 2}


def objected(words: str, draft: str) -> str:
    """The sentences of a draft that contain the words of an objection, or are contained in them; empty for words that
    the draft does not have.
    """
    return " ".join(part for part in sentences(draft) if stands(words, part) or stands(part, words))


def void(fault: str, words: str, draft: str, found: Draft) -> str:
    """Why the critic's own instructions rule an objection out; empty if it may count.

    A fault must be shown by words of the draft, unless the reading of the draft confirms it: an ignored feeling has no
    words. A question that makes no slip is no fault.
    """
    if fault == "feelings" and not found.feeling:
        return ""
    if not stands(words, draft):
        return "it quotes no words of the draft"
    at_fault = sentences(objected(words, draft))
    return "it is about a question" if at_fault and all(is_question(part) for part in at_fault) else ""


def confirmed(fault: str, found: Draft) -> bool:
    """Whether a reading of just the sentences that were objected to confirms the objection."""
    if found.slip or found.time_left:
        return True
    return bool(found.claim) if fault == "accuracy" else fault == "feelings" and not found.feeling


@cache
def _harmless() -> dict[str, tuple[str, ...]]:
    return {name: tuple(words) for name, words in data("risk")["harmless"].items()}


def harmless(draft: str) -> bool:
    """Whether a draft only names a feeling or thanks, and asks: nothing in it states a fact, presses or promises.

    The rule is exact, and narrow on purpose. The last draft must have this form, and only a draft of this form may be
    said if the critic alone objects.
    """
    known = _harmless()
    parts = sentences(draft)
    if not any(is_question(part) for part in parts):
        return False
    for part in parts:
        line = normalise(part).rstrip(" .!?~\"'")
        gentle = is_question(part) or line.startswith(known["begins"]) or line.endswith(known["ends"])
        if not gentle or any(word in line for word in known["never"]):
            return False
    return True


def recited(draft: str) -> str:
    """Sentences in which a counsellor repeats our instructions instead of speaking to the person."""
    return " ".join(part for part in sentences(draft) if _INSTRUCTIONS.search(part))


def borrowed(draft: str, heard: Sequence[str]) -> str:
    """Sentences in which the counsellor repeats the ill person's words as if they were its own.

    A counsellor who responds to these words says "you", or asks. In Korean the subject is left out, so there the words
    alone decide.
    """
    theirs = [frozenset(spoken_words(line)) for line in heard]
    return " ".join(part for part in sentences(draft) if not is_question(part) and _taken(part, theirs))


def _taken(sentence: str, theirs: Sequence[frozenset[str]]) -> bool:
    korean = bool(HANGUL.search(sentence))
    mine = spoken_words(sentence)
    if len(mine) < _LEAST_WORDS["ko" if korean else "en"] or not (korean or speaks_of_self(sentence)):
        return False
    return any(sum(word in line for word in mine) >= _TAKEN * len(mine) for line in theirs)
