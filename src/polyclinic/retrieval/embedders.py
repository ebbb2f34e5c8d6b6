"""Embedders by name. They turn texts into unit vectors, always the same for the same text, in any batch.

==========================================  ====================================================================
spec                                        what it is
==========================================  ====================================================================
``wordllama`` (or ``default``)              embedded, offline, 256 dimensions, English; the default
``hashing`` or ``hashing:512``              no weights at all; words and character trigrams, any script
``sentence-transformers:NAME_OR_PATH``      any sentence-transformers model (installed separately)
``https://host/v1:MODEL``                   an OpenAI-compatible embeddings endpoint; key: POLYCLINIC_API_KEY
``openai:MODEL``                            the same at OpenAI; key: OPENAI_API_KEY
==========================================  ====================================================================

An embedder rejects what is off topic. It cannot distinguish "what makes it worse" from "what makes it better": take the
nearest few and decide by rule or by model.
"""

from __future__ import annotations

import hashlib
import importlib
import logging
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from polyclinic.core.embedding import Embedder, Vectors
from polyclinic.core.extras import installer
from polyclinic.errors import ConfigError
from polyclinic.retrieval.calibration import LANGUAGES, Calibration, calibrate
from polyclinic.text.words import words

CACHE_TEXTS = 20_000


class CachedEmbedder(ABC):
    """Base of embedders: a bounded cache of embedded texts, and thresholds calibrated on the shipped pairs.

    `languages` are the languages of the shipped pairs that the embedder knows; it is calibrated on these.
    """

    languages: ClassVar[Sequence[str]] = LANGUAGES

    def __init__(self, cache_texts: int = CACHE_TEXTS) -> None:
        self._cache: OrderedDict[str, Vectors] = OrderedDict()
        self._cache_texts = cache_texts

    @property
    @abstractmethod
    def name(self) -> str:
        """Names the embedder in libraries."""

    @property
    @abstractmethod
    def dimensions(self) -> int:
        """The vectors' length."""

    @abstractmethod
    def compute(self, texts: Sequence[str]) -> Vectors:
        """Vectors for these texts, not yet normalized. Each row depends on its own text alone."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit row for each text."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._cache]
        fresh: dict[str, Vectors] = {}
        if missing:
            fresh = dict(zip(missing, unit_rows(self.compute(missing)), strict=True))
        rows = []
        for text in texts:
            row = fresh.get(text)
            if row is None:
                row = self._cache[text]
                self._cache.move_to_end(text)
            rows.append(row)
        self._remember(fresh)
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.dimensions)

    def _remember(self, fresh: dict[str, Vectors]) -> None:
        self._cache.update(fresh)
        while len(self._cache) > self._cache_texts:
            self._cache.popitem(last=False)

    @cached_property
    def calibration(self) -> Calibration:
        """The similarities of the shipped pairs with this embedder."""
        return calibrate(self.embed, self.languages)

    def threshold(self, published: float) -> float:
        """A paper's similarity threshold, translated to this embedder at the same rate of false matches."""
        return self.calibration.threshold(published)


def unit_rows(vectors: Vectors) -> Vectors:
    """Scale each row to length one.

    A row of zeros (an empty text) becomes the first axis, which is near no other text.
    """
    rows = np.array(vectors, dtype=np.float64)
    lengths = np.sqrt(np.sum(rows * rows, axis=1))
    empty = lengths < 1e-12
    rows[empty] = 0.0
    if rows.shape[1]:
        rows[empty, 0] = 1.0
    lengths[empty] = 1.0
    return np.asarray(rows / lengths[:, None], dtype=np.float32)


class HashingEmbedder(CachedEmbedder):
    """Words and character trigrams hashed into signed slots. No weights, any script; for tests and as a last resort."""

    def __init__(self, dimensions: int = 256, cache_texts: int = CACHE_TEXTS) -> None:
        super().__init__(cache_texts)
        self._dimensions = dimensions

    @property
    def name(self) -> str:
        """The name, such as `hashing:256`."""
        return f"hashing:{self._dimensions}"

    @property
    def dimensions(self) -> int:
        """The number of dimensions that was asked for."""
        return self._dimensions

    def compute(self, texts: Sequence[str]) -> Vectors:
        """A signed count for each feature's slot."""
        rows = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in words(text):
                padded = f"^{word}$"
                grams = [padded[at : at + 3] for at in range(len(padded) - 2)]
                for feature, weight in [(word, 1.0), *((gram, 0.5) for gram in grams)]:
                    value = _feature(feature)
                    row[value % self._dimensions] += weight if value & (1 << 62) else -weight
        return rows


