"""Whether a sentence asks, also where its question mark is missing. English and Korean.

A mark decides. Without one, a sentence asks if its words are in the order of a question ("did it hurt", "what is a
drip"), if it asks to be told something ("I'd like to know …"), or if it has the ending of a Korean question. These
only begin like questions and do not ask: "What a day.", "When it hurts I lie down.", "Do it now.", "Will is my son."
"""

from __future__ import annotations

import re

from polyclinic.text.normal import normalise
from polyclinic.text.sentences import is_question

QUESTION_WORD = r"(?:when|where|what|which|who|whose|why|how)"
_MODAL = r"(?:can|could|will|would|should|shall|must|might)"
PLAIN_VERB = r"(?:do|does|did|have|has|is|are|was|were|am)"
ASKS_OF_THEM = r"^\W*(?:do|does|did|is|are|was|were) (?:you|your|the|they|there|it|he|she|his|her|any)\b"
"""The beginning of a question about somebody. "Do a blood count" orders something."""
OF_ALL = re.compile(r"(?<!\bat )\b(?:all|every|each|everything|whole)\b", re.IGNORECASE)
"""The words of English for a whole: a question with one of them asks for everything, not for one thing."""
_VERB = rf"(?:{PLAIN_VERB}|may|{_MODAL})"
_MAY_I_ASK = r"(?:may|can|could) i (?:just )?ask(?: you)?"
_LEAD = re.compile(
    r"^(?:(?:hello|hi|good (?:morning|afternoon|evening)|and|so|then|but|also|well|now|hmm|ok|okay|please|sorry"
    r"|excuse me|thanks|thank you|doctor|nurse|sir|madam)[ ,:-]+"
    rf"|(?:mr|mrs|ms|dr)\.? \w+(?:[,:-]+ ?| (?={_VERB} you\b))"
    rf"|{_MAY_I_ASK}(?:[,:] ?| (?=(?:{QUESTION_WORD}|{_VERB})\b)))+"
)

