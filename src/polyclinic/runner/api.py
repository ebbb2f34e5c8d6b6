"""Starting, resuming, rescoring and playing runs: what the CLI, the web and notebooks call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from polyclinic.core.clinic import READER_ROLE, Clinic
from polyclinic.core.episode import Listener
from polyclinic.core.library import Operation
from polyclinic.core.model import Usage
from polyclinic.errors import ConfigError, LimitReached, UnknownName
from polyclinic.models.cast import Cast
from polyclinic.models.human import HumanDesk
from polyclinic.runner.batch import Batch
from polyclinic.runner.build import Built, build
from polyclinic.runner.collecting import seldom_collected
from polyclinic.runner.config import RunConfig, make_config
from polyclinic.runner.libraries import pin_libraries, start_libraries, with_own_libraries
from polyclinic.runner.names import with_full_names
from polyclinic.runner.plan import make_plan
from polyclinic.runner.progress import Progress, Silent
from polyclinic.runner.registry import load_clinic, read_scenarios
from polyclinic.store.leases import LEASE_S
from polyclinic.store.runs import EpisodeRow
from polyclinic.store.store import Store


@dataclass(frozen=True)
class RunOutcome:
    """How a run stands when its process lets go of it. `unpriced` names models whose cost nobody can count."""

    run: str
    done: int
    failed: int
    left: int
    limit: LimitReached | None = None
    unpriced: tuple[str, ...] = ()
    judge_failures: int = 0

    @property
    def exit_code(self) -> int:
        """0 done, 1 the run has failures, 3 stopped by a limit."""
        if self.limit is not None:
            return 3
        return 1 if self.failed or self.judge_failures else 0


async def start_run(store: Store, config: RunConfig, only: int | None = None) -> str:
    """Plan a run and write it down; nothing is run yet. Returns its id. `only` keeps the first so many episodes."""
    clinic = load_clinic(config.clinic)
    refuse_unknown_settings(clinic, config)
    config = await with_full_names(store, await with_own_libraries(store, clinic, config))
    plan = make_plan(clinic, config)
    async with build(clinic, config, store.journal(""), store, desk=HumanDesk()) as built:
        players = describe_players(clinic, built.cast)
        if config.max_cost_usd is not None and built.cast.unpriced:
            raise ConfigError(
                f"max_cost_usd cannot be kept: no price is known for {', '.join(built.cast.unpriced)};"
                " name a price list in POLYCLINIC_PRICES, or limit max_tokens instead"
            )
    config = await pin_libraries(store, clinic, config)
    return await store.runs.create(
        config.wanted_id, clinic.name, config.model_dump(mode="json"), players, plan.scenarios, plan.episodes[:only]
    )


def refuse_unknown_settings(clinic: Clinic, config: RunConfig) -> None:
    """A setting or a library that the clinic would ignore is a mistake of the user's, better said than passed over."""
    for name in config.options:
        if name != "who" and name not in clinic.settings:
            if not clinic.settings:
                raise ConfigError(f"--set {name}: {clinic.name} has no settings of its own")
            raise UnknownName(f"setting of {clinic.name}", name, clinic.settings)
    named = [source for source in config.libraries.values() if source != "none"]
    if named and not clinic.libraries:
        raise ConfigError(f"--library {named[0]}: {clinic.name} keeps no libraries")


def describe_players(clinic: Clinic, cast: Cast) -> dict[str, dict[str, str]]:
    """Role to model name and kind, for the run's record."""
    models = {role.name: cast.model(role.name) for role in (*clinic.roles, READER_ROLE)}
    return {role: {"model": model.name, "kind": model.kind} for role, model in models.items()}


async def carry_on(
    store: Store,
    run: str,
    *,
    retry_failed: bool = True,
    progress: Progress | None = None,
    concurrency: int | None = None,
    lease_s: float = LEASE_S,
    desk: HumanDesk | None = None,
    listener: Listener | None = None,
    overrides: Mapping[str, object] | None = None,
) -> RunOutcome:
    """Run whatever of a run is still pending. What is finished never runs again; failed episodes are tried once more.

    `overrides` may change what does not decide results: limits, endpoints' speed, the cache.
    """
    row = await store.runs.get(run)
    config = make_config({**row.config, **(overrides or {})})
    clinic = load_clinic(row.clinic)
    if retry_failed:
        await store.runs.retry_failed(row.id)
    rows = await store.runs.episodes(row.id, config.seed, clinic.name)
    bodies = await store.runs.scenarios(row.id)
    scenarios = read_scenarios(clinic, bodies)
    libraries: dict[str, list[Operation]] = await start_libraries(store, clinic, config)
    async with build(clinic, config, store.journal(row.id), store, desk=desk, listener=listener) as built:
        await _count_what_was_spent(store, built, rows)
        batch = Batch(
            store=store,
            run=row.id,
            stage=built.stage,
            scenarios=scenarios,
            rows=rows,
            concurrency=concurrency or config.concurrency,
            progress=progress or Silent(),
            start_libraries=libraries,
            lease_s=lease_s,
        )
        with seldom_collected():
            await batch.execute()
        unpriced = built.cast.unpriced
    outcome = await outcome_of(store, row.id, batch.limit)
    return replace(outcome, unpriced=unpriced, judge_failures=batch.judge_failures)


async def _count_what_was_spent(store: Store, built: Built, rows: Sequence[EpisodeRow]) -> None:
    """A run's limits are the run's, not one process's: what it used before it was stopped counts.

    The calls of an episode that had not ended count in the meter when they are answered from the journal.
    """
    for row in rows:
        if row.status != "pending":
            for used in row.usage.values():
                counted = {name: value for name, value in used.items() if name != "calls"}
                built.meter.spend(Usage.read(counted))
    if built.budget is not None and rows:
        built.budget.spent_nano_usd = await store.runs.spent_nano_usd(rows[0].spec.run)


async def outcome_of(store: Store, run: str, limit: LimitReached | None = None) -> RunOutcome:
    """How many episodes of a run are done, failed and left."""
    count = await store.runs.counts(run)
    return RunOutcome(run, count.get("done", 0), count.get("failed", 0), count.get("pending", 0), limit)


async def run(store: Store, config: RunConfig, progress: Progress | None = None) -> RunOutcome:
    """Start a run and carry it through."""
    return await carry_on(store, await start_run(store, config), progress=progress)
