"""Run several tasks as one: when one fails, no other task is left running.

Python's garbage collector runs less often meanwhile. Episodes make many small long-lived objects and hardly any
reference cycles. With Python's default (a collection every 700 new objects) the collector takes a tenth of a run and
finds nothing.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from polyclinic.core.turns import cancel_all


async def all_of(workers: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Wait for all tasks; when one fails, the others are stopped before the failure is raised."""
    tasks = [asyncio.create_task(worker) for worker in workers]
    try:
        await asyncio.gather(*tasks)
    except BaseException:
        await cancel_all(tasks)
        raise


def cause_of(result: Exception, tasks: Sequence[asyncio.Task[None]]) -> BaseException:
    """The error that caused `result`, if `result` only follows from another task's error; else `result` itself.

    Which of two errors is raised first depends on timing. The reported error must not depend on it.
    """
    errors = [error for task in tasks if not task.cancelled() and (error := task.exception()) is not None]
    return next((error for error in errors if not isinstance(error, type(result))), result)


RARE = (100_000, 4, 20)
_normal: list[tuple[int, int, int]] = []


@contextmanager
def rare_garbage_collection() -> Iterator[None]:
    """Collect rarely until the last run in this process has ended."""
    _normal.append(gc.get_threshold())
    gc.set_threshold(*RARE)
    try:
        yield
    finally:
        normal = _normal.pop()
        if not _normal:
            gc.set_threshold(*normal)
