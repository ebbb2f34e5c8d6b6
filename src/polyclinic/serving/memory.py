"""Memory of the C library: with few malloc arenas, a long-running server holds less freed memory."""

from __future__ import annotations

import ctypes
import sys

_ARENAS = -8  # M_ARENA_MAX in glibc's malloc.h
MOST_ARENAS = 2


def few_arenas() -> bool:
    """Let all threads share two malloc arenas; returns whether that was possible. Call it before threads start.

    glibc gives each thread an arena of its own, eight for each core. Memory that one thread freed is not used by
    another, so a server with a dozen threads holds many times what it needs. Other C libraries have no such setting.
    """
    if not sys.platform.startswith("linux"):
        return False
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    return set_option is not None and bool(set_option(_ARENAS, MOST_ARENAS))
