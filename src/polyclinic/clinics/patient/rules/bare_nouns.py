"""A doctor's message that is a bare noun: "haematuria?", "Fever?", "chest pain".

It asks the patient about this. The reader takes such words for a request for a test, or for a trick, because both are
often as short. So a bare noun without the name of a test, of a kind of tests or of a measurement is neither. Words for
the diagnosis, for results or for all that is known, and names of this patient's own illness, are left to the reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from polyclinic.clinics.patient.rules.vocabulary import is_of_tests, measures, names_a_test
from polyclinic.text.normal import normalise
from polyclinic.text.phrases import mentioned
from polyclinic.text.questions import PLAIN_VERB, QUESTION_WORD
from polyclinic.text.words import words

_MOST_WORDS = 5
_NO_NOUN = re.compile(
    rf"\b(?:{QUESTION_WORD}|{PLAIN_VERB}|i|me|my|we|us|our|you|he|she|it|they|them|this|that|these|those|please|not|"
    r"can|could|would|will|shall|should|must|may|might|let|lets|tell|give|show|name|say|list|check|measure|examine|order|"
    r"send|get|take|run|book|arrange|request|repeat|need|want|like|look|listen|see|go|come|stop|start|describe|explain|"
    r"hello|hi|thanks|thank|yes|no|ok|okay|sorry|well|next|now|then)\b|\d"
)
"""What makes a message more than a noun."""
_ACRONYM = re.compile(r"\b[A-Z][A-Za-z]?[A-Z]+s?\b")
"""Short names, most of them of tests: ABG, CXR, LFTs."""
_OF_ALL = re.compile(
    r"\b(?:diagnos\w+|disease|condition|results?|findings?|records?|files?|charts?|reports?|letters?|notes?|summary|"
    r"conclusions?|answers?|cheat\w*|secrets?|instructions?|prompts?|cases?|all|every\w*|whole|full|complete|entire)\b"
)
"""What a doctor may not have from the patient, and all of anything."""


@lru_cache(maxsize=8_192)
def _is_short(question: str) -> bool:
    said = normalise(question).strip(" ?.!,")
    return 0 < len(words(said)) <= _MOST_WORDS and not _NO_NOUN.search(said) and not _OF_ALL.search(said)


def asks_by_a_noun(question: str, illness: Iterable[str] = ()) -> bool:
    """Whether a message is a bare noun that asks the patient about something. `illness` is what theirs is called."""
    if not _is_short(question) or names_a_test(question) or measures(question) or _ACRONYM.search(question):
        return False
    return not (is_of_tests(normalise(question).strip(" ?.!,")) or mentioned(question, illness))


def is_a_bare_test(question: str) -> bool:
    """Whether a message is the bare name of a test: "copper?", "chest X-ray"."""
    return _is_short(question) and (names_a_test(question) or is_of_tests(normalise(question).strip(" ?.!,")))
