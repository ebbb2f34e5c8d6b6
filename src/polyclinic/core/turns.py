"""Tasks that share the event loop: long work in slices, and tasks that are cancelled together.

A judge or a reader may compute for a while. Without slices, other episodes and requests in the same process would wait.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from typing import Any

SLICE_S = 0.01


class _Slice:
    began = 0.0


async def give_way() -> None:
    """Let other tasks run, if this one has run for a slice of time."""
    if time.perf_counter() - _Slice.began > SLICE_S:
        await asyncio.sleep(0)
        _Slice.began = time.perf_counter()


async def cancel_all(tasks: Iterable[asyncio.Future[Any]]) -> None:
    """Cancel all tasks, and wait until they have ended."""
    listed = list(tasks)
    for task in listed:
        task.cancel()
    await asyncio.gather(*listed, return_exceptions=True)
