"""Reading words: sentences, negation, hedges, questions. The small language that all triggers share."""

from __future__ import annotations

import re
from collections.abc import Iterable

from polyclinic.text.phrases import phrase_pattern
from polyclinic.text.sentences import is_question
from polyclinic.text.sentences import sentences as text_sentences

SHORT = 3
_NEGATION = re.compile(
    r"\b(?:not|no(?!,)|never|cannot|can't|don't|doesn't|isn't|aren't|won't|wouldn't|shouldn't|mustn't"
    r"|neither|nor|without|nobody"
    r"|nothing|rather than|instead of|refuse to|avoid)\b",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:may|might|could|possibly|perhaps|not sure|not certain|cannot be sure|do not know|don't know"
    r"|not known|unclear"
    r"|unknown|until|unless|if|seems?|suspect|likely|probably|not yet|pending|wait for|waiting for|ask for"
    r"|need(?:s|ed)?"
    r"|i think|as far as)\b",
    re.IGNORECASE,
)
CONFIRMS = re.compile(
    r"\b(?:i confirm|confirmed|i agree|agreed|go ahead|that is right|you may proceed|yes, do)\b", re.IGNORECASE
)
TEACH_BACK = re.compile(
    r"(?:in your own words|tell me back|tell (?:it|them|that) back|say (?:it|them|that) back|repeat (?:it"
    r"|them|that|this) back"
    r"|what will you do|how will you|show me how|tell me how you will|tell me what you will)",
    re.IGNORECASE,
)


def sentences(text: str) -> tuple[str, ...]:
    """The sentences as the checker reads them: a semicolon ends one, a line break does not."""
    return text_sentences(text, semicolons=True, lines=False)


def hedged(sentence: str) -> bool:
    """Whether it says that something is open."""
    return _HEDGE.search(sentence) is not None


def negated(sentence: str, start: int, reach: int = 5) -> bool:
    """Whether a negation stands within `reach` words before the place."""
    before = sentence[:start].split()[-reach:]
    return _NEGATION.search(" ".join(before)) is not None


def find_word(text: str, words: Iterable[str]) -> re.Match[str] | None:
    """The first of the words that the text has. Longer ones may take an ending (confus-ed), short names may not."""
    for word in words:
        match = phrase_pattern(word, open_end=len(word) > SHORT).search(text)
        if match is not None:
            return match
    return None


def mentions(text: str, words: Iterable[str]) -> bool:
    """Whether the text has one of the words."""
    return find_word(text, words) is not None


def asserted(text: str, pattern: re.Pattern[str], *, allow_hedge: bool = False) -> str:
    """The first sentence that makes the claim plainly: no question, no negation, no hedge. Empty when there is none."""
    for sentence in sentences(text):
        match = pattern.search(sentence)
        if match is None or is_question(sentence) or negated(sentence, match.start()):
            continue
        if hedged(sentence) and not allow_hedge:
            continue
        return sentence
    return ""
