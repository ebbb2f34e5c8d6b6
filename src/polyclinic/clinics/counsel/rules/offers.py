"""Offers of company or of a small service: "Shall I call your daughters?", "I can sit with you for a while", "옆에 있어
드릴게요".

An offer leaves the choice to the person and states nothing about medicine, so it is neither a slip nor a fact that a
source must support, whatever a reader finds in it. The critic and the judges read an answer without its offers
(`risk.read_answer`). The rule is exact, and narrow on purpose: an offer in one clause, to fetch, call or keep company.
Offers about treatment, papers or a decision, promises for ever, and conditions are read as before.
"""

from __future__ import annotations

import re

from polyclinic.text.normal import normalise
from polyclinic.text.sentences import sentences

_STAY = r"stay|sit|wait|remain|be (?:here|there|with)|keep you company|hold your hand"
_HELP = r"call|ring|phone|ask|fetch|get|bring|invite|come|open|close|turn|read|hold|pour|write|message|text"
_WHOM = r"(?! you (?:a|an|to|so)\b)(?P<whom>(?: [\w'-]+){0,9})"
_SOFTLY = r"(?: also| perhaps| just| simply| gladly| happily| quietly)*"
_ASKED = re.compile(
    r"(?:(?:shall|should|may|can|could) i|(?:would you like|do you want) me to|is it (?:all right|ok|okay) if i)"
    rf"{_SOFTLY} (?:{_STAY}|{_HELP}){_WHOM}\?"
)
_IF_THEY_LIKE = r"(?:,? if (?:you|that) [\w' ]{1,30})?[.!]?"
_SAID = re.compile(
    r"(?:i|we)(?:"
    rf"(?: can|'ll| will| could| would like to|'d like to)(?: be)?{_SOFTLY} (?:{_STAY})"
    rf"|(?: can| could|'d be (?:glad|happy) to| would be (?:glad|happy) to|'m happy to| am happy to){_SOFTLY}"
    rf" (?:{_STAY}|{_HELP}))"
    rf"{_WHOM}{_IF_THEY_LIKE}"
)
_MORE = re.compile(
    r"\b(?:so|because|before|until|unless|or|then|finally|at last|that|why|not|no|always|never|ever|end|promise"
    r"|and(?! (?:your|the|his|her)\b)|to(?! (?:you|come|visit|join|sit|call|listen)\b)|while you|whatever)\b"
    r"|\b(?:forms?|papers?|documents?|sign\w*|decisions?|decid\w*|treatments?|doses?|medicines?|drugs?|morphine|pills?"
    r"|tablets?|injections?|cur(?:e|ed|ing)|heal\w*|better|recover\w*|stop\w*|start\w*)\b"
)
_KO_WHO = r"(?:(?:제가|저도|저희가|저는|원하시면|괜찮으시면|지금|오늘|그냥|여기(?:서)?|잠시|잠깐|조금|좀|계속|더) )*"
_KO_STAY = (
    r"(?:(?:환자분|어르신|선생님) )?(?:(?:옆|곁)에(?:서)?|함께|같이|여기)"
    r"(?: (?:조용히|잠시|잠깐|조금|좀|더|계속|같이|함께|가만히|앉아|머물러))*"
    r" ?(?:있어 ?드릴|있을|있겠|머물러 ?드릴|머물|머물겠|앉아 ?있을|앉아 ?있겠|기다려 ?드릴|기다릴|기다리겠|해 ?드릴)"
)
_KO_HELP = (
    r"(?:[가-힣]+(?:께|에게|한테|을|를|이|가|도|님) )?"
    r"(?:(?:전화|연락)(?:를|을)?(?: ?해)?|전화 걸어|불러|모셔|가져다|열어|닫아|읽어|잡아|적어|따라) ?드릴"
)
_KO_MORE = re.compile(r"서명|동의서|서류|문서|결정|치료|주사|모르핀|진통제|수면제|(?:^| )약(?:을|도|이)?(?: |$)")
_KO_OFFER = re.compile(
    rf"{_KO_WHO}(?:{_KO_STAY} ?(?:게요|께요|까요|습니다|수 있어요|수 있습니다)[.?!]?|{_KO_HELP}까요\?)"
)


def is_offer(sentence: str) -> bool:
    """Whether a sentence only offers company or a small service."""
    said = normalise(sentence)
    found = _ASKED.fullmatch(said) or _SAID.fullmatch(said)
    if found is not None:
        return not _MORE.search(found["whom"])
    return _KO_OFFER.fullmatch(said) is not None and not _KO_MORE.search(said)


def without_offers(text: str) -> str:
    """The sentences of a text that are no such offers; empty if there are no others."""
    parts = sentences(text)
    kept = [part for part in parts if not is_offer(part)]
    return text if len(kept) == len(parts) else " ".join(kept)
