"""How often Python looks for garbage in cycles while a run is under way.

Episodes make many small values that live as long as they do and hardly any cycles, so that the usual rhythm (a look at
every 700 new objects) spends a tenth of a run on finding nothing.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM = (20_000, 20, 20)
_usual: list[tuple[int, int, int]] = []


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Look for cycles seldom, until the last of the runs in this process is over."""
    _usual.append(gc.get_threshold())
    gc.set_threshold(*SELDOM)
    try:
        yield
    finally:
        usual = _usual.pop()
        if not _usual:
            gc.set_threshold(*usual)
