"""An OpenAI-compatible embeddings endpoint as an embedder.

The protocol's `embed` is not async, so the HTTP requests run in an event loop on a separate thread.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import orjson

from polyclinic.core.embedding import Vectors
from polyclinic.errors import ConfigError, ModelError
from polyclinic.retrieval.embedders import CACHE_TEXTS, CachedEmbedder

T = TypeVar("T")
_BATCH = 128
_LARGEST = float(np.finfo(np.float32).max)
_MOST_BYTES = 64 * 1024 * 1024


class EndpointEmbedder(CachedEmbedder):
    """Embeddings by HTTP."""

    def __init__(
        self, base_url: str, model: str, *, key: str = "", timeout_s: float = 60.0, cache_texts: int = CACHE_TEXTS
    ) -> None:
        super().__init__(cache_texts)
        self._base_url, self._model, self._key, self._timeout_s = base_url.rstrip("/"), model, key, timeout_s
        self._thread = _LoopThread()

    @classmethod
    def from_spec(cls, spec: str) -> EndpointEmbedder:
        """Make the embedder from a spec: ``https://host/v1:MODEL`` or ``openai:MODEL``."""
        if spec.startswith("openai:"):
            base = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
            return cls(base, spec.partition(":")[2], key=os.environ.get("OPENAI_API_KEY", ""))
        base, _, model = spec.rpartition(":")
        if "//" not in base.partition(":")[2] or not model or model.startswith("//") or model.split("/")[0].isdecimal():
            raise ConfigError(f"embedder '{spec}': write the base URL, a colon and the model: https://host/v1:MODEL")
        return cls(base, model, key=os.environ.get("POLYCLINIC_API_KEY", ""))

    @property
    def name(self) -> str:
        """The name, as in `https://host/v1:MODEL`."""
        return f"{self._base_url}:{self._model}"

    @cached_property
    def dimensions(self) -> int:
        """The vectors' length; the endpoint is asked for it once."""
        return int(self.compute(["dimensions"]).shape[1])

    def compute(self, texts: Sequence[str]) -> Vectors:
        """The endpoint's vectors."""
        return self._thread.run(self._fetch(list(texts)))

    async def _fetch(self, texts: list[str]) -> Vectors:
        import aiohttp

        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        timeout = aiohttp.ClientTimeout(total=self._timeout_s)
        rows: list[list[float]] = []
        try:
            async with aiohttp.ClientSession(headers=headers, timeout=timeout) as session:
                for start in range(0, len(texts), _BATCH):
                    batch = texts[start : start + _BATCH]
                    body = {"model": self._model, "input": batch, "encoding_format": "float"}
                    url = f"{self._base_url}/embeddings"
                    async with session.post(url, json=body, allow_redirects=False) as response:
                        rows += await _vectors_of(response, len(batch), self._base_url)
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            raise ModelError(
                f"the embeddings endpoint {self._base_url} failed ({type(error).__name__}): check that it is running"
            ) from error
        if len({len(row) for row in rows}) > 1 or any(not abs(number) <= _LARGEST for row in rows for number in row):
            raise ModelError(f"the embeddings endpoint {self._base_url} returned vectors that cannot be compared")
        return np.array(rows, dtype=np.float32)


async def _vectors_of(response: Any, count: int, base_url: str) -> list[list[float]]:
    raw = bytearray()
    async for piece in response.content.iter_any():
        raw += piece
        if len(raw) > _MOST_BYTES:
            raise ModelError(f"the embeddings endpoint {base_url} answered with more than {_MOST_BYTES >> 20} MiB")
    if response.status != 200:
        said = " ".join(raw[:200].decode(errors="replace").split())
        raise ModelError(f"the embeddings endpoint {base_url} answered {response.status}: {said}")
    payload = orjson.loads(raw)
    try:
        found = sorted(payload["data"], key=lambda item: int(item["index"]))
        vectors = [[float(number) for number in item["embedding"]] for item in found]
    except (KeyError, TypeError) as error:
        raise ModelError(f"the embeddings endpoint {base_url} answered without vectors") from error
    if len(vectors) != count:
        raise ModelError(f"the embeddings endpoint {base_url} returned {len(vectors)} vectors for {count} texts")
    return vectors


class _LoopThread:
    """An event loop on a daemon thread, started at first use."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()

    def submit(self, work: Coroutine[Any, Any, T]) -> Any:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="embeddings", daemon=True).start()
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        result: T = self.submit(work).result()
        return result
