"""Whether an answer to the question about ending one's life says no.

The guard reads each message by itself. "Yes." has no danger in it, but right after that question it is the gravest
answer there is. So people are called if the answer agrees or leaves the question open, whatever the guard decides.
"""

from __future__ import annotations

from polyclinic.clinics.counsel.rules.guard import Decision
from polyclinic.text.lazily import lazy_pattern
from polyclinic.text.normal import normalise
from polyclinic.text.sentences import is_question, sentences

REASON = "the person was asked about ending their life and did not say no"
_WORDS_SHOWN = 200
_SHORT = 25
"""The most words of an answer that is checked here. The guard can judge a longer message by itself."""
_OPEN = lazy_pattern(
    r"\b(?:i )?(?:don't|dont|do not) know\b|\b(?:not|never) (?:so |really |quite |entirely )?sure\b|\bnot yet\b"
    r"|\b(?:can't|cannot|couldn't|won't|wouldn't) (?:\w+ ){0,2}?(?:say|promise|lie|deny|pretend|rule)\b"
    r"|\b(?:rather|prefer) not\b|\bno comment\b|\b(?:don't|do not) want to (?:say|answer|talk)\b|\bi have\W*$"
    r"|\bbut (?:yes|yeah|yep)\b"
    r"|\b(?:yes|yeah|yep|sometimes|now and then|off and on|from time to time)\W*$|\bnow and then\b"
    r"|\bon (?:bad|some) days\b|\bif i (?:did|do|had|have|say|said|told)\b|그렇다(?:고|면)"
    r"|\bnever\b.*\b(?:while|until|as long as)\b|, yes\b|\bnot today\b|\bother thing too\b"
    r"|안 ?해 ?본 .*어디|생각까지 ?(?:가|하|합|들|듭)"
    r"|\bthink about (?:it|that) (?:when|on|at|a lot|every|some|only)|\b(?:maybe|perhaps|well|just) a (?:little"
    r"|bit)\b"
    r"|\b(?:i did|i do)\W*$|\bi (?:do|did|have) (?:sometimes |often )?(?:think|thought|wonder|consider|plan)"
    r"|(?<!n't )(?<!not )(?<!never )\bthought (?:about|of) (?:it|that)\b"
    r"|\b(?:wouldn't|would not) you\b|\b(?:does|would|should) (?:it|that) matter\b"
    r"|\bwill you (?:call|tell|report|lock)\b|\b(?:what|and|so) if i\b|\bwhy (?:not|wouldn't|shouldn't)\b"
    r"|왜 안 ?(?:해|하|했|그)|사실은|조금요|가끔|라면 안|끝낼까|끝내고 싶"
    r"|생각[도이까]\w{0,2} ?(?:들|듭|해|했|합)(?!.*(?:없|않))"
    r"|(?:네|예),? (?:\w+ )?있(?:습|어|지)|그런 마음[이도]? ?(?:들|듭|있)(?!.*않)|말하면|얘기하면|모르겠|글쎄"
    r"|아직은|못 ?하겠"
    r"|거짓말이|왜 없|없다고는|아니라고|싶지 않|생각은 하지만"
)
_CLEAR_NO = lazy_pattern(
    r"^(?:\W|oh|omg|god|lord|heavens|goodness|gosh|hey|ah|um|er|well|haha|lol|what|look|listen|honestly|please"
    r"|absolutely"
    r"|definitely|certainly|of course|good)*\b(?:no+|nope|nah|never|neither|not)\b"
    r"(?! (?:sure|yet|today|really|always|now|going to (?:say|lie|answer)))"
    r"|\b(?:no|never|nothing|not|none)(?: \w+){0,2} (?:like|of) (?:that|the sort|the kind|it)\b|\bnot (?:that|once)\b"
    r"|\b(?:i|id|ive|im|i'd|i've|i'm|i'll)(?: \w+)? ?(?:never|not|dont|wont|wouldnt|havent|didnt"
    r"|\w*n't)(?: \w+){0,4}?"
    r" (?:think(?:ing)? (?:of|about|like|that)|thought|thoughts|mean|meant|do (?:that|it|such|anything)"
    r"|want to (?:die|end"
    r"|hurt|kill|harm)|plan|planning|suicid\w+|end|ending|kill|killing|hurt|hurting|harm|die|dying|consider\w*)\b"
    r"|\b(?:but|so|asking) no\b|(?:^|\W )no(?: such|,? no)?\b(?: (?:thoughts?|plans?))?|\bit (?:isn't|is not)\W*$"
    r"|\banswer is no\b|\bno (?:wish|intention|plans?|such)\b|\bwant to (?:live|be here)\b|\blove my life\b"
    r"|\bnothing to worry\b|\bdon'?t worry\b|\b(?:only|just) meant\b"
    r"|\bi meant (?!it\b|that\b|every)|\bwas (?:only |just )?(?:talking about|moaning|joking|kidding"
    r"|being dramatic)\b"
    r"|^(?:\W|[ㅋㅎ]|아이고|어휴|에이|어머|허허|하하|헉|음|저는|난|나는|그건|그런 건|무슨"
    r"|무신)*(?:그런 )?(?:말씀을|소리를|소릴)?"
    r"(?:아니(?!었|면)|아뇨|아녀|아님|아닙|ㄴㄴ|절대|전혀|없어|없습)"
    r"|(?:생각|마음|뜻|거|건|적|게|일|소리|말씀|계획|짓|사람)(?:은|는|도|이|을|까지는|까진)? ?(?:\w+ ){0,2}"
    r"(?:없|아니(?!었으|라고는)|아닙|아녀|아녜|아이라|아님|안 ?(?:해|합|하|했|들어|듭|듬)|않|못 ?(?:해|합)|왜 해)"
    r"|(?:안|절대) ?(?:죽|그래요|그럽|그런)|지는? 않|오해|살고 ?싶|살아야|봐야지|죽긴|걱정 ?(?:마|안|하지)"
    r"|설마|오타|농담|장난|말버릇|무슨 그런 (?:말|소리)|(?:맘|마음|거|생각)\w? ?(?:없|읎)|없어요|전혀 아니"
    r"|(?:뜻|말|얘기|대사)(?:이었|였|예요|이에요)|(?:두|둘) ?번째는 아|후자는 아"
)
"""Words that deny. Denying words in other places ("I can't tell you that I haven't") are not a clear no."""
_BOTH = lazy_pattern(
    r"\b(?:both|(?:the )?(?:second|latter|last one|other one)|that too|as well"
    r"|thought(?:s)? (?:about|of) (?:it|that|doing|ending)"
    r"|(?:end|ending|finish|finishing) (?:it|things|my life|myself))\b"
    r"|그런 생각[도이을]? ?(?:들|해|했|있)|둘 ?다|두 ?번째|후자|뒤쪽|뒤의|나중"
)
_WEARY = lazy_pattern(
    r"\b(?:tired|worn|weary|exhausted|pain|suffering|enough|former|wearing me|first (?:one|part|half|thing))\b"
    r"|^(?:the )?first\W*$"
    r"|지쳐|지쳤|지친|힘들|고통|통증|피곤|고단|기운|첫|전자|앞쪽|앞의"
)
"""Words that agree only to the other half of the question, which asks whether the person is worn out."""
_YES = lazy_pattern(
    r"^(?:yes|yeah|yep|maybe|perhaps|possibly|sort of|kind of|i guess|i suppose)\b|^(?:네|예|응|그래|그렇|맞"
    r"|어느 정도)"
)
_UNCLEAR = lazy_pattern(
    r"\bwhat (?:do|did) you (?:mean|say)\b|\b(?:pardon|come again|say (?:that|it) again|repeat|which question)\b"
    r"|^(?:what|sorry|huh|eh)\W*$|무슨 (?:말|뜻|소리|질문)(?:\?|이|인|입)|다시 (?:말|한 ?번)|뭐라고|^네\?$"
    r"|못 ?(?:알아)?들었"
    r"|^(?:when|where|what time|who do i|can i|may i|could i|should i|is it ok|how (?:much|many|do i)"
    r"|do i (?:need|have))\b.*\?$"
    r"|(?:몇 시|어디|언제|얼마|뭘 ).*\?$|(?:먹|마시|하|가|되|맞|받)\w{0,4}(?:되나요|나요|까요|가요)\?$"
)
"""A request to explain, or a practical question: the person may not have understood."""

