"""`polyclinic web` as a separate process, for tests that kill it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path


class Server:
    """`polyclinic web` as a separate process, which can be killed and started again on the same port."""

    def __init__(self, folder: Path, extra: dict[str, str] | None = None, *words: str) -> None:
        self.folder, self.port, self._words = folder, 0, words
        self._extra = extra or {}
        self._process: subprocess.Popen[str] | None = None
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
        words = ["web", "--store", str(self.folder / "s.db"), "--port", str(self.port), *self._words]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "polyclinic", *words],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **self._extra},
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line.startswith("open http://"), line
        self.port = int(line.split(":")[2].partition("/")[0])

    def kill(self, how: signal.Signals = signal.SIGKILL) -> None:
        assert self._process is not None
        self._process.send_signal(how)
        self._process.wait(20)
        if self._process.stdout is not None:
            self._process.stdout.close()
