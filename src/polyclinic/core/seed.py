"""The one source of randomness: a generator derived from names, never from the clock or from hash().

`stream(run_seed, scenario, variant, trial, purpose)` gives the same numbers in every process, at every concurrency,
with any PYTHONHASHSEED. Two purposes never share a stream.
"""

from __future__ import annotations

import hashlib
import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


def derive(*parts: object) -> int:
    """A 63-bit seed from the parts' text, stable across processes and versions."""
    text = "\x1f".join([str(part) for part in parts])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def stream(*parts: object) -> random.Random:
    """A separate generator for these parts."""
    return random.Random(derive(*parts))


def array_stream(*parts: object) -> np.random.Generator:
    """Like `stream`, for NumPy, which is slow to import and not needed to run an episode."""
    import numpy as np

    return np.random.Generator(np.random.PCG64(derive(*parts)))
