"""Feedback for a person who played the counsellor: first a summary, then details. `parts` has the other roles."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from polyclinic.clinics.counsel.report.parts import (
    decisions,
    for_critic,
    for_guard,
    for_keeper,
    for_patient,
    for_planner,
    refused_drafts,
)
from polyclinic.clinics.counsel.report.words import FEEDBACK
from polyclinic.clinics.counsel.rules.messages import stage_words
from polyclinic.clinics.counsel.rules.notes import Guarded, Replied
from polyclinic.clinics.counsel.scenario import Lang, Talk
from polyclinic.clinics.counsel.state import STAGES
from polyclinic.core.judge import Case
from polyclinic.core.transcript import Reviewed, Said, Scored
from polyclinic.eval.in_short import MOST, Phrases, quoted
from polyclinic.eval.sections import Section

_OTHERS: Mapping[str, Callable[[Case[Talk], Phrases], list[Section]]] = {
    "guard": for_guard,
    "planner": for_planner,
    "critic": for_critic,
    "keeper": for_keeper,
    "patient": for_patient,
}


def feedback(case: Case[Talk], part: str, language: str) -> list[Section]:
    """The feedback for the person who played this part."""
    say = Phrases(language, FEEDBACK)
    return (
        _OTHERS[part](case, say) if part in _OTHERS else _for_counsellor(case, say, "ko" if language == "ko" else "en")
    )


def _for_counsellor(case: Case[Talk], say: Phrases, lang: Lang) -> list[Section]:
    """The short feedback, then the drafts that were refused and what the guard raised, if there is any."""
    said = [event for event in case.transcript.of(Said) if event.speaker == "counsellor"]
    scores = [event.score for event in case.transcript.of(Scored)]
    feelings = [score.value for score in scores if score.metric == "feelings_answered"]
    slips = [words for score in scores if score.metric == "slips_said" for words in score.evidence]
    drafts = refused_drafts([event for event in case.transcript.of(Reviewed) if not event.approved], say)
    raised = [note for note in case.transcript.notes(Guarded) if note.way != "go_on"]
    good = [say("you said", words=quoted(said[0].text))] if said else []
    if feelings and feelings[-1] >= 0.5:
        good.append(say("felt"))
    missing = [say("slipped", words=quoted(words)) for words in dict.fromkeys(slips)]
    missing += [say("objection", words=row[1]) for row in drafts.rows if row[1]]
    if feelings and feelings[-1] < 0.5:
        missing.append(say("not felt"))
    called = [note for note in raised if note.way == "escalate"]
    left = () if called else _not_reached(said)
    first = stage_words(left[0], "goal", lang) if left else ""
    next_step = say("feeling first") if missing else say("next stage", goal=first) if left else say("harder")
    if left:
        missing.insert(MOST - 1, say("not reached", count=len(left), all=len(STAGES), goal=first))
    short = say.in_short(
        danger=[say("raised", words=quoted(note.words), why=say(f"label {note.label}")) for note in called],
        good=good,
        missing=missing,
        next_step=next_step,
    )
    tables = [table for table in (drafts, decisions(say("guard raised"), raised, say)) if table.rows]
    return [short, Section(say("feedback"), tables)] if tables else [short]


def _not_reached(said: list[Said]) -> tuple[str, ...]:
    """The stages behind the furthest one that the counsellor spoke in."""
    reached = [STAGES.index(replied.stage) for event in said if (replied := event.get(Replied))]
    return STAGES[max(reached, default=-1) + 1 :]
