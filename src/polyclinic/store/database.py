"""One connection, one thread, group commit: `write` returns after the commit, and waiting writes share one commit.

A server may read while it writes, over a few separate connections: see `opening`.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeVar

from polyclinic.core.database import Dialect, RowWork, Transaction
from polyclinic.errors import EngineError, PolyclinicError, StoreError
from polyclinic.store.connections import Connection

T = TypeVar("T")
BATCH = 512
GATHER_S = 0.001  # a write waits this long for others to share its commit: this saves a fifth of the CPU per call
LONGEST_S = 0.02
TRIES = 5


@dataclass
class _Work:
    function: Callable[[Transaction], Any]
    write: bool
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    result: Any = None
    error: BaseException | None = None
    alone: bool = False
    """After its batch failed: whether it may succeed separately."""

    def run(self, transaction: Transaction) -> None:
        """Do the work. If a read fails, only its caller gets the error, because a read changes nothing."""
        try:
            self.result = self.function(transaction)
        except PolyclinicError as error:
            if self.write:
                raise
            self.error = error


def _statement(item: _Work) -> str | None:
    return item.function.statement if isinstance(item.function, RowWork) else None


class ThreadedDatabase:
    """A `Database` whose connection belongs to one thread. All queued work is done in order, with one commit.

    Work must not change anything outside its transaction. When one piece of a batch fails, the batch is rolled back and
    each piece is run again separately. So only the caller of the failed piece gets the error. If another
    process held a lock for too long, only its reads are run again: each write would wait as long again.

    With `longest_s`, nobody waits longer for a result: a server may be there and not answer. The work may still be done
    later.
    """

    def __init__(self, connect: Callable[[], Connection], dialect: Dialect, longest_s: float | None = None) -> None:
        self.dialect, self._longest_s = dialect, longest_s
        self._queue: queue.SimpleQueue[_Work | None] = queue.SimpleQueue()
        self._opened = threading.Event()
        self._open_error: BaseException | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._serve, args=(connect,), daemon=True, name="polyclinic-db")
        self._thread.start()
        self._opened.wait()
        if self._open_error is not None:
            raise self._open_error

    def write(self, work: Callable[[Transaction], T]) -> Awaitable[T]:
        """Run `work` in a transaction; returns after the commit."""
        return self._submit(work, write=True)

    def read(self, work: Callable[[Transaction], T]) -> Awaitable[T]:
        """Run `work` over a consistent view."""
        return self._submit(work, write=False)

    async def close(self) -> None:
        """Finish what is queued and close."""
        if self._closed:
            return
        self._closed = True
        self._queue.put(None)
        await asyncio.to_thread(self._thread.join, self._longest_s)

    def _submit(self, work: Callable[[Transaction], T], *, write: bool) -> asyncio.Future[T]:
        if self._closed:
            raise EngineError("the database is closed")
        loop = asyncio.get_running_loop()
        item = _Work(work, write, loop, loop.create_future())
        if self._longest_s is not None:
            timer = loop.call_later(self._longest_s, _give_up, item, self._longest_s)
            item.future.add_done_callback(lambda done: timer.cancel())
        self._queue.put(item)
        return item.future

    def _serve(self, connect: Callable[[], Connection]) -> None:
        try:
            connection = connect()
        except BaseException as error:
            self._open_error = error
            self._opened.set()
            return
        self._opened.set()
        stop = False
        while not stop:
            batch, stop = self._next_batch()
            for together in _together(batch, self.dialect):
                if not self._run(connection, together):
                    for item in together:
                        self._alone(connection, item)
            _answer(batch)
        connection.close()

    def _next_batch(self) -> tuple[list[_Work], bool]:
        batch: list[_Work] = []
        item = self._queue.get()
        if item is not None and item.write:
            self._wait_for_more()
        while item is not None:
            batch.append(item)
            if len(batch) >= BATCH:
                return batch, False
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                return batch, False
        return batch, True

    def _wait_for_more(self) -> None:
        """Wait briefly for more work: when many tasks write at the same time, they can share one commit."""
        waiting, latest = -1, time.monotonic() + LONGEST_S
        while self._queue.qsize() != waiting and time.monotonic() < latest:
            waiting = self._queue.qsize()
            time.sleep(GATHER_S)

    def _alone(self, connection: Connection, item: _Work) -> None:
        """Run one piece separately after its batch failed; retry as long as the database says that it may help."""
        for _ in range(TRIES):
            if not item.alone and not connection.may_pass(item.error):
                return
            item.error = None
            if self._run(connection, [item]):
                return

    @staticmethod
    def _run(connection: Connection, items: Sequence[_Work]) -> bool:
        """Run items in one transaction. On an error, roll back and give the error to each item.

        The items of a failed batch are then run again one by one.
        """
        begun = False
        try:
            connection.begin(any(item.write for item in items))
            begun = True
            for statement, neighbours in groupby(items, _statement):
                if statement is None:
                    for item in neighbours:
                        item.run(connection)
                else:
                    rows = [item.function.row for item in neighbours if isinstance(item.function, RowWork)]
                    connection.executemany(statement, rows)
            connection.commit()
        except BaseException as error:
            try:
                connection.rollback()
            except Exception as second:
                error.add_note(f"and the rollback failed: {second}")
            told: BaseException = error
            if connection.at_fault(error):
                told = StoreError(
                    f"the store cannot be used: {connection.plainly(error)}; fix that, then resume the run"
                )
                told.__cause__ = error
            locked = connection.locked_out(error, begun)
            for item in items:
                item.error, item.alone = told, len(items) > 1 and not (locked and item.write)
            return False
        return True


def _together(batch: list[_Work], dialect: Dialect) -> list[list[_Work]]:
    """Groups of work that can share a transaction, in order.

    In PostgreSQL only reads get a consistent view; in SQLite writes get it too.
    """
    if dialect == "sqlite":
        return [batch] if batch else []
    return [list(items) for _, items in groupby(batch, key=lambda item: item.write)]


def _answer(batch: list[_Work]) -> None:
    for loop in {id(item.loop): item.loop for item in batch}.values():
        mine = [item for item in batch if item.loop is loop]
        try:
            loop.call_soon_threadsafe(_resolve, mine)
        except RuntimeError:
            # The event loop of the caller has ended (interrupted). The work is committed; nobody waits for the result.
            continue


def _resolve(items: list[_Work]) -> None:
    for item in items:
        if item.future.done():
            continue
        if item.error is not None:
            item.future.set_exception(item.error)
        else:
            item.future.set_result(item.result)


def _give_up(item: _Work, after_s: float) -> None:
    if not item.future.done():
        item.future.set_exception(StoreError(f"the store cannot be used: it did not answer within {after_s:g} s"))
