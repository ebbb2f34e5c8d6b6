"""Whether somebody speaks of themselves in the third person: as "the patient", by their name, or as "he" or "she".

A pronoun alone is a weak sign: people speak of their wives and sons. It counts only if the sex agrees, if it opens the
line, and if nobody else whom it could mean was mentioned.
"""

from __future__ import annotations

import re
from functools import lru_cache

from polyclinic.text.normal import normalise
from polyclinic.text.persons import speaks_of_self
from polyclinic.text.sentences import sentences
from polyclinic.text.words import spoken_words

_PRONOUN = {"female": "she", "male": "he"}
_OPENS = re.compile(
    r"(?:(?:yes|no|well|yeah|okay|ok|oh|um|uh|hello|hi)[,.!]? )*(s?he)(?:'s|'d| (?:also |just |still )?(?:has|had|is"
    r"|was|feels?|felt|does|did|can|can't|cannot|reports?|suffers?|experiences?|complains?|denies|takes?|began|started"
    r"|noticed|describes?|mentions?|needs?|wants?|smokes?|drinks?|lives?|works?|gets?)\b)"
)
_PRONOUNS = frozenset(("he", "she", "him", "her", "his", "hers"))
_PEOPLE = """
they who wife husband partner mother mum mom mam father dad son daughter sister brother aunt uncle nan nana gran granny
grandma grandpa grandmother grandfather friend boyfriend girlfriend neighbour neighbor niece nephew cousin child kid
baby boy girl lady woman man guy bloke dog cat boss colleague teacher somebody someone anybody anyone everybody everyone
family nurse gp consultant person people
"""
_SOMEBODY = _PRONOUNS | frozenset(_PEOPLE.split())

_ANOTHER = (
    r"[- ](?:in|on|at|next|with|beside|before|after|opposite|across|near|who|whose|that|leaflet|information|portal"
    r"|list|room|lounge|line|side|number|form|card|group|advocate|transport)\b"
)


_VERBS = (
    "is|was|has|had|have|are|were|reports?|reported|states?|stated|says?|said|denies|denied|describes?|described|complains?"
    "|presents?|presented|feels?|felt|experiences?|experienced|appears?|seems?|would|will|should|may|might|does|did|can"
    "|could|agrees?|thinks?|believes?|notices?|answers?|replies|responds?|suffers?|takes?|wants?|needs?|mentions?|expresses?|accepts?"
)


@lru_cache(maxsize=1_024)
def mentions_somebody(text: str) -> bool:
    """Whether a text mentions a person whom "he" or "she" could mean. Cached, because every later line asks again."""
    return any(word.removesuffix("'s") in _SOMEBODY for word in spoken_words(normalise(text)))


def pronoun_of_self(line: str, said: str, sex: str) -> str:
    """The words with which somebody of this sex speaks of themselves in the third person; empty if there are none.

    `line` is normalised.
    """
    match = _OPENS.match(line)
    if match is None or match[1] != _PRONOUN.get(sex) or mentions_somebody(said) or speaks_of_self(line):
        return ""
    rest = line[: match.start(1)] + line[match.end(1) :]
    others = {word.removesuffix("'s") for word in spoken_words(rest)} & _SOMEBODY
    return "" if others - _PRONOUNS else match[0]


def third_person(text: str, own: tuple[str, ...]) -> str:
    """The first sentence that speaks about the speaker in the third person. It either has no "I", or has "I" beside
    "the patient" ("I will inform the patient").
    """
    pattern, beside = _about(own), _beside(own)
    for sentence in sentences(text):
        if beside.search(sentence) or (pattern.search(sentence) and not speaks_of_self(sentence)):
            return sentence
    return ""


@lru_cache(maxsize=1_024)
def _beside(names: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for the speaker in the third person.

    It matches neither "I am the patient" nor "the patient in the next bed".
    """
    either = "|".join(map(re.escape, names))
    return re.compile(rf"(?<!\bam )(?<!'m )\b(?:the|my) (?:{either})(?:'s|’s)?\b(?!{_ANOTHER})", re.IGNORECASE)


@lru_cache(maxsize=1_024)
def _about(names: tuple[str, ...]) -> re.Pattern[str]:
    either = "|".join(map(re.escape, names))
    return re.compile(
        rf"(?:^|\bthe )(?:{either})(?:\b(?:'s)?\s+(?:\w+\s+)?(?:{_VERBS})\b)|(?:{either})(?:은|는|이|가|께서)\s",
        re.IGNORECASE,
    )
