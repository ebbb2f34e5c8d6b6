"""Fixtures that play one conversation at a time without a store; any object that answers can play a role."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from polyclinic.clinics.counsel import clinic
from polyclinic.clinics.counsel.scenario import Talk, scenarios
from polyclinic.core.episode import Campaign, EpisodeSpec
from polyclinic.core.execute import EpisodeResult, RunContext, run_episode
from polyclinic.core.journal import MemoryJournal
from polyclinic.core.model import Completion, Model, Request, Usage
from polyclinic.core.part import OUT_OF_PART
from polyclinic.core.services import Services
from polyclinic.core.transcript import Event
from polyclinic.models.understudy import UnderstudyModel
from polyclinic.reading.reader import BuiltInReader
from polyclinic.retrieval.embedders import embedder
from polyclinic.retrieval.index import new_index
from polyclinic.runner.registry import load_clinic

SERVICES = Services(make_embedder=lambda: embedder("hashing"), make_index=new_index)

READER = BuiltInReader({kind.name: kind for kind in (*clinic.readings, OUT_OF_PART)})


class Players:
    """Understudies for every role without a given model."""

    def __init__(self, models: Mapping[str, Model]) -> None:
        self._models: dict[str, Model] = {
            role: UnderstudyModel(made(), ears=READER) for role, made in clinic.understudies.items()
        }
        self._models |= {"reader": READER, **models}

    def model(self, role: str) -> Model:
        return self._models[role.partition("-")[0]]

    def describe(self) -> dict[str, str]:
        return {role: model.name for role, model in self._models.items()}


class Scripted:
    """A model that answers with the result of a function of the request."""

    name, kind = "scripted", "understudy"

    def __init__(self, answer: Callable[[Request], Any]) -> None:
        self._answer = answer

    async def answer(self, request: Request) -> Completion:
        made = self._answer(request)
        if hasattr(made, "__await__"):
            made = await made
        text = made if isinstance(made, str) else made.model_dump_json()
        return Completion(text=text, usage=Usage(input_tokens=1, output_tokens=1))


@pytest.fixture
def scripted() -> type[Scripted]:
    """Make a model from a function."""
    return Scripted


@pytest.fixture
def talk() -> Callable[..., Talk]:
    """Make a copy of the first written conversation with some fields changed."""

    def make(**changes: Any) -> Talk:
        return scenarios("quiet:1", 0)[0].model_copy(update=changes)

    return make


@pytest.fixture
def play() -> Callable[..., Any]:
    """Play one conversation and return its result."""

    async def run(
        scenario: Talk,
        variant: str = "full",
        models: Mapping[str, Model] | None = None,
        journal: MemoryJournal | None = None,
        listener: Callable[[str, Event], None] | None = None,
        campaign: Campaign | None = None,
        **variant_changes: Any,
    ) -> EpisodeResult:
        chosen = clinic.variants[variant].model_copy(update=variant_changes)
        context = RunContext(
            replace(clinic, variants={**clinic.variants, variant: chosen}),
            Players(models or {}),
            journal or MemoryJournal(),
            judges=load_clinic("counsel").judges(),
            services=SERVICES,
            listener=listener,
        )
        spec = EpisodeSpec(scenario.id, "counsel", scenario.id, variant, 0, 1)
        return await run_episode(context, spec, scenario, campaign)

    return run
