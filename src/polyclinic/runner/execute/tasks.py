"""Run several tasks as one: when one fails, no other task is left running."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from typing import Any


async def all_of(workers: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Wait for all tasks; when one fails, the others are stopped before the failure is raised."""
    tasks = [asyncio.create_task(worker) for worker in workers]
    try:
        await asyncio.gather(*tasks)
    except BaseException:
        await cancel_all(tasks)
        raise


async def cancel_all(tasks: Sequence[asyncio.Task[None]]) -> None:
    """Cancel all tasks, and wait until they have ended."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def cause_of(result: Exception, tasks: Sequence[asyncio.Task[None]]) -> BaseException:
    """The error that caused `result`, if `result` only follows from another task's error; else `result` itself.

    Which of two errors is raised first depends on timing. The reported error must not depend on it.
    """
    errors = [error for task in tasks if not task.cancelled() and (error := task.exception()) is not None]
    return next((error for error in errors if not isinstance(error, type(result))), result)
