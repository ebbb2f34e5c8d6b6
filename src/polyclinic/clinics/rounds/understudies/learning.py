"""How an understudy student learns: an explicit model, stated here so that nobody mistakes it for evidence about
people.

A case is a chain of steps. A student makes a step unaided with a chance that follows from level, strengths and
weaknesses. A question that asks for the next step raises the chance a good deal, more so when the student is called
by name; being told a step puts it into the notes, where it may be forgotten. Steps made by oneself help with an
unseen case; steps heard hardly do. The chances are fixed per student, case and step (not per run), so the same
teaching always has the same effect.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from polyclinic.clinics.rounds.rules.teaching import asks, names_in, tells
from polyclinic.clinics.rounds.scenario.case import Case, SocraticStep
from polyclinic.core.seed import stream
from polyclinic.people.students import Student

How = Literal["saw", "worked", "told"]
SAYS: Mapping[How, str] = {"saw": "I see this:", "worked": "I worked this out:", "told": "As the tutor explained:"}

_LEVEL = {"beginner": 0.22, "intermediate": 0.38, "advanced": 0.55}
ASKED_BONUS, NAMED_BONUS, SHY_NAMED_BONUS = 0.38, 0.10, 0.10
UNREADY_PENALTY = 0.30
UNREADY_SHARE = {"observe": 0.8, "interpret": 0.4, "conclude": 0.2}
SECOND_LOOK = 0.12
TOLD_KEPT = 0.55
TOLD_ANSWER_USED = 0.85
PRACTICE_BONUS, HEARD_BONUS = 0.42, 0.04


def _luck(student: Student, case_id: str, *what: object) -> float:
    return stream("understudy-student", student.id, case_id, *what).random()


def ability(student: Student, step: SocraticStep) -> float:
    """The chance of making a step unaided: the level, and what this student is good and bad at."""
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


def remembered(case: Case, notes: str) -> dict[int, How]:
    """Which steps the student's own words hold, and how it came to them."""
    held: dict[int, How] = {}
    for number, step in enumerate(case.steps):
        for how, says in SAYS.items():
            if f"{says} {step.step_summary}" in notes:
                held[number] = how
    return held


def _forget(student: Student, case: Case, held: dict[int, How], round_number: int) -> dict[int, How]:
    return {
        number: how
        for number, how in held.items()
        if how != "told" or _luck(student, case.id, number, "keep", round_number) < TOLD_KEPT
    }


def learn(student: Student, case: Case, notes: str, guidance: str, round_number: int) -> dict[int, How]:
    """What the student holds after this round's guidance (empty when there was none)."""
    first = not notes
    held = _forget(student, case, remembered(case, notes), round_number)
    named = bool(guidance) and bool(names_in(guidance, [student.name]))
    for number, step in enumerate(case.steps):
        if held.get(number) in ("saw", "worked"):
            continue
        ready = all(earlier in held for earlier in range(number))
        base = ability(student, step)
        if first and _luck(student, case.id, number, "unaided") < base * (1.0 if ready else UNREADY_SHARE[step.stage]):
            held[number] = "saw"
        elif guidance and asks(guidance, step):
            chance = base + ASKED_BONUS + NAMED_BONUS * named
            chance += SHY_NAMED_BONUS * (named and "lacks confidence" in student.weaknesses)
            chance -= 0.0 if ready else UNREADY_PENALTY
            if _luck(student, case.id, number, "asked", round_number) < chance:
                held[number] = "worked"
        elif guidance and tells(guidance, step):
            held.setdefault(number, "told")
        elif not first and ready and _luck(student, case.id, number, "again", round_number) < base * SECOND_LOOK:
            held[number] = "saw"
    return held


def chance_right(student: Student, case: Case, held: Mapping[int, How]) -> float:
    """The chance of the right answer to the case that was taught."""
    last = len(case.steps) - 1
    if held.get(last) in ("saw", "worked"):
        return 0.97
    if held.get(last) == "told":
        return TOLD_ANSWER_USED
    share = sum(how != "told" for how in held.values()) / len(case.steps)
    return 1 / max(2, len(case.options)) * 0.8 + 0.5 * share


def chance_unseen(student: Student, case: Case, worked: int, told: int) -> float:
    """The chance of the right answer to an unseen case, given how many steps were worked out and heard before."""
    own = sum(ability(student, step) for step in case.steps) / len(case.steps)
    practice = min(1.0, worked / 4)
    heard = min(1.0, told / 4)
    return min(0.95, 0.12 + 0.5 * own + PRACTICE_BONUS * practice + HEARD_BONUS * heard)


def picks(student: Student, case: Case, chance: float) -> str:
    """The option chosen: right when this student's luck with this case is below the chance, else a wrong one."""
    if _luck(student, case.id, "choice") < chance:
        return case.answer
    wrong = [letter for letter in case.options if letter != case.answer]
    return wrong[int(_luck(student, case.id, "wrong") * len(wrong))]