@lru_cache(maxsize=65_536)
def _feature(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1


@contextmanager
def _logs_as_they_were() -> Iterator[None]:
    """Restore the log settings after the import of wordllama, which turns all logs on. Otherwise each episode would
    write a line.
    """
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    try:
        yield
    finally:
        root.setLevel(level)
        root.handlers[:] = handlers


class WordLlamaEmbedder(CachedEmbedder):
    """The embedded default: token vectors shipped in the wordllama wheel, averaged. Loaded at first use, offline.

    It hardly knows Korean, so it is calibrated on English. For Korean text, combine it with search by words (`hybrid`).
    """

    languages = ("en",)

    @property
    def name(self) -> str:
        """The name: `wordllama:256`."""
        return "wordllama:256"

    @property
    def dimensions(self) -> int:
        """256; the weights need not be loaded for this."""
        return 256

    @cached_property
    def _weights(self) -> tuple[Any, Vectors]:
        with _logs_as_they_were():
            wordllama = importlib.import_module("wordllama")
        folder = Path(str(wordllama.__file__)).parent
        loaded = wordllama.WordLlama.load(dim=self.dimensions, cache_dir=folder, disable_download=True)
        loaded.tokenizer.no_padding()
        # Its cache would keep the tokens of the first 10,000 texts for ever, about 4 kB each, to save 20 µs per text.
        resize = getattr(loaded.tokenizer.model, "_resize_cache", None)  # older versions do not have it
        if resize is not None:
            resize(0)
        return loaded.tokenizer, loaded.embedding

    @property
    def token_vectors(self) -> Vectors:
        """The vector of every token."""
        return self._weights[1]

    def token_ids(self, text: str) -> list[int]:
        """A text's tokens."""
        ids: list[int] = self._weights[0].encode(text, add_special_tokens=False).ids
        return ids

    def compute(self, texts: Sequence[str]) -> Vectors:
        """The mean of each text's token vectors, summed one text at a time so that the batch never matters."""
        tokenizer, table = self._weights
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, encoded in zip(rows, tokenizer.encode_batch_fast(list(texts), add_special_tokens=False), strict=True):
            if encoded.ids:
                row[:] = np.mean(table[np.clip(encoded.ids, 0, len(table) - 1)], axis=0, dtype=np.float64)
        return rows


class SentenceTransformersEmbedder(CachedEmbedder):
    """Any sentence-transformers model by name or path. Each text is encoded alone, so that the batch never matters."""

    def __init__(self, model: str, cache_texts: int = CACHE_TEXTS) -> None:
        super().__init__(cache_texts)
        self._model_name = model

    @property
    def name(self) -> str:
        """The name, as in `sentence-transformers:NAME`."""
        return f"sentence-transformers:{self._model_name}"

    @cached_property
    def _model(self) -> Any:
        try:
            package = importlib.import_module("sentence_transformers")
        except ImportError:
            raise ConfigError(
                f"the embedder {self.name} needs a package: {installer()} sentence-transformers"
            ) from None
        return package.SentenceTransformer(self._model_name, device="cpu")

    @property
    def dimensions(self) -> int:
        """The number of dimensions of the model."""
        return int(self._model.get_sentence_embedding_dimension())

    def compute(self, texts: Sequence[str]) -> Vectors:
        """The model's own sentence vectors."""
        return np.array([self._model.encode(text, show_progress_bar=False) for text in texts], dtype=np.float32)


@lru_cache(maxsize=8)
def embedder(spec: str = "default") -> Embedder:
    """The embedder that a spec names; see the table above.

    The same spec gives the same object, so its cache is shared.
    """
    kind, _, rest = spec.partition(":")
    if spec in ("default", "wordllama"):
        return WordLlamaEmbedder()
    if kind == "hashing":
        if rest and not (rest.isdecimal() and int(rest) > 0):
            raise ConfigError(f"embedder '{spec}': write hashing or hashing:DIMENSIONS, for example hashing:256")
        return HashingEmbedder(int(rest or 256))
    if kind == "sentence-transformers" and rest:
        return SentenceTransformersEmbedder(rest)
    if kind in ("http", "https", "openai"):
        from polyclinic.retrieval.endpoint import EndpointEmbedder

        return EndpointEmbedder.from_spec(spec)
    raise ConfigError(
        f"no embedder '{spec}': write wordllama, hashing, sentence-transformers:MODEL, openai:MODEL or "
        f"https://host/v1:MODEL"
    )
