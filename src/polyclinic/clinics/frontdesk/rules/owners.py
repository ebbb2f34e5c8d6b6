"""Whether a value is the patient's or somebody else's.

Somebody may speak for the patient ("my daughter, Lee Seo-yeon"): a relative's value counts as the patient's. It does
not count if the speaker also gives their own value, or says who the patient is (`patients`).
"""

from __future__ import annotations

import re

from polyclinic.clinics.frontdesk.rules.clauses import KIN
from polyclinic.clinics.frontdesk.rules.patients import patient_of
from polyclinic.text.lazily import lazy_pattern

THIS, OTHER = "xthisx", "xotherx"
NEAR = 100
"""How many characters after a value the words may still refer to it."""
NEVER_FOR = (
    r"(?:roommate|flatmate|housemate|neighbou?r|boss|colleague|predecessor|friend|mate|landlord|landlady"
    r"|passenger|employer|manager|teacher|professor|prof"
    r"|lawyer|secretary|assistant|pal|buddy|tenant|coach|ex|coworker|co-worker|workmate|classmate|supervisor"
    r"|interpreter|translator"
    r"|babysitter|nanny|maid|helper|caregiver|next of kin)"
)
"""People on whose behalf nobody calls the hospital."""
_NEVER_FOR = lazy_pattern(rf"\b{NEVER_FOR}\b")
_OF_SELF = lazy_pattern(
    r"\b(?:mine|myself|i'm|i am|my own|me|my (?:card|number|phone|id|name|address|birthday|date)|i (?:forget"
    r"|forgot|don't|haven't|was born|live|sleep|have none))\b"
)
PLACES = (
    r"(?:office|shop|school|company|firm|clinic|pharmacy|hotel|factory|branch|care home|nursing home|taxi\w*|cab"
    r"|bank|police|agency|ward"
    r"|surgery|church|work|workplace|warehouse|restaurant|library|gym|landlord|embassy|hospital|department"
    r"|reception|switchboard|store"
    r"|garage|salon|kindergarten|nursery|university|uni|college|insurance(?! card)|insurer|ambulance|post office"
    r"|station"
    r"|practice|centre|center)"
)
STRANGER = (
    r"(?:passenger|customer|stranger|somebody|someone|tenant|previous (?:tenant|owner|patient)|lady|gentleman"
    r"|man|woman|girl|guy|bloke"
    r"|person|people|patient before|nurse|driver|client|receptionist|clerk|secretary|doctor|surgeon|manager"
    r"|caller|other patient|next patient|last patient|owner|hers|his|theirs|yours)"
)
NOT_MINE = rf"(?:{KIN}|{PLACES}|{STRANGER}|ex)"
_OWNER = lazy_pattern(
    rf"\b(?P<other>(?:my|our|the|a|an|his|her|their|your|some|this|that|late)(?: [\w'-]+)?? {NOT_MINE}(?:'s)?\b"
    rf"|{PLACES}(?:'s)? (?:is|has|number|address)"
    r"|(?:somebody|someone|everyone)\b|(?:his|her|their|your(?! (?:pardon|register|form|forms|records?|files?"
    r"|system|screen|list|book|computer|notes?|info\w*))|whose|everyone's|somebody's|someone's)\b"
    r"|(?:mum|mom|dad|granny|grandma|grandpa|nan)(?:'s)?\b)"
    r"|\b(?P<own>my(?! (?:old|previous|former))|mine|me|i|i'm|im|i've|i'll|our|ours|we|we're|myself|patient)\b"
)
_CHILD = lazy_pattern(r"\b(?:child|baby|little one|kid|son|daughter|boy|girl|toddler)\b")
PERSONAL = ("name", "identifier", "birth_date")
"""Values that identify a person: the caller's own values say nothing about the patient."""
_IS_SPEAKERS = lazy_pattern(r"(?:my|mine|i|i'm|im|i've|myself)\b")
_FOR_KIN = lazy_pattern(
    rf"\b(?:she|he)(?:'s| is) the (?:patient|one)\b|\bpatient(?:'s| is)? (?:is )?(?:my|our) (?:\w+ )?{KIN}\b"
    rf"|\b(?:for|about|of|on behalf of) (?:my|our) (?:\w+ )?{KIN}\b(?!'s)"
    rf"|\bmy (?:\w+ )?{KIN}(?:'s)? (?:needs|is the patient|wants to be seen|has to be seen|would like)"
)
_CONTACT = lazy_pattern(
    r"\b(?:ring|call|phone|text|contact|reach|through|via|ask for|care of|c/o|speak to|message"
    rf"|leave word with)\b[^;]*\b{KIN}\b[^;]*$"
)
_LIVES = lazy_pattern(
    r"\b(?:i|we)(?:'m|'ve|'re| am| are)?(?: \w+)? (?:live|lives|stay|staying|living|moved"
    r"|reside|lodge|lodging|share|rent|sleep|based)\b|\b(?:send|post|deliver|come|pick|fetch"
    r"|collect)\b[^;]*\bme\b|\bnow (?:at|in|it's|its)\b|\bthese days\b"
)


