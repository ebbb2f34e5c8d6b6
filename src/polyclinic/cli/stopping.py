"""Run async work from a command, and stop it by signals.

The first signal asks the work to stop and to print how to continue. The second ends the process at once.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import click

P = ParamSpec("P")
T = TypeVar("T")
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


def wait(work: Coroutine[Any, Any, T]) -> T:
    """Run async work to its end. Ctrl-C, SIGTERM and a lost terminal cancel it; a second signal ends the process at
    once.

    Ending at once loses nothing: all that counts is committed before it is used.
    """
    if threading.current_thread() is not threading.main_thread():
        return asyncio.run(work)
    heard: list[int] = []
    try:
        return asyncio.run(_stoppable(work, heard))
    except asyncio.CancelledError:
        if not heard:
            raise
        raise click.exceptions.Exit(128 + heard[0]) from None


def waits(command: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """Decorator: runs an async command to its end. Put it directly above the function."""

    @wraps(command)
    def waited(*given: P.args, **options: P.kwargs) -> T:
        return wait(command(*given, **options))

    return waited


async def _stoppable(work: Coroutine[Any, Any, T], heard: list[int]) -> T:
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(work)

    def stop(number: int, _frame: object) -> None:
        if heard:
            _end_now(heard[0])
        heard.append(number)
        loop.call_soon_threadsafe(task.cancel)

    before = {number: signal.getsignal(number) for number in _SIGNALS}
    ours = [number for number, handler in before.items() if handler is not signal.SIG_IGN]  # keep the effect of nohup
    for number in ours:
        signal.signal(number, stop)
    try:
        return await task
    finally:
        for number in ours:
            signal.signal(number, before[number])


def _end_now(number: int) -> None:
    """End the process at once, without waiting and without a traceback."""
    click.echo("stopped at once; everything that was committed is kept", err=True)
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    os._exit(128 + number)
