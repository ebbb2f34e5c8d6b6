"""`polyclinic eval frontdesk-rubrics`: how often the rubrics judge natural sentences correctly; `frontdesk-queue`: how
well the simulated queue agrees with theory.

A line of the file has a ``check``, the ``text`` that somebody said or wrote, the ``value`` to look for (if the check
needs one), and the ``label``: 1 if the text states the value, 0 if not. A line may have ``today`` (YYYY-MM-DD), from
which "next Tuesday" is counted. Without it, today is Monday, 2025-09-01.
"""

from __future__ import annotations

import math
from datetime import date
from statistics import fmean, stdev
from typing import Literal, Self

from pydantic import ConfigDict, model_validator

from polyclinic.clinics.frontdesk.operations.queues import mean_wait, simulated_wait
from polyclinic.clinics.frontdesk.rules.particulars import FIELDS, same, was_said
from polyclinic.clinics.frontdesk.rules.spoken import mentions_date
from polyclinic.clinics.frontdesk.rules.stated import states_intent, states_wish
from polyclinic.clinics.frontdesk.scenario.slots import Wish
from polyclinic.clinics.frontdesk.scenario.times import read_date
from polyclinic.core.files import package_text, read_text, rows_of
from polyclinic.core.judge import Bench
from polyclinic.core.message import Frozen
from polyclinic.core.reading import Reads
from polyclinic.core.seed import stream
from polyclinic.core.value import Value
from polyclinic.errors import ConfigError
from polyclinic.eval.estimate import Estimate, share_interval
from polyclinic.eval.evaluation import Evaluate, Evaluation
from polyclinic.eval.sections import Cell, Section, Table
from polyclinic.people.demographics import Person

GOAL = 0.97
TODAY = "2025-09-01"
SHIPPED = "data/rubric_sentences.jsonl"
CHECKS: dict[str, str] = {
    "wish-asap": "the text states the wish for the earliest time (no value)",
    "wish-physician": "it states the wish for this doctor (value: the doctor's name)",
    "wish-date": "it states the wish to come from this date on (value: YYYY-MM-DD)",
    "intent-move": "a caller wants the appointment at another time (no value)",
    "intent-cancel": "a caller wants to give the appointment up (no value)",
    "same-date": "the text is this date (value: YYYY-MM-DD)",
    "said-birth_date": "somebody says this date of birth (value: YYYY-MM-DD)",
    "same-birth_date": "what was written down is this date of birth (value: YYYY-MM-DD)",
    **{f"said-{field}": f"somebody says this {field} (value: the {field})" for field in FIELDS},
    **{f"same-{field}": f"what was written down is this {field} (value: the {field})" for field in FIELDS},
}


class Sentence(Frozen):
    """One labelled line. `today` is the date from which "next Tuesday" is counted."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    check: str
    text: str
    label: Literal[0, 1]
    value: str = ""
    today: str = TODAY

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.check not in CHECKS:
            raise ValueError(f"there is no check '{self.check}'; there are {', '.join(CHECKS)}")
        if "(value" in CHECKS[self.check] and not self.value:
            raise ValueError(f"{self.check} needs a value")
        return self


class RubricFigures(Value):
    """How many lines the rubrics judged correctly, in all and by check, and the numbers of the other lines."""

    lines: int
    right: float
    checks: dict[str, float]
    wrong_lines: tuple[int, ...]


class QueueCase(Value):
    """One queue: the mean wait by theory and as simulated, with its interval.

    `busy` is the share of time in which the servers work.
    """

    servers: int
    busy: float
    theory: float
    mean: float
    low: float
    high: float
    n: int
    inside: bool


class QueueFigures(Value):
    """The result of the evaluation: one entry for each queue that is compared with theory."""

    cases: tuple[QueueCase, ...]


def _person(field: str, value: str) -> Person:
    """A person with this value in one field; the other fields are placeholders."""
    family, _, given = value.partition(" ") if field == "name" else ("", "", "")
    nobody = {"name": "", "phone": "", "identifier": "", "address": "", "region": "", "birth_date": date(2000, 1, 1)}
    person = Person.model_validate({**nobody, "family": family, "given": given, "sex": "female"})
    return person.model_copy(update={field: value})


async def _holds(reads: Reads, check: str, value: str, text: str, today: date | None) -> bool:
    """The rubric's verdict on one line."""
    kind, _, what = check.partition("-")
    if kind == "wish":
        day = read_date(value) if what == "date" else None
        physician = value if what == "physician" else ""
        return await states_wish(
            reads, Wish.read({"kind": what, "physician": physician, "valid_from": day}), [text], today
        )
    if kind == "intent":
        return await states_intent(reads, "move" if what == "move" else "cancel", [text])
    if what in ("date", "birth_date"):
        day = read_date(value)
        return day is not None and mentions_date(day, text, today, birth=check == "said-birth_date")
    person = _person(what, value)
    return was_said(what, person, text) if kind == "said" else same(what, text, person)


