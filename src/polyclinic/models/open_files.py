"""How many connections may be open at once: each is an open file, and a process may open a limited number of them."""

from __future__ import annotations

import logging
import os
from contextlib import suppress

WANTED = 16_384
KEPT = 32  # file descriptors kept free for the store, its journal, data files and pipes
_log = logging.getLogger("polyclinic.models")


def connections_for(wanted: int, endpoints: int = 1) -> int:
    """How many of the wanted connections one of several endpoints may open. Logs a warning if not all are possible."""
    room = _room()
    share = max(1, room // max(1, endpoints))
    if share >= wanted:
        return wanted
    _log.warning(
        "only %d more files may be open: at most %d calls at once on an endpoint (allow more with 'ulimit -n')",
        room,
        share,
    )
    return share


def _room() -> int:
    """How many more files this process may open, after raising the limit as far as allowed."""
    try:
        import resource
    except ImportError:
        return WANTED  # not a Unix: no such limit
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = WANTED if hard == resource.RLIM_INFINITY else min(hard, WANTED)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            soft = most
    if soft == resource.RLIM_INFINITY:
        return WANTED
    return max(1, soft - _open_now() - KEPT)


def _open_now() -> int:
    for folder in ("/proc/self/fd", "/dev/fd"):
        with suppress(OSError):
            return len(os.listdir(folder))
    return 16
