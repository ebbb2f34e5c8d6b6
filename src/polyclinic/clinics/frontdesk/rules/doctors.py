"""Whether somebody wishes for this doctor, and does not only avoid, praise or mention them.

The doctor's name is masked in the text, and so are other doctors' names; "him" and "her" stand for the one named last.
Each clause may then say that a doctor is wished for or avoided, and the last clause that is meant decides. A second
choice in case the doctor is away ("otherwise anybody") does not count against the doctor.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from polyclinic.clinics.frontdesk.rules.clauses import KIN, Clause, clauses, last_retraction
from polyclinic.clinics.frontdesk.rules.names import name_spans, other_names
from polyclinic.clinics.frontdesk.rules.owners import OTHER, THIS
from polyclinic.clinics.frontdesk.rules.plainly import patterns, says
from polyclinic.clinics.frontdesk.rules.told import masked
from polyclinic.clinics.frontdesk.rules.wording import wording
from polyclinic.text.lazily import lazy_pattern

RubricVerdict = Literal["yes", "no", "open"]
_NAME = rf"(?:{THIS}|{OTHER})"
_NOBODY_BUT = lazy_pattern(
    r"\b(?:nobody|no one|no-one|none|nothing|(?:not|never|\w+n't)(?: \w+){0,3} any(?:one"
    r"|body)(?: else)?)(?: \w+){0,2} (?:but|except|other than|apart from|besides|than)(?: \w+)? $"
    r"|\b(?:why not|not (?:just )?any(?:one|body)|nothing against|not? (?:problem|objection) with|(?:do not"
    r"|don't) mind)(?: \w+){0,3} $|\b(?:could|can|may|might|would) (?:i|we) not (?:\w+ ){1,3}$"
)
_AVOIDS_BEFORE = lazy_pattern(
    r"\b(?:not|no|never|nope|isn't|wasn't|under no circumstances|avoid\w*|(?:any|every)(?:one"
    r"|body)(?: \w+){0,4} (?:but|except|bar|save|other than|apart from|besides)|who(?:ever) but|(?:some|any)(?:one"
    r"|body) else than|other than|rather than|instead of|except(?:ing)?(?: for)?|apart from|aside from"
    r"|besides|bar|excluding|without|away from|fed up with|sick of|done with|rid of|clear of|skip|wary of|hate"
    r"|(?:problems?|trouble|words|row|argument|run-?in|fell out|falling out) with|complain\w* about|bad (?:time"
    r"|experience)s? (?:with|under)|spare me|refus\w+"
    r"|(?:unhappy|dissatisfied|disappointed|uncomfortable|angry|cross) (?:with|by|at)|my fill of|enough of"
    r"|(?:switch|chang|mov)\w* (?:away )?from|keep me (?:off|from|away from)"
    r"|(?<!can't i )(?<!couldn't i )(?:don't|dont|do not|didn't|won't|wouldn't|can't|cannot|couldn't|isn't"
    r"|wasn't) (?!i\b|we\b)(?:\w+ ){0,5}?(?:want|give me|get|see|like|be|have|get on with|get along with|trust"
    r"|go (?:back )?to|under|with|stand|bear|face|book|put me with))"
    r"(?: (?:the|with|by|to|see|seeing|seen|having|under|that|this|one|please|old|again|dr|doctor|be|a|fan|of"
    r"|going|go|back|me|in|get|give|seeking|appointment|an))*[\s,:'\"]*$"
)
_AVOIDS_AFTER = lazy_pattern(
    r"^[^.;!?]{0,50}?\b(?:never again|not again|is not (?:for me|an option)|is out(?: of the question)?|(?:is "
    r"|'s )?too (?:far|busy|young|old|expensive|slow)|didn't (?:help|listen|believe|see eye|take|get on"
    r"|get along)|did not (?:help|listen|believe|see eye|take)|don't (?:get on|get along|see eye|like|trust)"
    r"|do not (?:get on|see eye)|no longer (?:see eye|get on|get along|trust|agree)"
    r"|no thank|hurt me|to avoid|rather not|please not|not (?:him|her|them)\b|was (?:\w+ )?(?:rude|rough|awful"
    r"|horrible|terrible|dismissive|late|unkind|cold|useless|wrong)|is (?:\w+ )?(?:rude|rough|late|useless"
    r"|retiring|leaving|dead|retired|on leave|unkind)|always late|is (?:my|her|his) (?:ex|cousin|neighbour"
    r"|brother|sister|uncle|aunt|husband|wife|boss|father|mother|son|daughter)"
    r"|made me (?:cry|wait)|in tears|shouted|scares|frighten\w*|upset|no\b$|a mistake|by mistake|this mistake"
    r"|was (?:just )?an example)|^[\s,]*\? ?(?:no\b|nope|not|i'd (?:sooner|rather)|never)"
)
_WANTS = (
    r"(?:want|wants|wanna|like|likes|love|prefer\w*|wish\w*|need|needs|book\w*|see|seeing|seen by|put (?:me|her"
    r"|him|us|down)|give (?:me|us)|gimme|get (?:me|us|in|an|a|with|to)|have|having|let's|lets|stay\w*|remain"
    r"|stick\w*|keep|insist\w*"
    r"|trusts?|hop(?:e|ing) for|ask(?:ing)? for|wait\w* for|mine is|only|must be|has to be|have to be|got to be"
    r"|should be|it's|its|make it|try|namely|for example|heart on|attached to|under|back (?:to|with)"
    r"|go(?:ing)? (?:to|with|back)|choose|pick|take|meant|mean|rather|sooner"
    r"|(?:fine|happy|pleased|ok|okay) with|(?:appointment|opening|slot|time|visit|something|anything|place|gap"
    r"|spot) (?:of|with|for)|with|beg|request\w*|after|same doctor|same (?:one|hands)|look\w* for|favou?rite"
    r"|first choice|first pick|so|then|is|for me|yes)"
)
_WANTS_BEFORE = lazy_pattern(rf"\b{_WANTS}\b[^;]{{0,40}}$")
_WANTS_AFTER = lazy_pattern(
    r"^[\s,:'\")]*(?:please|pls|plz|if\b|would be|is (?:my|the one|who|on duty|in\b|free|available|working|there"
    r"|the best|fine)|for me|only|again|can\b|knows?\b|did my|speaks?|has (?:always|been|time|a (?:gap|slot))"
    r"|i(?:'d)? (?:want|trust|prefer|like)|or (?:nobody|no one)|and (?:nobody|no one)|\?*$|free|available"
    r"|working|in\b|'s mine|whenever|has anything|\.|!|to see|to look|would suit|suits|then\b|instead\b|first\b"
    r"|or (?:any"
    r"|who|some))"
)
_ANYBODY = lazy_pattern(
    r"\b(?:any(?:one|body)(?! (?:but|except|other than|apart)\b)|who(?:ever)|any (?:doctor|of (?:the|your|them))"
    r"|some(?:one|body) (?:else|different|new|at|for|who|nearer|closer|local|younger|older|that)"
    r"|another (?:doctor|one|physician|consultant|specialist|surgeon)|a different (?:doctor|one)"
    r"|who(?:ever)?'?s (?:free|on|there|available)|you (?:pick"
    r"|choose|decide)|no preference|(?:not|\w+n't|never)(?: \w+){0,3} preference|don't (?:mind|care) who|(?:doesn't"
    r"|does not) matter who|a (?:woman|lady|man"
    r"|male|female)\b(?! friend)|other doctor|chang\w+ doctors?|a colleague|one of (?:his|her|the) colleagues"
    r"|not fussed|makes no difference|all the same)"
)
_FALLBACK = lazy_pattern(
    r"\b(?:otherwise|if not|failing that|or else\b|or (?:else )?(?:any|some|who)|if (?:he"
    r"|she|they|that|it)\b|unless|will do|at a pinch|if (?:need|necessary))"
)
_ONLY_MENTIONS = lazy_pattern(
    rf"^(?:(?:hi|hello|hey|and|so|um|sorry|just)[ ,]+)*(?:does|did|is|was|who|who's|what|what's|how|where|which|has|why"
    rf"|do you know|tell me)\b(?!.*\b(?:free|available|availability|in (?:today|on|this|next|tomorrow)|in\?|working"
    rf"|works?|on duty"
    rf"|slots?|openings?|(?:have|has|got) (?:any|a|an|time|some|space|room|the)|see (?:me|us|my)|tak(?:e|es|ing)"
    rf"|accept\w*|there"
    rf"|around|back|appointments?|anything|fit|squeeze|possible|chance|soonest|earliest|when)\b).*{THIS}"
    rf"|\b(?:message|letter|parcel|note|card|regards|question|flowers|papers|invoice|bill) (?:for|to|from"
    rf"|of)\b[^;]*{THIS}|{THIS} (?:\w+ ){{0,3}}?(?:referred|sent|signed|wrote|told|said|says|recommended|advised"
    rf"|suggested|prescribed|saw|treated|delivered|operated|gave|lives|trained|retired|asked|rang|called|phoned"
    rf"|examined (?:my|him|her))\b"
    rf"|\b(?:pass|give|hand|forward|send|deliver) (?:this|that|an?|the|my|these|it)(?: \w+)?(?: on)? (?:to )?{THIS}"
    rf"|\b(?:thank you|thanks|say (?:hello|hi|thanks|thank you)|regards|tell|inform"
    rf"|greetings)(?: \w+){{0,2}}? (?:to )?(?:\w+ )?{THIS}"
    rf"|(?<!get )(?<!be )(?<!being )(?<!getting )\b(?:referred|sent|signed|recommended|advised|suggested|seen"
    rf"|treated|written|told|prescribed"
    rf"|taught) (?:\w+ ){{0,3}}?by (?:\w+ )?{THIS}|\b(?:which|where|what|who|whether|when"
    rf"|how)\b[^;]*{THIS}[^;]*\b(?:trained|studied|from|live|park|speak|look|old|married|the one)\b"
    rf"|\b(?:not seeking|no appointment|settling|curious|wondering|curiosity|asking for a friend)\b"
    rf"|{THIS} who (?:referred|sent|told|said|saw|treated|signed)\b|{THIS}'s (?:office|room|secretary|letter"
    rf"|number|address|assistant|car|name|wife|husband|clinic)|\bhow (?:do|can) i (?:get|find|reach"
    rf"|contact)\b[^;]*{THIS}|\bis {THIS} (?:the|a|related|still|married|her|his|your|really|any)\b|\b(?:took"
    rf"|drove|met|heard of|saw|taught|read about) (?:\w+ )?{THIS}"
)
_NOT_JUST_ANYONE = lazy_pattern(
    r"\b(?:not|don't|dont|do not|won't|never) (?:\w+ )?(?:just|simply) any(?:one|body|\s+(?:old )?doctor)\b"
)
_KIN_WANTS = lazy_pattern(
    rf"^(?:my|our|the) (?:\w+ )?{KIN} (?:wants?|sees?|has|likes?|goes|prefers?|trusts?|went|loves?|swears)\b"
)


@lru_cache(maxsize=2048)
def wants_doctor(name: str, text: str) -> RubricVerdict | None:
    """Whether these words wish for this doctor; None where the doctor is not named."""
    said, mine = name_spans(name, text)
    if not mine:
        return None
    hidden = wording(masked(said, mine, other_names(text, said)))
    heard = clauses(hidden)
    if _NOT_JUST_ANYONE.search(hidden):
        return "yes"
    found: list[tuple[str, bool, int]] = []
    last = ""
    repaired = last_retraction(hidden)
    if not any(match.start() >= repaired for match in re.finditer(_NAME, hidden)):
        repaired = 0
    for clause in heard:
        words, last = _resolved(clause.text, last)
        if clause.begins + len(clause.text) <= repaired:
            continue
        found += _verdicts(words, clause, heard, hidden)
    for firm in (2, 1):
        told = [(about, wished) for about, wished, firm_ in found if firm_ >= firm]
        if told:
            return _last(told)
    return "no" if _ONLY_MENTIONS.search(hidden) else "open"


def _last(told: list[tuple[str, bool]]) -> RubricVerdict:
    about, wished = told[-1]
    if about == THIS:
        return "yes" if wished else "no"
    if wished:
        return "no"
    return "yes" if (THIS, True) in told or (THIS, False) not in told else "no"


def _resolved(text: str, last: str) -> tuple[str, str]:
    """The clause with its pronouns replaced by the doctor named last, and the doctor named last after this clause."""
    out = list[str]()
    for word in re.split(r"(\s+)", text):
        bare = re.sub(r"\W", "", word.replace("'s", "").replace("'ll", ""))
        if bare in (THIS, OTHER):
            last = bare
        elif last and bare in ("him", "her", "he", "she", "them", "himself", "herself", "hers"):
            word = word.replace(bare, last, 1)
        out.append(word)
    return "".join(out), last


def _avoids(before: str, after: str) -> bool:
    after = re.split(r"\bthan\b", after)[0]
    anyway = _NOBODY_BUT.search(before) or says("wants_anyway", before)
    if anyway:
        return False
    return bool(
        _AVOIDS_BEFORE.search(before)
        or _AVOIDS_AFTER.match(after)
        or says("avoids_before", before)
        or patterns()["avoids_after"].match(after)
    )


def _turned_down(hidden: str, clause: Clause) -> bool:
    """Whether the text gives the doctor's name as a question and then says no: "Dr Kim? I'd sooner stay ill"."""
    rest = hidden[clause.begins :]
    return (
        re.search(
            rf"{THIS}[^.;!?]{{0,12}}\? ?(?:oh |please |well )*(?:no\b|nope|not\b|i'd (?:sooner"
            r"|rather)|never|anyone else)",
            rest,
        )
        is not None
    )