def _lines(file: str) -> list[Sentence]:
    text = read_text(file) if file else package_text("polyclinic.clinics.frontdesk", SHIPPED)
    return rows_of(Sentence, text, file or SHIPPED)


async def rubrics(bench: Bench, file: str) -> Evaluation[RubricFigures]:
    """The share of sentences that the rubrics judge correctly, by kind of check. Takes JSON lines with check, text,
    label (1 or 0), and value and today where the check needs them.
    """
    found: dict[str, list[bool]] = {}
    wrong: list[int] = []
    for number, row in enumerate(_lines(file), start=1):
        right = await _holds(bench.reads, row.check, row.value, row.text, read_date(row.today)) == bool(row.label)
        found.setdefault(row.check, []).append(right)
        if not right:
            wrong.append(number)
    every = [right for rights in found.values() for right in rights]
    lines: list[list[Cell]] = [[check, len(rights), _share(rights)] for check, rights in sorted(found.items())]
    lines.append(["all", len(every), _share(every)])
    note = f"Goal: {GOAL} of all. A line is judged correctly when the rubric agrees with its label."
    table = Table("Sentences judged correctly", ["check", "lines", "share"], lines, note=note)
    figures = RubricFigures(
        lines=len(every),
        right=sum(every) / len(every),
        checks={check: sum(rights) / len(rights) for check, rights in found.items()},
        wrong_lines=tuple(wrong),
    )
    return Evaluation(figures, [Section("Front desk: rubrics on natural sentences", [table])])


def _share(rights: list[bool]) -> Estimate:
    low, high = share_interval(sum(rights), len(rights))
    return Estimate(sum(rights) / len(rights), low, high, len(rights))


QUEUES = ((1, 0.5), (1, 0.8), (2, 0.8), (3, 0.9), (5, 0.7), (8, 0.9))
TRIALS, CUSTOMERS, SERVICE = 40, 20_000, 4.0


async def queue(bench: Bench, file: str) -> Evaluation[QueueFigures]:
    """The simulated mean wait of M/M/c queues beside Erlang's formula, with its interval."""
    if file:
        raise ConfigError("frontdesk-queue takes no --file: its cases are built in")
    rows: list[list[Cell]] = []
    cases: list[QueueCase] = []
    for servers, busy in QUEUES:
        rate = busy * servers / SERVICE
        theory = mean_wait(rate, SERVICE, servers)
        means = [
            simulated_wait(rate, SERVICE, servers, CUSTOMERS, stream("frontdesk", "queue", servers, busy, trial))
            for trial in range(TRIALS)
        ]
        half = 2.023 * stdev(means) / math.sqrt(TRIALS)
        mean = fmean(means)
        case = QueueCase(
            servers=servers,
            busy=busy,
            theory=theory,
            mean=mean,
            low=mean - half,
            high=mean + half,
            n=TRIALS,
            inside=abs(mean - theory) <= half,
        )
        cases.append(case)
        simulated = Estimate(mean, case.low, case.high, TRIALS)
        rows.append([servers, busy, theory, simulated, "yes" if case.inside else "no"])
    table = Table(
        "Mean wait in minutes: simulated, and by Erlang's formula",
        ["clerks", "share of time busy", "theory", "simulated", "theory inside"],
        rows,
        note=f"M/M/c queues: Poisson arrivals, exponential calls of {SERVICE:g} minutes. {TRIALS} trials of "
        f"{CUSTOMERS:,} callers each, 95 % intervals (Student's t). One case in twenty may be outside "
        "its interval by chance.",
    )
    return Evaluation(QueueFigures(cases=tuple(cases)), [Section("Front desk: the queue and theory", [table])])


evaluations: dict[str, Evaluate] = {"rubrics": rubrics, "queue": queue}
