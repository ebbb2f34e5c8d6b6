"""Phrases that people in character do not use: those of assistants, and what helpers say to somebody in their care.

Assistants offer help, refuse it, advise, and talk of their instructions. Helpers comfort, speak for the house, send on,
ask and advise. A patient may tell what a helper said: a sentence that reports somebody's words does not count.
"""

from __future__ import annotations

from functools import lru_cache

from polyclinic.text.lazily import lazy_pattern
from polyclinic.text.phrases import Pieces
from polyclinic.text.sentences import sentences

_AS_A_MODEL = r"as an? (?:ai|(?:large )?language model|virtual assistant|assistant)\b"
_DECLINES = (
    r"(?:i'm|i am) (?:sorry|unable|not able)[^.!?]{0,12}(?:but )?(?:i )?(?:can(?:'t|not)|am unable to|to)"
    r" (?:assist|help|provide|fulfil|comply|answer that|generate|offer medical)"
)
_REFUSES = lazy_pattern(
    rf"\b(?:{_AS_A_MODEL}|{_DECLINES}|my (?:training data|system prompt))|언어 ?모델|(?:인공지능|\bai)(?:으로서|로서)"
)
_ASSISTANT = lazy_pattern(
    rf"\b(?:{_AS_A_MODEL}"
    r"|i(?: am|'m) (?:just )?an? (?:ai|(?:large )?language model|simulated|virtual assistant|chatbot"
    r"|computer program)\b|i(?: am|'m) a medical assistant(?:\.|!|$)"
    r"|i (?:do|did)(?:n't| not) have a file\b|continue (?:this|the|our) conversation"
    r"|language model|my (?:training data|instructions|system prompt|role description|case file)\b"
    rf"|{_DECLINES}"
    r"|i can(?:'t|not) (?:assist|provide|fulfil|comply|generate|offer medical|give medical advice)"
    r"|how (?:can|may) i (?:help|assist) you|anything else i can (?:help|assist|do for you)"
    r"|anything else (?:that )?you(?:'d like| would like| want) to know"
    r"|you(?:'d| would) like me to (?:rephrase|rewrite|translate|summari[sz]e)"
    r"|i (?:don't|do not) have (?:access to )?(?:any |enough |the |this |that )?(?:specific |additional |medical )?"
    r"(?:information|ability)"
    r"|i (?:don't|do not) have access to (?:the|any|your) (?:\w+ )?(?:readings?|results?|data|images?)\b"
    r"|i can(?:'t|not) answer (?:this|that|your|these|those) questions?\b"
    r"|not (?:mentioned|included|specified|provided) in the (?:list|text|case|description|information)"
    r"|(?:based|limited|according|refer)[^.!?]{0,20} the information (?:that is |that was )?(?:provided|given)"
    r"|let's address"
    r"|(?:i )?hope (?:this|that) helps|let me know if you (?:need|have|would)|feel free to ask"
    r"|here(?:'s| is| are) (?:a|an|the|some|one|two|three|how|my)[^.!?]{0,40}"
    r"(?:reply|replies|response|answer|ways?|example|version|might (?:ask|say)|could (?:ask|say))\b"
    r"|(?:must|should|may|will) (?:not|never|only) (?:reveal|volunteer)\b"
    r"|(?:asked|told|instructed) to (?:simulate|play|act as|portray)|the user (?:has |is |wants)"
    r"|(?:the|my) (?:script|persona|prompt|guidelines) (?:says?|states?|tells|requires?|above)"
    r"|your (?:score|diagnosis matches)|(?:correct|good) next question|please proceed with"
    r"|(?:this|the) (?:role-?play|simulation|scenario)\b|(?:stay|stepping|step|break)(?:ing)? (?:in|out of)"
    r" (?:the |my )?(?:character|role)|(?:consult|see|contact|speak to) an? (?:healthcare|medical) professional)",
)
_ASSISTANT_HOLDS = Pieces(
    *("an ai", "a ai", "language model", "assist", "simulated", "chatbot", "training data", "instructions", "prompt"),
    *("role", "case file", "sorry", "unable", "not able", "provide", "fulfil", "comply", "generate", "offer medical"),
    *("medical advice", "can i help", "may i help", "anything else", "information", "ability", "let's address"),
    *("helps", "let me know if you", "feel free to ask", " here's", " here is", " here are", "reveal", "volunteer"),
    *("to simulate", "to play", "to act as", "to portray", "the user", "script", "persona ", "guidelines"),
    *("your score", "diagnosis matches", "next question", "please proceed with", "simulation", "scenario"),
    *(
        "character",
        "professional",
        "a file",
        "conversation",
        "computer program",
        "medical assistant",
        "access to",
        "this question",
        "that question",
        "your question",
    ),
    *("these question", "those question", "in the list", "in the text", "in the case", "in the description"),
    "like me to",
)
"""Every match of `_ASSISTANT` contains one of these. The search for them takes a twentieth of the pattern's time."""
_ADVISES = lazy_pattern(
    r"\b(?:based on (?:your|the) (?:symptoms|description|information)"
    r"|i (?:would|'d) recommend (?:that you|you|seeing|a\b)|i(?:'m| am) sorry to hear"
    r"|here to (?:(?:support|help|assist|guide|comfort|listen to) you|provide|offer)\b"
    r"|(?:support|help|assist|guide) you (?:navigate|through|in any way|every step)"
    r"|(?:will|can|to) provide (?:you with )?(?:the |any |more )?(?:information|guidance|assistance|support)"
    r"|i understand (?:the (?:importance of|need for|urgency|\w+'s concern|concerns? about)|my concerns?\b)"
    r"|it is important to address\b"
    r"|i understand that (?:i am|i have an?|my)\b"
    r"|i am here to help with your|(?:will|can) provide the (?:patient|results)\b|will prioriti[sz]e\b"
    r"|prepared to act\b|(?:believe|suggests?|think) (?:that )?you (?:may|might) have\b"
    r"|i (?:appreciate|am grateful for) (?:(?:your|the) understanding|the (?:information|prompt\b)"
    r"|the support and guidance)"
    r"|follow the instructions carefully|leave nothing undecided"
    r"|i(?:'m| am) glad you(?:'re| are) considering|provided with the necessary"
    r"|(?:support|help|assistance) (?:that )?you (?:may|might) need"
    r"|glad (?:that )?you (?:found|find) (?:the|this|that|it|my)\b"
    r"|i want to reassure you|want to help you feel"
    r"|(?:enough|more) information to (?:make|give|provide|reach) an? diagnosis|need to gather more information"
    r"|(?:symptoms|signs) (?:that )?you(?:'re| are) (?:experiencing|having|noticing)|\bthe person's\b"
    r"|(?:take|taking) (?:the )?(?:appropriate|necessary) (?:steps|measures|precautions)"
    r"|my understanding of the importance|i understand that the (?:doctor|nurse|hospital|patient)\b"
    r"|(?:provided|offered) by the (?:doctor|nurse|staff|team)\b|receive the best (?:possible )?care"
    r"|(?:as|being) a (?:healthcare|medical) professional"
    r"|glad to hear [^.!?]{0,40}\byour (?:illness|symptoms|condition|treatment)\b|i can help you understand\b"
    r"|i understand the \w+'s (?:request|intention|point|decision)|sorry for the confusion|will comply with"
    r"|gather more (?:details|information)|before i can provide|without more context"
    r"|i(?:'m| am) here to help(?:[,.!]|$| your)|based on the results|the doctor asked about the results"
    r"|ensure my (?:health|well-being|safety|recovery)"
    r"|receiving the best care"
    r"|i understand (?:that )?(?:you|your)(?:'re| are| \w+ is) (?:facing|going through|feeling|worried|concerned))"
)
_ADVISES_HOLDS = Pieces(
    "provide",
    "understand",
    "appreciate",
    "to address",
    "grateful",
    "instructions",
    "undecided",
    "considering",
    "based on",
    "recommend",
    "sorry",
    "here to",
    " you ",
    "you found",
    "you find",
    "reassure",
    "i understand",
    "priorit",
    "prepared to act",
    "you may have",
    "you might have",
    "information to",
    "gather more",
    "you are ",
    "you're ",
    "the person's",
    "appropriate",
    "necessary",
    " by the ",
    "the best ",
    "comply",
    "before i can",
    "more context",
    "here to help",
    "ensure my",
    "asked about",
    "professional",
    "glad to hear",
    "help you",
)
_ASSISTANT_KO = lazy_pattern(
    r"인공지능|언어 ?모델|(?:AI|ai) ?(?:로서|어시스턴트|비서|모델)|드릴까요|제공(?:할 수|해 ?드|하지 [않못])"
    r"|도와 ?드릴(?:게|께| 수 (?:있|없))|도와 ?드리겠"
    r"|(?:사용|체험|생각|노력|실천)해 ?보(?:세요|십시오|시기)"
    r"|도움이 되었기를|제 지시(?:사항|문)|도움을 드[리릴]"
    r"|도움이 필요하(?:시면|시나요|다면)|정보를 드리|방법은 여러 가지|것이 중요합니다"
    r"|(?:진료|치료|검사|상담)[을를] 받(?:으세요|는 것을 권)|불편을 드릴"
    r"|저는 [가-힣]{1,3}신다고|당신의 개인 ?정보|더 많은 정보가 필요|상대의 말[을이] (?!되풀이)"
    r"|다른 질문이 있으신가요|대답이 가능하지|로서의 역할을"
)
_PREFACE = lazy_pattern(
    r"^(?:note|rules?|instructions?|below (?:is|are)|response|reply|answer)\b\s*[:\-]|^below (?:is|are) "
)
_OFFER = lazy_pattern(
    r"^(?:sure|certainly|of course|absolutely)[!.,:]\s+"
    r"(?:here|i can (?:help|assist|provide|schedule|book)|i'd be|i will help)"
)