_AT_THAT_PLACE = lazy_pattern(
    r"\b(?:ring|call|get|reach|find|phone|catch|contact) me\b|\bi'm (?:always|usually|mostly|normally)? ?(?:there|in)\b"
    r"|\buse (?:that|it|this)\b|\bi (?:work|live|am) there\b|\bmy (?:work|office|shop|business) (?:phone|number|line)\b"
)
"""Where the caller answers, although the number is a shop's or an office's."""
_NOT_THERE = lazy_pattern(
    r"\b(?:don't|do not|never|not|can't|cannot|won't) (?:\w+ )?(?:ring|call|phone|use|reach|contact|in\b|there)"
)


def _is_childs(owner: str, words: str, kind: str) -> bool:
    """Whether the value belongs to a child for whom a parent speaks. Only values that identify a person count."""
    return kind in ("name", "identifier", "birth_date") and _CHILD.search(owner) is not None and "mine" not in words


_SELF_AS_KIN = lazy_pattern(
    rf"\b(?:i'm|i am|this is|me,|it's|speaking,)(?: only| just| actually)? (?:her|his|their|the|an?|[\w-]+'s"
    rf"|the patient's)"
    rf" (?:\w+ )?{KIN}\b[^;]*$"
)
"""The speaker says how they are related to the patient: "I'm her son, …"."""
_OF_SPEAKER = lazy_pattern(r"\b(?:i|i'm|i've|i'll|me|mine|myself|we|our|my (?:own|address|place|home|house|flat))\b")
_OF_THE_PATIENT = lazy_pattern(r"\b(?:she|he|they|who)(?:'s| is| was|'re| are| were)\b(?! (?:my|our|your)\b)[^;]*$")
_KIN_OF_KIN = lazy_pattern(rf"^(?:his|her|their)(?: \w+)? {KIN}")


_PASSED_BY = lazy_pattern(r"\bnot (?:\w+ )?$|\b(?:before|behind|beside|next to|in front of) $")
"""Before somebody who does not own what is said: "the lady before me"."""
_MEANT = lazy_pattern(
    r"\b(?:(?:but|today|now|(?:this|today's) (?:time|one|visit|appointment|call))\b[^;]*\b(?:for|about|bring\w*|need\w*"
    r"|it's|is)|(?:it's|this is|i'm calling|i'm ringing) (?:for|about)) (?:actually |really )?(?:the|my|our|his|her"
    r"|their)"
    rf" (?:\w+ )?(?P<who>one|1|{KIN})\b(?!')"
)
"""Who the patient is, told after others were named. "…, but today I'm calling for the younger one"."""


def _is_another(owner: str, after: str) -> bool:
    """Whether the text goes on to say that somebody else than this owner is the patient."""
    meant = _MEANT.search(after) if OTHER in after else None
    return meant is not None and meant["who"] not in owner


def is_own(words: str, before: str, after: str, kind: str) -> bool:
    """Whether a value is the patient's.

    The last owner named before it decides; a relative's value may be the patient's.
    """
    owners = [one for one in _OWNER.finditer(before) if not _PASSED_BY.search(before[: one.start()])]
    last = owners[-1] if owners else None
    if last is None:
        return True
    patient = patient_of(words)
    if kind == "name" and patient == "other" and re.match(rf" ?'s (?:\w+ )?{KIN}\b", after):
        return True
    if _SELF_AS_KIN.search(before):
        return kind in ("phone", "address") or patient == "speaker"
    if patient == "other" and kind in PERSONAL and _OF_THE_PATIENT.search(before[last.end() :]):
        return True
    if last["own"] or _LIVES.search(before):
        return not (patient == "other" and _IS_SPEAKERS.match(last[0]) and kind in PERSONAL)
    kin = re.search(rf"\b{KIN}\b|\b(?:his|her|their|mum|mom|dad)\b", last[0]) is not None
    if kind == "phone" and re.search(PLACES, last[0]) and _AT_THAT_PLACE.search(words) and not _NOT_THERE.search(words):
        return True
    if not kin or _NEVER_FOR.search(last[0]) or patient == "speaker":
        return False
    if (_KIN_OF_KIN.match(last[0]) and OTHER in words) or _is_another(last[0], after):
        return False
    if _FOR_KIN.search(words) or _is_childs(last[0], words, kind) or (kind == "phone" and _CONTACT.search(before)):
        return True
    if kind == "address":
        return patient == "other" or (OTHER not in words and _OF_SPEAKER.search(words) is None)
    elsewhere = words.replace(before, " ", 1)
    return OTHER not in elsewhere and _OF_SELF.search(after[:NEAR]) is None
