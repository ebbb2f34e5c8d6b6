"""How an understudy student learns. This is an explicit model, not evidence about people.

A case is a chain of steps. The chance that a student makes a step is its ability, which follows from level, strengths
and weaknesses. Teaching works through the words that the student understands. A question that leads to a step
multiplies the odds of making it: more if it names the student, less while an earlier step is missing. A step that is
explained goes into the notes, where it may be forgotten. Steps that a student made after a question are practice: they
raise the odds on an unseen case. Steps that were explained raise them little.

Every gain below is multiplied by `learning`. At 0 teaching does nothing; 1 is the size that the shipped results use.
The random number for a step is fixed per student, case and step (not per run). So the same teaching always has the same
effect, and more teaching never has a smaller one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from polyclinic.clinics.rounds.scenario.case import SocraticStep, TeachingCase
from polyclinic.core.seed import stream
from polyclinic.people.students import Student

How = Literal["saw", "worked", "told"]

ASKED, NAMED, SHY_NAMED, UNREADY = 1.7, 0.4, 0.4, -1.2
"""Changes of the log odds: the step was asked for; the student was named; a named student lacks confidence; an earlier
step is missing.
"""
PRACTISED, HEARD = 0.5, 0.05
"""Changes of the log odds on an unseen case, for each of at most four steps made after a question, or explained."""
TOLD_KEPT, TOLD_USED = 0.55, 0.85
"""The chances that an explained step is remembered a round later, and that an explained answer is used."""
SECOND_LOOK = 0.12
"""The chance that a student makes a step later without teaching, as a share of its ability."""
MOST_STEPS = 4

_LEVEL = {"beginner": 0.22, "intermediate": 0.38, "advanced": 0.55}
_UNREADY_SHARE = {"observe": 0.8, "interpret": 0.4, "conclude": 0.2}


class Taught(NamedTuple):
    """What a student understood of the tutor's words: the steps asked for, the steps explained, and whether it was
    named.
    """

    asked: frozenset[int] = frozenset()
    told: frozenset[int] = frozenset()
    named: bool = False


def _luck(student: Student, case_id: str, *what: object) -> float:
    return stream("understudy-student", student.id, case_id, *what).random()


def shifted(chance: float, change: float) -> float:
    """The chance after `change` is added to its log odds."""
    odds = math.log(chance / (1 - chance)) + change
    return 1 / (1 + math.exp(-odds))


def ability(student: Student, step: SocraticStep) -> float:
    """The chance of making a step without help, from the student's level, strengths and weaknesses."""
    chance = _LEVEL[student.level]
    strong, weak = student.strengths, student.weaknesses
    if step.image is not None:
        chance += 0.25 if "sharp eye for images" in strong else -0.05
    elif step.stage == "observe":
        chance += 0.15 * ("warm with patients" in strong) + 0.10 * ("diligent and inquisitive" in strong)
        chance -= 0.12 * ("stiff communication" in weak)
    elif step.stage == "interpret":
        chance += 0.20 * ("solid theory" in strong) - 0.18 * ("weak clinical correlation" in weak)
    else:
        chance += 0.20 * ("strong logical reasoning" in strong)
        chance -= 0.15 * ("tunnel vision" in weak) + 0.12 * ("inflexible" in weak)
    return min(0.92, max(0.05, chance))


def asked_chance(student: Student, step: SocraticStep, taught: Taught, ready: bool, learning: float) -> float:
    """The chance of making a step after a question that leads to it."""
    change = ASKED + NAMED * taught.named + SHY_NAMED * (taught.named and "lacks confidence" in student.weaknesses)
    change += 0.0 if ready else UNREADY
    return shifted(ability(student, step), learning * change) if learning else 0.0


def _kept(student: Student, case: TeachingCase, held: Mapping[int, How], round_number: int) -> dict[int, How]:
    return {
        number: how
        for number, how in held.items()
        if how != "told" or _luck(student, case.id, number, "keep", round_number) < TOLD_KEPT
    }


def learn(
    student: Student,
    case: TeachingCase,
    before: Mapping[int, How] | None,
    taught: Callable[[int], Taught],
    round_number: int,
    learning: float,
) -> dict[int, How]:
    """The steps that the student holds now. `before` is None in its first report; `taught` says what it understood
    about a step.

    `taught` is only called for steps that the student does not hold.
    """
    held = _kept(student, case, before or {}, round_number)
    for number, step in enumerate(case.steps):
        if held.get(number) in ("saw", "worked"):
            continue
        ready = all(earlier in held for earlier in range(number))
        base = ability(student, step)
        unaided = base * (1.0 if ready else _UNREADY_SHARE[step.stage])
        if before is None and _luck(student, case.id, number, "unaided") < unaided:
            held[number] = "saw"
            continue
        heard = taught(number)
        if number in heard.asked:
            chance = asked_chance(student, step, heard, ready, learning)
            if _luck(student, case.id, number, "asked", round_number) < chance:
                held[number] = "worked"
        elif number in heard.told and _luck(student, case.id, number, "told") < learning:
            held.setdefault(number, "told")
        elif (
            before is not None and ready and _luck(student, case.id, number, "again", round_number) < base * SECOND_LOOK
        ):
            held[number] = "saw"
    return held


def chance_right(case: TeachingCase, held: Mapping[int, How]) -> float:
    """The chance of the right answer to the case that was taught: almost certain if the student holds the last step,
    near guessing without any step.
    """
    last = held.get(len(case.steps) - 1)
    if last is not None:
        return TOLD_USED if last == "told" else 0.97
    share = sum(how != "told" for how in held.values()) / len(case.steps)
    return 1 / max(2, len(case.options)) * 0.8 + 0.5 * share


def chance_unseen(student: Student, case: TeachingCase, worked: int, told: int, learning: float) -> float:
    """The chance of the right answer to an unseen case, given how many steps were made after a question and how many
    were explained.
    """
    own = sum(ability(student, step) for step in case.steps) / len(case.steps)
    practice = PRACTISED * min(MOST_STEPS, worked) + HEARD * min(MOST_STEPS, told)
    return shifted(0.12 + 0.5 * own, learning * practice)


def picks(student: Student, case: TeachingCase, chance: float) -> str:
    """The chosen option: right if this student's fixed random number for this case is below the chance, else wrong."""
    if _luck(student, case.id, "choice") < chance:
        return case.answer
    wrong = [letter for letter in case.options if letter != case.answer]
    return wrong[int(_luck(student, case.id, "wrong") * len(wrong))]
