"""This clinic's part of a report: the paper's tables as templates filled from runs, a scaling plot, sessions, and
feedback.
"""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.clinics.rounds.rules.notes import Analysed, Chose, Thought, Withheld
from polyclinic.clinics.rounds.rules.teaching import names_in
from polyclinic.clinics.rounds.rules.thinking import read_thinking
from polyclinic.clinics.rounds.rules.view import group_of, room_note, round_of, taught_case, tutor_rounds
from polyclinic.clinics.rounds.variants import VARIANTS
from polyclinic.core.judge import Case as Judged
from polyclinic.core.model import role_of
from polyclinic.core.transcript import Noted, Reviewed, Said, Started, Transcript
from polyclinic.eval.charts import Dots, Lines
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.metrics import metric_estimate
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Block, Cell, Details, Dialogue, Figure, Line, Paragraph, Section, Table

TEACHING = ("ets", "msm", "mps")
RULES = (
    "participation",
    "question_share",
    "steps_covered",
    "answer_leak",
    "false_guidance",
    "harmful_guidance",
    "withheld_share",
)
SHOWN_SESSIONS = 4


def report(results: RunResults) -> list[Section]:
    """Teaching (table 2), group size (table 8 and its plot), student models (table 9), conduct, learning, sessions."""
    found = [tutors([results]), _sizes(results), student_models([results]), _conduct(results), _learning(results)]
    return [section for section in (*found, _sessions(results)) if section is not None]


def _average(results: RunResults, variant: str) -> float | None:
    means = [estimate.mean for metric in TEACHING if (estimate := metric_estimate(results, variant, metric))]
    return sum(means) / len(means) if means else None


def _teaching_row(results: RunResults, variant: str) -> list[Cell]:
    return [*(metric_estimate(results, variant, metric) for metric in TEACHING), _average(results, variant)]


def tutors(runs: Sequence[RunResults]) -> Section | None:
    """Table 2: tutors and variants against ETS, MSM and MPS. Give several runs, one for each tutor model, to compare
    them.
    """
    rows: list[list[Cell]] = []
    for results in runs:
        tutor = next((member.model for member in results.cast if member.role == "tutor"), "unknown")
        rows += [[tutor, name, *_teaching_row(results, name)] for name in results.variant_names()]
    rows = [row for row in rows if row[-1] is not None]
    if not rows:
        return None
    note = "Scales 1 to 10; intervals are 95 %."
    table = Table("Teaching by tutor and variant", ("tutor", "variant", "ETS", "MSM", "MPS", "average"), rows, note, 2)
    return Section("Teaching quality", [table])


def _sizes(results: RunResults) -> Section | None:
    """Table 8: the same tutor with one to ten students, and what it costs."""
    variants = [name for name in results.variant_names() if name.startswith("students-")]
    variants.sort(key=lambda name: VARIANTS[name].students)
    if len(variants) < 2:
        return None
    sizes = [VARIANTS[name].students for name in variants]
    rows: list[list[Cell]] = [[size, *_teaching_row(results, name)] for size, name in zip(sizes, variants, strict=True)]
    series = {metric.upper(): [metric_estimate(results, name, metric) for name in variants] for metric in TEACHING}
    tokens = [_mean_tokens(results, name) for name in variants]
    return Section(
        "Number of students",
        [
            Table("Teaching by number of students", ("students", "ETS", "MSM", "MPS", "average"), rows, digits=2),
            Figure(
                "Teaching scores over group size",
                Lines([float(size) for size in sizes], series, x_label="students", y_label="score"),
            ),
            Figure(
                "Tokens of one session over group size",
                Lines(
                    [float(size) for size in sizes],
                    {"tokens": tokens},
                    x_label="students",
                    y_label="tokens (in and out)",
                ),
            ),
        ],
    )


def _mean_tokens(results: RunResults, variant: str) -> float | None:
    rows = [row for row in results.of(variant=variant) if row.status == "done"]
    spent = [
        sum(used.input_tokens + used.output_tokens for role, used in row.usage.items() if role != "judge")
        for row in rows
    ]
    return sum(spent) / len(spent) if spent else None


def student_models(runs: Sequence[RunResults]) -> Section | None:
    """Table 9: the same tutors with different students. Give several runs, one for each student model, to fill its
    columns.
    """
    rows: list[list[Cell]] = []
    for results in runs:
        players = sorted({member.model for member in results.cast if role_of(member.role) == "student"})
        name = players[0] if len(players) == 1 else f"mixture: {', '.join(players)}"
        rows += [[name, variant, *_teaching_row(results, variant)] for variant in results.variant_names()]
    rows = [row for row in rows if row[-1] is not None]
    if not rows:
        return None
    table = Table(
        "Teaching by student model", ("students played by", "variant", "ETS", "MSM", "MPS", "average"), rows, digits=2
    )
    return Section("Student models", [table])


def _conduct(results: RunResults) -> Section | None:
    rows: list[list[Cell]] = [
        [name, *(metric_estimate(results, name, metric) for metric in RULES)] for name in results.variant_names()
    ]
    rows = [row for row in rows if any(cell is not None for cell in row[1:])]
    if not rows:
        return None
    columns = ("variant", "participation", "questions", "steps covered", "leaks", "false", "harmful", "silent rounds")
    note = "Questions and silent rounds are counted; the others are what the reader found in the words."
    return Section("Conduct", [Table("Shares of turns, steps and rounds", columns, rows, note, 2)])


