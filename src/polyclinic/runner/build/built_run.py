"""Turn names into objects: a model for each role, judges and services, for one run on one store.

``replay:RUN`` as a model gives the answers that are in the journal of that run.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from copy import copy
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from polyclinic.core.clinic import Clinic
from polyclinic.core.embedding import Embedder, VectorIndex
from polyclinic.core.episode import Listener
from polyclinic.core.execute import RunContext
from polyclinic.core.journal import Journal
from polyclinic.core.judge import Judge
from polyclinic.core.limits import Meter
from polyclinic.core.model import Completion
from polyclinic.core.reading import Question
from polyclinic.core.records import StageableRecords
from polyclinic.core.services import Services
from polyclinic.errors import ConfigError
from polyclinic.models.accounting import Budget
from polyclinic.models.cast import Cast, Reader, open_cast
from polyclinic.models.human import HumanDesk
from polyclinic.models.placed import Host
from polyclinic.models.replay import Recording
from polyclinic.models.spec import CastSpec
from polyclinic.runner.plan.config import RunConfig
from polyclinic.runner.plan.run_plan import RunPlan
from polyclinic.store.store import Store


async def open_recordings(specs: Iterable[CastSpec], store: Store | None) -> dict[str, Recording]:
    """The recording of every ``replay:RUN`` in a cast, by run id."""
    wanted = sorted({spec.replay_run for spec in specs if spec.replay_run})
    if wanted and store is None:
        raise ConfigError("replay needs a store that holds the recorded run: name it with --store")
    return {run: await _recording(store, run) for run in wanted if store is not None}


async def _recording(store: Store, run: str) -> Recording:
    """The answers in a run's own episodes; answers of later rescorings are left out."""
    row = await store.runs.get(run)
    rows = await store.database.read(
        lambda tx: tx.execute(
            "SELECT c.key, c.occurrence, c.completion FROM calls c "
            "JOIN episodes e ON e.run = c.run AND e.id = c.episode WHERE c.run = ?",
            (row.id,),
        )
    )
    recorded = {(key, int(occurrence)): text for key, occurrence, text in rows}

    def find(key: str, occurrence: int) -> Completion | None:
        text = recorded.get((key, occurrence))
        return None if text is None else Completion.from_json(text)

    return Recording(find, row.players)


@dataclass(frozen=True)
class BuiltRun:
    """The objects of one run, made from its plan."""

    context: RunContext
    cast: Cast
    meter: Meter
    budget: Budget
    embedder: str = ""

    def check(self) -> None:
        """Raise an error if a mistake of the user would stop the first episode. Called before anything is saved."""
        self.cast.check()
        if self.embedder:
            run_embedder(self.embedder)


def pick_judges(clinic: Clinic, wanted: Sequence[str], samples: int = 0) -> list[Judge]:
    """The requested judges, whose names the plan has checked. Empty means all judges, ``none`` means no judge."""
    if list(wanted) == ["none"]:
        return []
    every = {judge.name: judge for judge in clinic.judges()}
    chosen = [every[name] for name in dict.fromkeys(wanted)] if wanted else list(every.values())
    return [_with_samples(judge, samples) for judge in chosen]


@runtime_checkable
class _Sampling(Protocol):
    k_samples: int


def _with_samples(judge: Judge, samples: int) -> Judge:
    """The judge with another number of samples, if it takes samples."""
    if not samples or not isinstance(judge, _Sampling):
        return judge
    changed = copy(judge)
    changed.k_samples = samples
    return changed


def reader_of(clinic: Clinic) -> Callable[[str], Reader]:
    """A function that makes the reader for this clinic's kinds of question.

    The function takes a path: your own weights or a fine-tuned model.
    """

    def make(path: str) -> Reader:
        from polyclinic.reading.choose import open_reader

        return open_reader({kind.name: kind for kind in clinic.readings}, path)

    return make


def _reads_line(line: str, question: Question) -> bool:
    """The built-in reader's answer about a line; the reader is loaded at the first question."""
    from polyclinic.reading.choose import reads_line

    return reads_line(line, question)


def run_embedder(spec: str) -> Embedder:
    """The embedder of a run; it is made once per process."""
    from polyclinic.retrieval.embedders import embedder

    return embedder(spec or "default")


def run_index(dimensions: int) -> VectorIndex:
    """An empty vector index."""
    from polyclinic.retrieval.index import new_index

    return new_index(dimensions)


@asynccontextmanager
async def _records(clinic: Clinic, config: RunConfig, store: Store | None) -> AsyncIterator[StageableRecords | None]:
    if "records" not in clinic.needs:
        yield None
    elif config.fhir:
        from polyclinic.fhir.client import open_client

        async with open_client(config.fhir) as client:
            yield client
    elif store is not None:
        from polyclinic.fhir.schema import create_tables
        from polyclinic.fhir.store import FhirStore

        await store.database.write(create_tables)
        yield FhirStore(store.database)
    else:
        yield None


@asynccontextmanager
async def build(
    plan: RunPlan,
    journal: Journal,
    store: Store | None = None,
    *,
    desk: HumanDesk | None = None,
    listener: Listener | None = None,
    workers: int = 1,
    hosts: Mapping[str, Host] | None = None,
) -> AsyncIterator[BuiltRun]:
    """Everything an episode of this run needs; endpoints and records are closed at the end."""
    clinic, config = plan.clinic, plan.config
    budget = Budget.from_usd(config.max_cost_usd, config.max_tokens)
    async with _records(clinic, config, store) as records:
        cast = open_cast(
            plan.cast,
            {role: understudy() for role, understudy in clinic.understudies.items()},
            reader=reader_of(clinic),
            desk=desk,
            recordings=await open_recordings(plan.cast.values(), store),
            cache=store.cache if store is not None and config.cache else None,
            budget=budget,
            workers=workers,
            hosts=hosts,
        )
        try:
            services = Services(
                make_embedder=lambda: run_embedder(config.embedder),
                make_index=run_index,
                records=records,
                records_join=not config.fhir,
                options=config.options,
                reads_line=_reads_line,
            )
            meter = Meter(config.run_limits, "run")
            context = RunContext(
                clinic=clinic,
                players=cast,
                journal=journal,
                judges=pick_judges(clinic, config.judges, config.samples),
                services=services,
                limits=config.episode_limits,
                run_meter=meter,
                listener=listener,
            )
            yield BuiltRun(context, cast, meter, budget, config.embedder)
        finally:
            await cast.close()