_ONE = r"(?:he|she|any(?:one|body|thing)|some(?:one|body|thing))"
_DONE = (
    r"(?! (?:already|again|all|alone|myself|yesterday|today|last (?:night|week|time)|an hour|with|for|until|because|and"
    r"|but|on|to|before)\b|$)"
)
_SURE = "|".join(
    (
        r"(?:do|have) (?:i|you|u|we|they)",
        rf"(?:is|does|has) (?:{_ONE}|it|this|that|there)",
        rf"was (?:i|{_ONE}|it|this|that|there{_DONE})",
        rf"did (?:i|you|u|we|they|{_ONE}|(?:it|this|that){_DONE})",
        r"(?:are|were) (?:you|u|we|they|there|any(?:one|body))|am i",
    )
)
"""A verb and the pronouns that may follow it in a question: "does he". "Do it" and "have it done" are orders, "did it
already" and "was there all night" are statements without their subject.
"""
_PRONOUN = (
    rf"{_SURE}|{_MODAL} (?:i|you|u|we|they|{_ONE}|it|this|there|that(?! (?:i|we|he|she|it|they)\b))|may (?:i|we)"
    r"|had (?:you|he|she|they)(?! known\b)(?!.*\bwould\b)"
    r"|(?:is|are|was|were|does|did|has|have|would|should|could|ca|wo)n't"
    rf" (?:i|you|we|they|{_ONE}|it|this|that|there|the|his|her|an?)"
)
"""The same with verbs that also order ("would you stop it") or exclaim ("isn't that silly")."""
_OWN = r"(?:my|your|his|her|our|their|the|these|those)"
_NOUN = "|".join(
    (
        rf"(?:is|{_MODAL}) (?:an?|any|some|{_OWN})",
        rf"(?:are|was|were|has|did(?! my\b)) (?:any|some|{_OWN})",
        r"does (?!(?:not|so|hurt|help|feel|make|have|sleep|eat|seem|get|work)\b)\w+",
        rf"do {_OWN} \w+s (?!(?:again|now|daily|every|today|please|for|with|at|in|on|and|as|before|after|first)\b)\w+",
    )
)
"""A verb before a noun. A statement without its subject may look the same: "Was the worst night." """
_SUBJECT = r"(?:i|you|he|she|it|we|they|there|the|this|that|my|your|his|her|our|their|i'm|it's|you're|not|an?)"
_ASKED_FOR = (
    rf"(?:(?:what|which|who|whose|how)(?: (?!{_SUBJECT}\b)[\w'-]+(?: (?!(?:i|you|he|she|it|we|they)\b)[\w'-]+){{0,2}})?"
    r"|(?:since )?(?:when|where|why)(?: else| exactly| then| (?:in|on|along|at|to|from)(?: [\w'-]+){1,3}?)?)"
)
"""What is asked for: "since when", "how many tablets". "What I need" and "when it hurts" tell something."""
_SURELY = re.compile(rf"(?:{_ASKED_FOR} )?(?:{_SURE})\b")
_ORDER = re.compile(
    rf"(?:(?:{_PRONOUN})|(?:{_NOUN})|{_ASKED_FOR} {_VERB}(?:n't)?|(?:what|how|who|why) (?:about|if|else|on earth)"
    r"|how (?:long|soon|many|come|big|fast|much(?! (?:i|he|she|we|they)\b))|who (?:wrote|thinks))\b"
)
_NO_VERB_YET = re.compile(
    rf"(?:{QUESTION_WORD}(?:'(?:s|d|ll|ve|re)| to|(?=,|$))|whats|why not"
    rf"|(?:wh?[ao]t|who|which|whose) (?!{_SUBJECT}\b)\w+)\b"
)
"""A question whose word order shows nothing: "who decides", "where to sign", "what's new"."""
_ONLY_BEGINS_SO = re.compile(
    r"what (?:an?\b|(?:is|was)(?: \w+){1,2} (?:is|was)\b)"
    r"|what (?!is\b|was\b|does\b|has\b)\w+(?<![si])s"
    r" (?:(?!(?:if|when|while|because|(?:after|before)(?! is| was))\b)\w+ ){0,3}(?:is|was)\b"
    r"|which (?:is|was) (?:why|how|what|when|where|not|true|fine|nice)\b|who (?:knows|cares|\w+n't)$"
    r"|should (?!i\b|we\b|my\b|the\b)\w+ .*, "
)
"""An exclamation ("what a day"), a sentence about a what ("what helps is rest"), an addition ("which is why"), a
condition ("should you need me, call").
"""
_AGREES = re.compile(rf"(?:and |but )?so {_VERB} \w+(?: (?:be|too))?(?:,|$)")
"""So do I."""
_REQUEST = re.compile(
    r"(?<!n't )(?<!not )(?<!if you )(?<!will )\b(?:tell (?:me|us) (?:about|more|if|whether|what|how|when|where|why|who"
    r"|which)|explain|any idea|difference between|i(?:'d| would) like to (?:know|ask|understand)"
    r"|i (?:want|wanted|need|wish) to (?:know|ask|understand)|i (?:wonder|was wondering)|do(?:es)? any(?:one|body) know"
    rf"|{_MAY_I_ASK})\b"
    rf"|[,;] (?:and |but |so )?(?:(?:what|where|how|why|when) {_VERB}|(?:which|who) (?:{_PRONOUN}|{_VERB}$))\b"
)
"""Words that ask to be told something, and a question after a comma."""
_FRAGMENT = re.compile(
    rf"tell (?:me|us)\b|(?:when|if|since|after|before)\b.*, (?:{_PRONOUN})\b"
    r"|any (?!of\b|time|day|way|doctor|more)[\w'-]+"
    r"(?:[, ]+(?!(?:is|are|was|were|will|would|can|could|has|had|helps?)\b)[\w'-]+)*$"
    r"|any(?:thing|one|body) (?:else|new|wrong|worse|better)\b"
)
"""What asks only as the beginning of a sentence: "any allergies", "if it hurts, do you sit up"."""

