"""Tasks that share the event loop: long work in slices or in a thread, work without end, and tasks that are cancelled
together.

A judge or a reader may compute for a while. Without slices, other episodes and requests in the same process would wait.
A single piece of work can take longer than a slice: reading a long message takes a second. Where people wait, such
work is done in a thread.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cache
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

SLICE_S = 0.01
_LOG = logging.getLogger(__name__)
Result = TypeVar("Result")
_PARTS = WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]()


class _Slice:
    began = 0.0


async def give_way() -> None:
    """Let other tasks run, if this one has run for a slice of time."""
    if time.perf_counter() - _Slice.began > SLICE_S:
        await asyncio.sleep(0)
        _Slice.began = time.perf_counter()


async def in_thread(work: Callable[[], Result]) -> Result:
    """The result of work that computes for long, while the event loop goes on.

    All such work shares one thread: it need not be safe for several threads at once, and it never takes more than one
    core from the loop.
    """
    return await asyncio.get_running_loop().run_in_executor(_thread(), copy_context().run, work)


async def parts_in_thread(parts: Sequence[Callable[[], Result]]) -> list[Result]:
    """The results of long work that was cut into parts. Of all such work, only one part at a time is in the thread or
    waits for it. So short work never waits for more than one part.
    """
    if len(parts) == 1:
        return [await in_thread(parts[0])]
    turn = _PARTS.setdefault(asyncio.get_running_loop(), asyncio.Semaphore())
    results = []
    for part in parts:
        async with turn:
            results.append(await in_thread(part))
    return results


@cache
def _thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="computes")


async def cancel_all(tasks: Iterable[asyncio.Future[Any]]) -> None:
    """Cancel all tasks, and wait until they have ended."""
    listed = list(tasks)
    for task in listed:
        task.cancel()
    await asyncio.gather(*listed, return_exceptions=True)


async def forever(work: Callable[[], Awaitable[object]], every_s: float) -> None:
    """Do work again and again. A failure is logged, and the work goes on."""
    while True:
        try:
            await work()
        except Exception:
            _LOG.critical("a background task failed", exc_info=True)
        await asyncio.sleep(every_s)