def _alone(words: str, match: re.Match[str]) -> str:
    """The clause with only this one name; "him" replaces the other names."""
    return re.sub(_NAME, "him", words[: match.start()]) + THIS + re.sub(_NAME, "him", words[match.end() :])


def _verdicts(words: str, clause: Clause, heard: tuple[Clause, ...], hidden: str) -> list[tuple[str, bool, int]]:
    """What a clause says about this doctor, another doctor, or anybody: wished for or not, and how firmly."""
    found = list[tuple[str, bool, int]]()
    firm = 2 if clause.others and re.match(rf"(?:so |and |but |because |since |as )*{THIS}", words) else clause.firm
    conditional = _FALLBACK.search(words) is not None
    others_wish = _KIN_WANTS.match(words) is not None and any(
        re.match(r"(?:but |and |so |for )?(?:i|me|mine|i'd|i'm)\b", one.text)
        for one in heard
        if one.begins > clause.begins
    )
    for match in re.finditer(_NAME, words):
        before, after = words[: match.start()], words[match.end() :]
        before = re.split(_NAME, before)[-1]
        if not after.strip():
            after = next((f" {one.text}" for one in heard if one.begins > clause.begins), "")
        if _NOBODY_BUT.search(before) or says("wants_anyway", before):
            found.append((match[0], True, 2))
        elif _avoids(before, after) or (match[0] == THIS and _turned_down(hidden, clause)):
            found.append((match[0], False, max(clause.firm, 1)))
        elif others_wish or _ONLY_MENTIONS.search(_alone(words, match)) or (match[0] == OTHER and conditional):
            continue
        elif _WANTS_BEFORE.search(before) or _WANTS_AFTER.match(after):
            found.append((match[0], True, 2 if conditional and not clause.others else firm))
    if (
        _ANYBODY.search(words)
        and not conditional
        and not any(_NOBODY_BUT.search(words[: m.start()]) for m in re.finditer(_NAME, words))
    ):
        before = words[: next(iter(_ANYBODY.finditer(words))).start()]
        if not re.search(r"\b(?:not|never|\w+n't)(?: \w+){0,8} $", before):
            found.insert(0, ("anybody", True, clause.firm))
    return found
