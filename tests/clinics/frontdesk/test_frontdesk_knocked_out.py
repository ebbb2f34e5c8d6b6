"""What the desk's plain patterns decide: without them, intentions in callers' words are found less often.

The lines are of the training authors. Offline callers' figures do not depend on the patterns: their wishes are met, and
a wish that was met counts as stated.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from statistics import fmean

import pytest

from polyclinic.clinics.frontdesk import clinic, rules
from polyclinic.clinics.frontdesk.readings import INTENT, INTENTS
from polyclinic.clinics.frontdesk.rules import plainly
from polyclinic.clinics.frontdesk.rules.stated import states_intent
from polyclinic.core.reading import Finding, Question
from polyclinic.reading.sets import Labelled
from polyclinic.runner.readings import cast_reader, labelled
from polyclinic.testing.runs import run_once

MODULES = [importlib.import_module(f"{rules.__name__}.{found.name}") for found in pkgutil.iter_modules(rules.__path__)]
WANTED = {INTENTS["reschedule"]: "move", INTENTS["cancel"]: "cancel"}


@contextmanager
def emptied(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No list of `data/plainly.toml` matches anything."""
    never: Mapping[str, re.Pattern[str]] = dict.fromkeys(plainly.patterns(), re.compile(r"(?!)"))
    _forget()
    with monkeypatch.context() as patched:
        for module in MODULES:
            if hasattr(module, "patterns"):
                patched.setattr(module, "patterns", lambda: never)
        yield
    _forget()


def _forget() -> None:
    """Results that were kept for texts were found with the lists, or without them."""
    for module in MODULES:
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


async def _right(rows: Sequence[Labelled]) -> float:
    """Balanced accuracy of patterns and built-in reader together."""
    async with cast_reader("reader=builtin") as read:

        async def reads(text: str, questions: Sequence[Question]) -> tuple[Finding, ...]:
            return tuple([await read(Labelled(question, text, label=True)) for question in questions])

        found: dict[bool, list[bool]] = {True: [], False: []}
        for row in rows:
            intent = WANTED[row.question.fact("intent")]
            states = await states_intent(reads, "move" if intent == "move" else "cancel", [row.text])
            found[row.label].append(states == row.label)
    return fmean(fmean(side) for side in found.values())


async def test_without_the_patterns_intentions_are_found_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        row
        for row in labelled("frontdesk", INTENT.name, split="train")
        if row.lang == "en" and row.question.fact("intent") in WANTED
    ]
    assert len(rows) > 300
    whole = await _right(rows)
    with emptied(monkeypatch):
        without = await _right(rows)
    assert whole - without > 0.05, (whole, without)
    assert await _right(rows[:40]) == pytest.approx(await _right(rows[:40])), "the lists are back"


async def test_figures_of_offline_callers_do_not_rest_on_the_patterns(monkeypatch: pytest.MonkeyPatch) -> None:
    async def figures() -> list[tuple[str, float]]:
        results = await run_once(clinic, variants=("tool",), scenarios="primary:1:12")
        return [(score.metric, score.value) for episode in results.episodes for score in episode.scores]

    whole = await figures()
    with emptied(monkeypatch):
        assert await figures() == whole
    assert {name for name, _ in whole} >= {"scheduling", "scheduling_staff"}
