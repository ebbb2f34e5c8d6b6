"""From which day on somebody can come; days that are named for another reason do not count.

"I'm away until the 20th, so from the 22nd" names two days, and asks for one. If the words around a day mark it as the
first one ("from", "or later", "not before"), it is the day wished for. Without such a mark, every day counts that is
not ruled out ("by", "not on", "I said the 8th, I meant the 9th").
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from polyclinic.clinics.frontdesk.rules.clauses import KIN, last_retraction
from polyclinic.text.date_words import plain
from polyclinic.text.dates import Mention, Order
from polyclinic.text.days import days_named
from polyclinic.text.lazily import lazy_pattern

_NOT = (
    r"(?:not|(?<!sorry )(?<!ah )(?<!oh )no(?! (?:make|wait|sorry|actually|let's|i))|never|cannot|can't|cant|couldn't"
    r"|won't|wont|don't|dont|isn't|unable to|nothing|impossible)\b"
)
_WEEKDAY = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day )?(?:the )?"
_FROM_BEFORE = lazy_pattern(
    rf"(?:\b(?:from|starting|beginning|start|as of|as from|commencing|back(?: home)?(?: here)?(?: on| by| in)?"
    rf"|only|earliest(?: (?:is|would be|i can (?:do|come|make) is|for me(?: is| would be)?))?"
    rf"|return(?:ing)?(?: on)?|available|free(?: again)?(?: on)?|first (?:i can|day)[^;]{{0,20}}"
    rf"|(?<!no )(?<!not )later than)"
    rf"|{_NOT}(?!(?: \w+){{0,4}} wait)[^;]{{0,40}}?\b(?:before|until|till|til|earlier than|prior to|sooner than))"
    rf"(?: on)? {_WEEKDAY}$"
)
_AFTER_BEFORE = lazy_pattern(
    rf"\b(?:after|(?<!half )(?<!quarter )past|beyond|following|(?:away|abroad|gone|travelling|traveling|busy|out"
    rf"|working|exams?"
    rf"|holiday|here|town"
    rf"|off|tied up|booked|unavailable|trip|holidays?|leave)\b[^;]{{0,25}}?\b(?:until|till|til|to"
    rf"|through)(?: and including)?) {_WEEKDAY}$"
)
_FROM_AFTER = lazy_pattern(
    r"^(?:(?: of)? (?:this|next) (?:week|month))?(?: (?:is|would be|will be|that'd be|please|at))*"
    r" ?(?:onwards?|on\b(?! (?:the|a|my)\b)|(?:or|and|and then) (?:any (?:day|time) )?(?:later|after\w*"
    r"|following|folowing|from then|beyond"
    r"|thereafter|whenever|the (?:days|day|week)s? (?:after|following))|or (?:so|more late|more later|late"
    r"|any (?:day|time) (?:after|later"
    r"|following|folowing))"
    r"|(?:at )?(?:the )?(?:very )?(?:earliest|soonest)|(?:the )?(?:1st|first) (?:i|day|time)|forwards?\b|plus\b"
    r"|(?:that's|is) when i(?:'m| am| get| can| come| will)|부터|이후"
    r"|지나|넘어|then i can)"
)
_AGAINST_BEFORE = lazy_pattern(
    rf"(?:\b(?:by|before|prior to|no later than|latest|up to|(?:free|available|here) (?:only )?(?:until|till"
    rf"|through|to)|(?:turns?|birthday|wedding|party|funeral|exam|anniversary|married|discharged|concert"
    rf"|festival|born)(?:'s|\b[^;]{{0,20}}?(?:on|is))|since|last|ago|(?:finish\w*|ends?|expire[sd]?|runs? out"
    rf"|due)(?: on)?|(?:open|hours|closed?|closing|visiting|parking)\b[^;]{{0,25}}"
    rf"|(?:results?|report|letter|parcel|delivery)\b[^;]{{0,30}}|{KIN}(?:'s)?(?: (?:appointment|appt|visit|one|slot"
    rf"|booking|turn|scan|operation))(?:'s| is| was)(?: for)?"
    rf"|(?:away|busy|abroad|working|off|travell?ing|unavailable|tied up)(?: on)?|ahead of|earlier than|except(?: for"
    rf"| on)?|any (?:day"
    rf"|date|time) but|anything but|other than"
    rf"|apart from|avoid|i said|i told you|instead of|rather than|(?:was|were)(?: (?:there|here|seen|in))?|born"
    rf"|since i was|{_NOT}(?: \w+){{0,4}} wait(?:ing)? (?:until|till|for)|{_NOT}(?: (?:come|make it|be there|do"
    rf"|available))?)"
    rf"(?: on)?) {_WEEKDAY}$"
)
_AGAINST_AFTER = lazy_pattern(
    r"^ an? (?:\w+ )?(?:holiday|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|^'s (?:out|no good|bad"
    r"|impossible|off|full|taken|my|our|a|an|the|when|too|gone|not|his|her|booked)\b"
    r"|^(?:'s)? (?:(?:at the )?(?:very )?latest|no good|is (?:my|our|her|his|a|an) (?!first|earliest)\w+"
    r"|i'm free\b|i am free\b|is (?:impossible|no good|out|too (?:late|soon|early)|taken|full|bad|not)|isn't"
    r"|won't|doesn't|does not"
    r"|will not|would not"
    r"|i (?:can't|cannot|can not|couldn't|work|have|am busy|'m busy|'m at)|i'm (?:at|busy|away|out|working|off)"
    r"|까지|전에|말고|no\b|sorry)"
)
_RANGE = lazy_pattern(r"^ (?:to|until|till|through|and) (?:the )?\d")
_NOT_THEN = lazy_pattern(rf"\b(?:not|never|anything but|can't do|can't make)(?: on)? {_WEEKDAY}$")
_HELD_BEFORE = lazy_pattern(
    rf"\b(?:my|the|our|an|this|current|existing) (?:\w+ )?(?:appointment|appt|booking|visit|slot"
    rf"|one)(?: \w+){{0,3}}?(?:'s| is| was| for"
    rf"| on|)(?: on)? {_WEEKDAY}$|\b(?:my|our|his|her) (?:\w+ )?{KIN}(?:'s| is| has| was| goes"
    rf"| comes)\b[^;]{{0,30}} {_WEEKDAY}$|\b(?:booked|scheduled|down)(?: in)?(?: for| on)? {_WEEKDAY}$"
)
"""A day on which somebody is already booked. It is wished for only if no other day is named."""
_AND_AFTER = lazy_pattern(
    r"^(?:[^;]{0,30} ;){0,2}[^;]{0,30}\b(?:after (?:that|this|it|those|then|which)|(?:anything|any ?time|any (?:day"
    r"|time)|some ?time) after(?:wards?)?|afterwards)\b(?! (?:the|\d))"
)
"""Words after a day that ends something: the wish begins on the next day."""
_NOT_ON_IT = lazy_pattern(r"\bnot on (?:it|that|the day)\b|\bnot that day\b|\bthe day itself\b")
_BUT_THAT = lazy_pattern(
    r"^[^;]{0,40}\b(?:any|every|some) ?(?:day|time|date|thing|other day) (?:but|except|other than"
    r"|bar) (?:that|then|it|this)\b"
)
_BEFORE_THAT = lazy_pattern(
    r"^[^;]{0,40}\b(?:before|by|prior to|ahead of) (?:that|then|it|this|i (?:go|leave|fly|travel))\b(?! (?:i"
    r"|we) (?:can't|am))"
)
_DAY = timedelta(days=1)


def _marks(text: str, mention: Mention) -> tuple[str, str]:
    """The words of the same sentence before and after a mention."""
    before = text[: mention.begins].rsplit(" ; ", 1)[-1]
    if before and not before.endswith(" "):
        before += " "
    inner = text[mention.begins : mention.ends]
    first = re.match(r"(?:the|on|until|till|from|after|since|by|in) ", inner)
    return before + (first[0] if first else ""), text[mention.ends :].split(" ; ", 1)[0]


def asks_from(text: str, day: date, today: date | None = None, order: Order = "any") -> bool | None:
    """Whether these words ask for a time from this day on; None where they name no day at all."""
    words = plain(text)
    named = days_named(words, today, order)
    if not named:
        return None
    if today is not None and day < today:
        return False
    sure: list[bool] = []
    open_: list[bool] = []
    held: list[bool] = []
    repaired = last_retraction(words)
    if any(mention.begins >= repaired for mention in named):
        named = tuple(mention for mention in named if mention.begins >= repaired)
    for place, mention in enumerate(named):
        if place and mention.begins - named[place - 1].ends <= 1 and mention.meant == named[place - 1].meant:
            continue
        before, after = _marks(words, mention)
        rest = words[mention.ends :]
        this, next_ = mention.may_be(day), mention.may_be(day - _DAY)
        if _RANGE.match(after) and before.endswith(("from ", "from the ", "between ", "between the ")):
            continue
        if _FROM_BEFORE.search(before) or _FROM_AFTER.search(after):
            sure.append(this)
        elif _AFTER_BEFORE.search(before):
            (sure if before.endswith(("after ", "past ", "after the ", "past the ")) else open_).append(this or next_)
        elif _NOT_THEN.search(before):
            continue
        elif _AND_AFTER.search(rest):
            sure.append(next_ or (this and not _NOT_ON_IT.search(words)))
        elif _BUT_THAT.search(rest) or _BEFORE_THAT.search(rest):
            continue
        elif not (_AGAINST_BEFORE.search(before) or _AGAINST_AFTER.search(after)):
            (held if _HELD_BEFORE.search(before) else open_).append(this)
    return any(sure or open_ or held)


def names_later_day(text: str, today: date | None = None) -> bool:
    """Whether these words name a day later than tomorrow, whatever they say about it."""
    if today is None:
        return False
    soon = (today, today + _DAY)
    return any(not any(map(mention.may_be, soon)) for mention in days_named(plain(text), today))


def names_first_day(text: str, today: date | None = None) -> bool:
    """Whether these words name a day, other than today, from which on somebody can come."""
    words = plain(text)
    for mention in days_named(words, today):
        before, after = _marks(words, mention)
        if today is not None and mention.may_be(today):
            continue
        if _FROM_BEFORE.search(before) or _FROM_AFTER.search(after) or _AFTER_BEFORE.search(before):
            return True
    return False
