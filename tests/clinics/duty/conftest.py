"""What the tests of the duty clinic share: a small run in memory, and one episode executed by hand."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from functools import cache

import pytest

from benchmarks.duty_habits import BREAKS, given_in
from polyclinic.clinics.duty import clinic
from polyclinic.clinics.duty.readings import READINGS
from polyclinic.clinics.duty.rules.norms.norm import inventory
from polyclinic.clinics.duty.scenario import scenarios
from polyclinic.clinics.duty.state.ward import Ward, open_campaign
from polyclinic.clinics.duty.understudies import UNDERSTUDIES
from polyclinic.clinics.duty.understudies.voices import voice
from polyclinic.clinics.duty.variants import VARIANTS
from polyclinic.core.episode import Campaign, EpisodeSpec
from polyclinic.core.execute import EpisodeResult, RunContext, run_episode
from polyclinic.core.journal import MemoryJournal
from polyclinic.core.model import Completion, Model, ModelKind, Request
from polyclinic.core.part import OUT_OF_PART
from polyclinic.core.read_text import ReadsText
from polyclinic.core.reading import READER, Question
from polyclinic.core.scenario import Scenario
from polyclinic.core.services import Services
from polyclinic.eval.results import RunResults
from polyclinic.models.understudy import UnderstudyModel
from polyclinic.people.traits import COMMUNICATORS, dimensions
from polyclinic.reading.reader import BuiltInReader
from polyclinic.testing.runs import played


@cache
def reader() -> BuiltInReader:
    """The built-in reader, as every cast has it by default."""
    return BuiltInReader({kind.name: kind for kind in (*READINGS, OUT_OF_PART)})


class RightReader:
    """A reader that is always right about offline players, because it knows their sentences.

    It is for tests of the loop alone: their results hold for a reader that makes no mistakes.
    """

    kind: ModelKind = "reader"
    name = "right"

    async def answer(self, request: Request) -> Completion:
        prompt = request.prompt
        assert isinstance(prompt, ReadsText)
        reply: dict[str, str] = {}
        for number, question in enumerate(prompt.questions, 1):
            yes = self._yes(prompt.text, question)
            reply[f"q{number}"], reply[f"q{number}_words"] = ("yes", prompt.text) if yes else ("no", "")
        return Completion(text=json.dumps(reply))

    @staticmethod
    def _yes(text: str, question: Question) -> bool:
        if question.kind == "duty-norm":
            to = text.partition(" says to the ")[2].partition(":")[0]
            rules = {norm.then: norm.id for norm in inventory()}
            return rules.get(question.fact("then")) in {BREAKS[habit] for habit in given_in(text, to)}
        if question.kind == "duty-trait":
            about = {d.about: d.id for role in COMMUNICATORS for d in dimensions(role)}
            name = about[question.fact("about")]
            return any(voice(v).manner[name].shows in text for v in ("first", "second") if name in voice(v).manner)
        return reader().read(text, question)[0] == "yes"


class Listening(UnderstudyModel):
    """An understudy that records its requests."""

    asked: list[Request]

    async def answer(self, request: Request) -> Completion:
        self.asked.append(request)
        return await super().answer(request)


class Cast:
    """Understudies in every role, with mistakes by role; `asked` collects every request."""

    def __init__(
        self, mistakes: Mapping[str, Mapping[str, float]] | None, asked: list[Request], right: bool = False
    ) -> None:
        self._reader: Model = RightReader() if right else reader()
        self._models: dict[str, Listening] = {}
        for role, player in UNDERSTUDIES.items():
            self._models[role] = Listening(player(), (mistakes or {}).get(role, {}), ears=reader())
            self._models[role].asked = asked

    def model(self, role: str) -> Model:
        return self._reader if role == READER else self._models[role]

    def describe(self) -> dict[str, str]:
        return dict.fromkeys(self._models, "understudy")


async def _play(
    scenario: Scenario,
    variant: str = "plain",
    ward: Ward | None = None,
    mistakes: Mapping[str, Mapping[str, float]] | None = None,
    options: Mapping[str, str] | None = None,
    seed: int = 1,
    asked: list[Request] | None = None,
    right: bool = False,
) -> EpisodeResult:
    """Run one episode directly, in a new ward unless one is given."""
    context = RunContext(
        clinic,
        Cast(mistakes, asked if asked is not None else [], right),
        MemoryJournal(),
        services=Services(options=dict(options or {})),
    )
    spec = EpisodeSpec(
        id=f"{scenario.id}:{variant}", clinic="duty", scenario=scenario.id, variant=variant, trial=0, seed=seed
    )
    campaign = Campaign(shared=ward) if ward is not None else None
    result = await run_episode(context, spec, scenario, campaign)
    assert result.status == "done", result.failures
    return result


async def _small_run(
    selector: str,
    variants: list[str],
    *,
    trials: int = 1,
    seed: int = 1,
    judges: tuple[str, ...] = ("norms",),
    options: Mapping[str, str] | None = None,
) -> RunResults:
    """A run in memory with understudies."""
    return await played(
        clinic="duty",
        variants=variants,
        scenarios=selector,
        trials=trials,
        seed=seed,
        judges=judges,
        options=dict(options or {}),
    )


async def _campaign(
    selector: str, variant: str, *, seed: int = 1, options: Mapping[str, str] | None = None, right: bool = True
) -> list[EpisodeResult]:
    """One team's shifts in order, read by a reader that is always right unless another is given."""
    shifts = scenarios(selector, seed)
    ward = open_campaign(shifts, VARIANTS[variant], seed, Services())
    results = []
    for shift in shifts:
        results.append(await _play(shift, variant, ward, options=options, seed=seed, right=right))
        for effect in results[-1].effects:
            ward.apply(effect)
    return results


@pytest.fixture
def campaign() -> Callable[..., Awaitable[list[EpisodeResult]]]:
    return _campaign


@pytest.fixture
def play() -> Callable[..., Awaitable[EpisodeResult]]:
    return _play


@pytest.fixture
def small_run() -> Callable[..., Awaitable[RunResults]]:
    return _small_run
