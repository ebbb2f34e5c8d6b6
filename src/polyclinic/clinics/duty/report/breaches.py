"""What feedback may hold against a person: the broken norms of a shift, and how sure the reader was of each."""

from __future__ import annotations

from collections.abc import Iterable

from polyclinic.clinics.duty.judges.view import lines_of, norms_of
from polyclinic.clinics.duty.rules.norms.checker import exact_hits
from polyclinic.clinics.duty.rules.norms.kept import BY_MANNER
from polyclinic.clinics.duty.rules.subject import about_the_shift
from polyclinic.clinics.duty.rules.triggers import scenes
from polyclinic.clinics.duty.scenario.schema import STAFF, AnyDuty
from polyclinic.core.judge import Case
from polyclinic.core.transcript import Violated
from polyclinic.text.agreeing import agreement

GRAVE = 4
"""From this severity on, a broken norm can hurt somebody."""
SURELY = 0.8
"""From this probability on, a breach is named plainly, and called dangerous if its norm is grave. Below, the feedback
only asks the person to look at the words again.

Chosen on two training authors (554 messages), each read by weights that had not learned from them. At 0.8, right
messages that are called dangerous fall from 41 to 7 of 277, wrong ones from 157 to 97 of 277; 0.75 leaves 16 and 115,
0.85 leaves 5 and 76. Nothing is left out: what is less likely than 0.67 is in 11 right and 10 wrong messages alone.
"""


def is_sure(event: Violated) -> bool:
    """Whether a breach may be named plainly. Without a number, the finding is taken at its word."""
    return event.sure is None or event.sure >= SURELY


def own_breaches(case: Case[AnyDuty], role: str) -> list[Violated]:
    """What a person surely broke, counted once for each sentence."""
    return _once(sure_breaches(case, role))


def sure_breaches(case: Case[AnyDuty], role: str) -> list[Violated]:
    """Every norm that a person surely broke. Words off the subject break only a norm about manners."""
    return [event for event in _on_the_subject(case, role) if is_sure(event)]


def possible_breaches(case: Case[AnyDuty], role: str) -> list[Violated]:
    """What a person may have broken, once for each sentence. Sentences that surely broke something are left out."""
    return [event for event in _once(_on_the_subject(case, role)) if not is_sure(event)]


def all_words(case: Case[AnyDuty], event: Violated) -> tuple[str, ...]:
    """Every sentence of this person that broke the rule of this event, found as surely: the event's own first. One
    finding names one sentence of a message; the others are those that exact rules find.
    """
    alike = [other for other in case.transcript.of(Violated) if (other.rule, other.by) == (event.rule, event.by)]
    found = [other.words for other in alike if is_sure(other) is is_sure(event) and not _off_the_subject(case, other)]
    norm = next(norm for norm in norms_of(case.transcript) if norm.id == event.rule)
    if is_sure(event):
        spoken = [scene for scene in scenes(case.scenario, lines_of(case.transcript)) if scene.role == event.by]
        found += [hit.words for scene in spoken for hit in exact_hits(norm, scene)]
    return tuple(dict.fromkeys(filter(None, [event.words, *found])))


def words_off_the_subject(case: Case[AnyDuty], role: str) -> list[Violated]:
    """Words that a reader took for a breach, although they are about nothing on this shift. The doctor's yes or no is
    not beside the matter: the team waits for it.
    """
    found = _once(event for event in _by(case, role) if _off_the_subject(case, event))
    return [event for event in found if role != "doctor" or not agreement(event.words)]


def breaches_of_others(case: Case[AnyDuty], role: str) -> list[Violated]:
    """What the rest of the staff surely broke: each norm once for each person, the gravest first."""
    return [event for event in _broken(case) if event.by in STAFF and event.by != role and is_sure(event)]


def _on_the_subject(case: Case[AnyDuty], role: str) -> list[Violated]:
    return [event for event in _by(case, role) if not _off_the_subject(case, event)]


def _off_the_subject(case: Case[AnyDuty], event: Violated) -> bool:
    return event.rule not in BY_MANNER and event.words != "" and not about_the_shift(case.scenario, event.words)


def _by(case: Case[AnyDuty], role: str) -> list[Violated]:
    return [event for event in _broken(case) if event.by == role]


def _broken(case: Case[AnyDuty]) -> list[Violated]:
    """Each broken norm once for each person: what is sure first, then the gravest."""
    known = {norm.id for norm in norms_of(case.transcript)}
    seen: dict[tuple[str, str], Violated] = {}
    for event in sorted(case.transcript.of(Violated), key=lambda event: (not is_sure(event), -event.severity)):
        if event.rule in known:
            seen.setdefault((event.rule, event.by), event)
    return list(seen.values())


def _once(events: Iterable[Violated]) -> list[Violated]:
    """For each sentence, the first of these: the gravest rule that it surely broke, or else may have broken."""
    first: dict[str, Violated] = {}
    for event in events:
        first.setdefault(event.words or event.rule, event)
    return list(first.values())
