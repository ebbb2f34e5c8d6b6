"""Whether a value is given as the patient's own, and as one that is still valid.

A text comes here masked: ``xthisx`` stands where the value is told, ``xotherx`` where another value of its kind is. So
the same questions serve numbers, names, addresses and dates: is it denied, put right in the same breath, given up long
ago, somebody else's, what a form wrongly says, or only asked about?

Somebody may speak for the patient ("my daughter, Lee Seo-yeon"): what belongs to a relative counts as the patient's,
unless the speaker gives, or speaks of, the same of themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from polyclinic.clinics.frontdesk.rules.clauses import KIN
from polyclinic.text.lazily import lazy_pattern
from polyclinic.text.normal import normalise
from polyclinic.text.sentences import SPOKEN_END

THIS, OTHER = "xthisx", "xotherx"
_NEVER_FOR = lazy_pattern(
    r"\b(?:roommate|flatmate|housemate|neighbou?r|boss|colleague|predecessor|friend|mate|landlord|landlady"
    r"|passenger|employer|manager|teacher|professor|prof"
    r"|lawyer|secretary|assistant|pal|buddy|tenant|coach|ex)\b"
)
"""People for whom nobody calls."""
_OF_SELF = lazy_pattern(
    r"\b(?:mine|myself|i'm|i am|my own|me|my (?:card|number|phone|id|name|address|birthday|date)|i (?:forget"
    r"|forgot|don't|haven't|was born|live|sleep|have none))\b"
)
_RETRACTED = lazy_pattern(
    r"\b(?:cross(?:ed|ing) (?:it|that|this) out|(?:but|and) (?:that|it)(?:'s| is| was) (?:wrong"
    r"|not)|rubbed (?:it|that) out|which (?:is|was) wrong)\b"
)
_STOP = lazy_pattern(SPOKEN_END)
_CLAUSE = lazy_pattern(
    r",\s+(?=(?:but|and|so|or|my|mine|i|i'm|im|not|no|which|where|that|that's|it|it's|he|she|they|his|her|the"
    r"|sorry|wait|use"
    r"|though|because|since|then|now|whatever|whereas|while|before|if)\b)|\s+(?=(?:but|though|although|because"
    r"|whereas|while)\b)|\s*[()]\s*"
    r"|\s+(?=(?:so|and) (?:i|i'm|my|mine|it|it's|the|don't|dont|not|now|use|call|he|she|his|her)\b)"
)
_PLACES = (
    r"(?:office|shop|school|company|firm|clinic|pharmacy|hotel|factory|branch|care home|nursing home|taxi\w*|cab"
    r"|bank|police|agency|ward"
    r"|surgery|church|work|workplace|warehouse|restaurant|library|gym|landlord|embassy|hospital|department"
    r"|reception|switchboard|store"
    r"|garage|salon|kindergarten|nursery|university|uni|college|insurance|insurer|ambulance|post office|station"
    r"|practice|centre|center)"
)
_STRANGER = (
    r"(?:passenger|customer|stranger|somebody|someone|tenant|previous (?:tenant|owner|patient)|lady|gentleman"
    r"|man|woman|girl|guy|bloke"
    r"|person|people|patient before|nurse|driver|client|receptionist|clerk|secretary|doctor|surgeon|manager"
    r"|caller|other patient|next patient|owner|hers|his|theirs|yours)"
)
_NOT_MINE = rf"(?:{KIN}|{_PLACES}|{_STRANGER}|ex)"
_OWNER = lazy_pattern(
    rf"\b(?P<other>(?:my|our|the|a|an|his|her|their|your|some|this|that|late)(?: [\w-]+)?? {_NOT_MINE}(?:'s)?\b"
    rf"|{_PLACES}(?:'s)? (?:is|has|number|address)"
    r"|(?:somebody|someone|everyone|people)\b|(?:his|her|their|your(?! pardon)|whose|everyone's|somebody's|someone's)\b"
    r"|(?:mum|mom|dad|granny|grandma|grandpa|nan)(?:'s)?\b)"
    r"|\b(?P<own>my(?! (?:old|previous|former))|mine|me|i|i'm|im|i've|i'll|our|ours|we|we're|myself|patient)\b"
)
_DENIED_BEFORE = lazy_pattern(
    r"(?:\b(?:not|isn't|isnt|wasn't|aren't|ain't|never|no longer|nor|rather than|instead of|anything but|wrongly"
    r"|mistakenly|by mistake|wrong(?: one)?"
    r"|(?:don't|dont|do not|never|stop|quit|avoid|nobody|no one) (?:\w+ ){0,3}?(?:use|us(?:e|ing)|call(?:ing)?"
    r"|ring(?:ing)?|dial(?:ling)?|text(?:ing)?|write|writing|put|bother|try|send(?:ing)?|go|take|at|to|on|with)"
    r"|forget|ignore|delete|disregard|scrap|scratch|strike|remove|replace|mixed? up with|confus\w+ (?:\w+ )?with"
    r"|mistook \w+ for|as opposed to|unlike)"
    r"(?: (?:my \w+'s|his|her|your|the|it's|its|at|on|to|by|called|named|as|a|an|be|in|for|number|address|born"
    r"|using|with|from|one|is|my|old|that|this|any ?more|me|w|and|or)\b){0,4}[\s:,'\"]*)$"
)
_LOST_BEFORE = lazy_pattern(
    r"\b(?:used to|old(?!est)|previous(?:ly)?|former(?:ly)?|ex-|before (?:it|that|we|i|this)|until|till|left"
    r"|leaving|moved (?:out|away|from|on from)|lost|changed (?:it |numbers? |phones? )?from|no longer"
    r"|sold|gave up|given up|originally|crossed|crossing|once|had|vacated|years ago|swapped|switched from"
    r"|years at|grew up|found|meant for|intended for|addressed to|dead|deceased|late)\b(?:(?!xotherx)[^;])*$"
)
_WAS = lazy_pattern(r"\b(?:was|were)\b(?! (?:born|wrong|christened|baptised|named|told))[^;]{0,30}$")
_AFTER_DEAD = lazy_pattern(
    rf"^[\s,'\")-]*(?:(?:number|address|one|card|phone|line|sim|thing|name|date|is|was|it|that|that's|which|now"
    rf"|has|been|and|belongs? to|are|then|on|the|my|form|screen|letter|file|says|in|there|your?|have|got|entered"
    rf"|wrote|written|put|actually|really|only|a|an|just|no|sorry|wait|but|this)\b[\s,]*){{0,6}}"
    r"(?:not\b(?! xotherx)|till\b|until\b|before (?:i|we|my)\b|(?:off|out of|from) (?:my|the|your) (?:records?"
    r"|files?|list|form|system)|isn't|isnt|ain't|no longer|wrong|dead|old\b|gone|invalid|out of (?:date|use"
    r"|order|service)|outdated|history|disconnected|incorrect|a mistake|mistaken|a typo|typo|crossed|never"
    r"|doesn't|does not|no more|expired|closed|cut off"
    r"|was (?:my|the|our)|where (?:the|that|there|they|he|she|someone) |nobody|unknown|misspelt"
    r"|misspelled|misread|obsolete"
    rf"|dropped|defunct|{_STRANGER}\b|(?:my|the|his|her|their|our|your)(?: \w+)? {_NOT_MINE}(?!\w)"
    r"|(?:the )?(?:name|number|address|card|phone|id|date|birthday) of (?:my|a|the|some"
    rf"|an|your)\b|passenger's|stranger's|{KIN}'s\b"
    rf"|my ex\b|ex\b|don't (?:use|call|ring)|dont (?:use|call|bother))"
)
_ASKED_AFTER = lazy_pattern(
    r"^[\s'\")]*\?+\s*(?:no\b|nope|nah|that's (?:the \w+ of )?(?:your|his|her|the|their"
    r"|somebody)\b|wrong|never|who|not\b|that's not|that isn't|sorry|don't know)"
)
_PUT_RIGHT = lazy_pattern(
    rf"^[^;]{{0,12}}?\b(?:no|sorry|wait|i mean|i meant|mean|meant|correction|rather|scratch that|tell a lie"
    rf"|hang on|hold on|oops|whoops|actually|make (?:that|it)|strike that|pardon|my mistake|let me correct"
    rf"|i'm lying|or (?:rather|no)|nope|should be|must be|better)\b(?! (?:problem|need|doubt"
    rf"|that's right))[^;]{{0,60}}?{OTHER}"
    rf"|^[^;]{{0,15}}\b(?:to|became|becomes|is now|has become|changed to|now)\b[^;]{{0,20}}?{OTHER}"
)
_SAYS_WRONGLY = lazy_pattern(
    r"\b(?:(?:everyone|everybody|people|they) (?:always )?(?:thinks?|says?|writes?|believes?|puts?)|form|papers?"
    r"|passport|certificate|documents?|letter|letters|screen|system|file|files|records?|computer|website|card"
    r"|label|reminder|bill|you(?:'ve| have|'d)?(?: \w+)? (?:got|put|wrote|written|have|been|entered|typed|noted"
    r"|sent|keep|kept|had|turned|spelt|spelled|called)|(?:some(?:one|body)|they|who|clerk|colleague"
    r"|receptionist)(?:'s|'ve| has| have)? (?:\w+ )?(?:entered|put|wrote|written|typed|noted|got|keep|keeps"
    r"|called))\b[^;]*$"
)
_DENIAL = lazy_pattern(
    r"\b(?:wrong|mistake|mistaken|never|nobody|error|no one|incorrect|false|untrue|isn't"
    r"|wasn't|not (?:me|mine|so|right|true|correct|in|at)"
    r"|i was really|should be|because the right)\b|^[^.;]{0,12}[.;]\s+(?:no, )?(?:it's|mine"
    r"|i'm)\b|\bbut (?:i|it|mine|my)\b|" + OTHER
)
_ASKS = lazy_pattern(
    r"^(?:(?:and|but|so|hi|hello|please|sorry|excuse me|tell me)[ ,]+)*(?:is|was|does|did|do|are|isn't|who|whose"
    r"|which|where|why|what|how|can (?:you|i|anyone)|could (?:you|i)|may i|might i|would (?:you|it)|have you|has"
    r"|will)\b"
)
_OF_ONES_OWN = lazy_pattern(
    r"\b(?:my (?:own |new |current |home |mobile |cell |phone |full |first |last |family "
    r"|given |date |birth|id |registration |resident )?(?:number|address|name|phone|mobile"
    r"|cell|landline|birthday|date|card|id|no|dob|place|flat|house|home|room)|i'm|i am|i live"
    r"|mine|call me|reach me|this is)\b[^;?]*$"
)
_DIALLED = lazy_pattern(
    r"\b(?:dial(?:l?ed|l?ing)|rang|ringing|called|phoned|tried|(?:call|text|message|sms|ring|rung|calls"
    r"|texts) from|came from|picked up|answer\w*)\b[^;]{0,12}$"
)
_CHILD = lazy_pattern(r"\b(?:child|baby|little one|kid|son|daughter|boy|girl|toddler)\b")
_NEAR = 100
"""So far after a value somebody may speak of it."""
_FOR_KIN = lazy_pattern(
    rf"\b(?:she|he)(?:'s| is) the (?:patient|one)\b|\bpatient(?:'s| is)? (?:is )?(?:my|our) (?:\w+ )?{KIN}\b"
    rf"|\b(?:for|about|of|on behalf of) (?:my|our) (?:\w+ )?{KIN}\b(?!'s)"
    rf"|\bmy (?:\w+ )?{KIN}(?:'s)? (?:needs|is the patient|wants to be seen|has to be seen|would like)"
)
_OWN_AFTER = lazy_pattern(
    rf"^[\s,)'\"]*(?:that's|it's|that is|which is|is|that'd be|it is) (?:our|my(?! (?:\w+ )?{KIN})(?! (?:old"
    r"|former|previous))|mine|me\b|where (?:i|we))"
)
_AT_WORK = lazy_pattern(r"\b(?:work|worked|working|study|teach|shop|born|grew up|visit\w*|employed|based)\b[^;]{0,15}$")
_CONTACT = lazy_pattern(
    r"\b(?:ring|call|phone|text|contact|reach|through|via|ask for|care of|c/o|speak to|message"
    rf"|leave word with)\b[^;]*\b{KIN}\b[^;]*$"
)
_LIVES = lazy_pattern(
    r"\b(?:i|we)(?:'m|'ve|'re| am| are)?(?: \w+)? (?:live|lives|stay|staying|living|moved"
    r"|reside|lodge|lodging|share|rent|sleep|based)\b|\b(?:send|post|deliver|come|pick|fetch"
    r"|collect)\b[^;]*\bme\b|\bnow (?:at|in|it's|its)\b|\bthese days\b"
)


def masked(text: str, this: Iterable[tuple[int, int]], others: Iterable[tuple[int, int]]) -> str:
    """A text in which `this` value and `others` are masked; where they overlap, only `this` is."""
    kept = sorted((begins, ends, THIS) for begins, ends in this)
    for begins, ends in others:
        if not any(begins < stop and start < ends for start, stop, _ in kept):
            kept.append((begins, ends, OTHER))
    out, at = list[str](), 0
    for begins, ends, mask in sorted(kept):
        if begins < at:
            continue
        out += [text[at:begins], f" {mask} "]
        at = ends
    return "".join(out) + text[at:]


@lru_cache(maxsize=2048)
def is_told(text: str, kind: str) -> bool:
    """Whether a masked text tells the value as the patient's, and as one that holds; one place of several is enough."""
    words = normalise(text)
    spots = [match.start() for match in re.finditer(THIS, words)]
    return any(_holds(words, at, kind) for at in spots)


