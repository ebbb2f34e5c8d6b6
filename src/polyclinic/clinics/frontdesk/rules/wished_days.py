"""From which day on somebody can come; days that are named for another reason do not count.

"I'm away until the 20th, so from the 22nd" names two days, and asks for one. If the words around a day mark it as the
first one ("from", "or later", "not before"), it is the day wished for. Without such a mark, every day counts that is
not ruled out ("by", "not on", "I said the 8th, I meant the 9th").
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from polyclinic.clinics.frontdesk.rules.clauses import last_retraction
from polyclinic.clinics.frontdesk.rules.day_patterns import (
    AFTER_BEFORE,
    AGAINST_AFTER,
    AGAINST_BEFORE,
    AND_AFTER,
    ASKS_OF_VISIT,
    AWAY_FROM,
    BEFORE_THAT,
    BUT_IT_IS,
    BUT_RATHER,
    BUT_THAT,
    COMES_BACK,
    CUT,
    FRAGMENT,
    FROM_AFTER,
    FROM_BEFORE,
    FROM_THEN,
    HELD_BEFORE,
    NO_WISH,
    NOT_ON_IT,
    NOT_THEN,
    OTHER_EVENT,
    RANGE,
    SO_THEN,
    SUPPOSED,
    TURNED_DOWN,
    UNTIL,
    WISHES,
)
from polyclinic.text.date_words import plain
from polyclinic.text.dates import Mention
from polyclinic.text.days import days_named

_DAY = timedelta(days=1)


def _marks(text: str, mention: Mention) -> tuple[str, str]:
    """The words of the same sentence before and after a mention."""
    before = text[: mention.begins].rsplit(" ; ", 1)[-1]
    if before and not before.endswith(" "):
        before += " "
    inner = text[mention.begins : mention.ends]
    first = re.match(r"(?:the|on|until|till|from|after|since|by|in) ", inner)
    return before + (first[0] if first else ""), text[mention.ends :].split(" ; ", 1)[0]


def asks_from(text: str, day: date, today: date | None = None) -> bool | None:
    """Whether these words ask for a time from this day on; None where they name no day at all."""
    words = plain(text)
    named = days_named(words, today)
    if not named:
        return None
    if (today is not None and day < today) or NO_WISH.search(words):
        return False
    sure: list[bool] = []
    open_: list[tuple[bool, bool]] = []
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
        following = words[mention.ends : named[place + 1].begins] if place + 1 < len(named) else ""
        if _is_span(before, after) or _is_passed_over(before, rest, following):
            continue
        if FROM_BEFORE.search(before) or FROM_AFTER.search(after) or FROM_THEN.match(rest):
            sure.append(this)
        elif AFTER_BEFORE.search(before):
            if before.endswith(("after ", "past ", "after the ", "past the ")):
                sure.append(this or next_)
            else:
                open_.append((this or next_, True))
        elif NOT_THEN.search(before):
            continue
        elif AND_AFTER.search(rest):
            sure.append(next_ or (this and not NOT_ON_IT.search(words)))
        elif (
            BUT_THAT.search(rest)
            or BEFORE_THAT.search(rest)
            or TURNED_DOWN.match(rest)
            or OTHER_EVENT.search(before)
            or (place < len(named) - 1 and BUT_RATHER.match(rest))
        ):
            continue
        elif not (AGAINST_BEFORE.search(before) or AGAINST_AFTER.search(after)):
            if HELD_BEFORE.search(before):
                held.append(this)
            else:
                open_.append((this, _is_wish(words, mention)))
    wished = [this for this, wishes in open_ if wishes] or [this for this, _ in open_]
    if not (sure or wished) and ASKS_OF_VISIT.search(words):
        return False
    return any(sure or wished or held)


def _is_span(before: str, after: str) -> bool:
    """Whether a day begins or ends a span: "from the 3rd to the 5th", "until the 22nd I'm free"."""
    if after.startswith((" i'm free", " i am free")):
        return before.endswith(UNTIL)
    if AWAY_FROM.search(before):
        return True
    return RANGE.match(after) is not None and before.endswith(("from ", "from the ", "between ", "between the "))


def _is_passed_over(before: str, rest: str, following: str) -> bool:
    """Whether another day is meant: "I'm back on the 9th, so the 10th", "if they refuse, the 24th, but they won't"."""
    if SUPPOSED.search(before) and BUT_IT_IS.match(rest):
        return True
    return COMES_BACK.search(before) is not None and SO_THEN.search(following) is not None


def _is_wish(words: str, mention: Mention) -> bool:
    """Whether the clause in which a day is named may ask for it: another day named in passing counts less."""
    begins, ends = 0, len(words)
    for cut in CUT.finditer(words):
        if cut.end() <= mention.begins:
            begins = cut.end()
        elif cut.start() >= mention.ends:
            ends = cut.start()
            break
    around = f"{words[begins : mention.begins]} {words[mention.ends : ends]}"
    return len(around.split()) <= FRAGMENT or WISHES.search(around) is not None


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
        if FROM_BEFORE.search(before) or FROM_AFTER.search(after) or AFTER_BEFORE.search(before):
            return True
    return False
