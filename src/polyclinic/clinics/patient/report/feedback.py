"""Feedback for a person who played: first what was good, what is missing and what to do next, then the details.

Everything comes from what the interview itself noted when its words were read, so that it is there at once, offline,
and the same for everybody in a class.
"""

from __future__ import annotations

from polyclinic.clinics.patient.judges.interview import crisis_met
from polyclinic.clinics.patient.judges.reading import Heard, heard, record_of
from polyclinic.clinics.patient.rules.notes import Concluded, DiagnosisTold, Understood
from polyclinic.clinics.patient.rules.trees import ANSWER_TREES, QUESTION_TREES
from polyclinic.clinics.patient.scenario import PatientScenario
from polyclinic.clinics.patient.scenario.record import Fact, Record, Topic
from polyclinic.core.judge import Case
from polyclinic.core.transcript import Started, Transcript
from polyclinic.eval.in_short import in_short, quoted
from polyclinic.eval.sections import Block, Cell, Paragraph, Section, Table

NEXT_TIME = "Ask for one thing at a time, for symptoms rather than for the diagnosis, and for a test by its name."


def feedback(case: Case[PatientScenario]) -> list[Section]:
    """The report a trainee gets at the end."""
    record, exchanges = record_of(case), heard(case.transcript)
    read = {note.round: note for note in case.transcript.notes(Understood)}
    if played(case, "patient"):
        return [Section("How you played the patient", _playing(exchanges, read))]
    known = brought_out(record, exchanges, read)
    return [
        _in_short(case.transcript, record, known),
        Section("What you found out", _checklist(record, known)),
        Section("Red flags", _red_flags(record, known)),
        Section("How you asked", _questions(exchanges, read)),
        Section("Questions a patient cannot answer", _cheats(exchanges, read)),
        Section("Where it led", _reasoning(case.transcript, record, known)),
    ]


def played(case: Case, role: str) -> bool:
    """Whether a person took this role."""
    started = case.transcript.of(Started)
    return bool(started) and started[0].cast.get(role, "").startswith("human")


def brought_out(record: Record, exchanges: list[Heard], read: dict[int, Understood]) -> dict[str, str]:
    """The facts of the checklist that the patient's words brought out, each with the words."""
    wanted = {fact.id for fact in record.checklist}
    found: dict[str, str] = {}
    for item in exchanges:
        note = read.get(item.round)
        for id in (*note.answered.told, *note.answered.results) if note else ():
            if id in wanted:
                found.setdefault(id, item.answer)
    return found


def _in_short(transcript: Transcript, record: Record, known: dict[str, str]) -> Section:
    """The best, the gravest and the next step, in three or four sentences."""
    flags = [fact for fact in record.checklist if fact.red_flag]
    found = [fact for fact in (*flags, *record.checklist) if fact.id in known]
    missed = [fact for fact in (*flags, *record.checklist) if fact.id not in known]
    good = [f"you brought out “{fact.text}”, when the patient said {quoted(known[fact.id])}" for fact in found[:1]]
    danger: list[str] = []
    verdict = transcript.last_note(Concluded)
    if verdict is not None and verdict.right:
        good.insert(0, f"{quoted(verdict.diagnosis)} is right.")
    elif record.disease.urgent:
        given = f"{quoted(verdict.diagnosis)} overlooks it" if verdict is not None else "you came to no conclusion"
        danger.append(f"{given}. {record.diagnosis} cannot wait.")
    return in_short(
        danger=danger,
        good=good,
        missing=[f"nobody heard “{fact.text}”" for fact in missed[:1]],
        next_step=f"{_ask_for(missed[0])} before you conclude." if missed else "",
    )


def _playing(exchanges: list[Heard], read: dict[int, Understood]) -> list[Block]:
    """Answer by answer: whether it kept to the record and the part, and what it gave away."""
    rows: list[list[Cell]] = []
    for item in exchanges:
        note = read.get(item.round)
        scores = [bool(note and note.scores.get(name)) for name in ANSWER_TREES]
        lost = "; ".join(f"{leak.kind}: {leak.words}" for leak in note.leaks) if note else ""
        rows.append([item.question, item.answer, *scores, lost or None])
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


_ASKED = {
    Topic.COMPLAINT: "what the trouble is",
    Topic.SYMPTOM: "other symptoms",
    Topic.HISTORY: "earlier illnesses",
    Topic.MEDICATION: "medicines",
    Topic.FAMILY: "the family",
    Topic.SOCIAL: "work and home",
    Topic.ALLERGY: "allergies",
}


def _ask_for(fact: Fact) -> str:
    return f"send for: {fact.test}," if fact.test else f"ask about {_ASKED.get(fact.topic, fact.topic.value)}"


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


def _questions(exchanges: list[Heard], read: dict[int, Understood]) -> list[Block]:
    fair = [(item, note) for item in exchanges for note in [read.get(item.round)] if note and not note.asked.cheat]
    if not fair:
        return [Paragraph("You asked no fair question.")]
    rows: list[list[Cell]] = []
    totals = dict.fromkeys(QUESTION_TREES, 0)
    for item, note in fair:
        scores = [note.scores.get(name, False) for name in QUESTION_TREES]
        for name, score in zip(QUESTION_TREES, scores, strict=True):
            totals[name] += score
        rows.append([item.question, item.asked.type, *scores])
    shares = ", ".join(f"{name} {totals[name]} of {len(fair)}" for name in QUESTION_TREES)
    return [
        Paragraph(f"{len(fair)} fair questions: {shares}."),
        Table("Your questions", ["question", "type", *QUESTION_TREES], rows),
    ]


def _cheats(exchanges: list[Heard], read: dict[int, Understood]) -> list[Block]:
    tricks = [item for item in exchanges for note in [read.get(item.round)] if note and note.asked.cheat]
    if not tricks:
        return [Paragraph("You asked none. Well done.")]
    rows: list[list[Cell]] = [[item.question] for item in tricks]
    return [Table("Questions that fish for too much", ["question"], rows, note=NEXT_TIME)]


def _reasoning(transcript: Transcript, record: Record, known: dict[str, str]) -> list[Block]:
    verdict = transcript.last_note(Concluded)
    given = verdict.diagnosis if verdict is not None else ""
    said = [event.text for event in transcript.said("doctor") if (told := event.get(DiagnosisTold)) and told.diagnosis]
    blocks: list[Block] = []
    if verdict is not None:
        right = "That is right." if verdict.right else f"The record says: {record.diagnosis}."
        blocks.append(Paragraph(f"Your diagnosis: {given}. {right}"))
    else:
        blocks.append(Paragraph(f"You gave no diagnosis. The record says: {record.diagnosis}."))
    if said and said[-1] != given:
        blocks.append(Paragraph(f"Your reasoning: {said[-1]}"))
    clues = [fact for fact in record.checklist if any(clue in fact.text.lower() for clue in record.disease.clues)]
    if clues:
        rows: list[list[Cell]] = [[fact.text, fact.id in known] for fact in clues]
        blocks.append(Table("Findings that point to it", ["finding", "you had it"], rows))
    crisis = crisis_met(transcript)
    if crisis is not None:
        blocks.append(
            Paragraph(
                "You answered the patient's crisis at once." if crisis else "The patient's crisis went unanswered."
            )
        )
    return blocks
