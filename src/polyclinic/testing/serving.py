"""A service in a separate process, so that tests can call it over the network and kill it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

TOKEN = "service-token-of-a-test"
READY_S = 60


class ServedProcess:
    """`polyclinic serve CLINIC` on a free loopback port, ready as soon as it has printed its address.

    `before` is Python code that runs in the process first. The file `log` holds its standard error.
    """

    def __init__(self, clinic: str, folder: Path, *options: str, before: str = "") -> None:
        words = ["serve", clinic, "--port", "0", "--token", TOKEN, "--store", str(folder / "s.db"), *options]
        code = f"import sys; {before or 'pass'}; from polyclinic.cli.main import main; sys.exit(main())"
        self.log = folder / "serve.log"
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-c", code, *words],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )
        assert self._process.stdout is not None
        self.line = self._process.stdout.readline()
        if " at " not in self.line:
            self.end(signal.SIGKILL)
            raise AssertionError(f"the service did not start: {self.log.read_text(encoding='utf-8')[-2_000:]}")
        self.address = self.line.split(" at ")[1].split(" ")[0]

    def end(self, how: signal.Signals = signal.SIGINT) -> int:
        """Send a signal and wait for the end; returns the exit status."""
        self._process.send_signal(how)
        self._process.communicate(timeout=READY_S)
        return self._process.returncode
