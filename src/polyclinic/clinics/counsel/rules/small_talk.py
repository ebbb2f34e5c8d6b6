"""Messages with a fixed answer: a goodbye, thanks, the question who the counsellor is, a yes to an offer."""

from __future__ import annotations

import re

from polyclinic.clinics.counsel.rules.courtesy import (
    asks_beyond_greeting,
    beyond_thanks,
    only_courtesy,
    polite_pattern,
    thanks_in,
)
from polyclinic.text.normal import normalise
from polyclinic.text.sentences import is_question, sentences
from polyclinic.text.words import spoken_words

_SPOKEN_OF = re.compile(
    r"\b(?:sa(?:y|id|ying)|wave[ds]?|kiss\w*) (?:\w+ ){0,2}(?:goodbye|good bye|bye|good ?night)|bye to "
    r"|\bi'm off (?:my|the|all|food|work|sick|of)\b|라고|했(?:어|는|더)"
)
_LONG_BYE = re.compile(r"\b((?:good ?)?bye)e+\b")
_MATTERS = re.compile(
    r"\b(?:pain\w*|hurt\w*|agony|suffer\w*|bleed\w*|blood|breath\w*|chok\w*|suffocat\w*|dizzy|fell|fallen|vomit\w*|chest"
    r"|chemo\w*|dialysis|treatment|medicines?|medication|insulin|morphine|tablets?|pills?|machine|tube|drip|oxygen"
    r"|di(?:e|es|ed|ying)|dying|death|dead|heaven|forever|never(?! mind)|alone|nobody|hits?|hitting|drunk|gun|rope"
    r"|knife|live with|tear\w*|fad(?:e|es|ing)|no more|(?:won't|will not|not) (?:be here|come back|wake)"
    r"|other side|up there|(?:next|after) ?life|forgiv\w*|poison\w*|cyanide"
    r"|cruel world|join(?:ing)? my|sorry\b.{0,200}\b(?:good ?)?bye+|(?:good ?)?bye+\b.{0,200}\bsorry)\b"
    r"|아프|아파|통증|고통|피가|출혈|숨|약을|약은|항암|투석|치료|죽|하늘|천국|저승|영영|영원|다시는|혼자|때리|때려|칼|어지러"
    r"|곁으로|있는 곳으로|계신 곳으로|다음 생|독약|용서|(?:미안|죄송).{0,200}(?:안녕|이만|잘 있|갈게)"
)
"""What must be answered before a goodbye or a kind word: the body, treatment, death and what comes after it, another's
violence, a plea for forgiveness.
"""
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
_PRAISE = re.compile(
    r"\b(?:that|this|it|you)(?:'s| was| is| were| are| has| have) (?:so |very |really |most )?"
    r"(?:kind|helpful|good|nice|helped)(?: of you)?\b|\b(?:that|this|it) (?:helped|helps)(?: (?:me|a lot))*\b"
    r"|\bfor (?:listening(?: to me)?|your help|the help|explaining|that|this|everything)\b"
    r"|(?:말씀|설명)[은을이]? ?(?:잘|친절히)? ?(?:들었어요|들었습니다|해 ?주셔서)|덕분에|말씀|들어 ?주셔서"
    r"|(?:큰 |많은 )?도움이 (?:됐어요|되었어요|됐습니다|되었습니다)"
)
_JUDGED = re.compile(
    r"\b(?:clear\w*|eas(?:y|ier|ily)|simpl\w+|plain\w*|kind\w*|helpful|helps|helped|useful|lovely|sense|explain\w*"
    r"|underst(?:and|ood)|get it|put it|reassur\w*|patience|listen\w*|honest\w*)\b"
    r"|덕분|알겠|알 것 같|이해|쉽게|쉬워|쏙|친절|설명|정리|도움|와 ?닿|들어 ?주|위로|따뜻"
)
"""What somebody says of an explanation or a talk that was good."""
_MORE_THAN_THANKS = re.compile(
    r"\b(?:but|though|however|still|want\w*|wish\w*|prefer|cpr|resus\w*|ventilator|hospice|home|if)\b|n't\b|\bnot\b"
    r"|지만|는데|근데|싶|원해|원하|원합|싫|심폐|연명|호흡기|집에서|않|못"
)
_MEETING_AGAIN = re.compile(
    r"\bsame (?:time|day)\b|\b(?:talk|speak|chat|meet|see (?:you|each other)|come (?:back|again|here)|do this|go on)\b"
    r".*\b(?:again|tomorrow|later|next|soon|another|\w+day)\b"
    r"|(?:다음 ?(?:주|에|번)|내일|또|다시|(?:이|같은) 시간)"
    r".*(?:될까|되나|괜찮|볼까|뵐까|만날|얘기|이야기|와도|올까|할까)"
)
_WITH_OTHERS = re.compile(r"\b(?:doctor|nurse|appointment|hospital|ward)\b|의사|간호사|진료|병원|검사|입원")
_FINAL = re.compile(
    r"\b(?:for good|every(?:one|body)|ends?|ending|over|final\w*|last (?:time|day|night|words?|message|talk)|good run"
    r"|forgive|sorry for|without me|miss me|look after|tell (?:my|him|her|them)|stop\w* (?:everything|it all)"
    r"|g(?:ive|ave|iven|iving) (?:up|away)|done)\b"
    r"|마지막|끝|모두|용서|없어도|행복했|잘 살|미안|떠나|포기|그동안"
)
"""What may make a goodbye one for ever. Then the counsellor goes on with the talk."""
_LONG, _LONG_THANKS = 14, 16


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
    if not last or not _is_short(last[0]) or _FINAL.search(normalise(text)):
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
    return bool(_MATTERS.search(normalise(text)))


def thanks_only(text: str) -> bool:
    """Whether a text thanks, praises and says nothing else."""
    rest = _PRAISE.sub(" ", normalise(text))
    if beyond_thanks(text) != (True, True):
        return True
    return (beyond_thanks(rest) != (True, True) and only_courtesy(rest)) or _thanks_and_judges(text)


def _thanks_and_judges(text: str) -> bool:
    """Whether a short text thanks, and says in every other sentence that an explanation or the talk was good."""
    plain = normalise(text)
    thanked = len(spoken_words(plain)) <= _LONG_THANKS and thanks_in(text)
    if not thanked or matters(text) or _MORE_THAN_THANKS.search(plain) or asks_beyond_greeting(text):
        return False
    return all(only_courtesy(part) or _JUDGED.search(normalise(part)) for part in sentences(text))


def asks_who(text: str) -> bool:
    """Whether a text asks who or what the counsellor is."""
    return bool(_WHO.search(normalise(text)))


def agrees(text: str) -> bool:
    """Whether a text is a yes and nothing else."""
    return not is_question(text) and bool(_AGREES.fullmatch(normalise(text)))
