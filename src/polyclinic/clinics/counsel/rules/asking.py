"""Whether a message asks for information, and what it asks about: the words that are left without the question's own.

A search must not find a document because both say "where" or "어떻게 되나요".
"""

from __future__ import annotations

import re

from polyclinic.text.normal import normalise
from polyclinic.text.sentences import is_question, sentences
from polyclinic.text.words import STOP_WORDS, words

_POLITE = r"(?:(?:so|and|but|ok|okay|well|hello|hi|please|sorry|doctor|also)[, ]+)*"
_VERBS = r"(?:do|does|did|will|would|can|should|is|are)"
_ASKS = re.compile(
    rf"^{_POLITE}(?:wh?[ao]t(?:'s|s)?|who(?:'s)?|where|which|does|may i|am i|(?:when|why) {_VERBS}"
    rf"|how (?:{_VERBS}|long|much|many|often|soon|come)|can (?:i|you|u|my|they|we|a|the)|could (?:i|you|u|my|they|we)"
    r"|do (?:i|you|u|they|we|my)|is (?:it|there|this|that|a|an|the|my)|are (?:there|they)"
    r"|will (?:i|it|they|my|you|the)|would (?:it|they|my)|should (?:i|my|we))\b"
    r"|\b(?:tell me (?:about|what|how|more|if)|explain|i'd like to (?:know|ask|understand)"
    r"|i (?:want|wanted|would like|need|wish) to (?:know|ask|understand)"
    r"|i (?:wonder|was wondering)|do(?:es)? any(?:one|body) know|any idea|difference between"
    rf"|[,;] (?:and |but |so )?(?:what|who|where|how|why|when|which) {_VERBS})\b"
)
_ASKS_KOREAN = re.compile(
    r"(?:나요|까요|니까|[인은는던건닌]가요)(?=\s|$)|(?:는지요|은지요|을까|는데요 왜|나|냐|노)$"
    r"|알려\s?(?:줘|주|달)|설명\s?(?:해|좀|부탁)|가르쳐\s?(?:줘|주)|궁금(?:해|합|하)"
    r"|(?:뭐|뭔|무엇|무슨|어디|얼마|누가|누구|언제|몇).*(?:요|죠|지|야|임|대|거|건데)$"
)
_NO_QUESTION = re.compile(
    r"^what (?:a|an)\b|\bwhy me\b|[이가도] 나요$|모르겠|건가 (?:봐|싶)|나 (?:봐|싶)|왜 하필|싶어|봐요$|겠(?:어|네)요$"
)
_ABOUT_ASKING = """
actually allowed anymore anything ask cant care does doesn doing
dont exactly explain get getting gets give go going happen
happens hear heard here im keep kind know let long made make makes many may mean means might much must name need old one
person pls please question real really said say should someone something sort still tell thing things think true u
understand ur used want whats where which whose why wonder yes
"""
_NO_SUBJECT = STOP_WORDS | frozenset(_ABOUT_ASKING.split())
_KOREAN_ASKING = re.compile(
    r"(?:뭐|뭔|무엇|무슨|어디|어떻|어떤|어느|누가|누구|언제|왜|몇|정확|알려|설명|궁금|혹시|꼭|제가|내가|저는|나는|나도|저희|우리|있[나어는을]|없[나어는을]"
    r"|하[나는면고]|해[요도야]|되[나는면고]|돼요|돼|되나|될|된|건[가지데]|거[예야죠]|거$|것|좀|나중|그게|이게|저게|그거|이거|정말|진짜|당신|이름|사람|병원(?:$|[은는이가을를에의도]))"
)
_KOREAN_ENDING = re.compile(
    r"(?<=..)(?:(?:하|되|인|은|는|건)?가요|하?나요|(?:합|습)?니까|을?까요?|는지요?|라는데|다는데|던데요?|예요|에요)$"
)


def asks(text: str) -> bool:
    """Whether a text asks something: with a question mark, or in the form of a question."""
    return any(_asks(part) for part in sentences(text))


def _asks(sentence: str) -> bool:
    plain = normalise(sentence).rstrip(" .~…")
    if _NO_QUESTION.search(plain):
        return False
    return is_question(sentence) or bool(_ASKS.search(plain) or _ASKS_KOREAN.search(plain))


def subject_words(text: str) -> str:
    """The words of a question that say what it is about, without the endings of Korean questions."""
    kept = (word for word in words(text) if word not in _NO_SUBJECT and not _KOREAN_ASKING.match(word))
    return " ".join(_KOREAN_ENDING.sub("", word) for word in kept)
