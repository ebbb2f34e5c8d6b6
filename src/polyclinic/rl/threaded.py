"""`RoleEnvironment` for synchronous code, such as most trainers."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from polyclinic.rl.environment import Observation, RoleEnvironment

T = TypeVar("T")


class ThreadedEnvironment:
    """A `RoleEnvironment` for synchronous code.

    Its episodes run on an event loop in a separate thread, which all environments share.
    """

    _loop: asyncio.AbstractEventLoop | None = None
    _starting = threading.Lock()

    def __init__(self, clinic: str, role: str, **settings: Any) -> None:
        self._room = RoleEnvironment(clinic, role, **settings)

    def reset(self, number: int = 0) -> Observation:
        """Begin an episode."""
        return self._wait(self._room.reset(number))

    def step(self, text: str) -> Observation:
        """Answer, and return the next observation."""
        return self._wait(self._room.step(text))

    def close(self) -> None:
        """Abandon the running episode."""
        self._wait(self._room.close())

    def forget(self) -> None:
        """Abandon the running episode without waiting; for garbage collection.

        It can be called from any thread, also when Python ends.
        """
        if self._loop is not None and not sys.is_finalizing():
            asyncio.run_coroutine_threadsafe(self._room.close(), self._loop)

    @classmethod
    def _wait(cls, work: Coroutine[Any, Any, T]) -> T:
        with cls._starting:
            if cls._loop is None:
                cls._loop = asyncio.new_event_loop()
                threading.Thread(target=cls._loop.run_forever, name="polyclinic-rl", daemon=True).start()
        return asyncio.run_coroutine_threadsafe(work, cls._loop).result()
