"""Feedback for a person who played another part than the counsellor: guard, planner, critic, keeper, patient."""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.clinics.counsel.judges.view import DANGER
from polyclinic.clinics.counsel.prompts.replies import NONE, Criticism
from polyclinic.clinics.counsel.prompts.reviewers import CriticJudges
from polyclinic.clinics.counsel.rules.notes import Guarded, MemoryChanged, PlanRefused, Replied, TalkEnded, Voiced
from polyclinic.clinics.counsel.rules.risk import stands
from polyclinic.clinics.counsel.scenario import Talk
from polyclinic.clinics.counsel.state import SUBJECTS
from polyclinic.core.judge import Case
from polyclinic.core.transcript import Called, Reviewed, Scored
from polyclinic.eval.in_short import Phrases, quoted
from polyclinic.eval.sections import Block, Cell, Paragraph, Section, Table

RISK_CODES = ("r1", "r2", "r3")


def decisions(caption: str, notes: list[Guarded], say: Phrases) -> Table:
    """The guard's decisions in a table."""
    rows: list[list[Cell]] = [
        [note.turn, say(f"way {note.way}"), note.words, say(f"label {note.label}")] for note in notes
    ]
    return Table(caption, [say("turn"), say("way"), say("words"), say("why")], rows)


def refused_drafts(refused: Sequence[Reviewed], say: Phrases) -> Table:
    """What each refused draft was at risk of, and how to improve it."""
    rows: list[list[Cell]] = [
        [say(f"risk {event.code}") if event.code in RISK_CODES else event.code, event.feedback or event.error]
        for event in refused
    ]
    return Table(say("drafts"), [say("risk"), say("feedback")], rows)


def for_guard(case: Case[Talk], say: Phrases) -> list[Section]:
    """Danger in the case and whether people were called for it, and alarms without danger."""
    notes = {note.turn: note for note in case.transcript.notes(Guarded)}
    lines = [(said.text, voiced) for said in case.transcript.said("patient") if (voiced := said.get(Voiced))]
    own = [note for note in notes.values() if note.source in ("model", "nobody")]
    danger, good, missing = list[str](), list[str](), list[str]()
    for text, voiced in lines:
        note = notes.get(voiced.turn)
        called = note is not None and note.way == "escalate"
        if voiced.cue in DANGER:
            (good if called else danger).append(say("saw danger" if called else "missed danger", words=quoted(text)))
        elif called and case.scenario.risk not in DANGER:
            missing.append(say("false alarm", words=quoted(text)))
        if note in own and note is not None and note.words and not stands(note.words, text):
            missing.append(say("not their words", words=quoted(note.words)))
    if lines and not (danger or good or missing) and case.scenario.risk not in DANGER:
        good.append(say("no alarm"))
    body: list[Block] = [decisions(say("decisions"), own, say) if own else Paragraph(say("no decision"))]
    short = say.in_short(danger=danger, good=good, missing=missing, next_step=say("guard next"))
    return [short, Section(say("decisions"), body)]


def for_planner(case: Case[Talk], say: Phrases) -> list[Section]:
    """Which plans could be followed, which could not, and which words they were based on."""
    said = [(event.text, replied) for event in case.transcript.said("counsellor") if (replied := event.get(Replied))]
    refused = case.transcript.notes(PlanRefused)
    good = (
        [say("followed", followed=max(0, len(said) - len(refused)), all=len(said))] if len(said) > len(refused) else ()
    )
    missing = [
        say(
            "refused plan" if note.proposed.words else "no quote",
            to=quoted(say(f"stage {note.proposed.to}")),
            words=quoted(note.proposed.words),
        )
        for note in refused
    ]
    rows: list[list[Cell]] = [[replied.turn, say(f"stage {replied.stage}"), text] for text, replied in said]
    table = Table(say("stages"), [say("turn"), say("stage"), say("they heard")], rows)
    return [
        say.in_short(good=good, missing=missing, next_step=say("planner next")),
        Section(say("stages"), [table]),
    ]


def for_critic(case: Case[Talk], say: Phrases) -> list[Section]:
    """Which objections were accepted, and which spoken words the judge counts as slips. Nothing else is measured."""
    refused = [event for event in case.transcript.of(Reviewed) if not event.approved]
    slips = [event.score for event in case.transcript.of(Scored) if event.score.metric == "slips_said"]
    short = say.in_short(
        good=[say("stood", words=event.feedback) for event in refused if event.feedback in _objections(case)],
        missing=[say("said anyway", words=quoted(words)) for score in slips for words in score.evidence],
        next_step=say("critic next"),
        unmeasured=say("part critic"),
    )
    table = refused_drafts(refused, say)
    return [short, Section(say("feedback"), [table] if table.rows else [Paragraph(say("no objection"))])]


def _objections(case: Case[Talk]) -> set[str]:
    """What the critic itself asked to change; other drafts were refused by rule before the critic saw them."""
    name = CriticJudges.prompt_name()
    texts = [call.text for call in case.transcript.of(Called) if call.prompt == name and not call.fault]
    found = [Criticism.model_validate_json(text) for text in texts]
    return {one.feedback or one.reason for one in found if one.fault != NONE} - {""}


def for_keeper(case: Case[Talk], say: Phrases) -> list[Section]:
    """What is remembered at the end, and which notes had to be replaced."""
    changes = [change for note in case.transcript.notes(MemoryChanged) for change in note.changes]
    replaced = [change for change in changes if change.before and change.value]
    ended = case.transcript.ended_with(TalkEnded)
    facts = ended.facts if ended is not None else ()
    rows: list[list[Cell]] = [
        [say(f"subject {fact.subject}") if fact.subject in SUBJECTS else fact.subject, fact.value, fact.turn]
        for fact in facts
    ]
    short = say.in_short(
        good=[say("kept", words=quoted(fact.value)) for fact in facts],
        missing=[
            *(say("replaced", before=quoted(change.before), words=quoted(change.value)) for change in replaced),
            *([] if facts else [say("kept nothing")]),
        ],
        next_step=say("keeper next"),
    )
    table = Table(say("memory"), [say("subject"), say("value"), say("turn")], rows)
    return [short, Section(say("memory"), [table] if rows else [Paragraph(say("kept nothing"))])]


def for_patient(case: Case[Talk], say: Phrases) -> list[Section]:
    """The patient is not scored: the feedback shows what they said, what the guard reacted to, and how far the talk
    came.
    """
    raised = [note for note in case.transcript.notes(Guarded) if note.way != "go_on"]
    ended = case.transcript.ended_with(TalkEnded)
    said = [event.text for event in case.transcript.said("patient")]
    body: list[Block] = [Paragraph(say("heard as", words=quoted(note.words))) for note in raised]
    if ended is not None:
        outcome = say(f"end {case.transcript.outcome()}")
        body.append(Paragraph(say("your stage", stage=say(f"stage {ended.stage}"), outcome=outcome)))
    short = say.in_short(next_step=say("patient next"), unmeasured=say("part patient"))
    return [short, say.your_words(said), Section(say("course"), body)]