_SYLLABLES = [chr(code) for code in range(ord("가"), ord("힣") + 1)]
_WITH_N, _WITH_B = ("".join(_SYLLABLES[last::28]) for last in (4, 17))
"""The Korean syllables that end with ㄴ and with ㅂ. "합니까" asks; "하니까" gives a reason."""
_KOREAN = re.compile(
    rf"(?:나요|(?<!니)까요|[{_WITH_B}]니까|[{_WITH_N}]가요)(?=[\s,]|$)|(?:는지요|은지요|[을할될갈올일볼]까|는데요 왜)$"
    r"|(?<=[가-힣])(?<![누하])나$|(?<!아)냐$|(?<!분)노$|(?:야|어떻게|왜|뭘) 하나$"
    r"|(?:알려|가르쳐|설명(?: ?좀)?(?: ?해)?) ?(?:좀 ?)?"
    r"(?:주(?:세|시(?!지)|실|십|겠|라|소)|주면 좋|줄래|줄 수|줘(?!서)|달라|부탁)"
    r"|설명(?:해| 좀)$|궁금(?:해|합|하(?!지 ?않))"
)
_KOREAN_WORD = re.compile(
    r"(?:뭐(?!든)|뭔|무엇(?!이든)|무슨|얼마(?! 안| 남지)|누가|(?:어디|누구|언제)(?![나든])"
    r"|몇(?! ?(?:년|달|개월|주|일|시간) ?(?:전|동안|째)))"
)
_KOREAN_SPOKEN_END = re.compile(r"(?:요|죠|지|야|임|대|거|건데)$")
"""A question word and an ending of everyday speech. "언제나" is always, "몇 년 전" is some years ago."""
_KOREAN_STATES = re.compile(
    r"(?:[이가도] |(?:생각|기억|눈물|겁|화|신|냄새|소리|짜증|땀)[이가도만은]? ?)나요$"
    r"|(?:모르겠|싶(?:어|네|습|다))\S*$|(?:건가|나) (?:봐|싶)|봐요$|겠(?:어|네)요$|지 (?:알|몰라)\S*$"
)
_KOREAN_TELLS = re.compile(r"모르겠|싶어|없어요$|준 적|줬어|주셨|주셔서")


def without_lead(sentence: str) -> str:
    """The sentence in the form of `normalise`, without a greeting, a name or "may I ask" before it."""
    return _LEAD.sub("", normalise(sentence))


def in_question_order(sentence: str, *, surely: bool = False) -> bool:
    """Whether the verb of an English sentence stands where a question has it: "is it", "since when has the eye been".

    `surely`: neither a statement nor an order begins so. Then "would you stop" and "is the ECG" do not count.
    """
    bare = without_lead(sentence)
    return (_SURELY if surely else _ORDER).match(bare) is not None and not _ONLY_BEGINS_SO.match(bare)


def asks_something(sentence: str) -> bool:
    """Whether a sentence asks: with a question mark, by the form of its words, or because it asks to be told."""
    if is_question(sentence):
        return True
    plain = normalise(sentence).rstrip(" .!~")
    return _asks_in_english(plain) or _asks_in_korean(plain)


def _asks_in_english(plain: str) -> bool:
    bare = without_lead(plain)
    unclear = _NO_VERB_YET.match(bare) is not None and not _ONLY_BEGINS_SO.match(bare)
    form = (in_question_order(plain) or unclear) and not _AGREES.match(plain)
    return form or _FRAGMENT.match(bare) is not None or _REQUEST.search(plain) is not None


def _asks_in_korean(plain: str) -> bool:
    if _KOREAN_STATES.search(plain):
        return False
    word, end = _KOREAN_WORD.search(plain), _KOREAN_SPOKEN_END.search(plain)
    spoken = word is not None and end is not None and word.end() <= end.start() and not _KOREAN_TELLS.search(plain)
    return spoken or _KOREAN.search(plain) is not None
