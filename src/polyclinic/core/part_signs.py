"""Exact signs that a simulated person has fallen out of their part: forms, labels, echoes and set phrases, no opinion.

A rule is here only if a person in the part would almost never say such a line. What needs judgement is the reader's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from polyclinic.core.part_echo import echo_of_instructions, echo_of_other, speaks_of_self
from polyclinic.core.part_lecture import lecture
from polyclinic.text.lazily import lazy_pattern
from polyclinic.text.normal import normalise
from polyclinic.text.phrases import mentioned
from polyclinic.text.sentences import SENTENCE_START, sentences
from polyclinic.text.words import spoken_words

BreakKind = Literal[
    "speaks as an assistant",
    "third person",
    "form instead of speech",
    "stage direction",
    "speaks for the other",
    "echo of the other",
    "echo of the instructions",
    "knows what is hidden",
    "read as out of the part",
]

_ASSISTANT = lazy_pattern(
    r"\b(?:as an? (?:ai|(?:large )?language model|virtual assistant|assistant)\b"
    r"|i(?: am|'m) (?:just )?an? (?:ai|(?:large )?language model|simulated|virtual assistant|chatbot)\b"
    r"|i (?:do|did)(?:n't| not) have a file\b|continue (?:this|the|our) conversation"
    r"|language model|my (?:training data|instructions|system prompt|role description|case file)\b"
    r"|(?:i'm|i am) (?:sorry|unable|not able)[^.!?]{0,12}(?:but )?(?:i )?(?:can(?:'t|not)|am unable to|to)"
    r" (?:assist|help|provide|fulfil|comply|answer that|generate|offer medical)"
    r"|i can(?:'t|not) (?:assist|provide|fulfil|comply|generate|offer medical|give medical advice)"
    r"|how (?:can|may) i (?:help|assist) you|anything else i can (?:help|assist|do for you)"
    r"|i (?:don't|do not) have (?:any |enough |the |access to )?(?:specific |additional |medical )?"
    r"(?:information|ability)"
    r"|i can(?:'t|not) answer (?:this|that|your) question"
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
_ASSISTANT_HOLDS = (
    *("an ai", "a ai", "language model", "assist", "simulated", "chatbot", "training data", "instructions", "prompt"),
    *("role", "case file", "sorry", "unable", "not able", "provide", "fulfil", "comply", "generate", "offer medical"),
    *("medical advice", "can i help", "may i help", "anything else i can", "information", "ability", "let's address"),
    *("helps", "let me know if you", "feel free to ask", "here's", "here is", "here are", "reveal", "volunteer"),
    *("to simulate", "to play", "to act as", "to portray", "the user", "script", "persona ", "guidelines"),
    *("your score", "diagnosis matches", "next question", "please proceed with", "simulation", "scenario"),
    *("character", "professional", "a file", "conversation", "this question", "that question", "your question"),
)
"""Whatever `_ASSISTANT` finds has one of these in it. To look for them takes a twentieth of its time."""
_ADVISES = lazy_pattern(
    r"\b(?:based on (?:your|the) (?:symptoms|description|information)"
    r"|i (?:would|'d) recommend (?:that you|you|seeing|a\b)|i(?:'m| am) sorry to hear"
    r"|here to (?:(?:support|help|assist|guide|comfort|listen to) you|provide|offer)\b"
    r"|(?:support|help|assist|guide) you (?:navigate|through|in any way|every step)"
    r"|(?:will|can|to) provide (?:you with )?(?:the |any |more )?(?:information|guidance|assistance|support)"
    r"|i understand (?:the (?:importance of|need for)|my concerns?\b|that (?:i|my)\b)|i am here to help with your"
    r"|i (?:appreciate|am grateful for) (?:your understanding|the information|the support and guidance)"
    r"|follow the instructions carefully|leave nothing undecided"
    r"|i(?:'m| am) glad you(?:'re| are) considering|provided with the necessary"
    r"|(?:support|help|assistance) (?:that )?you (?:may|might) need"
    r"|glad (?:that )?you (?:found|find) (?:the|this|that|it|my)\b"
    r"|i want to reassure you|want to help you feel"
    r"|i understand (?:that )?(?:you|your)(?:'re| are| \w+ is) (?:facing|going through|feeling|worried|concerned))"
)
_ADVISES_HOLDS = (
    "provide",
    "understand",
    "appreciate",
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
)
_ASSISTANT_KO = lazy_pattern(
    r"인공지능|언어 ?모델|(?:AI|ai) ?(?:로서|어시스턴트|비서|모델)|드릴까요|제공(?:할 수|해 ?드|하지 않)|상담의 대상"
    r"|도와 ?드릴 수 (?:있|없)|도와 ?드리겠"
    r"|도움이 되었기를|제 지시(?:사항|문)|도움을 드[리릴]"
    r"|도움이 필요하(?:시면|시나요|다면)|상담이 필요하|정보를 드리|방법은 여러 가지|것이 중요합니다"
    r"|(?:진료|치료|검사|상담)[을를] 받(?:으세요|는 것을 권)|불편을 드릴|다른 질문이 있으신가요|대답이 가능하지"
)
_PREFACE = lazy_pattern(
    r"^(?:note|rules?|instructions?|below (?:is|are)|response|reply|answer)\b\s*[:\-]|^below (?:is|are) "
)
_OFFER = lazy_pattern(
    r"^(?:sure|certainly|of course|absolutely)[!.,:]\s+"
    r"(?:here|i can (?:help|assist|provide|schedule|book)|i'd be|i will help)"
)
_CARD = lazy_pattern(r"\bi have [a-z ]{3,25}: ", re.IGNORECASE)
"""A record's entries read out one after the other."""
_FORM = lazy_pattern(r"^\s*(?:\{.*\}|\[\s*[\{\"].*\]|```.*)\s*$", re.DOTALL)
_DIRECTION = lazy_pattern(r"^\s*(?:\*[^*]{3,}\*|\[[^\]]{3,}\])|^\s*\((?=[^)]*\s[^)]*\))[^)]{8,}\)")
_TELLS_OTHERS = lazy_pattern(
    r"\byou(?:r|rs|'re|'ve|'ll)?\b|\bthe (?:child|patient|nurse|doctor|caller|student|tutor)\b|당신|귀하"
)
_ILL = lazy_pattern(
    r"\b(?:i am|i'm|as) [^.!?]{0,40}\bthe ill person\b|아픈 사람 [가-힣]{2,5}입니다|(?:저|나)는 아픈 사람입니다"
    r"|(?:마음에 걸리는 것|소중히 여기는 것|믿고 있는 것|치료에 바라는 것)(?:[:과]|에 대해)"
    r"|도움을 (?:주는|받는) 사람|돕는 사람이 아닙니다|상담자(?:입니다|이며|로서|의 역할|가 (?:말한|직접))"
    r"|['‘]저['’]로|말을 되풀이하지|이름을 (?:가지고|사용)|이\(가\)|가 직접 말하"
    rf"|{SENTENCE_START}(?:병|가족|일|형편|신앙): |퍼짐\.|물음\.|드러남\."
)
"""The part as a description has it. Nobody calls themselves or the other so when they speak."""
_ANOTHER = (
    r"[- ](?:in|on|at|next|with|beside|before|after|opposite|across|near|who|whose|that|leaflet|information|portal"
    r"|list|room|lounge|line|side|number|form|card|group|advocate|transport)\b"
)


