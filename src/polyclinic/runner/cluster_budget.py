"""One budget for all workers of a cluster: what is spent, and what each worker may still spend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polyclinic.core.model import NANO
from polyclinic.runner.plan.config import RunConfig
from polyclinic.store.store import Store


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
