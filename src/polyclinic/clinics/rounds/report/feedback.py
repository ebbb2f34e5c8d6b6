"""Feedback for a person who sat in as a student or led the round as its tutor: in short first, then the details."""

from __future__ import annotations

from collections.abc import Mapping

from polyclinic.clinics.rounds.rules.notes import Analysed, Chose, Thought
from polyclinic.clinics.rounds.rules.teaching import names_in
from polyclinic.clinics.rounds.rules.thinking import read_thinking
from polyclinic.clinics.rounds.rules.view import group_of, room_note, taught_case, tutor_rounds
from polyclinic.core.judge import Case
from polyclinic.core.model import role_of
from polyclinic.core.transcript import Reviewed, Started, Transcript
from polyclinic.eval.in_short import CAUTION, in_short, quoted
from polyclinic.eval.sections import Block, Cell, Paragraph, Section, Table


def feedback(judged: Case) -> list[Section]:
    """For a person who sat in: their contributions, what the tutor saw, the steps reached, and what to study."""
    transcript = judged.transcript
    people = [role for role, model in transcript.of(Started)[0].cast.items() if model == "human"]
    if "tutor" in people:
        return _for_tutor(transcript)
    seats = {student.seat: student.name for student in room_note(transcript).students}
    names = [name for seat, name in seats.items() if seat in people or role_of(seat) in people]
    return [section for name in names[:1] for section in _for_student(transcript, name)]


def _for_student(transcript: Transcript, name: str) -> list[Section]:
    case = taught_case(transcript)
    mine = [note for note in transcript.notes(Analysed) if note.student == name]
    reported, held = [note.text for note in mine], {number for note in mine for number in note.held}
    asked = transcript.said(name)
    steps: list[list[Cell]] = [
        [number, step.key_question, "yes" if number - 1 in held else "not seen"]
        for number, step in enumerate(case.steps, start=1)
    ]
    missing = [step for step, row in zip(case.steps, steps, strict=True) if row[2] == "not seen"]
    seen: list[Block] = []
    for turn in tutor_rounds(transcript):
        thought = read_thinking(turn.monologue, group_of(transcript), bool(case.images)).about(name)
        if thought:
            seen.append(Paragraph(f"Round {turn.round}: {thought}"))
    own: list[Block] = [Paragraph(f"Round {number}: {text}") for number, text in enumerate(reported, start=1)]
    own += [Paragraph(f"You asked the {said.to}: {said.text}") for said in asked]
    good = [
        f"your report {quoted(note.text)} shows step {number + 1}: {case.steps[number].step_summary}"
        for note in mine
        for number in note.held[:1]
        if number < len(case.steps)
    ]
    choices = {note.when: note for note in transcript.notes(Chose) if note.student == name}
    final = choices.get("final")
    if final is not None and final.right:
        good.insert(0, f"your answer {quoted(final.choice)} is right.")
    wrong = (
        [f"your answer {quoted(final.choice)} is not right: {case.answer_text}."] if final and not final.right else []
    )
    short = in_short(
        good=good or [f"you reported {quoted(reported[0])}" if reported else "you took a seat."],
        missing=[*wrong, *(f"{step.key_question} {step.step_summary}" for step in missing)],
        next_step=f"think about this: {missing[0].key_question}" if missing else "lead a round yourself: --role tutor.",
    )
    study: list[Block] = [Paragraph(f"{step.key_question} {step.step_summary}") for step in missing]
    study.append(Paragraph(f"The answer is {case.answer_text}. {case.explanation}"))
    return [
        short,
        Section(f"What you contributed as {name}", own or [Paragraph("You said nothing.")]),
        Section("What the tutor saw", seen or [Paragraph("The tutor kept its thoughts to itself.")]),
        Section(
            "Steps you reached",
            [Table("Steps of the case", ("step", "question", "in your reports"), steps), Paragraph(CAUTION)],
        ),
        Section("What to study", study),
    ]


def _for_tutor(transcript: Transcript) -> list[Section]:
    case, names = taught_case(transcript), group_of(transcript)
    spoken = [turn.guidance for turn in tutor_rounds(transcript) if turn.guidance]
    refused = [f"{event.reviewer}: {event.feedback}" for event in transcript.of(Reviewed) if not event.approved]
    touched = {number for note in transcript.notes(Thought) for number in note.asked}
    named = {name: sum(bool(names_in(text, [name])) for text in spoken) for name in names}
    steps: list[list[Cell]] = [
        [n, step.key_question, "yes" if n - 1 in touched else "no"] for n, step in enumerate(case.steps, start=1)
    ]
    rows: list[list[Cell]] = [
        [name, count, _answer(transcript, name, "first"), _answer(transcript, name, "final")]
        for name, count in named.items()
    ]
    asked = [step for number, step in enumerate(case.steps) if number in touched]
    untouched = [step for number, step in enumerate(case.steps) if number not in touched]
    quiet = [name for name, count in named.items() if not count]
    short = in_short(
        good=[f"you said {quoted(text)}" for text in spoken[:1]]
        + [f"you asked for a step: {step.key_question}" for step in asked[:1]],
        missing=[f"nobody was led to this step: {step.key_question}" for step in untouched]
        + [f"{name} was never addressed." for name in quiet],
        next_step=f"ask the group: {untouched[0].key_question}" if untouched else "let the students conclude.",
    )
    return [
        short,
        Section("What you said", [Paragraph(text) for text in spoken] or [Paragraph("Nothing was approved.")]),
        Section("What reviewers refused", [Paragraph(words) for words in refused] or [Paragraph("Nothing.")]),
        Section("Steps you asked for", [Table("Steps of the case", ("step", "question", "asked"), steps)]),
        Section(
            "Your students",
            [Table("Attention and answers", ("student", "times addressed", "first answer", "last answer"), rows)],
        ),
    ]


def performance(judged: Case, role: str) -> Mapping[str, float]:
    """A student's own figures: right before and after, and the share of steps that the own reports show."""
    transcript = judged.transcript
    seats = {student.seat: student.name for student in room_note(transcript).students}
    name = seats.get(role)
    if name is None:
        return {}
    chose = {note.when: float(note.right) for note in transcript.notes(Chose) if note.student == name}
    held = {number for note in transcript.notes(Analysed) if note.student == name for number in note.held}
    found = {f"own_{when}_right": right for when, right in chose.items()}
    return {**found, "own_steps": len(held) / len(taught_case(transcript).steps)}


def _answer(transcript: Transcript, name: str, when: str) -> str:
    for note in transcript.notes(Chose):
        if note.student == name and note.when == when:
            return "right" if note.right else "wrong"
    return "none"
