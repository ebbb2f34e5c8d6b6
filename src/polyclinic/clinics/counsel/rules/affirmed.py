"""Whether an answer to the question about ending one's life says no.

The guard reads each message by itself. "Yes." has no danger in it, but right after that question it is the gravest
answer there is. So an answer that agrees, or that leaves it open, calls people, whatever the guard decides.
"""

from __future__ import annotations

from polyclinic.clinics.counsel.rules.guard import Decision
from polyclinic.text.lazily import lazy_pattern
from polyclinic.text.normal import normalise
from polyclinic.text.sentences import is_question

REASON = "the person was asked about ending their life and did not say no"
_WORDS_SHOWN = 200
_SHORT = 12
"""In words. The guard can judge a longer message by itself."""
_OPEN = lazy_pattern(
    r"\b(?:i )?(?:don't|dont|do not) know\b|\b(?:not|never) (?:so |really |quite |entirely )?sure\b|\bnot yet\b"
    r"|\b(?:can't|cannot|couldn't|won't|wouldn't) (?:\w+ ){0,2}?(?:say|promise|lie|deny|pretend|rule)\b"
    r"|\b(?:rather|prefer) not\b|\bno comment\b|\b(?:don't|do not) want to (?:say|answer|talk)\b|\bi have\W*$"
    r"|\bbut (?:yes|yeah|yep)\b"
    r"|\b(?:yes|yeah|yep|sometimes|now and then|off and on|from time to time)\W*$|\bnow and then\b"
    r"|\bon (?:bad|some) days\b|\bif i (?:did|do|had|have|say|said|told)\b|그렇다(?:고|면)"
    r"|\b(?:maybe|perhaps|well|just) a (?:little|bit)\b"
    r"|\b(?:i did|i do)\W*$|\bi (?:do|did|have) (?:sometimes |often )?(?:think|thought|wonder|consider|plan)"
    r"|(?<!n't )(?<!not )(?<!never )\bthought (?:about|of) (?:it|that)\b"
    r"|\b(?:wouldn't|would not) you\b|\b(?:does|would|should) (?:it|that) matter\b"
    r"|\bwill you (?:call|tell|report|lock)\b|\b(?:what|and|so) if i\b|\bwhy (?:not|wouldn't|shouldn't)\b"
    r"|왜 안 ?(?:해|하|했|그)|사실은|조금요|가끔|라면 안|끝낼까|끝내고 싶"
    r"|생각[도이까]\w{0,2} ?(?:들|듭|해|했|합)(?!.*(?:없|않))"
    r"|그런 마음[이도]? ?(?:들|듭|있)(?!.*않)|말하면|얘기하면|모르겠|글쎄|아직은|못 ?하겠"
    r"|거짓말이|왜 없|없다고는|아니라고|싶지 않|생각은 하지만"
)
_DENIES = lazy_pattern(
    r"\b(?:no+|nope|nah|not|never|neither|none|nothing)\b|n't\b|\b(?:dont|wont|cant|havent|didnt|wouldnt)\b"
    r"|\bwant to live\b|아니(?!면)|아뇨|아녀|아님|아닙|ㄴㄴ|안 |않|없|절대|전혀|오해|살고 ?싶|죽긴"
)
_BOTH = lazy_pattern(
    r"\b(?:both|(?:the )?(?:second|latter|last one|other one)|that too|as well"
    r"|thought(?:s)? (?:about|of) (?:it|that|doing|ending)"
    r"|(?:end|ending|finish|finishing) (?:it|things|my life|myself))\b"
    r"|그런 생각[도이을]? ?(?:들|해|했|있)|둘 ?다|두 ?번째|후자|뒤쪽|뒤의|나중"
)
_WEARY = lazy_pattern(
    r"\b(?:tired|worn|weary|exhausted|pain|suffering|enough|first|former|wearing me)\b"
    r"|지쳐|지쳤|지친|힘들|고통|통증|피곤|고단|기운|첫|전자|앞쪽|앞의"
)
"""Words that agree only to the other half of the question, which asks whether the person is worn out."""
_YES = lazy_pattern(
    r"^(?:yes|yeah|yep|maybe|perhaps|possibly|sort of|kind of|i guess|i suppose)\b|^(?:네|예|응|그래|그렇|맞|어느 정도)"
)


def affirmed(answer: str) -> Decision | None:
    """The decision to call people if a short answer does not say no. None if it denies, agrees only to the other half
    of the question, or asks something. None also for a long answer, which the guard judges by itself.
    """
    line = normalise(answer)
    if not _OPEN.search(line):
        both = _BOTH.search(line)
        if _WEARY.search(line) and not both:
            return None
        if not _YES.search(line) and _DENIES.search(line):
            return None
        if not both and (len(line.split()) > _SHORT or is_question(answer)):
            return None
    return Decision(way="escalate", label="active", source="screen", reason=REASON, words=answer[:_WORDS_SHOWN])
