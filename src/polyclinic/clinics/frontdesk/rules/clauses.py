"""What somebody really means: splits a text into clauses and finds for each how firmly it is meant.

"I was going to cancel, but my wife says no, so I'll come" names three things, and only the last one is meant. A clause
is ignored if it tells what others did or said, describes what would happen, or asks how things are. What somebody once
wanted counts for little. What is meant and said last counts most.
"""

from __future__ import annotations

import re
from functools import lru_cache

from polyclinic.clinics.frontdesk.rules.wording import wording
from polyclinic.core.value import unchanging
from polyclinic.text.lazily import lazy_pattern
from polyclinic.text.phrases import by_first_letter
from polyclinic.text.sentences import SPOKEN_END

_KIN = (
    r"brother|sister|sibling|ex|wife|husband|partner|mother|father|mum|mom|mama|dad|daddy|papa|son|daughter|cousin"
    r"|folks|relatives|uncle|aunt|auntie|twin|niece|nephew|grand\w+|gran|granny|nan|roommate|flatmate|housemate"
    r"|neighbou?r|boss"
    r"|colleague"
    r"|predecessor|friend|mate|landlord|landlady|passenger|boyfriend|girlfriend|fianc[eé]e?|parents|kids?|child"
    r"|children"
    r"|family(?! name)|in-laws?|\w+-in-law|employer|manager|teacher|professor|prof|lawyer|carer|secretary|assistant"
    r"|pal|buddy"
    r"|better half|missus|hubby|bro|sis|lad|girl|boy|baby|tenant|coach|gp|dentist|coworker|co-worker|workmate"
    r"|classmate|spouse|toddler|step\w+|godmother|godfather|mummy|mommy|nanny|babysitter|maid|guardian|caregiver|helper"
    r"|supervisor|interpreter|translator|next of kin|eldest|oldest|youngest"
)
KIN = f"(?:{by_first_letter(_KIN)})"
_AUX = r"(?:'d|'ve|'re)?"
_PEOPLE = (
    r"(?:someone|somebody|they|he|she|everyone|everybody|nobody|people|ppl|your (?!very|first|next|earliest|soonest"
    r"|nearest)\w+|some \w+"
    r"|(?:the|a|an|that|this|another|one|which) (?:\w+ )?(?:girl|nurse|form|letter|website|site|app|receptionist"
    r"|hospital|lady|man|woman|gentleman|guy|message|text|paper|screen|system|computer|leaflet|clerk|card|email|doctor"
    r"|consultant|surgeon|voice|person|colleague|machine|sms|reminder|note)"
    rf"|(?:the |my |our |his |her )?(?:\w+ )?{KIN})"
)
_LEAD = lazy_pattern(
    r"^(?:and |but |so |yet |then |or |well |oh |ah |now |hi |hello |hey |yes |yeah |no |nah |ok |okay "
    r"|actually |honestly "
    r"|look |listen |sorry |please |pls |because |since |as |cos |coz |cuz |though |although |while |whereas |however "
    r"|still |anyway |also |only |just |last (?:time|week|month|year|night) |yesterday |this morning )+"
)
_SPLIT = lazy_pattern(
    SPOKEN_END + r"|(?<=:)\s+|(?<=\.\.\.)\s*|\s*[()]\s*"
    r"|,\s+(?=(?:but|so|and|or|yet|because|since|cos|coz|though|although|while|whereas|if|unless|once|i|i'[a-z]+|im|we"
    r"|we'[a-z]+|he|she|they|you|you'[a-z]+|it|it's|its|my|mine|your|this|that|that's|these|please|pls|could|can|would"
    r"|just|only|not|no|nor|then|now|otherwise|instead|actually|rather|sorry|wait|don't|dont|do|did|let|let's|make"
    r"|give|what"
    r"|which|where|who|whose|there|there's|the|as|any|is|are|was|take|cancel|put|book|have|how|when|move|leave"
    r"|keep|scrap|drop|forget|call|try|see|find|get|say|thanks|thank)\b)"
    r"|(?<!wondering)(?<!wonder)(?<!asking)(?<!\bask)(?<!\bsee)(?<!\bknow)(?<!check)(?<!\bas)(?<!even)(?<!only)(?<!"
    r"\bmind)(?<!terribly)("
    r"?<!what)\s+(?=(?:if|unless) (?:i|we|you|he|she|they|it|it's|someone|somebody|my|there"
    r"|not)\b)"
    r"|(?<!anyone)(?<!anybody)(?<!everyone)(?<!everybody)(?<!nobody)(?<!no one)(?<!anything)(?<!\ball)(?<!none)("
    r"?<!nothing)(?<!ever)(?<!choice)(?<!for it)"
    r"\s+(?=(?:but|because|although|though|cos|coz|cuz|whereas|however)\b)"
    r"|\s+(?=so (?!long|that\b|much|far|soon|many|very|quick|as\b|early|on\b|urgent|bad|kind|good|i can))"
    r"|\s+(?=and (?:i|i'[a-z]+|we|he|she|they|you|my|it|it's|then|so|not|please|now|could|can|would|don't|let|mine)\b)"
    r"|\s+(?=and (?:put|book|give|fit|squeeze|slot|pencil|get|find) (?:me|us|her|him|it|them)\b)"
    r"|(?<!\bgo)(?<!\btry)(?<!\bcome)\s+(?=and (?:drop|cancel|scrap|bin|delete|ditch|lose|keep|leave) (?:the|my|it"
    r"|that|this)\b)"
    r"|\s+(?=(?:then|so) (?:i|we|please|could|can)\b)"
)
_PAST = lazy_pattern(
    r"\b(?:was|were) (?:\w+ ){0,2}(?:going to|gonna|about to|thinking|thinkin|planning|hoping|tempted|set on|minded"
    r"|my (?:pick|choice|first))|\b(?:i|we|she|he)(?:'d| had) (?:\w+ ){0,3}(?:planned|meant|thought|hoped"
    r"|intended|resolved"
    r"|decided|pencilled|wanted|asked|requested|been (?:hoping|going|thinking|planning)|set|put|said|told)"
    r"|\b(?:thought|thinking|toyed|played|dreamt) (?:of|about|with)\b|\bkept meaning\b|\b(?:almost|nearly|half)\b"
    r"|\b(?:i|we) (?:\w+ ){0,2}(?:wanted|hoped|planned|meant|intended|asked|told|said|enquired|inquired"
    r"|requested|thought"
    r"|considered|wondered|did|begged|agreed|wrote|rang|phoned|called|booked)\b|\byesterday\b|\blast (?:time"
    r"|week(?! (?:of|in)\b)|month|year|night|spring|summer|autumn|winter)\b|\boriginally\b"
    r"|\bat first\b|^first i\b|\binitially\b|\bpreviously\b|\bthe other day\b|\bearlier (?:today|this)\b"
    r"|^(?:said|told|asked|wanted|thought|meant)\b|\bused to\b|\bi'd been\b|\bago\b"
)
_THAN_SAID = lazy_pattern(r"\b(?:than|after|before) (?:we|you|i)(?:'d| had)? \w+")
"""What was agreed before, in a present wish: "a few days later than we said"."""
_DONE = lazy_pattern(
    r"\balready\b|\b(?:i|we) (?:\w+ )?came (?:[\w-]+ ){0,4}(?:later|earlier) than\b|\b(?:was|were|been|got"
    r"|being) (?:\w+ )?(?:moved|cancell?ed"
    r"|rescheduled|changed|postponed"
    r"|shifted|switched)\b|(?<!see )(?<!check )(?<!wondering )(?<!ask )(?<!asking )\bwhether\b|\b(?:i|we)(?:'ve"
    r"| have| had"
    r"|'d)? (?:\w+ )?(?:changed (?!my mind|hospital"
    r"|doctor)|moved|switched|postponed"
    r"|cancell?ed|rescheduled|shifted|swapped)\b"
    r"|\b(?:i|we) (?:already )?had (?:it|that|mine|my \w+) (?:moved|changed|cancell?ed|rescheduled)\b"
)
"""What is in the past and no longer asked for."""
_HYPOTHETICAL = lazy_pattern(
    r"(?<!wondering )(?<!wonder )(?<!asking )(?<!ask )(?<!see )(?<!know"
    r" )(?<!check )(?<!as )(?<!mind )(?<!terribly )\b(?:if|in case"
    r"|suppose|supposing|imagine) (?:i|we|one|she|he|you|they|it|my|there|nobody|someone|somebody"
    r"|anyone|anybody|everyone|people|one|something|that|this|the|any|a|an|another)\b|\bunless\b"
    r"|(?<!who )(?<!whom )(?<!what )(?<!where )(?<!when )\bshould (?:i|we"
    r"|she|he|anything)\b(?! be most)|\bwhat (?:happens"
    r"|if)\b|\bwere i to\b"
    r"|\bprovided\b|\bin the event\b|^(?:had|were|should) i\b|\bwait more than\b"
)
_POLITE_IF = lazy_pattern(
    r"\bif (?:possible|you (?:can|could|would|please|will|don't mind|wouldn't mind|like|have|had)|it(?:'s| is"
    r"| be) (?:at all )?"
    r"(?:possible|ok|okay|all right|alright|no|not too|within|convenient)|at all|i may|need be|i could|i might"
    r"|so|that's)\b|\bif (?:there(?:'s| is)|any(?:thing|one)|something|a (?:slot|gap)) (?:any|some|is|comes|opens"
    r"|gets|becomes"
    r"|turns|sooner|earlier|free)|\bwould (?:oblige|help|please|suit)\b[^;]{0,30}\bif\b|\b(?:grateful|appreciate it"
    r"|kind|glad"
    r"|love it) if\b"
)
_WOULD_YOU_MIND = lazy_pattern(
    r"\b(?:would|will|do|does|is) (?:it|you|that|anyone|anybody)(?: be)? (?:\w+ )?(?:ok|okay|all right|alright|possible"
    r"|fine|a problem|too much|convenient|better|matter|upset|bother|suit|mind|work|help|inconvenience|put you out)\b"
    r"[^.;?!]{0,30}$"
)
"""The beginning of a request: "Would it bother you if I came on Tuesday?"."""
_OTHERS = lazy_pattern(
    rf"^{_PEOPLE}{_AUX} (?!(?:wants?|needs?|would|'d|has to|have to|must|can|can't|cannot|could|won't|will"
    rf"|wishes|likes?"
    r"|trusts?|prefers?|hopes?|insists?|is|'s|are|may|might|should|to|on|in|of|for|and|or|else|different|new"
    r"|nearer|who|does|do|doesn't|don't)\b)[a-z']+"
    r"|^you(?:'ve|'d| have| had)? (?!(?:got|have) (?:any|an?|some|time|space|room)\b)(?:(?!can|could|may|might"
    r"|should|would|will|please)\w+ )?(?:moved|changed|put"
    r"|gave|given|wrote|told|said|sent|cancelled|canceled|rang"
    r"|phoned|called|offered|proposed|got|been|keep|kept|have|had)\b"
    rf"|^(?:my|our|the) (?:\w+ )?{KIN} (?:wanted|thought|asked|told|said|says|swears|thinks|sees|saw|had"
    rf"|has (?!to)\w+ed|was)\b"
)
_TOLD = lazy_pattern(
    r"\b(?:text|message|letter|e-?mail|sms|call|voicemail|notification|reminder|note|someone|nurse|lady|you)\b"
    r"(?: \w+){0,3} (?:saying|says|said|telling|to say|told)\b"
)
"""What somebody wrote or said to the caller."""
_ASKS_HOW = lazy_pattern(
    r"^(?:(?:(?:please|kindly|could you|can you|be so good as to) )*(?:tell me|explain|let me know) (?:how|what|whether"
    r"|when|where|which|who)|what(?:'s| is| are| was| would| could| do| does| did| time| should| must| will"
    r"| documents| papers| happens)|how|why"
    r"|when(?:'s| is| do"
    r"| does| did| will| should)|where|whereabouts|which|who|whose|do i|do you (?:ever |usually |often |always "
    r"|normally )?(?:move|cancel|change|reschedule)|does|did|should i|must i|am i|will i"
    r"|has my|has the|has it|(?:has|did) (?:any|some)(?:one|body)"
    r"|is it (?:\w+ )?(?:manners|rude|wrong|usual|common|normal|expensive) to|is it true|is that so|is my|is the"
    r"|was my|was it|have i|would i|may i ask|might i ask|might i enquire"
    r"|can i (?:eat"
    r"|drink|bring|park|pay|take)|(?:just )?(?:curious|checking))\b|.*\b(?:without (?:pay|be)ing|fees?|charged?"
    r"|penalt\w+|policy"
    r"|rules?|notice period)\b"
)
_CONTRAST = lazy_pattern(
    r"^(?:but|so|instead|now|actually|rather|however|yet|still|no|not|then|anyway|on reflection)\b"
)
_POLITE_NOT = lazy_pattern(
    r"\b(?:can|could|would|will|won|is|are|do|does)(?:(?:'t|n't|not)? (?P<who>you|i|we|they|there|it) not\b"
    r"|(?:'t|n't|not) (?P<whom>you|i|we|they|there|it)\b)(?! (?:want|need|care|think|know))"
)
_RETRACTS = lazy_pattern(
    r"\b(?:ah|oh|er|um|uh|hmm|wait|sorry),? no\b(?!,? (?:problem|worries|rush|hurry|need))|\b(?:(?:oh "
    r"|ah )?no,? wait|wait,? no|(?:oh |ah )wait"
    r"|scratch (?:that|it)|scrap (?:that|it)|strike that|actually,? no"
    r"|no,? actually|no,? make (?:it|that)|make (?:that|it) (?=the|an?|\w+day|next|tomorrow|dr|xthisx|xotherx)"
    r"|never mind that"
    r"|(?:sorry|no),? i mean(?:t)?|i meant|correction|on second thoughts?|tell a lie|hang on|hold on|let me rephrase"
    r"|change that to|oops|whoops|my mistake|no,? sorry|sorry,? no|forget (?:that|i said))\b"
)
"""What somebody says before they correct their own words."""


