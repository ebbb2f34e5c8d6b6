"""The plan of a run: what the user asked for, parsed and checked once. Descriptions and objects are made from it.

The names of runs in a config are replaced by full ids: ``last`` must not change its meaning when this run is saved.
Episodes are scenarios × variants × trials, grouped into units of work that share nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from polyclinic.core.clinic import Clinic
from polyclinic.core.episode import EpisodeSpec
from polyclinic.core.model import role_of
from polyclinic.core.reading import READER
from polyclinic.core.scenario import Scenario
from polyclinic.core.services import Services
from polyclinic.errors import ConfigError, UnknownName
from polyclinic.models.cast import choose_models, reads_by_itself
from polyclinic.models.prices import default_prices
from polyclinic.models.spec import ALL, CastSpec, is_loopback, parse_cast
from polyclinic.runner.plan.config import RunConfig
from polyclinic.runner.plan.libraries import with_own_libraries
from polyclinic.runner.plan.selection import all_listed, chosen_scenarios
from polyclinic.runner.registry import clinic_modules, load_clinic
from polyclinic.store.store import Store
from polyclinic.text.worded import Worded

Planned = tuple[str, EpisodeSpec]
"""An episode and the unit it belongs to: itself, or a campaign under one variant and trial."""


def variant_names(clinic: Clinic, wanted: Sequence[str]) -> list[str]:
    """The requested variants, checked. Empty means the default, ``all`` means every variant."""
    if list(wanted) == ["all"]:
        return list(clinic.variants)
    names = list(dict.fromkeys(wanted)) or [clinic.first_variant]
    return [clinic.variant(name).name for name in names]


def expand(clinic: Clinic, config: RunConfig) -> tuple[tuple[Scenario, ...], tuple[Planned, ...]]:
    """The scenarios, and scenarios × variants × trials in a fixed order."""
    scenarios = chosen_scenarios(clinic, config.scenarios, config.seed)
    if not scenarios:
        asked = config.scenarios or "(default)"
        fix = f"write a number of at least 1, or a name that '{all_listed(clinic)}' shows"
        raise ConfigError(Worded("--scenarios {1} selects no scenario of {2}: {3}", asked, clinic.name, Worded(fix)))
    if len({scenario.id for scenario in scenarios}) != len(scenarios):
        raise ConfigError(Worded("two scenarios of {1} have the same id", clinic.name))
    episodes: list[Planned] = []
    for variant in variant_names(clinic, config.variants):
        for trial in range(config.trials):
            places: dict[str, int] = {}
            for scenario in scenarios:
                id = f"{scenario.id}:{variant}:{trial}"
                unit = f"{scenario.campaign}:{variant}:{trial}" if scenario.campaign else id
                position = places.get(scenario.campaign, 0) if scenario.campaign else 0
                places[scenario.campaign] = position + 1
                spec = EpisodeSpec(
                    id=id,
                    clinic=clinic.name,
                    scenario=scenario.id,
                    variant=variant,
                    trial=trial,
                    seed=config.seed,
                    campaign=scenario.campaign,
                    position=position,
                    wave=scenario.wave,
                )
                episodes.append((unit, spec))
    return scenarios, tuple(episodes)


LAST = "last"


async def with_full_names(
    store: Store, config: RunConfig, specs: Sequence[CastSpec]
) -> tuple[RunConfig, list[CastSpec]]:
    """Give every recorded run in the cast, and every library taken from the last run, its full id."""
    full = [await _full(store, spec) for spec in specs]
    changes: dict[str, object] = {}
    if full != list(specs):
        changes["cast"] = ",".join(f"{spec.role}={spec.text}" for spec in full)
    if LAST in config.libraries.values() and not any(
        name == LAST or name.startswith(f"{LAST}.") for name in await store.libraries.names()
    ):
        run = (await store.runs.get(LAST)).id
        changes["libraries"] = {name: run if source == LAST else source for name, source in config.libraries.items()}
    return config.model_copy(update=changes), full


async def _full(store: Store, spec: CastSpec) -> CastSpec:
    if not spec.replay_run:
        return spec
    run = (await store.runs.get(spec.replay_run)).id
    return replace(spec, model=run, text=spec.text.replace(f"replay:{spec.replay_run}", f"replay:{run}", 1))


WHO, MINUTES = "who", "minutes"
"""Settings that every clinic accepts when a person plays: their name, and how long their station lasts."""


@dataclass(frozen=True)
class RunPlan:
    """A clinic, the settings, who plays each role, and the episodes (none for a service or an evaluation).

    `idle` are roles that the cast names, but the clinic does not have.
    """

    clinic: Clinic
    config: RunConfig
    cast: Mapping[str, CastSpec]
    scenarios: tuple[Scenario, ...] = ()
    episodes: tuple[Planned, ...] = ()
    idle: tuple[str, ...] = ()

    def with_episodes(self) -> RunPlan:
        """The same plan with its scenarios and episodes."""
        scenarios, episodes = expand(self.clinic, self.config)
        return replace(self, scenarios=scenarios, episodes=episodes)

    @property
    def players(self) -> dict[str, dict[str, str]]:
        """The model name and kind of each role, for the run's record."""
        seated = {role: spec for role, spec in self.cast.items() if role != READER}
        chosen = {**{role.name: self.cast[role.name] for role in self.clinic.roles}, **seated}
        players = {role: {"model": spec.name, "kind": str(spec.model_kind)} for role, spec in chosen.items()}
        return {**players, READER: self._reader}

    @property
    def _reader(self) -> dict[str, str]:
        """The reader's model and kind. With understudies, it is the built-in reader."""
        spec = self.cast[READER]
        if reads_by_itself(spec):
            kept = "local" if spec.kind == "local" else "builtin"
            return {"model": f"{kept}:{spec.model}" if spec.model else kept, "kind": "reader"}
        return {"model": spec.name, "kind": spec.model_kind}

    @property
    def people(self) -> list[str]:
        """The roles that people play."""
        return [role for role, spec in self.cast.items() if spec.kind == "human"]

    @property
    def unpriced(self) -> tuple[str, ...]:
        """The models whose cost cannot be counted, because no price is known."""
        remote = {spec.text: spec for spec in self.cast.values() if spec.remote}
        return tuple(sorted(text for text, spec in remote.items() if default_prices().price_of(spec.model) is None))


