"""Every number says which readings it comes from, and which decided what was said before.

This is not looked up but tried. Everybody says the same words again, while the reader's answers of one kind are turned
round. A number that changes comes from this kind, or the flow decided by it what was said: the metric must name it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache

import orjson
import pytest

from polyclinic.clinics.rounds.prompts.student import StudentChooses
from polyclinic.core.episode import EpisodeSpec
from polyclinic.core.execute import RunContext
from polyclinic.core.journal import MemoryJournal
from polyclinic.core.judge import Metric
from polyclinic.core.model import Completion, Request
from polyclinic.core.scenario import Scenario
from polyclinic.eval.rules import CodedJudge
from polyclinic.runner.build.built_run import build
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.plan.run_plan import parse_plan
from polyclinic.runner.registry import load_clinic
from polyclinic.store.store import open_store
from tests.contract.held_words import Rewords, Said, as_said, figures

KNOWN = {
    "counsel": {("drafts", "counsel-slip"), ("fallbacks", "counsel-slip"), ("sourced", "counsel-claim")},
    "duty": {("nvr", "duty-norm"), ("tsr", "duty-norm")},
    "patient": {("elicited", "patient-told"), ("leak_free", "patient-leak")},
    "rounds": {("withheld_share", "rounds-leak"), ("steps_held", "rounds-holds")},
}
"""Some of what must be found: else the test would have tried nothing."""


@cache
def metrics(clinic: str) -> dict[str, Metric]:
    """The metrics that code computes, and the figures of people. What a model judges is said to be a judge's."""
    loaded = load_clinic(clinic)
    coded = [metric for judge in loaded.judges() if isinstance(judge, CodedJudge) for metric in judge.metrics]
    return {metric.name: metric for metric in coded} | {f"own {metric.name}": metric for metric in loaded.own_metrics}


@asynccontextmanager
async def opened(clinic: str, most: int = 1) -> AsyncIterator[tuple[RunContext, list[tuple[EpisodeSpec, Scenario]]]]:
    """A clinic with at most so many episodes of each of its demo variants."""
    loaded = load_clinic(clinic)
    variants = tuple(dict.fromkeys((loaded.first_variant, *loaded.demo_variants)))
    config = make_config({"clinic": clinic, "cast": "all=understudy", "variants": variants})
    plan = parse_plan(config).with_episodes()
    known = {scenario.id: scenario for scenario in plan.scenarios}
    specs = [spec for name in variants for spec in [s for _, s in plan.episodes if s.variant == name][:most]]
    async with open_store("sqlite://:memory:") as store, build(plan, MemoryJournal(), store) as built:
        yield built.context, [(spec, known[spec.scenario]) for spec in specs]


async def changed(
    context: RunContext, spec: EpisodeSpec, scenario: Scenario, rewords: Rewords = as_said
) -> set[tuple[str, str]]:
    """Each figure with each kind of reading that changes it, in one episode."""
    said = Said()
    first = await figures(context, spec, scenario, said, rewords=rewords)
    assert first == await figures(context, spec, scenario, said, "nothing"), "the same words give the same figures"
    found: set[tuple[str, str]] = set()
    for kind in sorted(said.kinds):
        again = await figures(context, spec, scenario, said, kind)
        names = first.keys() | again.keys() if again else ()
        found |= {(name.partition(" of ")[0], kind) for name in names if first.get(name) != again.get(name)}
    return found


def unnamed(clinic: str, found: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """What changes a metric that does not name it."""
    known = metrics(clinic)
    return sorted(
        (name, kind)
        for name, kind in found
        if name in known and kind not in (*known[name].rests_on, *known[name].follows)
    )


async def changed_in(clinic: str, most: int = 1) -> set[tuple[str, str]]:
    """What changes with which kind of reading, in all these episodes."""
    found: set[tuple[str, str]] = set()
    async with opened(clinic, most) as (context, episodes):
        for spec, scenario in episodes:
            found |= await changed(context, spec, scenario)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("clinic", [*KNOWN, "frontdesk"])
async def test_more_episodes_show_nothing_that_is_not_named(clinic: str) -> None:
    assert unnamed(clinic, await changed_in(clinic, most=3)) == []


@pytest.mark.parametrize("clinic", [*KNOWN, "frontdesk"])
async def test_a_number_that_changes_with_a_reading_names_its_kind(clinic: str) -> None:
    found = await changed_in(clinic)
    assert unnamed(clinic, found) == []
    expected = KNOWN.get(clinic, set())
    assert expected <= found
    rests = metrics(clinic)
    assert [(name, kind) for name, kind in expected if kind not in rests[name].rests_on] == []


async def test_answers_in_free_words_are_read_and_every_number_from_them_says_so() -> None:
    """An open case: its students answer in words, so it is the reader who finds whether they are right."""

    def in_words(request: Request, completion: Completion) -> Completion:
        if not isinstance(request.prompt, StudentChooses):
            return completion
        reply = orjson.loads(completion.text) | {"choice": "it must be the first that I named"}
        return replace(completion, text=orjson.dumps(reply).decode())

    async with opened("rounds") as (context, episodes):
        spec, scenario = episodes[0]
        open_case = scenario.model_copy(update={"options": {}, "answer": "Acute anterior uveitis"})
        found = await changed(context, spec, open_case, in_words)
    counted = {name for name, kind in found if kind == "rounds-choice"}
    assert {"first_right", "own first_answer_right"} <= counted
    assert [name for name in counted if "rounds-choice" not in metrics("rounds")[name].rests_on] == []
    assert unnamed("rounds", found) == []


def test_every_kind_that_a_metric_names_exists_and_is_named_once() -> None:
    for clinic in (*KNOWN, "frontdesk", "demo"):
        kinds = {kind.name for kind in load_clinic(clinic).readings}
        for name, metric in metrics(clinic).items():
            assert set(metric.rests_on) | set(metric.follows) <= kinds, name
            assert len(set(metric.rests_on)) == len(metric.rests_on), name
