"""Whether a message asks for information, and what it asks about: the words that are left without the question's own.

A search must not find a document because both say "where" or "어떻게 되나요".
"""

from __future__ import annotations

import re
from functools import cache

from polyclinic.clinics.counsel.scenario import data
from polyclinic.text.normal import normalise
from polyclinic.text.questions import asks_something
from polyclinic.text.sentences import sentences
from polyclinic.text.words import STOP_WORDS, words

_LAMENT = re.compile(r"\bwhy me\b|왜 하필|싶어|모르겠")
"""What sounds like a question, even with its mark, and is not one that a document answers: "Why me?" """
_KOREAN_ASKING = re.compile(
    r"(?:뭐|뭔|무엇|무슨|어디|어떻|어떤|어느|누가|누구|언제|왜|몇|정확|알려|설명|궁금|혹시|꼭|제가|내가|저는|나는|나도|저희|우리|있[나어는을]|없[나어는을]"
    r"|하[나는면고]|해[요도야]|되[나는면고]|돼요|돼|되나|될|된|건[가지데]|거[예야죠]|거$|것|좀|나중|그게|이게|저게|그거|이거|정말|진짜|당신|이름|사람|병원(?:$|[은는이가을를에의도]))"
)
_KOREAN_ENDING = re.compile(
    r"(?<=..)(?:(?:하|되|인|은|는|건)?가요|하?나요|(?:합|습)?니까|을?까요?|는지요?|라는데|다는데|던데요?|예요|에요)$"
)


@cache
def _no_subject() -> frozenset[str]:
    """Words that do not say what a question is about: stop words, and those of ``data/lay_words.toml``."""
    return STOP_WORDS | frozenset(data("lay_words")["asking"].split())


def wants_to_know(text: str) -> bool:
    """Whether a text asks something that could be answered."""
    return any(asks_something(part) and not _LAMENT.search(normalise(part)) for part in sentences(text))


def only_asks(word: str) -> bool:
    """Whether a word says nothing of what a question is about."""
    return word in _no_subject() or _KOREAN_ASKING.match(word) is not None


def subject_words(text: str) -> str:
    """The words of a question that say what it is about, without the endings of Korean questions."""
    kept = (word for word in words(text) if not only_asks(word))
    return " ".join(_KOREAN_ENDING.sub("", word) for word in kept)