@lru_cache(maxsize=1_024)
def assistants_words(line: str, *, may_advise: bool) -> str:
    """The words in a normalised line that show that an assistant speaks; empty if there are none."""
    match = _OFFER.match(line) or _PREFACE.match(line)
    if match is None and _ASSISTANT_HOLDS.in_line(line):
        match = _ASSISTANT.search(line)
    if match is None and not line.isascii():
        match = _ASSISTANT_KO.search(line)
    if match is None and not may_advise and _ADVISES_HOLDS.in_line(line):
        match = _ADVISES.search(line)
    return match[0] if match else ""


def refuses_as_assistant(line: str) -> bool:
    """Whether a normalised line declines as an AI model does. Saying what one is, when somebody asks, is no refusal."""
    return _REFUSES.search(line) is not None


_COMFORTS = (
    r"your (?:feelings|emotions|concerns?|frustrations?|worries|fears?|anger|grief|reaction) (?:is|are) (?:\w+ )?"
    r"(?:valid|understandable|normal|natural|important)"
    r"|i (?:completely |fully |really )?(?:understand|hear|acknowledge) your (?:frustration|concern|feeling|worr|anger"
    r"|fear)"
    r"|(?:thank you|thanks|appreciate you) (?:so much )?(?:for )?(?:sharing|opening up|reaching out|trusting me)"
    r"|it takes (?:\w+ )?courage to (?:talk|open|share|speak|ask)"
    r"|i(?:'m| am) here to (?:ensure|make sure|see)(?: that)? you"
)
_SPEAKS_FOR_THE_HOUSE = (
    r"(?:apologi[sz]e|sorry|apologies) for (?:any|the) inconvenience|is important to us"
    r"|(?:may|can|could) i (?:please )?(?:have|take|get) your (?:full name|date of birth|surname|address|name and)"
    r"|happy to (?:help|assist) you|for privacy reasons,? i can(?:'t|not)"
    r"|(?:how|what) (?:can|may|could) i (?:help|assist|do for) you\b(?! (?:know|that|to)\b)"
)
_SENDS_ON = (
    r"(?:contact|consult|call|see|seek|speak (?:to|with)|talk to) (?:an? |your )?(?:local |qualified |mental )*"
    r"(?:healthcare|health|crisis|emergency|medical) (?:provider|professional|line|number|services|help|attention)"
    r"|if you(?:'re| are) (?:experiencing|in crisis|struggling|having thoughts)"
)
_ASKS = (
    r"would you like to (?:tell me more|share|talk about|discuss|explore|learn)"
    r"|do you have any (?:other|more|further) (?:questions|concerns)"
    r"|what (?:brings|brought) you (?:in|here)|what seems to be the (?:problem|trouble|matter)"
)
_COUNSELS = (
    r"i (?:would |'d |really |strongly )*(?:recommend|advise)(?: that)? you"
    r"|(?:i (?:would |'d )?suggest(?: that)? you|you (?:should|must|need to|ought to|(?:may|might) want to)|be sure to"
    r"|make sure (?:that )?you|remember to|it(?:'s| is) (?:important|best|advisable) (?:that you|for you to|to))"
    r" (?:also |always |try to )*(?:rest|get (?:plenty of |enough |some )?rest|drink (?:plenty|water|lots|enough|more)"
    r"|stay hydrated|eat (?:a |more |less )?(?:healthy|balanced|well)|take your (?:medicine|medication|tablets|pills)"
    r"|keep an eye on your|monitor|seek|exercise|consult|follow up|maintain)\b"
)
_HELPS = lazy_pattern(rf"\b(?:{_COMFORTS}|{_SPEAKS_FOR_THE_HOUSE}|{_SENDS_ON}|{_ASKS}|{_COUNSELS})")
_REPORTED = lazy_pattern(
    r"\b(?:said|says?|saying|told|tells|telling|asked|asks|goes|went|wrote|writes|reads?|advised|according)\b"
)


@lru_cache(maxsize=1_024)
def helpers_words(line: str) -> str:
    """The words with which somebody helps the other person; empty if there are none. `line` is normalised."""
    if _HELPS.search(line) is None:
        return ""
    matches = (_HELPS.search(part) for part in sentences(line) if not _REPORTED.search(part))
    return next((match[0] for match in matches if match), "")
