"""Which shifts a run works through: ``--scenarios`` for this clinic.

``8`` takes eight shifts, the three tasks in turn. Each task is a campaign with a ward of its own. ``T2:40`` takes forty
triage shifts. ``evolve:40`` takes forty of all tasks as one campaign: one team works them all. ``one:t1-02-warfarin``
takes one by its id. A path reads a user's file. If more shifts are asked for than are written, they are repeated, each
round in an order drawn from the seed. ``T1:40~doctor.directness-0.4@12`` pushes the doctor's directness down by 0.4
from the twelfth shift on (``@12-14``: until the fourteenth); ``~calm`` makes calm days, on which offline staff have no
bad habits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from polyclinic.clinics.duty.scenario.load import by_id, parse_scenarios, read_scenarios, shipped
from polyclinic.clinics.duty.scenario.norm_file import lint_norms
from polyclinic.clinics.duty.scenario.schema import ROLES, STAFF, TASKS, AnyDuty, Disturbance, Task
from polyclinic.core.files import read_text, refuse_path
from polyclinic.core.seed import stream
from polyclinic.errors import ConfigError, UnknownName
from polyclinic.people.traits import COMMUNICATORS, dimensions
from polyclinic.text.layout import number_of

_PUSH = re.compile(r"\A(?P<role>\w+)\.(?P<dimension>\w+)(?P<amount>[+-]\d*\.?\d+)@(?P<start>\d+)(?:-(?P<end>\d+))?\Z")
_NAMES_A_TASK = re.compile(r"^\s*(?:- )?task:", re.MULTILINE)
_EXAMPLES = "8, T1, T2:40, evolve:40, one:t1-02-warfarin, FILE.yaml or T1:40~doctor.directness-0.4@12"
DEFAULT_COUNT = 12


def scenarios(selector: str, seed: int) -> Sequence[AnyDuty]:
    """The shifts that a selector names, in the order they are worked."""
    chosen, *conditions = selector.split("~")
    shifts = _chosen(chosen, seed, selector)
    for condition in conditions:
        if condition == "calm":
            shifts = [shift.model_copy(update={"calm": True}) for shift in shifts]
        else:
            shifts = _pushed(shifts, condition, selector)
    return shifts


def _chosen(chosen: str, seed: int, selector: str) -> list[AnyDuty]:
    if chosen and Path(chosen).is_file():
        return _rounds(read_scenarios(Path(chosen)), None, seed)
    kind, _, number = chosen.partition(":") if ":" in chosen else ("", "", chosen)
    known = by_id(shipped())
    if kind == "one" or (not kind and number in known):
        if number not in known:
            raise UnknownName("duty scenario", number, known)
        return _rounds([known[number]], 1, seed)
    if chosen in TASKS:
        kind, number = chosen, ""
    if (kind and kind not in (*TASKS, "evolve")) or (number and not number.isdigit()):
        refuse_path(chosen, "YAML")
        raise ConfigError(f"'{selector}' selects no shift: write for example {_EXAMPLES}")
    tasks = [task for task in TASKS if kind in (task, "", "evolve")]
    shifts = _in_turn(tasks, int(number) if number else DEFAULT_COUNT * len(tasks), seed)
    return [shift.model_copy(update={"campaign": "ward"}) for shift in shifts] if kind == "evolve" else shifts


def _in_turn(tasks: Sequence[Task], number: int, seed: int) -> list[AnyDuty]:
    share = -(-number // len(tasks))
    lanes = [_rounds(shipped(task), share, seed) for task in tasks]
    return [lanes[i % len(tasks)][i // len(tasks)] for i in range(number)]


def _rounds(written: Sequence[AnyDuty], number: int | None, seed: int) -> list[AnyDuty]:
    """As many shifts as are wanted. The written ones are repeated round after round, with new ids and one campaign for
    each task.
    """
    wanted = len(written) if number is None else number
    shifts: list[AnyDuty] = []
    for lap in count(1):
        if len(shifts) >= wanted:
            break
        order = list(written)
        stream(seed, "order of shifts", written[0].task, lap).shuffle(order)
        for shift in order:
            name = shift.id if lap == 1 else f"{shift.id}.{lap}"
            shifts.append(shift.model_copy(update={"id": name, "campaign": shift.campaign or shift.task}))
    return shifts[:wanted]


def _pushed(shifts: Sequence[AnyDuty], push: str, selector: str) -> list[AnyDuty]:
    match = _PUSH.match(push)
    if match is None or match["role"] not in ROLES:
        raise ConfigError(f"'{selector}' selects no shift: write for example {_EXAMPLES}")
    traits = next((dimensions(each) for each in COMMUNICATORS if each == match["role"] and each in STAFF), ())
    known = [trait.id for trait in traits]
    if match["dimension"] not in known:
        choice = (
            f"choose one of these: {', '.join(known)}" if known else "only doctors, nurses and trainees can be pushed"
        )
        raise ConfigError(f"'{selector}': '{match['dimension']}' is not a trait of {match['role']}: {choice}")
    start, end, amount = int(match["start"]), int(match["end"] or len(shifts)), float(match["amount"])
    if not -1 <= amount <= 1:
        raise ConfigError(f"'{selector}': push a trait by -1 to 1, not by {match['amount']}")
    if not 1 <= start <= min(end, len(shifts)):
        raise ConfigError(f"'{selector}': {number_of(len(shifts), 'shift')}, and none of them is pushed")
    disturbance = Disturbance.model_validate({"role": match["role"], "dimension": match["dimension"], "amount": amount})
    return [
        shift.model_copy(update={"disturbance": disturbance}) if start <= number <= end else shift
        for number, shift in enumerate(shifts, 1)
    ]


def lint(path: str) -> list[str]:
    """What is wrong in a user's file: a scenario file if its entries name a task, else a norm file."""
    text = read_text(path)
    if not _NAMES_A_TASK.search(text):
        return [str(fault.error(path)) for fault in lint_norms(text, path)]
    parse_scenarios(text, path)
    return []