_VERBS = (
    "is|was|has|had|have|are|were|reports?|reported|states?|stated|says?|said|denies|denied|describes?|described|complains?"
    "|presents?|presented|feels?|felt|experiences?|experienced|appears?|seems?|would|will|should|may|might|does|did|can"
    "|could|agrees?|thinks?|answers?|replies|responds?|suffers?|takes?|wants?|needs?|mentions?|expresses?|accepts?"
)


class PartBreak(NamedTuple):
    """How somebody fell out of their part, and the words that show it."""

    kind: BreakKind
    words: str


def broken_by(
    text: str,
    *,
    own: Sequence[str] = (),
    others: Sequence[str] = (),
    said: str = "",
    hidden: Sequence[str] = (),
    told: str = "",
    may_advise: bool = False,
) -> PartBreak | None:
    """The first sign that a line is out of its part; None where there is no exact sign. `may_advise` is for somebody
    who learns medicine: they may weigh findings, recommend, and be sorry to hear what a patient tells. A lay person in
    the part would not.
    """
    line = normalise(text)
    match = _OFFER.match(line) or _PREFACE.match(line)
    if match is None and _holds_one(line, _ASSISTANT_HOLDS):
        match = _ASSISTANT.search(line)
    if match is None and not line.isascii():
        match = _ASSISTANT_KO.search(line)
    if match is None and not may_advise and _holds_one(line, _ADVISES_HOLDS):
        match = _ADVISES.search(line)
    if match:
        return PartBreak("speaks as an assistant", match[0])
    found = "" if may_advise else lecture(text, line)
    if found:
        return PartBreak("speaks as an assistant", found)
    if _FORM.match(text) or (text.count(":") > 1 and len(_CARD.findall(text)) > 1):
        return PartBreak("form instead of speech", text.strip())
    match = _DIRECTION.match(text)
    if match:
        return PartBreak("stage direction", match[0].strip())
    mine = spoken_words(line)
    found = (_labelled(text, (*others, *own)) or _quoted(text, others)) if ":" in text else ""
    found = found or _greets(text, own)
    if found:
        return PartBreak("speaks for the other", found)
    match = _ILL.search(line) if "the ill person" in line or not line.isascii() else None  # else it finds nothing
    if match:
        return PartBreak("echo of the instructions", match[0])
    found = _third_person(text, own) if _holds_one(line, _normalised(tuple(own))) else ""
    if found:
        return PartBreak("third person", found)
    found = echo_of_other(line, mine, said)
    if found:
        return PartBreak("echo of the other", found)
    found = echo_of_instructions(line, mine, told) if told else ""
    if found:
        return PartBreak("echo of the instructions", found)
    named = mentioned(text, hidden)
    return PartBreak("knows what is hidden", named[0]) if named else None


