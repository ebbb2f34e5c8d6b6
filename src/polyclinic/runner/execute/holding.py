"""Hold leases while work goes on: of units, and of a run's budget."""

from __future__ import annotations

import asyncio
import logging
import shlex
import time
from collections.abc import AsyncIterator, Set
from contextlib import asynccontextmanager, suppress
from functools import partial

from polyclinic.core.database import Transaction
from polyclinic.errors import ConfigError, StoreError
from polyclinic.store.connections import without_password
from polyclinic.store.leases import BUDGET, LEASE_S, Holder, Leases, holders, holds, worker
from polyclinic.store.store import Store

_log = logging.getLogger("polyclinic.runner")


@asynccontextmanager
async def holding(leases: Leases, held: Set[str], lease_s: float = LEASE_S) -> AsyncIterator[None]:
    """Renew the leases of what is `held` until the work ends, then release them all in one commit."""
    heart = asyncio.create_task(_beat(leases, held, lease_s))
    try:
        yield
    finally:
        heart.cancel()
        with suppress(asyncio.CancelledError):
            await heart
        if held:
            await leases.release(*sorted(held))


async def _beat(leases: Leases, held: Set[str], lease_s: float) -> None:
    """Renew the leases at the same moments as all other batches of this process, so that they share one commit.

    A connection may be lost just then. A lease outlasts two such moments, so the next one is soon enough.
    """
    every_s = lease_s / 3
    while True:
        await asyncio.sleep(every_s - time.monotonic() % every_s)
        try:
            await leases.renew(sorted(held))
        except StoreError as error:
            _log.warning("the leases were not renewed, and will be in %.0f s: %s", every_s, error)


@asynccontextmanager
async def only_spender(store: Store, run: str) -> AsyncIterator[None]:
    """Refuse a second process that would spend the same budget: each counts its own calls, so it would be spent twice.

    The workers of a cluster get their shares from one process, which holds the budget for all of them.
    """
    with worker() as owner:
        leases = Leases(store.database, run, owner)
        if await leases.claim(BUDGET) is None:
            holder = await store.database.read(partial(_spender, run=run))
            raise ConfigError(
                f"the budget of {run} is spent by {holder or 'another process'}: wait until it ends;"
                f" if it is gone, take over at once with: {release_line(store, run)}"
            )
        async with holding(leases, {BUDGET}):
            yield


def _spender(transaction: Transaction, run: str) -> Holder | None:
    found = holders(transaction, run)
    return next((each for each in found if holds(transaction, run, BUDGET, each.owner)), None)


def release_line(store: Store, run: str) -> str:
    """The command that frees a run which a lost process holds."""
    return f"polyclinic runs release {run} --store {shlex.quote(without_password(store.url))}"