def _learning(results: RunResults) -> Section | None:
    names = [name for name in results.variant_names() if metric_estimate(results, name, "learning_gain")]
    if not names:
        return None
    metrics = ("first_right", "final_right", "learning_gain", "transfer_right")
    rows: list[list[Cell]] = [[name, *(metric_estimate(results, name, metric) for metric in metrics)] for name in names]
    gains: list[Estimate | float | None] = [metric_estimate(results, name, "learning_gain") for name in names]
    body: list[Block] = [
        Table("Private answers before and after", ("variant", "first", "final", "gain", "unseen case"), rows, digits=2),
        Figure("Learning gain by variant", Dots(names, {"gain": gains}, x_label="gain", reference=0.0)),
    ]
    if "untutored" not in names:
        body.append(Paragraph("Add the variant 'untutored' to see how much of the gain needs a tutor.", "note"))
    if any(role_of(member.role) == "student" and member.kind == "understudy" for member in results.cast):
        body.append(
            Paragraph(
                "Students who are understudies learn by a stated model, whose size is the setting 'learning'. What they"
                " learn shows that the session and the judges measure it. It is no finding about people or language"
                " models.",
                "note",
            )
        )
    return Section("What students learned", body)


def _sessions(results: RunResults) -> Section | None:
    shown = [row for row in results.episodes if row.status == "done" and row.has_transcript][:SHOWN_SESSIONS]
    body = [
        Details(f"{row.scenario}, {row.variant}, trial {row.trial}", session_blocks(row.transcript)) for row in shown
    ]
    return Section("Sessions, round by round", body) if body else None


def session_blocks(transcript: Transcript) -> list[Block]:
    """A session as dialogues, one for each round; the tutor's thinking is folded away beside its words."""
    thoughts = {turn.round: turn for turn in tutor_rounds(transcript)}
    lines: dict[int, list[Line]] = {}
    verdicts: list[Reviewed] = []
    for event in transcript:
        if isinstance(event, Noted) and (said := event.as_note(Analysed)) is not None:
            lines.setdefault(said.round, []).append(Line(said.student, said.text, tone="note"))
        elif isinstance(event, Reviewed):
            verdicts.append(event)
        elif isinstance(event, Noted) and (held := event.as_note(Withheld)) is not None:
            why = "; ".join(f"{v.reviewer}: {v.feedback or v.error}" for v in verdicts if not v.approved)
            lines.setdefault(held.round, []).append(Line("tutor", "(nothing was approved this round)", why, "warning"))
            verdicts = []
        elif isinstance(event, Said):
            number = round_of(event)
            aside = ""
            if event.speaker == "tutor" and number in thoughts:
                refused = [f"refused by {v.reviewer}: {v.feedback or v.error}" for v in verdicts if not v.approved]
                aside = "\n".join([thoughts[number].monologue, *refused]).strip()
                verdicts = []
            lines.setdefault(number, []).append(Line(event.speaker, event.text, aside))
    return [Dialogue(spoken, f"Round {number}") for number, spoken in sorted(lines.items())]


# -- feedback for a person who played --


def feedback(judged: Judged) -> list[Section]:
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
        [number, step.key_question, "yes" if number - 1 in held else "not yet"]
        for number, step in enumerate(case.steps, start=1)
    ]
    missing = [step for step, row in zip(case.steps, steps, strict=True) if row[2] == "not yet"]
    seen: list[Block] = []
    for turn in tutor_rounds(transcript):
        thought = read_thinking(turn.monologue, group_of(transcript), bool(case.images)).about(name)
        if thought:
            seen.append(Paragraph(f"Round {turn.round}: {thought}"))
    own: list[Block] = [Paragraph(f"Round {number}: {text}") for number, text in enumerate(reported, start=1)]
    own += [Paragraph(f"You asked the {said.to}: {said.text}") for said in asked]
    study: list[Block] = [Paragraph(f"{step.key_question} {step.step_summary}") for step in missing]
    study.append(Paragraph(f"The answer is {case.answer_text}. {case.explanation}"))
    return [
        Section(f"What you contributed as {name}", own or [Paragraph("You said nothing.")]),
        Section("What the tutor saw", seen or [Paragraph("The tutor kept its thoughts to itself.")]),
        Section("Steps you reached", [Table("Steps of the case", ("step", "question", "in your reports"), steps)]),
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
    return [
        Section("What you said", [Paragraph(text) for text in spoken] or [Paragraph("Nothing was approved.")]),
        Section("What reviewers refused", [Paragraph(words) for words in refused] or [Paragraph("Nothing.")]),
        Section("Steps you asked for", [Table("Steps of the case", ("step", "question", "asked"), steps)]),
        Section(
            "Your students",
            [Table("Attention and answers", ("student", "times addressed", "first answer", "last answer"), rows)],
        ),
    ]


def _answer(transcript: Transcript, name: str, when: str) -> str:
    for note in transcript.notes(Chose):
        if note.student == name and note.when == when:
            return "right" if note.right else "wrong"
    return "none"
