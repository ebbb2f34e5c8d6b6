"""Run Python's garbage collector less often during a run.

Episodes make many small long-lived objects and hardly any reference cycles. With Python's default (a collection every
700 new objects) the collector takes a tenth of a run and finds nothing.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

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
