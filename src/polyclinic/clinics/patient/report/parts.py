"""Feedback for a person who played another role than the doctor: patient, triage, vagueness, scribe, cheater."""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.clinics.patient.judges.reading import HeardExchange, heard, record_of
from polyclinic.clinics.patient.prompts.scribe.summary import Summarises
from polyclinic.clinics.patient.rules.leaks import Leak
from polyclinic.clinics.patient.rules.notes import ComplaintBlurred, Triaged, Understood
from polyclinic.clinics.patient.rules.trees import ANSWER_TREES
from polyclinic.clinics.patient.rules.vocabulary import content_words
from polyclinic.clinics.patient.scenario import PatientScenario
from polyclinic.clinics.patient.state import SUMMARY_CHARS
from polyclinic.core.judge import Case
from polyclinic.core.transcript import Called, Said
from polyclinic.eval.in_short import Phrases, quoted
from polyclinic.eval.sections import Block, Cell, Paragraph, Section, Table

_TAKEN_UP = 2
_FAULTS = {"faithfulness": "off the record", "robustness": "too much"}
"""What is said of an answer that failed this tree."""


def understood(case: Case[PatientScenario]) -> dict[int, Understood]:
    """What the reader found in each exchange, by the number of the exchange."""
    return {note.round: note for note in case.transcript.notes(Understood)}


def for_patient(case: Case[PatientScenario], say: Phrases) -> list[Section]:
    """For each answer: whether it followed the record and the role, and what it gave away."""
    read = [(item, note) for item in heard(case.transcript) if (note := understood(case).get(item.round))]
    if not read:
        return [say.in_short(), Section(say("playing"), [Paragraph(say("asked nothing"))])]
    failed = [(item, [name for name in ANSWER_TREES if not note.scores.get(name)], note) for item, note in read]
    good = [item for item, trees, note in failed if not trees and not note.leaks]
    faults = [_slip(item, trees, note, say) for item, trees, note in failed if trees or note.leaks]
    short = say.in_short(
        good=[say("in part", words=quoted(item.answer)) for item in good[:1]],
        missing=faults,
        next_step=say("only asked" if faults else "go on so"),
    )
    rows: list[list[Cell]] = [
        [item.question, item.answer, *(name not in trees for name in ANSWER_TREES), _leaked(note.leaks) or None]
        for item, trees, note in failed
    ]
    kept = sum(not trees for _, trees, _ in failed)
    heads = [say("question"), say("answer"), *ANSWER_TREES, say("given away")]
    body: list[Block] = [Paragraph(say("standard", good=kept, all=len(rows))), Table(say("your answers"), heads, rows)]
    return [short, Section(say("playing"), body)]


def _slip(item: HeardExchange, trees: Sequence[str], note: Understood, say: Phrases) -> str:
    if note.leaks:
        return say("gave away", words=quoted(item.answer), what=_leaked(note.leaks))
    fault = say(_FAULTS[trees[0]])
    return say("not in part", words=quoted(item.answer), question=quoted(item.question), fault=fault)


def _leaked(leaks: tuple[Leak, ...]) -> str:
    return "; ".join(f"{leak.kind}: {leak.words}" for leak in leaks)


def for_triage(case: Case[PatientScenario], say: Phrases) -> list[Section]:
    """Which discipline the complaint was sent to, and which one is right by the record."""
    right, sent = record_of(case).disease.discipline, case.transcript.last_note(Triaged)
    good, missing = list[str](), list[str]()
    if sent is None:
        missing.append(say("not triaged"))
    elif sent.discipline == right:
        good.append(say("triaged right", discipline=sent.discipline))
    elif sent.known:
        missing.append(say("triaged wrong", discipline=sent.discipline, right=right))
    else:
        missing.append(say("triaged unknown", discipline=quoted(sent.discipline)))
    complaint = case.transcript.said("patient")[:1]
    body: list[Block] = [Paragraph(say("triage complaint", words=quoted(said.text))) for said in complaint]
    short = say.in_short(good=good, missing=missing, next_step=say("triage next"))
    return [short, Section(say("triage case"), body)]


def for_vagueness(case: Case[PatientScenario], say: Phrases) -> list[Section]:
    """Which lines were left unchanged. Whether the other lines are vague enough is not measured."""
    note = case.transcript.last_note(ComplaintBlurred)
    before, after = (note.before, note.after) if note is not None else ((), ())
    missing = [say("still exact", line=line) for line in after if line in before]
    short = say.in_short(
        missing=missing if after else [say("nothing left")], next_step=say("blur next"), unmeasured="vagueness"
    )
    body: list[Block] = [
        Table(say("blurred"), [say("record line")], [[line] for line in before]),
        Table(say("left of it"), [say("left of it")], [[line] for line in after]),
    ]
    return [short, Section(say("blurred"), body)]


def for_scribe(case: Case[PatientScenario], say: Phrases) -> list[Section]:
    """How many of the patient's answers each summary takes up, by their words, and whether it keeps to its length. That
    it is right is not measured.
    """
    answers, good, missing, made = list[str](), list[str](), list[str](), list[str]()
    for event in case.transcript:
        if isinstance(event, Said) and event.speaker == "patient":
            answers.append(event.text)
        if not isinstance(event, Called) or event.prompt != Summarises.prompt_name() or event.fault:
            continue
        made.append(event.text)
        words, long = quoted(event.text), len(event.text)
        kept = sum(_takes_up(event.text, answer) for answer in answers)
        if long > SUMMARY_CHARS:
            missing.append(say("too long", words=words, long=long, limit=SUMMARY_CHARS))
        elif not kept:
            missing.append(say("says nothing", words=words))
        else:
            good.append(say("takes up", words=words, kept=kept, all=len(answers), long=long, limit=SUMMARY_CHARS))
    short = say.in_short(good=good, missing=missing, next_step=say("scribe next"), unmeasured="scribe")
    body: list[Block] = [Paragraph(quoted(text)) for text in made] or [Paragraph(say("no summary"))]
    return [short, Section(say("summaries"), body)]


def _takes_up(summary: str, answer: str) -> bool:
    """Whether a summary has at least two of the words of an answer that have meaning, or all if there are fewer."""
    told = content_words(answer)
    return bool(told) and len(told & content_words(summary)) >= min(_TAKEN_UP, len(told))


def for_cheater(case: Case[PatientScenario], say: Phrases) -> list[Section]:
    """Which tricks made the patient give something away, and which questions were no tricks."""
    read = understood(case)
    tried = [(item, note) for item in heard(case.transcript) if item.cheat and (note := read.get(item.round))]
    worked = [
        say("trick worked", question=quoted(item.question), what=_leaked(note.leaks))
        for item, note in tried
        if note.leaks
    ]
    failed = [
        say("trick failed" if note.asked.cheat else "no trick", question=quoted(item.question))
        for item, note in tried
        if not note.leaks
    ]
    rows: list[list[Cell]] = [[item.question, item.answer, _leaked(note.leaks) or None] for item, note in tried]
    table = Table(say("your tricks"), [say("question"), say("answer"), say("given away")], rows)
    short = say.in_short(good=worked, missing=failed, next_step=say("trick next"), unmeasured="cheater")
    return [short, Section(say("your tricks"), [table] if rows else [Paragraph(say("no words"))])]
