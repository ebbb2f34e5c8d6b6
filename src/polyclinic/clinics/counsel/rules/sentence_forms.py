"""Forms of questions and of the sentences of documents, as far as they matter for choosing what to say.

Documents are written as prose. Some of their sentences cannot be said alone: they lean on the one before.
"""

from __future__ import annotations

import re

from polyclinic.clinics.counsel.rules.lexicon import screen
from polyclinic.text.normal import HANGUL, normalise
from polyclinic.text.words import words

ON_A_WISH = "wish-to-die"
"""How the ids of the documents on the wish to die end. They speak only where one may be voiced."""
_LEAST_WORDS = 4
_HOW_MUCH = re.compile(r"\bhow (?:much|many|long|often|soon)\b|얼마|몇|며칠")
_HOW_LIKELY = re.compile(r"\bhow likely\b|\b(?:chances?|odds)\b|확률|얼마나")
_NUMBER = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|half|most|few|hours?|days?|weeks?|months?)\b"
    r"|\b(?:free|no cost|single|once|years?)\b"
    r"|무료|비용은 없|퍼센트|(?:한|두|세|네|다섯|여섯|몇|백) ?(?:명|분|번|주|달|시간|가지)|며칠"
)
_HOW_OFTEN = re.compile(
    r"\b(?:seldom|rarely|rare|often|usually|common|uncommon|never|always)\b|적습니다|드물|드뭅|대부분|대개|흔|거의|많습니다"
)
_FOR_HELP = re.compile(
    r"\b(?:what|how) (?:can|should|could|else)\b|\bwhat (?:do (?:i|we) do|helps|works|is there)|\banything\b"
    r"|\bis there (?:any|some)thing\b|\bwho (?:can )?helps?\b|\bhelp (?:with|against|for|me|my|us|her|him)\b"
    r"|어떻게|방법|약이? 있|어떡|뭘 해"
)
_ADVICE = re.compile(
    r"\b(?:helps?|eases?|eased|reliev\w+|relief|treated|control\w*|try|prevent\w*|ask|soothes?)\b"
    r"|도움|덜어|덜 수|줄여|치료할|십시오|좋습니다|낫습|나아|면 됩니다"
)
_CALLS = re.compile(r"\bat once\b|\b(?:call|ring|phone|emergency)\b|연락|전화|응급|119|109")
_DYING = re.compile(
    r"\b(?:die|dies|died|dying|death|dead|live|lives|survive[ds]?|survival|end (?:\w+ )?life)\b"
    r"|죽|사망|임종|돌아가|숨지|숨을 거|사나|사는지|살 수"
    r"|살아(?!온|오)|살까|살지|생존"
)
_WISH = re.compile(
    r"\b(?:wish\w*|want\w*(?! to (?:know|ask|hear|understand|talk))|ready|hasten\w*|hurry|over with|end it|suicid\w*)\b"
    r"|(?<!알고 )(?<!묻고 )싶|빨리|자살|끝내|바라"
)
_LEANS = re.compile(
    r"^(?:It|Its|They|Their|This|These|That|Those|Such|Then|Therefore|Both|But|Yet|So|Also|Otherwise|He|She|Here|Each"
    r"|One|Two|Others?|After this|In (?:this|these|such))\b|\bdo(?:es)? (?:not )?(?:do )?so\b"
    r"|^(?:이|그|이런|그런|이때|그때|이는|이것|그것|그래서|그러나|하지만|다만|또|또한|대신|둘|이렇게|그렇게|그러면|이미"
    r"|여기)(?:[은는이가를을도에의]|에는|에도|부터)?(?=[ ,])"
)
_SUBJECT = re.compile(r"[은는이가도면](?=[ ,])")
_ANNOUNCES = re.compile(r"^The (?:first|second|third|other|last) is\b")
_COUNTRIES = {
    "US": re.compile(r"\b(?:United States|America\w*|Medicare|Medicaid)\b"),
    "GB": re.compile(r"\b(?:England|Wales|English|Scotland|United Kingdom|Britain|British|NHS)\b"),
    "KR": re.compile(r"\bKorea\w*\b"),
}


def asks_how_much(question: str) -> bool:
    """Whether a question asks for a number, a time or a chance."""
    return bool(_HOW_MUCH.search(normalise(question)) or _HOW_LIKELY.search(normalise(question)))


def says_how_much(question: str, sentence: str) -> bool:
    """Whether a sentence has what such a question asks for: a number or a time. A chance can also be "often"."""
    likely = _HOW_LIKELY.search(normalise(question)) and _HOW_OFTEN.search(sentence)
    return bool(likely or _NUMBER.search(sentence))


def asks_for_help(question: str) -> bool:
    """Whether a question asks what can be done."""
    return bool(_FOR_HELP.search(normalise(question)))


def speaks_of_dying(text: str) -> bool:
    """Whether a text is about dying or staying alive. A question about it is answered only by words about it."""
    return bool(_DYING.search(normalise(text)))


def voices_wish(question: str) -> bool:
    """Whether a question may come from a wish to die, or ask about one."""
    return bool(_WISH.search(normalise(question)) or screen(question).words)


def advises(sentence: str) -> bool:
    """Whether a sentence says what helps. Whom to call in an emergency is not meant."""
    return bool(_ADVICE.search(sentence)) and not tells_whom_to_call(sentence)


def tells_whom_to_call(text: str) -> bool:
    """Whether a text is about calling for help. A sentence about it answers only a question about it."""
    return bool(_CALLS.search(normalise(text)))


def leans(sentence: str) -> bool:
    """Whether a sentence is understood only after the one before it: it begins with "It", it is very short, or it is
    Korean and names no subject.
    """
    bare = HANGUL.match(sentence) and not _SUBJECT.search(sentence)
    return bool(_LEANS.search(sentence) or bare) or len(words(sentence)) < _LEAST_WORDS


def announces(sentence: str) -> bool:
    """Whether a sentence only names what the next one speaks of, and perhaps denies: "The second is that morphine
    shortens life." It must never be said alone.
    """
    return bool(_ANNOUNCES.search(sentence))


def about_another_country(sentence: str, country: str) -> bool:
    """Whether a sentence names other countries of the documents and not this one."""
    named = {name for name, pattern in _COUNTRIES.items() if pattern.search(sentence)}
    return bool(country and named and country not in named)
