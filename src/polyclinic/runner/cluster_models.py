"""Local models of a run on a Ray cluster: one actor for each, loaded once and batched, on a GPU if there is one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from polyclinic.core.model import Completion, Request
from polyclinic.models.cast import reads_by_itself
from polyclinic.models.placed import ModelHost, Refusal, local_model
from polyclinic.models.spec import CastSpec


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
