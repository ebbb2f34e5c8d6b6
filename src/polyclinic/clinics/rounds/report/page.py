"""This clinic's part of a report: the paper's tables as templates filled from runs, a scaling plot, sessions, and
feedback.
"""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.clinics.rounds.report.teaching import TEACHING, student_models, teaching_row, tutors
from polyclinic.clinics.rounds.rules.notes import Analysed, Chose, Withheld
from polyclinic.clinics.rounds.rules.view import room_note, round_of, tutor_rounds
from polyclinic.clinics.rounds.scenario import TeachingCase
from polyclinic.clinics.rounds.scenario.shipped import pictures
from polyclinic.clinics.rounds.variants import SIZES
from polyclinic.core.transcript import Noted, Reviewed, Said, Transcript
from polyclinic.eval.charts import Bars, Dots, Lines
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.intervals import estimate
from polyclinic.eval.metrics import metric_estimate, metric_table
from polyclinic.eval.overview import model_of_learning
from polyclinic.eval.papers import as_in_paper
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Block, Cell, Details, Dialogue, Figure, Line, Paragraph, Picture, Section, Table
from polyclinic.text.layout import number_of

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
LEVELS = ("beginner", "intermediate", "advanced")
IN_TABLE_8 = tuple(f"students-{n}" for n in (1, 2, 4, 6, 8, 10))


def report(results: RunResults) -> list[Section]:
    """Teaching (table 2), group size (table 8 and its plot), student models (table 9), conduct, learning, sessions."""
    found = [
        tutors([results]),
        _sizes(results),
        student_models([results]),
        by_level(results),
        _conduct(results),
        _learning(results),
    ]
    return [section for section in (*found, _sessions(results)) if section is not None]


def _sizes(results: RunResults) -> Section | None:
    """Table 8: the same tutor with one to ten students, and what it costs."""
    chosen = [variant for variant in SIZES if variant.name in results.variant_names()]
    if len(chosen) < 2:
        return None
    sizes, variants = [variant.students for variant in chosen], [variant.name for variant in chosen]
    rows: list[list[Cell]] = [[size, *teaching_row(results, name)] for size, name in zip(sizes, variants, strict=True)]
    series = {metric.upper(): [metric_estimate(results, name, metric) for name in variants] for metric in TEACHING}
    tokens = [_mean_tokens(results, name) for name in variants]
    return Section(
        "Number of students",
        [
            Table(
                as_in_paper("Teaching by number of students", "table 8 of the paper", IN_TABLE_8, variants),
                ("students", "ETS", "MSM", "MPS", "average"),
                rows,
            ),
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
                n=number_of(sum(row.status == "done" for row in results.episodes), "session"),
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


def by_level(results: RunResults) -> Section | None:
    """How each variant does with beginners, intermediate and advanced students. Students of one case are not
    independent evidence, so they are averaged first.
    """
    series: dict[str, list[Estimate | None]] = {}
    for variant in results.variant_names():
        right: dict[str, list[tuple[float, str]]] = {level: [] for level in LEVELS}
        for row in results.of(variant=variant):
            if row.status == "done" and row.has_transcript:
                levels = {student.name: student.level for student in room_note(row.transcript).students}
                for note in row.transcript.notes(Chose):
                    if note.when == "final" and levels.get(note.student) in right:
                        right[levels[note.student]].append((float(note.right), row.scenario))
        series[variant] = [share_right(right[level]) for level in LEVELS]
    if not any(value is not None for values in series.values() for value in values):
        return None
    rows: list[list[Cell]] = [[variant, *values] for variant, values in series.items()]
    chart = Bars(list(LEVELS), series, "level of the student", "right answers after the session", low=0, high=1)
    return Section(
        "Students of different levels",
        [
            Figure("Share of students with the right answer after the session, by level", chart),
            Table("Right answers after the session, by level", ("variant", *LEVELS), rows),
        ],
    )


def share_right(found: Sequence[tuple[float, str]]) -> Estimate | None:
    """The share of right answers, with the cases as clusters."""
    return estimate([right for right, _ in found], clusters=[case for _, case in found], bounds=(0.0, 1.0))


def _conduct(results: RunResults) -> Section | None:
    heads = ("participation", "questions", "steps covered", "leaks", "false", "harmful", "silent rounds")
    note = "Questions and silent rounds are counted; the others are what the reader found in the words."
    table = metric_table(results, "Shares of turns, steps and rounds", RULES, heads, note)
    return Section("Conduct", [table]) if table else None


def _learning(results: RunResults) -> Section | None:
    names = [name for name in results.variant_names() if metric_estimate(results, name, "learning_gain")]
    if not names:
        return None
    metrics = ("first_right", "final_right", "learning_gain", "transfer_right")
    rows: list[list[Cell]] = [[name, *(metric_estimate(results, name, metric) for metric in metrics)] for name in names]
    gains: list[Estimate | float | None] = [metric_estimate(results, name, "learning_gain") for name in names]
    body: list[Block] = [
        Table("Private answers before and after", ("variant", "first", "final", "gain", "unseen case"), rows),
        Figure("Learning gain by variant", Dots(names, {"gain": gains}, x_label="gain", reference=0.0)),
    ]
    if "untutored" not in names:
        body.append(Paragraph("Add the variant 'untutored' to see how much of the gain needs a tutor.", "note"))
    body += model_of_learning(results, ("student",), "learning")
    return Section("What students learned", body)


def _sessions(results: RunResults) -> Section | None:
    shown = [row for row in results.episodes if row.status == "done" and row.has_transcript][:SHOWN_SESSIONS]
    body = [
        Details(
            f"{row.scenario}, {row.variant}{f', trial {row.trial + 1}' if row.trial else ''}",
            [*_pictures(results, row.scenario), *session_blocks(row.transcript)],
            open=row is shown[0],
        )
        for row in shown
    ]
    return Section("Sessions, round by round", body) if body else None


def _pictures(results: RunResults, scenario: str) -> list[Block]:
    """The pictures that the group looked at."""
    case = results.scenarios.get(scenario)
    shown = pictures(case) if isinstance(case, TeachingCase) else ()
    return [Picture(image.caption or "a picture of the case", image.data, image.media_type) for image in shown]


def session_blocks(transcript: Transcript) -> list[Block]:
    """A session as dialogues, one for each round; the tutor's thinking can be opened next to its words."""
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
