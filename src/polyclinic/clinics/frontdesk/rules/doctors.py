"""Whether somebody wishes for this doctor, and does not only avoid, praise or mention them.

The doctor's name is masked in the text, and so are other doctors' names; "him" and "her" stand for the one named last.
Each clause may then say that a doctor is wished for or avoided, and the last clause that is meant decides. A second
choice in case the doctor is away ("otherwise anybody") does not count against the doctor.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from polyclinic.clinics.frontdesk.rules.clauses import Clause, clauses, last_retraction
from polyclinic.clinics.frontdesk.rules.doctor_patterns import (
    ANOTHERS,
    ANYBODY,
    AVOIDS_AFTER,
    AVOIDS_BEFORE,
    ERRAND,
    FALLBACK,
    KIN_WANTS,
    LIKEWISE,
    NOBODY_BUT,
    NOT_JUST_ANYONE,
    ONLY_MENTIONS,
    OWN_NAME,
    THAT_IS_WHO,
    VISITS,
    WANTS_AFTER,
    WANTS_BEFORE,
)
from polyclinic.clinics.frontdesk.rules.names import name_spans, other_names
from polyclinic.clinics.frontdesk.rules.owners import OTHER, THIS
from polyclinic.clinics.frontdesk.rules.plainly import patterns, says
from polyclinic.clinics.frontdesk.rules.told import masked
from polyclinic.clinics.frontdesk.rules.wording import wording
from polyclinic.clinics.frontdesk.scenario.diary import plain_name

_Answer = Literal["yes", "no", "open"]
_NAME = rf"(?:{THIS}|{OTHER})"


def _titled(name: str, text: str) -> bool:
    """Whether the name stands in a text with a doctor's title before it."""
    first = "|".join(map(re.escape, plain_name(name).split()))
    return re.search(rf"\b(?:dr|doctor|prof|professor)\b\.?\s+(?:{first})\b", text, re.IGNORECASE) is not None


@lru_cache(maxsize=2048)
def wants_doctor(name: str, text: str) -> _Answer | None:
    """Whether these words wish for this doctor; None where the doctor is not named."""
    said, mine = name_spans(name, text)
    if not mine:
        return None
    parts = set(plain_name(name).split())
    others = other_names(text, said)
    short = [
        (a, b) for a, b in others if parts.issuperset(said[a:b].split()) and all(b <= c or d <= a for c, d in mine)
    ]
    hidden = wording(masked(said, [*mine, *short], [spot for spot in others if spot not in short]))
    if (own := OWN_NAME.search(hidden)) and (own["sure"] or not _titled(name, text)):
        hidden = hidden.replace(THIS, "they", 1)
        if THIS not in hidden:
            return "no"
    heard = clauses(hidden)
    if NOT_JUST_ANYONE.search(hidden):
        return "yes"
    if ERRAND.search(hidden) and not VISITS.search(hidden):
        return "no"
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
    of_others = any(KIN_WANTS.match(clause.text) for clause in heard) and not LIKEWISE.search(hidden)
    return "no" if of_others or ONLY_MENTIONS.search(hidden) else "open"


def _last(told: list[tuple[str, bool]]) -> _Answer:
    about, wished = told[-1]
    if about == THIS:
        return "yes" if wished else "no"
    if wished:
        return "no"
    return "yes" if (THIS, True) in told or (THIS, False) not in told else "no"


def _resolved(text: str, last: str) -> tuple[str, str]:
    """The clause with its pronouns replaced by the doctor named last, and the doctor named last after this clause."""
    out = list[str]()
    text = ANOTHERS.sub("the ", text)
    if last:
        text = THAT_IS_WHO.sub(f"{last} is ", text)
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
    anyway = NOBODY_BUT.search(before) or says("wants_anyway", before)
    if anyway:
        return False
    return bool(
        AVOIDS_BEFORE.search(before)
        or AVOIDS_AFTER.match(after)
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
    conditional = FALLBACK.search(words) is not None
    others_wish = KIN_WANTS.match(words) is not None and any(
        re.match(r"(?:but |and |so |for )?(?:i|me|mine|i'd|i'm)\b", one.text)
        for one in heard
        if one.begins > clause.begins
    )
    for match in re.finditer(_NAME, words):
        before, after = words[: match.start()], words[match.end() :]
        before = re.split(_NAME, before)[-1]
        if not after.strip():
            after = next((f" {one.text}" for one in heard if one.begins > clause.begins), "")
        if NOBODY_BUT.search(before) or says("wants_anyway", before):
            found.append((match[0], True, 2))
        elif _avoids(before, after) or (match[0] == THIS and _turned_down(hidden, clause)):
            found.append((match[0], False, max(clause.firm, 1)))
        elif others_wish or ONLY_MENTIONS.search(_alone(words, match)) or (match[0] == OTHER and conditional):
            continue
        elif WANTS_BEFORE.search(before) or WANTS_AFTER.match(after):
            found.append((match[0], True, 2 if conditional and not clause.others else firm))
    if (
        ANYBODY.search(words)
        and not conditional
        and not any(NOBODY_BUT.search(words[: m.start()]) for m in re.finditer(_NAME, words))
    ):
        before = words[: next(iter(ANYBODY.finditer(words))).start()]
        if not re.search(r"\b(?:not|never|\w+n't)(?: \w+){0,8} $", before):
            found.insert(0, ("anybody", True, clause.firm))
    return found
