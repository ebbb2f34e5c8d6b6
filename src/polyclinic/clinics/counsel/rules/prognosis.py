"""Finds statements of how long a person has to live: "you have six months". No source says this of one person, so it is
a fault whatever else a draft says. The patterns are exact and narrow: the time itself must be said, and said as a fact.
"""

from __future__ import annotations

from polyclinic.text.lazily import lazy_pattern
from polyclinic.text.normal import normalise
from polyclinic.text.sentences import is_question, sentences

_COUNT = (
    r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|eighteen|twenty"
    r"|(?:a )?few|several|a couple(?: of)?|half an?)"
)
_TIME = rf"{_COUNT}(?: ?(?:to|or|-) ?{_COUNT})?(?: more| short)? (?:days?|weeks?|months?|years?)"
_ABOUT = r"(?:about |around |roughly |maybe |perhaps |probably |only |just |exactly |at most |at best |for |another )*"
_LIVES = r"(?:live|survive|last|be (?:alive|with us|here))"
_WILL = r"\byou(?:'ll| will| are going to|'re going to| can expect to| should| would)"
_ENGLISH = lazy_pattern(
    rf"\byou(?:'ve| have|'ll have| will have| only have)(?: got)? {_ABOUT}{_TIME}"
    r"(?=,? (?:left|to live|remaining|at (?:most|best)|or so|otherwise)|\W*$)"
    r"|\byou have (?:only )?(?:days|weeks|months)(?:,? not (?:weeks|months|years)| left| to live)"
    rf"|{_WILL} (?:be dead|be gone|die|pass away) (?:by|before|within|in (?:about )?\w+ \w*s)\b"
    rf"|{_WILL} (?:only |probably )*{_LIVES} {_ABOUT}{_TIME}"
    rf"|\byou(?: will not| won't| are not going to|'re not going to) {_LIVES} (?:\w+ ){{0,2}}{_TIME}"
    r"|\byou(?: will not| won't) (?:live to )?see (?:another|next|the next|this coming) (?:christmas|birthday|spring"
    r"|summer|autumn|winter|year)"
    rf"|\byour (?:prognosis|life expectancy|remaining time) is {_ABOUT}{_TIME}"
    rf"|\b(?:it is|it's|it will be) (?:only |just |exactly |about )+{_TIME}\W*$"
    rf"|\b{_TIME} is (?:all|what) you have\b"
)
_NUMBER = r"(?:\d+|한두|두세|서너|석|넉|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|몇|반|일|이|삼|사|오|육|칠|팔|구|십)"
_SPAN = rf"{_NUMBER} ?(?:~ ?\d+ ?)?(?:년|개월|달|주일|주|일)"
_KOREAN = lazy_pattern(
    rf"(?:딱|길어야|길어도|기껏해야|고작|앞으로|이제|남은 (?:시간|날|생)[은이]|여명[은이]|수명[은이])"
    rf" ?(?:약 |대략 |한 )?{_SPAN} ?(?:정도 ?|남짓 ?|뿐 ?)?(?:입니다|이에요|예요|이다|이야|남|못|사[시실]|살)"
    r"|(?:전에|안에|이내에|내에) ?(?:돌아가|세상을 떠나)(?:십니다|실 (?:겁|것|거))"
    rf"|{_SPAN} ?(?:정도 ?|밖에 ?|남짓 ?)?(?:안 |못 |더 )?"
    r"(?:남았|남으셨|남아 ?계|사십니다|사실 (?:수|겁)|살 수|사세요|(?:을 |를 )?못 (?:사|넘))"
)
_REPORTED = lazy_pattern(
    r"\byou (?:said|told|mentioned|were told|have been told|heard)\b|\b(?:doctors?|they|she|he) (?:\w+ )?"
    r"(?:said|told|says|gave|thinks?|expects?|estimated?)\b|하셨|말씀|들으셨|들으신|라고|다고"
)
"""Signs that the counsellor only repeats what somebody else said."""


def time_left(draft: str) -> str:
    """The first sentence of a draft that tells the person how long they will live; empty where there is none."""
    for part in sentences(draft):
        line = normalise(part)
        found = _ENGLISH.search(line) or _KOREAN.search(line)
        if found and not is_question(part) and not _REPORTED.search(line):
            return part
    return ""
