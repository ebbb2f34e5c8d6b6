"""Messages with a fixed answer: a goodbye, thanks, the question who the counsellor is, a yes to an offer."""

from __future__ import annotations

import re
from functools import cache

from polyclinic.clinics.counsel.rules.courtesy import (
    asks_beyond_greeting,
    beyond_thanks,
    only_courtesy,
    polite_pattern,
    thanks_in,
)
from polyclinic.clinics.counsel.scenario import data
from polyclinic.text.normal import normalise
from polyclinic.text.sentences import is_question, sentences
from polyclinic.text.words import spoken_words

_SPOKEN_OF = re.compile(
    r"\b(?:sa(?:y|id|ying)|wave[ds]?|kiss\w*) (?:\w+ ){0,2}(?:goodbye|good bye|bye|good ?night)|bye to "
    r"|\bi'm off (?:my|the|all|food|work|sick|of)\b|라고|했(?:어|는|더)"
)
_LONG_BYE = re.compile(r"\b((?:good ?)?bye)e+\b")
_YES = (
    r"(?:yes|yeah|yep|ok|okay|sure|please|go ahead|i would|i'd like that|that would be (?:good|nice|great|kind)"
    r"|do that|네|예|응|그래|그래요|그래 ?주세요|그렇게 ?해 ?(?:주세요|줘요)|좋아요|좋습니다"
    r"|부탁(?:해요|합니다|드려요|드립니다|드릴게요)|해 ?주세요|물어봐 ?주세요|여쭤봐 ?주세요)"
)
_AGREES = re.compile(rf"{_YES}(?:\W+(?:{_YES}|do|thank you|thanks|좀|고맙습니다|감사합니다))*\W*")
_MACHINE = r"(?:a |an )?(?:real|human|person|robot|machine|computer|bot|ai)\b"
_WHO = re.compile(
    r"\b(?:who|what) (?:are|r) (?:you|u)(?=[?,.! ]*$| exactly| really)|\byour name\b"
    rf"|\bare (?:you|u) (?:{_MACHINE}|a (?:doctor|nurse)\b)"
    rf"|\b(?:am i|is this) (?:(?:talking|speaking|chatting) (?:to|with) )?{_MACHINE}"
    r"|\bwho am i (?:speaking|talking|chatting|writing)\b"
    r"|\b(?:is|am) (?:this|it|i|there)(?: \w+){0,4} (?:an? (?:ai|bot|chatbot|human)|(?:real|actual) (?:person|human))\b"
    r"|누구(?:세요|십니까|신가요|예요|시죠)|이름이 (?:뭐|어떻게)"
    r"|사람이 (?:직접 )?(?:답|쓰)|\b(?:ai|챗봇)(?:예요|에요|인가요|입니까|이에요|인지|죠)"
    r"|(?:사람|로봇|기계|인공지능|의사)(?:이세요|이에요|인가요|입니까|이신가요|세요|예요)"
)
_MEETING_AGAIN = re.compile(
    r"\bsame (?:time|day)\b|\b(?:talk|speak|chat|meet|see (?:you|each other)|come (?:back|again|here)|do this|go on)\b"
    r".*\b(?:again|tomorrow|later|next|soon|another|\w+day)\b"
    r"|(?:다음 ?(?:주|에|번)|내일|또|다시|(?:이|같은) 시간)"
    r".*(?:될까|되나|괜찮|볼까|뵐까|만날|얘기|이야기|와도|올까|할까)"
)
_WITH_OTHERS = re.compile(r"\b(?:doctor|nurse|appointment|hospital|ward)\b|의사|간호사|진료|병원|검사|입원")
_LONG, _LONG_THANKS = 14, 16


def has_words(kind: str, text: str) -> bool:
    """Whether a text has words of this kind in ``data/small_talk.toml``."""
    return _pattern(kind).search(normalise(text)) is not None


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    english, korean = ("|".join(data("small_talk")[kind][lang]) for lang in ("en", "ko"))
    return re.compile(rf"\b(?:{english})\b|{korean}")


def takes_leave(text: str) -> bool:
    """Whether a text says goodbye to the counsellor: a short text anywhere, a longer one in its last sentence. To
    speak of a goodbye does not count. A question must be answered first, unless it is about meeting again.
    """
    if any(map(_asks_more_than_to_meet, sentences(text))):
        return False
    return (_is_short(text) and _leaves(text, "goodbye", "leaving")) or _leaves_at_the_end(text)


def _leaves(text: str, *lists: str) -> bool:
    """Whether a text has whole words of these lists. "Byeee" counts, "byelaws" and "I'm offended" do not."""
    return polite_pattern(*lists, whole=True).search(_LONG_BYE.sub(r"\1", normalise(text))) is not None


def _is_short(text: str) -> bool:
    plain = normalise(text)
    return len(spoken_words(plain)) <= _LONG and not is_question(text) and not _SPOKEN_OF.search(plain)


def _leaves_at_the_end(text: str) -> bool:
    last = [part for part in sentences(text) if beyond_thanks(part)[1]][-1:]
    if not last or not _is_short(last[0]) or has_words("final", text):
        return False
    return _leaves(last[0], "goodbye", "leaving", "parting")


def _asks_more_than_to_meet(sentence: str) -> bool:
    plain = normalise(sentence)
    if not asks_beyond_greeting(sentence) or (says_goodbye(sentence) and not is_question(sentence)):
        return False
    return not _MEETING_AGAIN.search(plain) or bool(_WITH_OTHERS.search(plain)) or matters(sentence)


def says_goodbye(text: str) -> bool:
    """Whether a text has words of a goodbye or others that begin like them. The guard is stricter then."""
    return bool(polite_pattern("goodbye", "leaving", whole=False).search(normalise(text)))


def matters(text: str) -> bool:
    """Whether a text speaks of pain, treatment, death or violence, so that small talk cannot answer it."""
    return has_words("matters", text)


def thanks_only(text: str) -> bool:
    """Whether a text thanks, praises and says nothing else."""
    rest = _pattern("praise").sub(" ", normalise(text))
    if beyond_thanks(text) != (True, True):
        return True
    return (beyond_thanks(rest) != (True, True) and only_courtesy(rest)) or _thanks_and_judges(text)


def _thanks_and_judges(text: str) -> bool:
    """Whether a short text thanks, and says in every other sentence that an explanation or the talk was good."""
    thanked = len(spoken_words(normalise(text))) <= _LONG_THANKS and thanks_in(text)
    if not thanked or matters(text) or has_words("more_than_thanks", text) or asks_beyond_greeting(text):
        return False
    return all(only_courtesy(part) or has_words("judged", part) for part in sentences(text))


def asks_who(text: str) -> bool:
    """Whether a text asks who or what the counsellor is."""
    return bool(_WHO.search(normalise(text)))


def agrees(text: str) -> bool:
    """Whether a text is a yes and nothing else."""
    return not is_question(text) and bool(_AGREES.fullmatch(normalise(text)))