def _pieces(words: str, at: int, cut: re.Pattern[str]) -> tuple[int, int]:
    """Where the piece begins and ends in which a place stands."""
    begins, ends = 0, len(words)
    for match in cut.finditer(words):
        if match.end() <= at:
            begins = match.end()
        elif match.start() > at:
            ends = match.start()
            break
    return begins, ends


def _holds(words: str, at: int, kind: str) -> bool:
    start, stop = _pieces(words, at, _STOP)
    begins = max(start, _pieces(words, at, _CLAUSE)[0])
    before, sentence = words[begins:at], words[start:stop]
    after = words[at + len(THIS) :]
    rest = after[: max(0, stop - at - len(THIS))]
    if _OWN_AFTER.match(rest):
        return True
    if kind == "address" and _AT_WORK.search(before):
        return False
    if _DENIED_BEFORE.search(before) or _PUT_RIGHT.search(after[:90]) or _ASKED_AFTER.match(after):
        return False
    if _RETRACTED.search(rest):
        return False
    if kind == "phone" and _DIALLED.search(before):
        return False
    if _AFTER_DEAD.match(_near(rest)) or (kind not in ("name", "birth_date", "date") and _WAS.search(before)):
        return False
    if (
        kind not in ("birth_date", "date")
        and _LOST_BEFORE.search(before)
        and not re.search(r"\bnow\b|\bcurrent", before)
    ):
        return False
    if _SAYS_WRONGLY.search(words[start:at]) and _DENIAL.search(after[:_NEAR]):
        return bool(re.search(r"\b(?:right|correct)\b", rest[:30]))
    if sentence.rstrip("\"') ").endswith("?") and _ASKS.match(sentence) and not _OF_ONES_OWN.search(before):
        return False
    return _is_own(words, before, after, kind)


