"""Wait for the workers of a cluster: until the run is over, or until they have stopped."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from polyclinic.errors import StoreError
from polyclinic.runner.api import outcome_of
from polyclinic.store.leases import holders, units_at_work
from polyclinic.store.store import Store

TELL_EVERY_S = 10.0
POLL_S = 1.0
IDLE_S = 3.0
STOP_POLL_S = 0.05
STOP_POLLS = 200


async def until_over(
    store: Store, run: str, at_work: Sequence[asyncio.Future[Any]], tell: Callable[[str], None]
) -> None:
    """Wait until all workers have reported, or those that are left cannot have anything to do.

    After a node has died there may be a worker that Ray cannot place. A run that has ended must not wait for it.
    """
    told, idle = time.monotonic(), 0
    while True:
        ended, waiting = await asyncio.wait(at_work, timeout=POLL_S)
        if not waiting or any(future.exception() is not None for future in ended):
            return
        now = await outcome_of(store, run)
        busy = await store.database.read(partial(holders, run=run))
        idle = idle + 1 if not any(holder.units for holder in busy) and (ended or not now.left) else 0
        if idle * POLL_S >= IDLE_S:
            return
        if time.monotonic() - told >= TELL_EVERY_S:
            told = time.monotonic()
            tell(f"{now.done} done, {now.failed} failed, {now.left} left; {len(at_work)} workers")


async def stop(store: Store, run: str, workers: Sequence[Any]) -> None:
    """Stop the workers, and wait until they have given their leases back. One that has not begun has none."""
    for worker in workers:
        worker.stop.remote()
    with suppress(StoreError):
        for _ in range(STOP_POLLS):
            if not await store.database.read(partial(units_at_work, run=run)):
                return
            await asyncio.sleep(STOP_POLL_S)
