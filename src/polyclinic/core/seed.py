"""The one source of randomness: a generator derived from names, never from the clock or from hash().

`stream(run_seed, scenario, variant, trial, purpose)` gives the same numbers in every process, at every concurrency,
whatever PYTHONHASHSEED says, and two purposes never share a stream.
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
    """A generator of its own for these parts."""
    return random.Random(derive(*parts))


def array_stream(*parts: object) -> np.random.Generator:
    """The same, for NumPy, which takes long to import and is not needed to run an episode."""
    import numpy as np

    return np.random.Generator(np.random.PCG64(derive(*parts)))
