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
from polyclinic.clinics.counsel.rules.notes import Guarded
from polyclinic.clinics.counsel.scenario import Talk
from polyclinic.core.judge import Case
from polyclinic.core.transcript import Reviewed, Said, Scored
from polyclinic.eval.in_short import Phrases, quoted
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
    return _OTHERS[part](case, say) if part in _OTHERS else _for_counsellor(case, say)


def _for_counsellor(case: Case[Talk], say: Phrases) -> list[Section]:
    """The short feedback, then which drafts were refused and what the guard decided about each turn."""
    said = [event for event in case.transcript.of(Said) if event.speaker == "counsellor"]
    scores = [event.score for event in case.transcript.of(Scored)]
    feelings = [score.value for score in scores if score.metric == "feelings_answered"]
    slips = [words for score in scores if score.metric == "slips_said" for words in score.evidence]
    drafts = refused_drafts([event for event in case.transcript.of(Reviewed) if not event.approved], say)
    raised = [note for note in case.transcript.notes(Guarded) if note.way != "go_on"]
    good = [say("you said", words=quoted(said[0].text))] if said else []
    if feelings and feelings[-1] >= 0.5:
        good.append(say("felt"))
    missing = [say("slipped", words=quoted(words)) for words in slips]
    missing += [say("objection", words=row[1]) for row in drafts.rows if row[1]]
    if feelings and feelings[-1] < 0.5:
        missing.append(say("not felt"))
    called = [note for note in raised if note.way == "escalate"]
    short = say.in_short(
        danger=[say("raised", words=quoted(note.words), why=say(f"label {note.label}")) for note in called],
        good=good,
        missing=missing,
        next_step=say("feeling first" if missing else "harder"),
    )
    return [short, Section(say("feedback"), [drafts, decisions(say("guard raised"), raised, say)])]