def without_polite_not(text: str) -> str:
    """The text without polite negations such as "can't you see me today?". The length stays the same."""
    return _POLITE_NOT.sub(lambda asked: (asked["who"] or asked["whom"]).rjust(len(asked[0])), text)


def last_retraction(text: str) -> int:
    """Where the last retraction ends ("no, wait", "scratch that"); 0 if there is none."""
    return max((match.end() for match in _RETRACTS.finditer(text)), default=0)


@unchanging
class Clause:
    """One clause, and how it is meant. `firm`: 2 meant now, 1 wanted earlier, 0 ignored."""

    text: str
    firm: int
    asks: bool
    others: bool
    supposed: bool
    turns: bool
    """It contrasts with what was said before: but, so, instead."""
    begins: int = 0


@lru_cache(maxsize=4096)
def clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of a text, in order."""
    words = wording(text)
    found: list[Clause] = []
    cuts = [(match.start(), match.end()) for match in _SPLIT.finditer(words)]
    edges = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(words)]
    supposed = False
    for begins, stops in zip(edges, ends, strict=True):
        piece = words[begins:stops].strip()
        if not re.search(r"\w", piece):
            continue
        closed = words[:begins].rstrip()[-1:] in ".!?;"
        turns = _CONTRAST.match(piece) is not None
        here = _HYPOTHETICAL.search(piece) is not None and not (
            _POLITE_IF.search(piece) or (piece.startswith("if ") and _WOULD_YOU_MIND.search(words[:begins]))
        )
        supposed = here or (supposed and not closed and not turns)
        bare = _LEAD.sub("", piece)
        asks = _ASKS_HOW.match(bare) is not None
        others = _OTHERS.match(bare) is not None or _TOLD.search(bare) is not None
        firm = 0 if supposed or others or _DONE.search(piece) else 1 if _PAST.search(_THAN_SAID.sub(" ", piece)) else 2
        found.append(Clause(piece, firm, asks, others, supposed, turns, begins))
    return tuple(found)
