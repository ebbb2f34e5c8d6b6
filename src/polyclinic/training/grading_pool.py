"""Grading in several processes, for a judge that computes on this machine.

An understudy keeps one core busy, and with one process the GPU would wait for it.

Every process has its own journal, and outputs for one context always go to the same process. So judgements made before
a kill are found again, and what students reported is read only once for a whole group.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from polyclinic.core.dataset import OutputReward
from polyclinic.training.grading import see_that_some_are_graded
from polyclinic.training.trl_reward import Grading, grading_thread

_open = ExitStack()
_mine: list[Grading] = []
"""The grading of this child process; it has only one."""


@dataclass(frozen=True)
class GradingPlan:
    """The settings of a grading.

    They are the clinic, the cast of the judge, the reward's name, and whether only models on this machine are allowed.
    """

    clinic: str
    cast: str
    reward: str = ""
    local_only: bool = False

    @contextmanager
    def opened(self, store: str) -> Iterator[Grading]:
        """Open the grading with its journal in a store."""
        with grading_thread(self.clinic, self.cast, store, self.reward, self.local_only) as grading:
            yield grading


_Share = tuple[list[OutputReward | None], int, Counter[str]]
"""The grades of a child process, and its number of paid calls and its failures since it began."""


def _begin(plan: GradingPlan, store: str) -> None:
    threading.Thread(target=_end_with_the_parent, name="parent", daemon=True).start()
    _mine.append(_open.enter_context(plan.opened(store)))


def _end_with_the_parent() -> None:
    """End this child when its parent ends: a killed parent sends no message, and the child would wait forever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _grade(contexts: Sequence[str], outputs: Sequence[str]) -> _Share:
    grading = _mine[0]
    return grading.grades_of_some(contexts, outputs), grading.paid, grading.failures


def _end() -> None:
    _open.close()


class GradingPool:
    """Several gradings that work as one."""

    def __init__(self, children: Sequence[ProcessPoolExecutor]) -> None:
        self._children = children
        self._known: dict[int, tuple[int, Counter[str]]] = {}

    @property
    def paid(self) -> int:
        """How many new calls of the judge were made, not answered from a journal."""
        return sum(paid for paid, _ in self._known.values())

    @property
    def failures(self) -> Counter[str]:
        """The outputs that no judge could grade, by reason."""
        return sum((failed for _, failed in self._known.values()), Counter[str]())

    def grades(self, contexts: Sequence[str], outputs: Sequence[str]) -> list[OutputReward | None]:
        """The rewards of a batch, in order."""
        places: dict[int, list[int]] = {}
        for place, context in enumerate(contexts):
            places.setdefault(zlib.crc32(context.encode()) % len(self._children), []).append(place)
        asked: dict[int, Future[_Share]] = {
            child: self._children[child].submit(_grade, [contexts[n] for n in mine], [outputs[n] for n in mine])
            for child, mine in places.items()
        }
        found: list[OutputReward | None] = [None] * len(contexts)
        for child, mine in places.items():
            grades, paid, failed = asked[child].result()
            self._known[child] = (paid, failed)
            for place, grade in zip(mine, grades, strict=True):
                found[place] = grade
        see_that_some_are_graded(found, self.failures)
        return found


@contextmanager
def grading(plan: GradingPlan, stores: Sequence[str]) -> Iterator[Grading | GradingPool]:
    """Open a grading. With one store, it runs in this process; with several, in one process for each."""
    if len(stores) == 1:
        with plan.opened(stores[0]) as alone:
            yield alone
        return
    fresh = multiprocessing.get_context("spawn")
    with ExitStack() as stack:
        children = [
            stack.enter_context(ProcessPoolExecutor(1, mp_context=fresh, initializer=_begin, initargs=(plan, store)))
            for store in stores
        ]
        try:
            yield GradingPool(children)
        finally:
            for child in children:
                child.submit(_end)