@lru_cache(maxsize=1_024)
def _normalised(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(normalise(name) for name in names)


def _holds_one(line: str, pieces: tuple[str, ...]) -> bool:
    return True in [piece in line for piece in pieces]  # `any` with a generator takes twice as long


def worth_reading(text: str) -> bool:
    """Whether a line speaks to somebody, or about people by their roles, and its speaker is not in it."""
    return not speaks_of_self(text) and bool(_TELLS_OTHERS.search(normalise(text)))


def _labelled(text: str, names: Sequence[str]) -> str:
    """A script's label ("Doctor: ...") at the start of a line or a sentence."""
    if not names:
        return ""
    match = _label(tuple(names)).search(text)
    return match[0].strip() if match else ""


def _quoted(text: str, others: Sequence[str]) -> str:
    """The other's words told as in a story: 'The counsellor says to me: "..."'."""
    match = _tale(tuple(others)).search(text) if others else None
    return match[0] if match else ""


@lru_cache(maxsize=1_024)
def _tale(names: tuple[str, ...]) -> re.Pattern[str]:
    either = "|".join(map(re.escape, names))
    return re.compile(
        rf"\bthe (?:{either}) (?:says?|said|asks?|asked)(?: to)?(?: me)?: ?[\"“'‘]"
        rf"|(?:{either})(?:이|가|은|는) [^.]{{0,12}}말합니다: ?[\"“'‘]",
        re.IGNORECASE,
    )


def _greets(text: str, own: Sequence[str]) -> str:
    """Somebody who greets themselves by their own first name."""
    firsts = _first_names(tuple(own))
    match = firsts.match(text) if firsts else None
    return match[0] if match else ""


@lru_cache(maxsize=1_024)
def _first_names(own: tuple[str, ...]) -> re.Pattern[str] | None:
    firsts = [name.split()[0] for name in own if name[:1].isupper() and " " in name]
    either = "|".join(map(re.escape, firsts))
    return re.compile(rf"(?:hello|hi|dear|good \w+),? (?:{either})[.,!]", re.IGNORECASE) if firsts else None


@lru_cache(maxsize=1_024)
def _label(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"{SENTENCE_START}\**(?:{'|'.join(map(re.escape, names))})\**\s*:", re.IGNORECASE)


def _third_person(text: str, own: Sequence[str]) -> str:
    """The first sentence that tells about the speaker as others would: with nobody speaking in it, or about "the
    patient" beside the one who speaks ("I will inform the patient").
    """
    if not own:
        return ""
    pattern, beside = _about(tuple(own)), _beside(tuple(own))
    for sentence in sentences(text):
        if beside.search(sentence) or (pattern.search(sentence) and not speaks_of_self(sentence)):
            return sentence
    return ""


@lru_cache(maxsize=1_024)
def _beside(names: tuple[str, ...]) -> re.Pattern[str]:
    """The speaker as somebody else. "I am the patient" is the speaker, "the patient in the next bed" another one."""
    either = "|".join(map(re.escape, names))
    return re.compile(rf"(?<!\bam )(?<!'m )\bthe (?:{either})(?:'s|’s)?\b(?!{_ANOTHER})", re.IGNORECASE)


@lru_cache(maxsize=1_024)
def _about(names: tuple[str, ...]) -> re.Pattern[str]:
    either = "|".join(map(re.escape, names))
    return re.compile(
        rf"(?:^|\bthe )(?:{either})(?:\b(?:'s)?\s+(?:\w+\s+)?(?:{_VERBS})\b)|(?:{either})(?:은|는|이|가|께서)\s",
        re.IGNORECASE,
    )
