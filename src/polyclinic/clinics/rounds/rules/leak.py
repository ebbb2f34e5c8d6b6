"""Does the tutor give the answer away? Checked in code on every draft, besides being judged.

Naming an answer that a student has already put on the table is not a leak; confirming it is. Weighing several options
in one sentence is not a leak either.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from polyclinic.clinics.rounds.rules.words import content_words
from polyclinic.clinics.rounds.scenario.case import Case
from polyclinic.text.phrases import contains_phrase
from polyclinic.text.sentences import sentences

_CONFIRMS = re.compile(
    r"\b(correct|right answer|is right|are right|exactly right|that is it|the answer is|you have it|well done, it is|"
    r"indeed the|should be chosen|must be chosen|yes, it is)\b",
    re.IGNORECASE,
)


def giveaway_phrases(case: Case) -> tuple[str, ...]:
    """The phrases that give the answer away: the author's, or the answer's own words that no other option and no
    vignette has.
    """
    if case.gives_away:
        return case.gives_away
    others = " ".join(words for letter, words in case.options.items() if letter != case.answer)
    common = content_words(f"{others} {case.vignette} {case.question}")
    own = [word for word in re.findall(r"[A-Za-z][A-Za-z-]{3,}", case.answer_text) if not content_words(word) <= common]
    return (case.answer_text, *own)


def _names_letter(case: Case, sentence: str) -> bool:
    if not case.options:
        return False
    letters = set(re.findall(r"\b(?i:option|answer|choice)\s+(?:is\s+)?\(?([A-J])\)?(?![\w'])", sentence))
    return letters == {case.answer}


def _weighs_several(case: Case, sentence: str) -> bool:
    named = [letter for letter, words in case.options.items() if contains_phrase(sentence, words)]
    return len(named) >= 2


def leak(case: Case, text: str, said_by_students: Iterable[str] = ()) -> str:
    """The sentence that gives the answer away, or an empty text."""
    phrases = giveaway_phrases(case)
    heard = " \n".join(said_by_students)
    for sentence in sentences(text):
        confirms = _CONFIRMS.search(sentence) is not None
        if _names_letter(case, sentence) and (confirms or not re.search(rf"\b{case.answer}\b", heard)):
            return sentence
        named = [phrase for phrase in phrases if contains_phrase(sentence, phrase)]
        if not named:
            continue
        on_the_table = any(contains_phrase(heard, phrase) for phrase in phrases)
        if confirms or (not on_the_table and not _weighs_several(case, sentence)):
            return sentence
    return ""
