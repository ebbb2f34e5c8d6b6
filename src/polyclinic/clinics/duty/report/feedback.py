"""Feedback for a person who played a member of staff: what was dangerous, what went well, what is missing, what next.

Short on purpose, and made of what the shift itself recorded: the reader's findings stand in the transcript. Only the
person's own words are held against them; what colleagues broke is listed separately.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from polyclinic.clinics.duty.judges.view import norms_of
from polyclinic.clinics.duty.scenario import STAFF, AnyDuty
from polyclinic.core.judge import Case
from polyclinic.core.transcript import Said, Scored, Started, Violated
from polyclinic.eval.in_short import CAUTION, in_short, quoted
from polyclinic.eval.sections import Block, Cell, Paragraph, Section, Table

MOST = 4
GRAVE = 4
"""From this severity on, a broken norm can hurt somebody."""
LEAST_WORDS = 4
"""Fewer words ("Thank you.") say too little to break a rule: what they leave out is on the task's checklist."""


def feedback(case: Case[AnyDuty]) -> list[Section]:
    """In short, then what colleagues broke."""
    people = [role for role, model in case.transcript.of(Started)[0].cast.items() if model == "human"]
    norms = {norm.id: norm for norm in norms_of(case.transcript)}
    broken = _broken(case, set(norms))
    mine = _once(event for event in broken if event.by in people)
    first = mine[0] if mine else None
    short = in_short(
        danger=[_named(event, norms[event.rule].then) for event in mine if event.severity >= GRAVE],
        good=_good(case, people, mine),
        missing=[
            *(_named(event, norms[event.rule].then) for event in mine if event.severity < GRAVE),
            *_missed(case),
        ],
        next_step=norms[first.rule].remind if first is not None else _next(case),
    )
    sections = [Section(short.title, [*short.body, Paragraph(CAUTION)] if mine else short.body)]
    others = [event for event in broken if event.by not in people and event.by in STAFF]
    if others:
        rows: list[list[Cell]] = [[event.by, event.words, norms[event.rule].then] for event in others[:MOST]]
        body: list[Block] = [Table("What your colleagues broke", ["who", "words", "the rule asks that"], rows)]
        sections.append(Section("Your team", body))
    return sections


def performance(case: Case[AnyDuty], role: str) -> Mapping[str, float]:
    """A person's own breaches, as the feedback tells them: how many, and how grave the gravest was."""
    mine = _once(event for event in _broken(case, {norm.id for norm in norms_of(case.transcript)}) if event.by == role)
    return {"own_breaches": float(len(mine)), "gravest_breach": float(max((e.severity for e in mine), default=0))}


def _broken(case: Case[AnyDuty], known: set[str]) -> list[Violated]:
    """Each broken norm once for each person, the gravest first."""
    seen: dict[tuple[str, str], Violated] = {}
    for event in sorted(case.transcript.of(Violated), key=lambda event: -event.severity):
        if event.rule in known:
            seen.setdefault((event.rule, event.by), event)
    return list(seen.values())


def _once(events: Iterable[Violated]) -> list[Violated]:
    """The gravest rule that each of somebody's sentences broke; too few words break none."""
    gravest: dict[str, Violated] = {}
    for event in events:
        gravest.setdefault(event.words or event.rule, event)
    return [event for event in gravest.values() if not 0 < len(event.words.split()) < LEAST_WORDS]


def _named(event: Violated, asked: str) -> str:
    return f"you said {quoted(event.words)}; the rule asks that {asked}." if event.words else f"{asked}: not done."


def _good(case: Case[AnyDuty], people: list[str], mine: list[Violated]) -> list[str]:
    """The person's first words that broke nothing, and the task where all of it was met."""
    bad = {event.words for event in mine}
    clean = [said for said in case.transcript.of(Said) if said.speaker in people and not _holds(said.text, bad)]
    good = [f"{quoted(clean[0].text)} broke no rule."] if clean else []
    return [*good, "the whole task was done."] if _task(case) == "all items met" else good


def _holds(text: str, words: set[str]) -> bool:
    return any(each and each in text for each in words)


def _task(case: Case[AnyDuty]) -> str:
    reasons = [event.score.reason for event in case.transcript.of(Scored) if event.score.metric == "tsr"]
    return reasons[-1] if reasons else ""


def _missed(case: Case[AnyDuty]) -> list[str]:
    """What the task's checklist did not find, where the shift was judged."""
    items = _task(case).removeprefix("missed: ") if _task(case).startswith("missed: ") else ""
    return [f"{item.strip()}." for item in items.split(";") if item.strip()]


def _next(case: Case[AnyDuty]) -> str:
    missed = _missed(case)
    return f"begin with this: {missed[0]}" if missed else "try a harder shift: polyclinic scenarios list duty"
