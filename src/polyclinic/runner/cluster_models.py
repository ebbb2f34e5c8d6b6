"""Local models of a run on a Ray cluster: one actor for each, loaded once and batched, on a GPU if there is one.

All workers share one budget: what is spent, and what each worker may still spend.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polyclinic.core.model import NANO, Completion, Request
from polyclinic.models.cast import reads_by_itself
from polyclinic.models.placed import ModelHost, Refusal, local_model
from polyclinic.models.spec import CastSpec
from polyclinic.runner.plan.config import RunConfig
from polyclinic.store.store import Store


@dataclass(frozen=True)
class RayHost:
    """A Ray actor as the host of a model; it can be sent to workers as a value."""

    actor: Any

    async def ask(self, request: Request, number: int, wall_s: float, idle_s: float) -> Completion | Refusal:
        """One attempt by the actor. Errors of Ray itself (the actor died, its node is gone) count as temporary."""
        import ray

        try:
            answer: Completion | Refusal = await asyncio.wrap_future(
                self.actor.ask.remote(request, number, wall_s, idle_s).future()
            )
        except ray.exceptions.RayError as error:
            raise ConnectionError(str(error).splitlines()[0]) from error
        return answer


def place_models(ray: Any, cast: Mapping[str, CastSpec]) -> dict[str, RayHost]:
    """Start an actor for every local model of a cast; returns them by the model's name.

    Ray finds the node and restarts a dead actor. A reader model stays in the worker's own process, because it is called
    for every line.
    """
    placed: dict[str, RayHost] = {}
    gpus = 1 if ray.cluster_resources().get("GPU", 0) >= 1 else 0
    for spec in cast.values():
        if spec.kind != "local" or spec.text in placed or reads_by_itself(spec):
            continue
        model = local_model(spec)
        model.check()
        make = ray.remote(
            num_cpus=0, num_gpus=gpus, max_restarts=-1, max_concurrency=model.options.concurrency, max_task_retries=0
        )(ModelHost)
        placed[spec.text] = RayHost(make.remote(spec))
    return placed


@dataclass(frozen=True)
class Spent:
    """Money and tokens."""

    nano_usd: int = 0
    tokens: int = 0

    def plus(self, others: Sequence[Spent]) -> Spent:
        """The sum of this amount and the others."""
        money, tokens = sum(each.nano_usd for each in others), sum(each.tokens for each in others)
        return Spent(self.nano_usd + money, self.tokens + tokens)


def shares(config: RunConfig, counted: tuple[Spent, Spent], used: Spent, workers: int) -> dict[str, object]:
    """The limits of each worker in this round, so that all workers together cannot exceed the run's limits.

    `counted` comes from the store: the cost of all answered calls, and the cost of the episodes that have ended. A
    worker starts to count at a sum between the two. So its limit is its share, added to the smaller of the two. What
    was billed for calls that failed for good is only in `used`. The last worker may use all that is left, by the same
    rules as one process.
    """
    known, ended = counted
    found: dict[str, object] = {"max_cost_usd": None, "max_tokens": None}
    if config.max_cost_usd is not None:
        limit = round(config.max_cost_usd * NANO) - max(0, used.nano_usd - known.nano_usd)
        each = limit if workers == 1 else ended.nano_usd + (limit - known.nano_usd) // workers
        found["max_cost_usd"] = max(1, each) / NANO
    if config.max_tokens is not None:
        limit = config.max_tokens - max(0, used.tokens - known.tokens)
        each = limit if workers == 1 else ended.tokens + (limit - known.tokens) // workers
        found["max_tokens"] = max(1, each)
    return found


async def counted(store: Store, run: str) -> tuple[Spent, Spent]:
    """What all answered calls of a run have cost, and what the episodes that ended have cost."""
    known = await store.runs.spent(run)
    roles = [used for row in await store.runs.episodes(run) if row.status != "pending" for used in row.usage.values()]
    money = sum(used["cost_nano_usd"] for used in roles)
    tokens = sum(used["input_tokens"] + used["output_tokens"] for used in roles)
    return Spent(known.cost_nano_usd, known.input_tokens + known.output_tokens), Spent(money, tokens)
