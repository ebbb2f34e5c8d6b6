"""`polyclinic web` as a separate process, for tests that kill it."""

from __future__ import annotations

import io
import multiprocessing
import os
import signal
import sys
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from polyclinic.cli.main import invoke
from polyclinic.runner.registry import clinic_modules

STORE = "s.db"
FORKS = multiprocessing.get_context("forkserver")
"""Imports the code once. Each server is a fork of that process, because imports take seconds and a fork does not."""
FORKS.set_forkserver_preload(
    [
        "polyclinic.cli.web",
        "polyclinic.web.app",
        "polyclinic.reading.reader",
        "faiss",
        "wordllama",
        *clinic_modules().values(),
    ]
)


def _serve(words: list[str], environment: dict[str, str], says: Connection) -> None:
    os.environ.clear()
    os.environ.update(environment)
    clinic_modules.cache_clear()
    os.dup2(says.fileno(), 1)
    sys.exit(invoke(words))


def _call(words: list[str], typed: str) -> None:
    sys.stdin = io.StringIO(typed)
    sys.exit(invoke(words))


def add_account(folder: Path, role: str, password: str) -> None:
    """Add somebody who is called after their role to the accounts of the server in this folder."""
    words = ["staff", "add", role, "--role", role, "--store", str(folder / STORE)]
    process = FORKS.Process(target=_call, args=(words, password + "\n"))
    process.start()
    process.join(60)
    assert process.exitcode == 0


class Server:
    """`polyclinic web` as a separate process, which can be killed and started again on the same port."""

    def __init__(self, folder: Path, extra: dict[str, str] | None = None, *words: str) -> None:
        self.folder, self.port, self._words = folder, 0, words
        self._extra = extra or {}
        self._process: BaseProcess | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def token(self) -> str:
        return (self.folder / "web-token").read_text(encoding="ascii")

    @property
    def entry(self) -> str:
        return f"{self.url}/?token={self.token}"

    def start(self) -> None:
        words = ["web", "--store", str(self.folder / STORE), "--port", str(self.port), *self._words]
        self._hears, says = FORKS.Pipe(duplex=False)
        self._process = FORKS.Process(target=_serve, args=(words, {**os.environ, **self._extra}, says), daemon=True)
        self._process.start()
        says.close()
        with open(self._hears.fileno(), encoding="utf-8", closefd=False) as output:
            line = output.readline()
        assert line.startswith("open http://"), line
        self.port = int(line.split(":")[2].partition("/")[0])

    def kill(self, how: signal.Signals = signal.SIGKILL) -> None:
        assert self._process is not None and self._process.pid is not None
        os.kill(self._process.pid, how)
        self._process.join(20)
        assert not self._process.is_alive()
        self._hears.close()