_ASKS = lazy_pattern(
    r"\b(?:end(?:ing)? (?:your|it all|things)|tak(?:e|ing) your (?:own )?life|kill(?:ing)? yourself|suicid\w*"
    r"|(?:hurt|harm)(?:ing)? yourself|(?:want(?:ed|ing)?|wish(?:ed|ing)?) to die"
    r"|not want(?:ing)? to (?:live|be alive))\b"
    r"|생을 (?:끝|마감|마무리)|자살|자해|죽고 ?싶|목숨|스스로 .{0,8}(?:끝|해치)|살고 ?싶지 ?않"
)


def asks_about_ending(text: str) -> bool:
    """Whether somebody's words ask the person about ending their life."""
    return any(is_question(part) and _ASKS.search(normalise(part)) for part in sentences(text))


def affirmed(answer: str) -> Decision | None:
    """The decision for an answer that is not a clear no. None for a denial, for agreement to the other half of the
    question alone, for a request to explain the question, and for a message long enough for the guard alone.
    """
    line = normalise(answer)
    if not _OPEN.search(line):
        both = _BOTH.search(line)
        if _WEARY.search(line) and not both:
            return None
        if not _YES.search(line) and _CLEAR_NO.search(line):
            return None
        if not both and (len(line.split()) > _SHORT or _UNCLEAR.search(line)):
            return None
    return Decision(way="escalate", label="active", source="screen", reason=REASON, words=answer[:_WORDS_SHOWN])
