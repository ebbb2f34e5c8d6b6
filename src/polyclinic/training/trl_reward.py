"""The clinic's reward in the form that TRL needs: a function from a batch of outputs to a list of numbers.

Judges are called on a separate event loop, in a thread next to the trainer, through the journal of the run's store. An
output that the judge could not grade gets None, and the trainer leaves it out of its group.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from typing import Any, Protocol, TypeVar

from polyclinic.core.dataset import OutputReward
from polyclinic.runner.registry import load_clinic
from polyclinic.store.store import open_store
from polyclinic.training.grading import Grader, open_grader
from polyclinic.training.record import JudgeAccount

T = TypeVar("T")


class Grading:
    """A grader that runs in its own thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop, grader: Grader) -> None:
        self._loop, self._grader = loop, grader

    @property
    def paid(self) -> int:
        """How many new calls of the judge were made, not answered from a journal."""
        return self._grader.paid

    @property
    def failures(self) -> Counter[str]:
        """The outputs that no judge could grade, by reason."""
        return self._grader.failures

    def grades(self, contexts: Sequence[str], outputs: Sequence[str]) -> list[OutputReward | None]:
        """The rewards of a batch."""
        return _wait(self._loop, self._grader.grade_all(contexts, outputs))

    def grades_of_some(self, contexts: Sequence[str], outputs: Sequence[str]) -> list[OutputReward | None]:
        """The rewards of a part of a batch. Unlike for a whole batch, it is no error if all of them failed."""
        return _wait(self._loop, self._grader.grade_some(contexts, outputs))


def _wait(loop: asyncio.AbstractEventLoop, work: Awaitable[T]) -> T:
    async def done() -> T:
        return await work

    return asyncio.run_coroutine_threadsafe(done(), loop).result()


@contextmanager
def grading_thread(clinic: str, cast: str, store: str, reward: str = "", local_only: bool = False) -> Iterator[Grading]:
    """A grader for code that is not asynchronous, such as a trainer; it is closed at the end."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="grading", daemon=True)
    thread.start()
    stack = AsyncExitStack()

    async def begin() -> Grader:
        opened = await stack.enter_async_context(open_store(store))
        return await stack.enter_async_context(
            open_grader(load_clinic(clinic), cast, opened, reward=reward, local_only=local_only)
        )

    try:
        yield Grading(loop, _wait(loop, begin()))
    finally:
        _wait(loop, stack.aclose())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


class Grades(Protocol):
    """Grades a batch, and counts calls and failures."""

    @property
    def paid(self) -> int:
        """How many new calls of the judge were made, not answered from a journal."""

    @property
    def failures(self) -> Counter[str]:
        """The outputs that no judge could grade, by reason."""

    def grades(self, contexts: Sequence[str], outputs: Sequence[str]) -> list[OutputReward | None]:
        """The rewards of a batch."""


class RewardFunction:
    """The reward function that a trainer calls with a batch.

    The dataset's column `context` holds the context of each output. The mean of each criterion, the veto rate and the
    share of outputs that no judge could grade are written to the trainer's log.
    """

    __name__ = "reward"

    def __init__(self, grading: Grades) -> None:
        self._grading = grading
        self.outputs = self.dropped = 0

    def __call__(
        self,
        completions: Sequence[Any],
        context: Sequence[str],
        log_metric: Callable[[str, float], None] | None = None,
        **more: Any,
    ) -> list[float | None]:
        """The rewards; None for an output that the judge could not grade."""
        texts = [said if isinstance(said, str) else text_of(said) for said in completions]
        started = time.monotonic()
        grades = self._grading.grades(context, texts)
        known = [grade for grade in grades if grade is not None]
        self.outputs += len(grades)
        self.dropped += len(grades) - len(known)
        if log_metric is not None:
            log_metric("veto", sum(bool(grade.vetoed) for grade in known) / len(known))
            log_metric("ungraded", 1 - len(known) / len(grades))
            log_metric("seconds/grading", time.monotonic() - started)
            judged = [grade for grade in known if grade.scores]
            for name in sorted({name for grade in judged for name in grade.scores}):
                values = [grade.scores[name] for grade in judged if name in grade.scores]
                log_metric(f"criterion/{name}", sum(values) / len(values))
        return [None if grade is None else float(grade.value) for grade in grades]

    def account(self) -> JudgeAccount:
        """How many outputs were graded, and how many new calls of the judge this took, in all processes of the run."""
        own = (self.outputs, self.dropped, self._grading.paid, self._grading.failures)
        shares = _of_all_processes(own)
        failures = sum((failed for _, _, _, failed in shares), Counter[str]())
        return JudgeAccount(
            outputs=sum(outputs for outputs, _, _, _ in shares),
            ungraded=sum(dropped for _, dropped, _, _ in shares),
            new_calls=sum(paid for _, _, paid, _ in shares),
            failures=dict(failures.most_common(5)),
        )


_Share = tuple[int, int, int, Counter[str]]


def _of_all_processes(own: _Share) -> list[_Share]:
    """The counts of each process, if the run has several."""
    if int(os.environ.get("WORLD_SIZE", "1")) < 2:
        return [own]
    from torch import distributed

    found: list[Any] = [None] * distributed.get_world_size()
    distributed.all_gather_object(found, own)
    return found


def text_of(said: Sequence[dict[str, Any]]) -> str:
    """The text of a completion that is given as turns."""
    content = said[-1]["content"]
    if isinstance(content, str):
        return content
    return "".join(part.get("text") or "" for part in content)
