"""Feedback for a person who played the doctor: what was brought out, with the words, what was missed, how it was asked.

Everything is found by rule in the transcript, so that it is there at once, offline, and the same for everybody in a
class.
"""

from __future__ import annotations

from functools import partial

from polyclinic.clinics.patient.judges.interview import brought_out, crisis_met
from polyclinic.clinics.patient.judges.reading import Heard, heard, record_of
from polyclinic.clinics.patient.rules.diagnosing import is_right
from polyclinic.clinics.patient.rules.leaks import leaks
from polyclinic.clinics.patient.rules.probes import probe
from polyclinic.clinics.patient.rules.questions import is_cheat, kind_of
from polyclinic.clinics.patient.rules.trees import ANSWER_TREES, QUESTION_TREES, trees, walk
from polyclinic.clinics.patient.scenario import PatientScenario
from polyclinic.clinics.patient.scenario.record import Fact, Record
from polyclinic.core.judge import Case
from polyclinic.core.transcript import Ended, Started
from polyclinic.eval.sections import Block, Cell, Paragraph, Section, Table


def feedback(case: Case[PatientScenario]) -> list[Section]:
    """The report a trainee gets at the end."""
    record, exchanges, known = record_of(case), heard(case.transcript), brought_out(case)
    if played(case, "patient"):
        return [Section("How you played the patient", _playing(record, exchanges))]
    return [
        Section("What you found out", _checklist(record, known)),
        Section("Red flags", _red_flags(record, known)),
        Section("How you asked", _questions(record, exchanges)),
        Section("Questions a patient cannot answer", _cheats(exchanges)),
        Section("Where it led", _reasoning(case, record, known)),
    ]


def played(case: Case, role: str) -> bool:
    """Whether a person took this role."""
    started = case.transcript.of(Started)
    return bool(started) and started[0].cast.get(role, "").startswith("human")


def _playing(record: Record, exchanges: list[Heard]) -> list[Block]:
    """Answer by answer: whether it kept to the record and the part, and what it gave away."""
    rows: list[list[Cell]] = []
    for item in exchanges:
        scores = [walk(trees()[name], partial(_by_rule, record, item)).score for name in ANSWER_TREES]
        lost = "; ".join(f"{leak.kind}: {leak.words}" for leak in leaks(record, item.question, item.answer))
        rows.append([item.question, item.answer, *(bool(score) for score in scores), lost or None])
    if not rows:
        return [Paragraph("You were asked nothing.")]
    good = sum(bool(row[2]) and bool(row[3]) for row in rows)
    table = Table("Your answers", ["question", "answer", *ANSWER_TREES, "given away"], rows)
    return [Paragraph(f"{good} of {len(rows)} answers were what a standardized patient would say."), table]


def _checklist(record: Record, known: dict[str, str]) -> list[Block]:
    found = [fact for fact in record.checklist if fact.id in known]
    missed = [fact for fact in record.checklist if fact.id not in known]
    blocks: list[Block] = [Paragraph(f"You brought out {len(found)} of {len(record.checklist)} facts.")]
    if found:
        rows: list[list[Cell]] = [[_about(fact), fact.text, f"“{known[fact.id]}”"] for fact in found]
        blocks.append(Table("Elicited", ["about", "fact", "the patient's words"], rows))
    if missed:
        blocks.append(Table("Missed", ["about", "fact"], [[_about(fact), fact.text] for fact in missed]))
    return blocks


def _about(fact: Fact) -> str:
    return fact.test or fact.topic.value


def _red_flags(record: Record, known: dict[str, str]) -> list[Block]:
    flags = [fact for fact in record.checklist if fact.red_flag]
    if not flags:
        return [Paragraph("This case has none.")]
    rows: list[list[Cell]] = [[fact.text, fact.id in known] for fact in flags]
    missed = sum(fact.id not in known for fact in flags)
    summary = Paragraph("You found all of them." if not missed else f"You missed {missed} of {len(flags)}.")
    return [summary, Table("Signs that must not be missed", ["sign", "found"], rows)]


def _questions(record: Record, exchanges: list[Heard]) -> list[Block]:
    fair = [item for item in exchanges if not is_cheat(item.question)]
    if not fair:
        return [Paragraph("You asked no fair question.")]
    rows: list[list[Cell]] = []
    totals = dict.fromkeys(QUESTION_TREES, 0)
    for item in fair:
        scores = [walk(trees()[name], partial(_by_rule, record, item)).score for name in QUESTION_TREES]
        for name, score in zip(QUESTION_TREES, scores, strict=True):
            totals[name] += score
        rows.append([item.question, item.type, *(bool(score) for score in scores)])
    shares = ", ".join(f"{name} {totals[name]} of {len(fair)}" for name in QUESTION_TREES)
    return [
        Paragraph(f"{len(fair)} fair questions: {shares}."),
        Table("Your questions", ["question", "type", *QUESTION_TREES], rows),
    ]


def _by_rule(record: Record, item: Heard, node: str) -> bool:
    return probe(node, record, item.exchange)


def _cheats(exchanges: list[Heard]) -> list[Block]:
    tricks = [item for item in exchanges if is_cheat(item.question)]
    if not tricks:
        return [Paragraph("You asked none. Well done.")]
    rows: list[list[Cell]] = [[item.question, kind_of(item.question).value] for item in tricks]
    note = (
        "Ask for one thing at a time, for symptoms rather than for the diagnosis, and for a test as a whole "
        "by its name."
    )
    return [Table("Questions that fish for too much", ["question", "why"], rows, note=note)]


def _reasoning(case: Case, record: Record, known: dict[str, str]) -> list[Block]:
    ended = case.transcript.of(Ended)
    given = str(ended[-1].data.get("diagnosis", "")) if ended else ""
    said = [event.text for event in case.transcript.said("doctor") if event.data.get("diagnosis")]
    blocks: list[Block] = []
    if given:
        verdict = "That is right." if is_right(given, record) else f"The record says: {record.diagnosis}."
        blocks.append(Paragraph(f"Your diagnosis: {given}. {verdict}"))
    else:
        blocks.append(Paragraph(f"You gave no diagnosis. The record says: {record.diagnosis}."))
    if said and said[-1] != given:
        blocks.append(Paragraph(f"Your reasoning: {said[-1]}"))
    clues = [fact for fact in record.checklist if any(clue in fact.text.lower() for clue in record.disease.clues)]
    if clues:
        rows: list[list[Cell]] = [[fact.text, fact.id in known] for fact in clues]
        blocks.append(Table("Findings that point to it", ["finding", "you had it"], rows))
    crisis = crisis_met(case.transcript)
    if crisis is not None:
        blocks.append(
            Paragraph(
                "You answered the patient's crisis at once." if crisis else "The patient's crisis went unanswered."
            )
        )
    blocks.append(Paragraph(f"Rounds: {len(heard(case.transcript))}."))
    return blocks
