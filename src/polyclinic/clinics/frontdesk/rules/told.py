"""Whether a value is given as the patient's own, and as one that is still valid.

The text is masked first: ``xthisx`` replaces the value, ``xotherx`` another value of its kind. So the same questions
work for numbers, names, addresses and dates. Is the value denied, corrected at once, out of date, somebody else's,
wrong in a form, or only asked about?
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from polyclinic.clinics.frontdesk.rules.clauses import KIN
from polyclinic.clinics.frontdesk.rules.owners import (
    NEAR,
    NOT_MINE,
    OTHER,
    PERSONAL,
    PLACES,
    STRANGER,
    THIS,
    is_own,
)
from polyclinic.clinics.frontdesk.rules.patients import patient_of
from polyclinic.clinics.frontdesk.rules.somebody import IS_SOMEBODY, is_somebody_elses, names_patient
from polyclinic.clinics.frontdesk.rules.wording import wording
from polyclinic.text.lazily import lazy_pattern
from polyclinic.text.sentences import SPOKEN_END, is_question

_RETRACTED = lazy_pattern(
    r"\b(?:(?:but|oh|sorry|wait|no),? i (?:was|am|'m) (?:reading|looking at|holding|giving|on the wrong)"
    r"|wrong (?:card|person|one|line)"
    r"|cross(?:ed|ing) (?:it|that|this) out|(?:but|and) (?:that|it)(?:'s| is| was) (?:wrong"
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
_DENIED_BEFORE = lazy_pattern(
    r"(?:\b(?:not|isn't|isnt|wasn't|aren't|ain't|never|no longer|nor|rather than|instead of|anything but|wrongly"
    r"|mistakenly|by mistake|wrong(?: one)?"
    r"|(?:don't|dont|do not|never|stop|quit|avoid|nobody|no one) (?:\w+ ){0,3}?(?:use|us(?:e|ing)|call(?:ing)?"
    r"|ring(?:ing)?|dial(?:ling)?|text(?:ing)?|write|writing|put|bother|try|send(?:ing)?|go|take|at|in|to|on|with)"
    r"|forget|ignore|delete|disregard|scrap|scratch|strike|remove|replace|mix(?:ed|ing)?(?: \w+)? up with"
    r"|confus\w+ (?:\w+ )?with"
    r"|mistook \w+ for|as opposed to|unlike)"
    r"(?: (?:my \w+'s|his|her|your|the|it's|its|at|on|to|by|called|named|as|a|an|be|in|for|number|address|born"
    r"|using|with|from|one|is|my|old|that|this|any ?more|me|w|and|or)\b){0,4}[\s:,'\"]*)$"
)
_LOST_BEFORE = lazy_pattern(
    r"\b(?:used to|old(?!est)|previous(?:ly)?|former(?:ly)?|ex-|before (?:it|that|we|i|this)|until|till|left"
    r"|leaving|moved (?:out|away|from|on from)|lost|changed (?:it |numbers? |phones? )?from|no longer"
    r"|sold|gave up|given up|originally|crossed|crossing|once|had|vacated|years ago|swapped|switched from"
    r"|years at|grew up|found (?:this|it|a|some|that)|meant for|intended for|addressed to|dead|deceased"
    r"|late)\b(?:(?!xotherx)[^;])*$"
)
_WAS = lazy_pattern(r"\b(?:was|were)\b(?! (?:born|wrong|christened|baptised|named|told))[^;]{0,30}$")
_AFTER_DEAD = lazy_pattern(
    rf"^[\s,'\")-]*(?:(?:number|address|one|card|phone|line|sim|thing|name|date|is|was|it|that|that's|which|now"
    rf"|has|been|and|belong(?:s|ed)? to|are|then|on|the|my|form|screen|letter|file|says|in|there|your?|have|got|entered"
    rf"|wrote|written|put|actually|really|only|a|an|just|no|sorry|wait|but|this)\b[\s,]*){{0,6}}"
    r"(?:not\b(?! xotherx| \d| (?:in|on|at) (?!(?:use|service|order|force|effect|my|me|the|your|our|any|all|file"
    r"|there|this|that|it)\b)| the (?!right|correct|current|real|new)[\w-]+ (?:one|1|flat|house"
    r"|place)\b)(?! (?!mine|me|him|her|us|right|correct|valid|hers|his|ours|yours|theirs|any ?more"
    r"|true|real"
    r"|working|current|used)[a-z'-]+\s*(?:[.!,;)]|$))|till\b|until\b|before (?:i|we|my)\b|(?:off|out of|from) (?:my"
    r"|the|your) (?:records?"
    r"|files?|list|form|system)|isn't|isnt|ain't|no longer|wrong|dead|old\b|previous\b|former\b|ex-|earlier\b|gone"
    r"|invalid|out of (?:date|use"
    r"|order|service)|outdated|history|disconnected|incorrect|a mistake|mistaken|a typo|typo|crossed|never"
    r"|what you(?:'ve| have)? (?:had|got|have|put|wrote)|doesn't|does not|no more(?! (?:in|on|at) (?!use|service|my"
    r"|the|your|our)\b)|expired|closed"
    r"|cut off"
    r"|was (?:my|the|our)|where (?:the|that|there|they|he|she|someone) |nobody|unknown|misspelt"
    r"|misspelled|misread|obsolete"
    rf"|dropped|defunct|stopped|died|broke|{STRANGER}\b|(?:my|the|his|her|their|our|your)(?: \w+)? {NOT_MINE}(?!\w)"
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
    rf"|^[^;]{{0,15}}\b(?:(?<!used )(?<!like )(?<!want )(?<!need )to|became|becomes|is now|has become|changed to"
    rf"|now\b(?!,? (?:not|and not|it used"
    rf"|instead|before|the old|rather)))\b[^;]{{0,20}}?{OTHER}"
)
_SAYS_WRONGLY = lazy_pattern(
    r"\b(?:(?:everyone|everybody|people|they) (?:always )?(?:thinks?|says?|writes?|believes?|puts?)|form|papers?"
    r"|passport|certificate|documents?|(?:my|the|your|her|his) notes|app|wristband|i(?:'ve| have)? (?:put|typed|wrote"
    r"|entered|filled in)"
    r"|(?:dr|doctor|nurse|clerk|receptionist)\.? (?:said|says|told me)|who (?:told|gave) (?:you|me)"
    r"|where did you (?:get|find|see|read)|letter|letters|screen|system|file|files|records?|computer|website|card"
    r"|label|reminder|bill|you(?! (?:can|could|may|should|might|will|please)\b)(?:'ve| have|'d)?(?: \w+)? (?:got|put"
    r"|wrote|written|have|been|entered|typed|noted"
    r"|sent|keep|kept|had|turned|spelt|spelled|called)|(?:some(?:one|body)|they|who|clerk|colleague"
    r"|receptionist)(?:'s|'ve| has| have)? (?:\w+ )?(?:entered|put|wrote|written|typed|printed|noted|got|keep|keeps"
    r"|called))\b[^;]*$"
)
_DENIAL = lazy_pattern(
    r"\b(?:wrong|mistake|mistaken|never|nobody|error|no one|incorrect|false|untrue"
    r"|isn't(?! (?:it|that|he|she|there)\b)|wasn't(?! it)|not (?:me|mine|so|right|true|correct|in|at)"
    r"|not (?:my|that)|nowhere near|slip|typo|belongs? to|i was really|should (?:be|read|say)|because the right)\b"
    r"|^[^.;]{0,12}[.;]\s+(?:no, )?(?:it's(?! (?:mine|my)\b)|mine"
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
    r"\b(?:phoned|called|rang|texted|messaged|rung|call|text|message)\b[^;]{0,40}\bfrom $|\b(?:dial(?:l?ed|l?ing)"
    r"|rang|ringing|called|phoned|tried|(?:call|text|message|sms|ring|rung|calls"
    r"|texts) from|came from|picked up|answer\w*)\b[^;]{0,12}$"
)
_OWN_AFTER = lazy_pattern(
    rf"^[\s,)'\"]*(?:that's|it's|that is|which is|is|s|that'd be|it is) (?:our(?! [a-z]+'s)|my(?! (?:\w+ )?(?:{KIN}"
    rf"|{PLACES}))(?! (?:old"
    r"|former|previous))|mine|me\b|where (?:i|we)\b(?! (?:\w+ )?(?:work|teach|study|train|fell|used|was)))"
)
_AT_WORK = lazy_pattern(
    r"\b(?:work|worked|working|study|teach|shop|born|grew up|visit\w*|employed|based|standing|parked|dropp\w+ off"
    r"|deliver\w*|calling from|outside|opposite|near|in front of|next to|past)\b[^;]{0,15}$"
)
_WHERE_I_WORK = lazy_pattern(
    r"^[\s,)'\"]*(?:that's|it's|that is|which is|is|s) where (?:i|we|he|she|my \w+)"
    r" (?:\w+ )?(?:works?|teach|study|train|fell|used|was)\b"
)


_NOT_YET = lazy_pattern(r"\b(?:moving|going to move|will (?:move|be)|relocating) (?:to|into|at)\b[^;]*$")


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
    """Whether a masked text states the value as the patient's and as still valid.

    If the value is in several places, one such statement is enough.
    """
    words = wording(text)
    spots = [match.start() for match in re.finditer(THIS, words)]
    return any(_holds(words, at, kind) for at in spots)


def _pieces(words: str, at: int, cut: re.Pattern[str]) -> tuple[int, int]:
    """Where the piece of text around a place begins and ends."""
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
    if _OWN_AFTER.match(rest) and not (kind == "name" and IS_SOMEBODY.match(rest)):
        return kind not in PERSONAL or patient_of(words) != "other"
    if is_somebody_elses(words, before, after, kind):
        return False
    if kind == "address" and (
        _AT_WORK.search(before) or _WHERE_I_WORK.match(rest) or (OTHER in after and _NOT_YET.search(before))
    ):
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
    if _SAYS_WRONGLY.search(words[start:at]) and _DENIAL.search(after[:NEAR]):
        return bool(re.search(r"\b(?:right|correct)\b", rest[:30]))
    if is_question(sentence) and _ASKS.match(sentence) and not _OF_ONES_OWN.search(before):
        return False
    return is_own(words, before, after, kind) or (kind == "name" and names_patient(words))


def _near(rest: str) -> str:
    """What follows a value in its clause, or the next clause if it is about the value ("…, that's my ex")."""
    pieces = [piece for piece in _CLAUSE.split(rest) if piece is not None]
    if len(pieces) > 1 and re.match(r"(?:but )?(?:that's|that|it's|it|which|this|no|sorry|not|wait)\b", pieces[1]):
        return pieces[0] if _AFTER_DEAD.match(pieces[0]) else f" {pieces[1]}"
    return pieces[0] if pieces else ""
