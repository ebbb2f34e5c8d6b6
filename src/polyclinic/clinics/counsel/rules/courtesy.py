"""Thanks alone mean only thanks. Whatever a reader finds in them, they change no stage, state no wish and are no slip
of a counsellor.

A closed list is right only here: polite phrases are fixed, and it would be a serious fault to read a wish about
resuscitation from "thank you".
"""

from __future__ import annotations

import re

from polyclinic.clinics.counsel.rules.asking import asks
from polyclinic.text.normal import letters, normalise
from polyclinic.text.sentences import is_question, sentences

_THANKS = re.compile(
    r"(?:(?:정말|참|너무|대단히|진심으로|매우)\s*)?(?:고맙습니다|고마워요|고맙네요|고마워|감사합니다|감사해요|감사드립니다|감사)"
    r"|\b(?:many thanks|thanks|thank you|cheers|thx|thanx|ty)\b(?:\s+(?:a lot|so much|very much|indeed|again))?"
)
_ASSENT = re.compile(r"\b(?:네|예|yes|yeah|ok|okay|alright|well|oh|doctor|love|dear|mate)\b|선생님|그래요")
_GREETING = re.compile(
    r"\b(?:hello|hi|hey|hiya|there|today|how (?:are|have) you(?: been| doing| keeping)?|how do you do"
    r"|good (?:morning|afternoon|evening|night|day)|goodbye|good bye|bye(?: for now)?|ta ta|cya|ttyl"
    r"|welcome|take care|i see"
    r"|for (?:telling me|sharing (?:this|that)|trusting me(?: with (?:this|that))?|coming|your time|being here)"
    r"|(?:i am |i'm )?(?:glad|pleased) (?:that )?you (?:came|are here|could come)"
    r"|(?:it is |it's )?(?:nice|lovely|good) to meet you"
    r"|any(?:one|body) (?:home|there)|see you (?:tomorrow|later|soon|next (?:week|time))|until (?:tomorrow|next time)"
    r"|(?:talk|speak) (?:to you )?(?:tomorrow|later|soon)|that(?:'s| is) all for (?:today|now)|enough for today"
    r"|let'?s stop (?:here|there)(?: for (?:today|now))?|(?:evening|morning|day|night) to you"
    r"|(?:i )?(?:have to|need to|must|gotta) go(?: now)?,? (?:because )?(?:the |my )?"
    r"(?:nurse|doctor|visitors?|son|daughter|wife|husband|dinner|lunch|tea) (?:is|are) (?:here|coming|ready))\b"
    r"|안녕(?:하세[요용여]|하십니까|히 (?:가세요|계세요|주무세요))?"
    r"|(?:잘|어떻게) 지내(?:세요|셨어요|시나요|십니까)|반갑습니다"
    r"|반가워요|처음 뵙(?:겠)?습니다|수고 ?(?:많으십니다|많으세요|하십니다|하세요)|말씀해 주셔서|계신가요|계세요"
    r"|(?:식사|진지|밥)[는은]? ?(?:하셨|드셨|잡수셨)어요"
    r"|(?:손님|간호사|의사|선생님|가족|아들|딸|친구)(?:이|가|께서|님이)? ?(?:와서|오셔서|왔어요|오셨어요),? ?"
    r"(?:이만 )?가 ?봐야 (?:해요|돼요|겠어요|합니다)"
    r"|오늘은 (?:이만|여기까지)(?: ?(?:할게요|하겠습니다|하죠|해요|하고 싶어요))?"
    r"|(?:다음에|내일|나중에) (?:또 |다시 )?(?:봬요|뵐게요|뵙겠습니다|올게요|이야기해요|얘기해요)"
)


def only_courtesy(text: str) -> bool:
    """Whether a text holds greetings and thanks and nothing else."""
    plain = normalise(text)
    return bool(letters(plain)) and not letters(_ASSENT.sub(" ", _GREETING.sub(" ", _THANKS.sub(" ", plain))))


def greets(text: str) -> bool:
    """Whether a text begins with a greeting."""
    return bool(_GREETING.match(_ASSENT.sub(" ", normalise(text)).strip()))


def asks_beyond_greeting(text: str) -> bool:
    """Whether a text asks something other than how the other person is."""
    return any(asks(part) and not only_courtesy(part) for part in sentences(text))


def greets_and_asks(text: str) -> bool:
    """Whether a text holds greetings, thanks and questions and nothing else."""
    return all(is_question(part) or only_courtesy(part) for part in sentences(text))


def beyond_thanks(utterance: str) -> tuple[bool, bool]:
    """Whether anything is said besides thanks, and whether that is more than a yes."""
    text = normalise(utterance)
    rest = _THANKS.sub(" ", text)
    if rest == text:
        return True, True
    return bool(letters(rest)), bool(letters(_ASSENT.sub(" ", rest)))


def meant(utterance: str, signal: str) -> bool:
    """Whether these words can have this signal. Thanks alone can only be a farewell; thanks and a yes can also be
    consent.
    """
    said, more = beyond_thanks(utterance)
    return more or signal == "farewell" or (said and signal == "consent")
