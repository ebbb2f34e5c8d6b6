"""Who the patient is: the caller, or somebody for whom they call.

"I'm her son. Mum's the one you'll be seeing" means that what the speaker says about themselves does not describe the
patient. "My niece is my next of kin, it's me that's to be seen" means the opposite. Most texts say neither.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from polyclinic.clinics.frontdesk.rules.clauses import KIN
from polyclinic.text.lazily import lazy_pattern

_Patient = Literal["speaker", "other", ""]
_ONE = (
    r"(?:the (?:actual )?patient|the one (?:who|that|you|coming|being|to be|with|needing|getting|for)|who(?:'s"
    r"| is) (?:ill"
    r"|sick|unwell|poorly|coming))"
)
_IS = r"(?:'s| is|s|'re| are| will be|'ll be)?"
_THEM = (
    rf"(?:(?:my|our|his|her|the|this) (?:\w+ ){{0,2}}?{KIN}|mum|mom|mummy|dad|daddy|granny|grandma|grandpa|gran|nan)"
)
_SPEAKER = lazy_pattern(
    r"\bfor myself\b|\bbook(?:ing)? (?:it |one |this )?(?:in )?for me\b|\bmy own (?:appointment|visit|checkup|behalf)\b"
    r"|"
    rf"\b(?:i'm|im|i am|i'll be|it's me|me) (?:actually )?{_ONE}|\b(?:it's|its|it is|that's"
    rf"|just) (?:only )?(?:for )?(?:me|myself)"
    rf"\b(?:,? [\w' -]+,)? (?:who|that|what|as|you|needs)|(?<!not )\b(?:for|about) (?:me|myself)\b(?=[,.;!]| not"
    rf"| only| please| xthisx| xotherx|$)"
    rf"|\bpatient{_IS} (?:(?!not)\w+ )?(?:me\b|myself)|\b(?:she|he|{_THEM})(?:'s| is) not the (?:patient|one)\b"
    rf"|\b(?:she|he) isn't the (?:patient|one)\b|\bmyself as (?:the )?patient|\bi'm (?:not )?calling for myself"
)
_OTHER = lazy_pattern(
    rf"\bthe (?:\w+ )?(?:one|child|baby|boy|girl|kid|person) (?:who|that)(?:'s| is|s) (?:ill|sick|unwell|poorly"
    rf"|not well|hurt"
    rf"|coming|in pain)\b|\b(?:the|our|my) (?:little one|child|baby|kid|boy|girl|toddler)(?:'s| is)? (?:called|named"
    rf"|name is)\b"
    rf"|\b(?:appointment|booking|visit|slot)(?:'s| is) for (?:him|her|them)\b"
    rf"|\bit's for (?:little|our|my|baby|young) |\b{_THEM}, (?:she|he|they) (?:needs?|has|have|wants|would like|is"
    rf"|'s)\b"
    rf"|\bpatient,? {_THEM}\b|\b(?:he|she|{_THEM})(?:'s| is) the (?:sick|ill|unwell|poorly|injured) one\b"
    rf"|\b(?:patient|appointment|booking|visit){_IS}(?: name)?{_IS} (?:actually |really |for |in fact )*{_THEM}\b(?!'s)"
    rf"|\b(?:he|she|they|{_THEM}){_IS} (?:actually )?{_ONE}"
    rf"|\b(?:for|about|on behalf of|behalf of|regarding|bring(?:ing)?|with"
    rf"|book(?:ing)? in) {_THEM}\b(?!'s)(?! (?:not|number)\b)"
    rf"|\b{_THEM} (?:needs|has (?:a|an|been|got|had)|wants to (?:be seen|see|come)|has to|would like|is (?:ill|sick"
    rf"|unwell"
    rf"|poorly|not well|in pain|due))\b|\bit's {_THEM}(?:'s)? (?:you|who|that|i'm)\b|\bpatient(?:'s| is) (?:him"
    rf"|her)\b|\b(?:need|want|after|asking for) {_THEM}'s\b|\b(?:her"
    rf"|his|their) (?:\w+ )?(?:appointment|shots?|jabs?|visit)\b"
    rf"|\bi'm (?:not|only|just) (?:the patient|calling|ringing|filling|booking)(?: this)?(?: in)? (?:for|on) (?:her"
    rf"|him|them)\b"
    rf"|\b(?:i'm not|im not|i am not) the patient\b|\bpatient(?:'s| is) not me\b|\bpatient isn't me\b"
    rf"|\b(?:calling|ringing|phoning|booking|asking|writing|speaking|here) (?:\w+ )?(?:for|on behalf of|about) (?:him"
    rf"|her|them)\b"
    rf"|^(?!.*\b(?:dr|doctor|nurse|gp|receptionist|consultant|surgeon|secretary|specialist|physician|pharmacist"
    rf"|boss)\b).*\b(?:he|she)(?:'s| has)? (?:asked|wants?|wanted|sent|told|got|begged) me (?:to|on) (?:\w+ )?(?:call"
    rf"|ring"
    rf"|phone|book|speak|talk|ask|make|arrange)\b|\bi(?:'m|'ll| am)?(?: only| just)? (?:call|book|dial|talk|phone"
    rf"|ring|making (?:the|a) call) for (?:him|her|them)\b"
    rf"|\bi(?:'m| am|'ll) (?:doing|do) the talking\b|\bi(?:'m| am) (?:speaking|answering|translating) for\b"
    rf"|\bnot (?:for )?me,? (?:but|it's)|\b(?:it's|its|it is) (?:not )?for (?:him|her|them)\b"
)
_NOT_FOR_SELF = lazy_pattern(r"\b(?:not|\w+n't|nothing|none|no \w+)(?: (?!it\b)\w+){0,5} for (?:me|myself)\b")


@lru_cache(maxsize=2048)
def patient_of(words: str) -> _Patient:
    """Whom a normalised text names as the patient: the speaker, somebody else, or nobody in particular."""
    if _SPEAKER.search(words) and _SPEAKER.search(_NOT_FOR_SELF.sub(" ", words)):
        return "speaker"
    return "other" if _OTHER.search(words) else ""
