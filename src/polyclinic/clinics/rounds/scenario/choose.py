"""Which cases a run takes: those that ``--scenarios`` names, and the unseen case at the end of a session."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from polyclinic.clinics.rounds.scenario.case import TeachingCase
from polyclinic.clinics.rounds.scenario.loaders import load_cases
from polyclinic.clinics.rounds.scenario.shipped import shipped_case, shipped_cases
from polyclinic.core.files import refuse_path
from polyclinic.core.seed import stream
from polyclinic.errors import UnknownName

SETS = ("all", "train", "test", "images", "text")


def _set(name: str) -> list[TeachingCase]:
    cases = list(shipped_cases())
    if name in ("", "all"):
        return cases
    if name in ("train", "test"):
        return [case for case in cases if case.split == name]
    if name in ("images", "text"):
        return [case for case in cases if bool(case.images) == (name == "images")]
    chosen = [case for case in cases if case.specialty == name]
    if not chosen:
        refuse_path(name, "YAML, JSON and JSON lines")
        known = [*SETS, *sorted({case.specialty for case in cases}), *(case.id for case in cases)]
        raise UnknownName("set of cases", name, known)
    return chosen


def _take(cases: Sequence[TeachingCase], count: int, seed: int) -> list[TeachingCase]:
    """`count` cases in a random order from the seed. If there are fewer, they are repeated with new ids."""
    order = list(cases)
    stream("rounds-cases", seed).shuffle(order)
    return [
        order[i % len(order)]
        if i < len(order)
        else order[i % len(order)].model_copy(update={"id": f"{order[i % len(order)].id}~{i // len(order)}"})
        for i in range(count)
    ]


def scenarios(selector: str, seed: int) -> Sequence[TeachingCase]:
    """The cases that a selector names: ``8`` (eight of all cases), ``test``, ``train``, ``images``, ``text``, a
    specialty, a case's id, ``test:12`` (twelve of a set), or a file's path.

    ``file.jsonl:20`` takes the first twenty of a file (MedXpertQA, MedQA, MVME or our own YAML).
    """
    name, colon, count = selector.rpartition(":")
    if not colon or not count.isdigit():
        name, count = selector, ""
    if name and Path(name).is_file():
        cases = load_cases(Path(name))
        return cases[: int(count)] if count else cases
    if name.isdigit():
        return _take(shipped_cases(), int(name), seed)
    single = shipped_case(name)
    if single is not None:
        return [single]
    chosen = _set(name)
    return _take(chosen, int(count), seed) if count else chosen


def base_id(case_id: str) -> str:
    """The id of the original case, for a repeated case with a new id."""
    return case_id.partition("~")[0]


def unseen_case(taught: TeachingCase, chance: random.Random) -> TeachingCase:
    """A held-out case other than the one taught: of the same specialty if there is one, else any."""
    held_out = [case for case in shipped_cases() if case.split == "test" and case.id != base_id(taught.id)]
    near = [case for case in held_out if case.specialty == taught.specialty]
    return chance.choice(near or held_out)