def parse_plan(config: RunConfig, specs: Sequence[CastSpec] | None = None) -> RunPlan:
    """A plan without episodes: the clinic is loaded, and cast and judges are checked. Nothing is opened."""
    clinic = load_clinic(config.clinic)
    wanted = parse_cast(config.cast) if specs is None else list(specs)
    idle = roles_of_others(clinic, wanted)
    chosen = choose_models(
        [spec for spec in wanted if spec.role not in idle],
        roles=[role.name for role in clinic.roles],
        understudies=clinic.understudies,
        mistakes=[mistake.name for mistake in clinic.mistakes],
        reads=True,
        local_only=config.local_only,
    )
    _check_judges(clinic, config.judges)
    if config.local_only:
        _refuse_remote(config)
    return RunPlan(clinic, config, chosen, idle=idle)


def roles_of_others(clinic: Clinic, specs: Sequence[CastSpec]) -> tuple[str, ...]:
    """The roles of a cast that only other clinics have. They are allowed, so that one cast string fits all clinics."""
    own = {role.name for role in clinic.roles} | {READER, ALL}
    strange = [spec.role for spec in specs if spec.role not in own and role_of(spec.role) not in own]
    if not strange:
        return ()
    known = {role.name for name in clinic_modules() for role in load_clinic(name).roles}
    return tuple(role for role in strange if role in known or role_of(role) in known)


async def plan_run(store: Store, config: RunConfig) -> RunPlan:
    """Make the plan of a new run on a store: with full ids, the clinic's own libraries, and all episodes."""
    clinic = load_clinic(config.clinic)
    refuse_wrong_settings(clinic, config)
    named, specs = await with_full_names(
        store, await with_own_libraries(store, clinic, config), parse_cast(config.cast)
    )
    plan = parse_plan(named, specs).with_episodes()
    _check_seats(plan)
    if named.max_cost_usd is not None and plan.unpriced:
        raise ConfigError(
            Worded(
                "max_cost_usd cannot be enforced: no price is known for {1}; name a price list in POLYCLINIC_PRICES, or"
                " limit max_tokens instead",
                ", ".join(plan.unpriced),
            )
        )
    return plan


def refuse_wrong_settings(clinic: Clinic, config: RunConfig) -> None:
    """Refuse a setting or a library that the clinic would silently ignore.

    Also refuse a value that would stop its episodes.
    """
    for name in config.options:
        if name not in (WHO, MINUTES, *clinic.settings):
            if not clinic.settings:
                raise ConfigError(Worded("--set {1}: {2} has no settings", name, clinic.name))
            raise UnknownName("setting of {1}", name, clinic.settings, of=clinic.name)
    if config.fhir and "records" not in clinic.needs:
        raise ConfigError(Worded("--fhir {1}: {2} keeps no records", config.fhir, clinic.name))
    for name in variant_names(clinic, config.variants) if config.options else ():
        clinic.variant(name).configured(config.options)
    if config.options and clinic.check_settings is not None:
        clinic.check_settings(Services(options=config.options))
    named = [source for source in config.libraries.values() if source != "none"]
    if named and not clinic.libraries:
        raise ConfigError(Worded("--library {1}: {2} has no libraries", named[0], clinic.name))


def _check_judges(clinic: Clinic, wanted: Sequence[str]) -> None:
    known = [judge.name for judge in clinic.judges()]
    for name in () if list(wanted) == ["none"] else wanted:
        if name not in known:
            raise UnknownName("judge of {1}", name, known, of=clinic.name)


def _check_seats(plan: RunPlan) -> None:
    """Refuse a seat that no variant of the run has, because nobody would play there."""
    variants = dict.fromkeys(spec.variant for _, spec in plan.episodes)
    for role in plan.cast:
        if role == READER or role in {each.name for each in plan.clinic.roles}:
            continue
        seats = dict.fromkeys(seat for variant in variants for seat in plan.clinic.seats(role, variant))
        if role not in seats:
            raise UnknownName(
                "seat in {1} ({2})", role, seats or [role_of(role)], of=(plan.clinic.name, ", ".join(variants))
            )


def _refuse_remote(config: RunConfig) -> None:
    """With local-only, refuse an embedder or a FHIR server that is not on this machine."""
    embedder = config.embedder
    url = embedder.removeprefix("openai:") if embedder.startswith("openai:http") else embedder
    remote = embedder.startswith("openai:") or url.startswith(("http://", "https://"))
    if remote and not is_loopback(url):
        raise ConfigError(Worded("embedder {1}: --local-only allows only endpoints on this machine", embedder))
    if config.fhir and not is_loopback(config.fhir):
        raise ConfigError(Worded("--fhir {1}: --local-only allows only servers on this machine", config.fhir))