def _near(rest: str) -> str:
    """What follows a value in its clause, and a next clause that says something of it ("…, that's my ex")."""
    pieces = [piece for piece in _CLAUSE.split(rest) if piece is not None]
    if len(pieces) > 1 and re.match(r"(?:but )?(?:that's|that|it's|it|which|this|no|sorry|not|wait)\b", pieces[1]):
        return pieces[0] if _AFTER_DEAD.match(pieces[0]) else f" {pieces[1]}"
    return pieces[0] if pieces else ""


def _is_childs(owner: str, words: str, kind: str) -> bool:
    """Whether it is a child's for whom a parent speaks: who they are, not where they can be reached."""
    return kind in ("name", "identifier", "birth_date") and _CHILD.search(owner) is not None and "mine" not in words


def _is_own(words: str, before: str, after: str, kind: str) -> bool:
    """Whose it is: the last owner named before it in its clause; a relative's may be the patient's."""
    owners = [one for one in _OWNER.finditer(before) if not re.search(r"\bnot (?:\w+ )?$", before[: one.start()])]
    last = owners[-1] if owners else None
    if last is None or last["own"] or _LIVES.search(before):
        return True
    kin = re.search(rf"\b{KIN}\b|\b(?:his|her|their|mum|mom|dad)\b", last[0]) is not None
    if not kin or _NEVER_FOR.search(last[0]):
        return False
    if _FOR_KIN.search(words) or _is_childs(last[0], words, kind) or (kind == "phone" and _CONTACT.search(before)):
        return True
    if kind == "address":
        return False
    elsewhere = words.replace(before, " ", 1)
    return OTHER not in elsewhere and _OF_SELF.search(after[:_NEAR]) is None
