"""Whether somebody asks for the earliest time, and is not somebody who can wait or only needs a letter soon.

Clause by clause (`clauses`), a text asks to be seen soon or says that later will do. The last clause that is meant
decides. What others were given, what a website promises and what was once planned does not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from typing import Literal

from polyclinic.clinics.frontdesk.rules.clauses import KIN, Clause, clauses, without_polite_not
from polyclinic.clinics.frontdesk.rules.plainly import patterns, says
from polyclinic.clinics.frontdesk.rules.wished_days import names_first_day
from polyclinic.text.lazily import lazy_pattern

Hurry = Literal["soon", "later", "open"]
_SOON = lazy_pattern(
    r"\b(?:the (?:\w+ )?(?:minute|moment|second|instant|hour) (?:some|any|you|there|a|it|one|the)"
    r"|nothing (?:before|sooner|earlier|nearer)|(?:drop|leave) everything|(?:there|with you|over|round) (?:in"
    r"|within) (?:\w+ ){1,3}(?:minutes?|hours?)"
    r"|(?:not|\w+n't|rather not|cannot) (?:\w+ ){0,3}(?:wait(?:ing)?|hold out|hang on|hold on|go on|bear|stand it|last"
    r"|put it off|drag)|(?:every|each) (?:day|hour|minute) (?:counts|matters)|(?:how )?(?:quick(?:ly)?|soon|fast"
    r"|early) (?:can|could|may)(?! (?:i|we) (?:arrive|get there|turn up|drop))|come running|on standby|short notice"
    r"|what's first|first (?:thing |one |slot |time |chance |date |day |opening |opportunity |place |gap |hour "
    r"|vacan\w+ )?(?:you|that|going|available|there|the clinic|possible|on offer|free)"
    r"|(?:very )?first (?:opportunity|opening|chance|gap|slot|vacancy)|as (?:soon|early|quick\w*|fast|prompt\w*"
    r"|near|swift\w*) (?:\w+ ){0,3}as|soonest|earliest (?:possible|available|you|slot|date|time|appointment|one"
    r"|day|opening|there)"
    r"|at (?:the )?(?:once|earliest)|(?:jump|leap) at|whatever (?:you(?: have| got|'ve got)|there is|is"
    r"|comes) (?:first|next|soonest|earliest)|by (?:tonight|the end of (?:the|this) day|close)"
    r"|before (?:the day is out|tonight|it gets|tomorrow)|any (?:free|spare) (?:slot|minute|gap) (?:today|now)"
    r"|this very (?:day|hour|minute)|no time to lose"
    r"|(?<!my )(?<!our )(?<!her )(?<!his )(?:first|next|earliest|soonest|nearest|closest) (?:\w+ ){0,2}?(?:slot|opening"
    r"|appointment|gap|spot|space|vacancy|availability|cancellation|opportunity)\b"
    r"|(?:waiting|wait) list|when (?:can|could) (?:(?:you|(?:the|a) doctor|some(?:one|body)) (?:see|take|fit"
    r"|look at) (?:me|us|him|her|my)"
    r"|(?:i|we|he|she) be seen)|sooner rather|coming up next|next (?:in line|one (?:up|going))|(?:quickest"
    r"|fastest) (?:one|you|slot|appointment|time|date|available|there)"
    r"|(?:sharp|fast|quick|now|chop)[ -](?:sharp|fast|quick|now|chop)\b|if (?:some|any)(?:one|body) (?:cancels"
    r"|drops)|need(?:s)? (?:help|seeing|to be seen"
    r"|a doctor|someone) (?:now|today|quickly|fast|urgently|at once|right)|only fast|rn\b|top of the list|haste"
    r"|hurry|double quick|yesterday would|a cancellation)"
)
_LATER = lazy_pattern(
    r"\b(?:no (?:\w+ )?(?:rush|hurry|urgency|haste|need (?:to (?:rush|hurry|trouble|squeeze)"
    r"|for (?:anything )?(?:earlier|sooner)))|(?:not|n't|hardly|nothing|isn't) (?:\w+ ){0,3}(?:urgent|pressing"
    r"|hurry|rush|quick|asap|soon\b|emergency|in a hurry)|whenever\b(?! (?:is|you can) (?:soon|earli|first)| (?:that"
    r"|it)(?:'s| is| may| might)(?! (?:quiet|convenient|easy|slow|less busy|not busy)))"
    r"|can wait\b|(?:leave|put|push|save|keep) (?:it|this|that) (?:off )?(?:till|until|for after)\b"
    r"|(?:needn't|need not|(?:doesn't|does not) (?:have|need) to) be (?:\w+ )?(?:this|soon|today|tomorrow|now)\b"
    r"|take (?:your|my) time|(?:next|following) (?:month|year|term|season)|in (?:the )?(?:spring"
    r"|summer|autumn|fall|winter|new year)"
    r"|(?:a |two |three |four |several |some |few |\d+ )(?:fortnight|weeks?|months?)(?:'s?)? (?:hence|from now"
    r"|time|away|is fine|will do|okay|ok|is plenty|would)|(?:in|after) (?:a (?:few|couple of)|two|three|four"
    r"|five|six|some|several|\d+) (?:weeks?|months?)|(?:in|after) (?:half )?a year|(?:a )?fortnight (?:is|would|will"
    r"|hence)|the week of"
    r"|(?:middle|end|beginning|start|mid|late|early)(?: of|-| in)? ?(?:next |the )?(?:month|jan|feb|mar|apr"
    r"|may\b|jun|jul|aug|sep|oct|nov|dec|year|term)|(?:even|around|about|perhaps|say|in|until|til|till) (?:jan"
    r"|feb|mar(?:ch)?\b|apr|jun|jul|aug|sept?\b|oct|nov|dec)\w*"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*(?:'s| is| will| would)(?: be)? (?:\w+ )?(?:fine"
    r"|ok|okay|good|do|suit|plenty|early enough)|routine (?:check|exam|visit)|yearly|annual|some ?time (?:later"
    r"|next|in)|later (?:is|would|will|on|in the)|(?:first|second|third|last) week (?:of|in)"
    r"|the \w+ of (?:next month|jan|feb|apr"
    r"|jun|jul|aug|sep|oct|nov|dec)|latest (?:one|slot|time|you)|(?:last|late) (?:slot|appointment"
    r"|one) of the day|not (?:the )?(?:first|next|earliest|soonest)|(?:not|\w+n't|never) (?:\w+ ){0,4}early (?:one"
    r"|slot|time|appointment|morning)|let (?:some"
    r"|an)?other\w*(?: \w+){0,3} (?:go )?first|skip the urgent|too (?:soon|early)|rather (?:later|not so soon"
    r"|the)|(?:good|fine|ok|okay|happy) (?:w|with) (?:next|later|a (?:month|few))|keep to|push (?:it|me|this) (?:out"
    r"|back)|as (?:far|late) (?:\w+ ){0,2}as|no thanks|no thank you"
    r"|(?:i'll|i will|i can|we can|i could|happy to|i'd rather|don't mind|prefer to|rather) (?:just )?"
    r"(?:wait(?:ing)?(?! (?:in|at|here|outside|on|by|there|around|for you to)\b)|hold off|hold out for))\b"
)
_KIN_ASKS = lazy_pattern(
    rf"(?:(?:and|so|but|well|hi|hello|please|because) )*(?:(?:(?:my|our|the|his|her) (?:\w+ )?)?{KIN}|he|she"
    rf"|they) (?:just |really |only )?(?:says?|tells|needs"
    rf"|asks|is (?:saying|telling|asking|begging)|(?:said|told me|asked me) to (?:ask|get|take|book|say"
    rf"|find))\b(?!.*\b(?:was"
    rf"|were|had)\b)"
)
"""Whose words a caller passes on: "Grandma says the soonest you have"."""
_TAKEN_BACK = lazy_pattern(
    r"\b(?:forget|scratch|scrap|ignore|disregard|never mind) (?:that|it\b|(?:all )?what i (?:said|asked|told)"
    r"|about (?:it|that))"
)
_NOT_A_VISIT = lazy_pattern(
    r"\b(?:answer|reply|letter|letters|results?|report|prescription|refill|certificate|note|documents?|papers?"
    r"|copy|bill|invoice|refund|form|call (?:me )?back|ring (?:me )?back|email|e-mail|fax|send|post|tell me"
    r"|info\w*|parking|insurance|sick note|forward|transfer my records|pick up|x-rays|way to|bus|station"
    r"|building|website|visitors?|gift shop|visit (?:my|our|him|her)(?! (?:doctor|gp|dr|specialist))"
    r"|visiting (?:hours|times?)|caf[eé]|canteen|parcel"
    r"|family in|queue number|pharmacy|floor)\b"
)
_VISIT = lazy_pattern(
    r"\b(?:see (?:a|the|some\w*|any\w*|dr|me)|be seen|seen by|(?:an|my|soonest|earliest"
    r"|first|next) appointment|come in|examined|looked at|get (?:me )?in|fit me in|slot"
    r"|see me)\b"
)
_DENIED = lazy_pattern(r"\b(?:(?<!if )not|n't|\w+n't|never|no need|nothing|neither|nor|no)(?: \w+){0,4} $")
_OTHER_QUESTION = lazy_pattern(
    r"^(?:(?:and|so|but|hi|hello|sorry|um)[ ,]+)*(?:do i|does (?:he|she|it|the|my)|did|should i|must i|am i|where"
    r"|why|is my|has my|is it always|is it usually|was that|is (?:dr|doctor|the doctor)\b[^?]{0,25} (?:in|there"
    r"|around|on duty) (?:today|now)"
    r"|has the|what(?:'s| is) the (?:earliest|soonest|first)\b[^?]*\b(?:opens?|starts?|closes?|begins?)"
    r"|what time (?:do|does|is)|how (?:much|long does|long is|many|far|old|do i get))\b"
)
"""Questions of somebody who does not ask to be seen."""
_OF_A_VISIT_HELD = ("my ", "our ", "her ", "his ")
_DENIES = lazy_pattern(r"(?:not|\w+n't|nothing|cannot)\b")


def is_visit(text: str) -> bool:
    """Whether a text speaks of being seen, and not of a letter or a result."""
    return _NOT_A_VISIT.search(text) is None or (_VISIT.search(text) is not None and not says("not_now", text))


def _events(clause: Clause) -> Iterator[tuple[Hurry, int]]:
    if _OTHER_QUESTION.match(clause.text):
        return
    text = patterns()["not_now"].sub(lambda found: " " * len(found[0]), clause.text)
    asked = without_polite_not(text)
    covered = [match.span() for match in (*_LATER.finditer(clause.text), *patterns()["no_hurry"].finditer(text))]
    places: list[tuple[int, Hurry]] = [(begins, "later") for begins, _ in covered]
    for match in (*_SOON.finditer(text), *patterns()["soon"].finditer(text)):
        if any(begins <= match.start() < ends for begins, ends in covered) or not is_visit(clause.text):
            continue
        if match[0].startswith(("first", "next")) and text[: match.start()].endswith(_OF_A_VISIT_HELD):
            continue
        own = _DENIES.match(match[0]) is not None
        places.append((match.start(), "later" if not own and _DENIED.search(asked[: match.start()]) else "soon"))
    firm = 2 if clause.others and _KIN_ASKS.match(clause.text) else clause.firm
    for _, hurry in sorted(places):
        yield hurry, firm


@lru_cache(maxsize=2048)
def hurry(text: str, today: date | None) -> Hurry:
    """Whether a text asks to be seen as early as possible; "open" if the reader must decide by the whole meaning."""
    taken_back = max((one.begins for one in clauses(text) if _TAKEN_BACK.search(one.text)), default=-1)
    heard = [
        (clause, event if clause.begins > taken_back else "later", firm)
        for clause in clauses(text)
        for event, firm in _events(clause)
    ]
    for level in (2, 1):
        told = [(clause, event) for clause, event, firm in heard if firm >= level]
        if told:
            clause, event = told[-1]
            after = [one for one in clauses(text) if one.begins >= clause.begins and one.firm == 2]
            if event == "soon" and any(names_first_day(one.text, today) for one in after):
                return "later"
            return event
    return "later" if names_first_day(text, today) else "open"
