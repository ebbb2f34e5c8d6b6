"""Clinics made ready in a thread, so that the first session of one does not make everybody else wait.

What a clinic's first session would load (its code, its cases, the reader's weights, word vectors) takes seconds. Loaded
in the event loop it would stop every other session for that long.
"""

from __future__ import annotations

import asyncio
import gc

from polyclinic.core.part import OUT_OF_PART
from polyclinic.runner.build.built_run import reader_of, run_embedder
from polyclinic.runner.registry import load_clinic

WORDS = "Good morning."


class ReadyClinics:
    """The clinics that were made ready, or are being made so."""

    def __init__(self) -> None:
        self._loading: dict[str, asyncio.Task[None]] = {}
        self._turn = asyncio.Lock()

    def prepare(self, clinic: str) -> asyncio.Task[None]:
        """Begin in the background, once; one that failed is tried again."""
        known = self._loading.get(clinic)
        if known is None or (known.done() and (known.cancelled() or known.exception() is not None)):
            known = self._loading[clinic] = asyncio.create_task(self._load(clinic))
        return known

    async def wait(self, clinic: str) -> None:
        """Until a clinic is ready."""
        await asyncio.shield(self.prepare(clinic))

    async def _load(self, clinic: str) -> None:
        """One after the other: clinics share much of what is loaded, and two at once would load it twice."""
        async with self._turn:
            await asyncio.to_thread(_load, clinic)


def _load(name: str) -> None:
    """What stays is frozen: the garbage collector need not look at it again, which took 0.2 s each time."""
    clinic = load_clinic(name)
    for role in clinic.roles:
        if role.offered:
            clinic.scenarios(clinic.to_play(role.name, "en"), 0)
    clinic.judges()
    run_embedder("").embed([WORDS])
    reader_of(clinic)("").probability(WORDS, OUT_OF_PART.ask(**dict.fromkeys(OUT_OF_PART.fact_names, WORDS)))
    gc.freeze()
