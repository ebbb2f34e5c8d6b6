"""Long work in the event loop, in slices.

A judge or a reader may compute for a while. Without slices, other episodes and requests in the same process would wait.
"""

from __future__ import annotations

import asyncio
import time

SLICE_S = 0.01


class _Slice:
    began = 0.0


async def give_way() -> None:
    """Let other tasks run, if this one has run for a slice of time."""
    if time.perf_counter() - _Slice.began > SLICE_S:
        await asyncio.sleep(0)
        _Slice.began = time.perf_counter()
