"""The reader's weights: one compact file, loaded at first use."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from polyclinic.core.files import bad_file, package_file
from polyclinic.reading.features import BUCKETS
from polyclinic.reading.fit import Linear, whole_table
from polyclinic.reading.order import OrderNetwork, packed_order, unpacked_order
from polyclinic.reading.recall import Recall, packed, unpacked
from polyclinic.reading.text_labels import zipped
from polyclinic.reading.vectors import DIMENSIONS

SHIPPED = "reader.npz"
LINES = "lines.npz"
"""The weights of kinds that are `in_reply`."""


@dataclass(frozen=True)
class Weights:
    """The result of training: for each kind a table of n-gram weights, the weights of plain features and an offset.

    The weights in a table are whole numbers; `steps` says how much one counts. `scopes` lists the targets that a listed
    kind has learned one by one; for any other target only nearness counts. `gather` weighs the sentences of a longer
    text. A kind that is read `by_sentence` has a second table, for single sentences (`sentence_kind`); `enough` says
    for each target how high the score of a sentence must be. `recalls` holds readings that open kinds were trained
    with. `order` is the network that reads words in order.
    """

    tables: Mapping[str, NDArray[np.int8]]
    steps: Mapping[str, float]
    dense: Mapping[str, NDArray[np.float32]]
    offsets: Mapping[str, float]
    scopes: frozenset[str]
    gather: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    recalls: Mapping[str, Recall] = field(default_factory=dict)
    order: OrderNetwork | None = None
    enough: Mapping[str, float] = field(default_factory=dict)
    digest: str = ""


def save(path: Path, weights: Weights) -> str:
    """Write the weights; the same weights give the same bytes. Returns their digest."""
    kinds = sorted(weights.offsets)
    head = {
        "kinds": kinds,
        "steps": [weights.steps[kind] for kind in kinds],
        "offsets": [round(weights.offsets[kind], 6) for kind in kinds],
        "sizes": [len(weights.dense[kind]) for kind in kinds],
        "scopes": sorted(weights.scopes),
        "gather": {kind: [round(value, 5) for value in row.tolist()] for kind, row in sorted(weights.gather.items())},
        "enough": {scope: round(score, 4) for scope, score in sorted(weights.enough.items())},
        "recalls": sorted(weights.recalls),
        **({"order": weights.order.heads} if weights.order else {}),
    }
    parts = {
        "head.json": orjson.dumps(head),
        **{f"{kind}.i8": weights.tables[kind].tobytes() for kind in kinds},
        "dense.f32": np.concatenate([weights.dense[kind] for kind in kinds]).astype(np.float32).tobytes(),
        **{f"{kind}.recall": packed(recall) for kind, recall in sorted(weights.recalls.items())},
        **({"order.f16": packed_order(weights.order)} if weights.order else {}),
    }
    content = zipped(parts)
    path.write_bytes(content)
    return hashlib.sha256(content).hexdigest()[:12]


def sentence_kind(kind: str) -> str:
    """The name under which the weights for single sentences of a kind are stored."""
    return f"{kind}.sentence"


_MOST = 127


def made(models: Mapping[str, Linear], scopes: frozenset[str], recalls: Mapping[str, Recall]) -> Weights:
    """Weights straight from training, without a file."""
    kinds = sorted(models)
    dense = {kind: models[kind].dense.astype(np.float32) for kind in kinds}
    offsets = {kind: models[kind].offset for kind in kinds}
    steps = {kind: round(float(np.abs(models[kind].weights).max()) / _MOST, 8) or 1.0 for kind in kinds}
    tables = {kind: np.rint(whole_table(models[kind]) / steps[kind]).astype(np.int8) for kind in kinds}
    return Weights(tables, steps, dense, offsets, scopes, recalls=recalls)


def load(content: bytes, file_name: str = SHIPPED) -> Weights:
    """Weights from a file's bytes."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            head = orjson.loads(file.read("head.json"))
            tables = {kind: np.frombuffer(file.read(f"{kind}.i8"), np.int8) for kind in head["kinds"]}
            dense = np.split(np.frombuffer(file.read("dense.f32"), np.float32), np.cumsum(head["sizes"])[:-1])
            recalls = {kind: unpacked(file.read(f"{kind}.recall"), DIMENSIONS) for kind in head["recalls"]}
            heads = tuple(head.get("order", ()))
            network = unpacked_order(file.read("order.f16"), heads) if heads else None
    except (KeyError, ValueError, zipfile.BadZipFile) as error:
        what = f"not a file of reader weights: {error}"
        raise bad_file(file_name, what, fix="make them with 'polyclinic train reader'") from None
    if any(len(table) != BUCKETS for table in tables.values()):
        what = "these weights belong to another version of the reader"
        raise bad_file(file_name, what, fix="run 'polyclinic train reader' again")
    return Weights(
        tables,
        dict(zip(head["kinds"], head["steps"], strict=True)),
        dict(zip(head["kinds"], dense, strict=True)),
        dict(zip(head["kinds"], head["offsets"], strict=True)),
        frozenset(head["scopes"]),
        {kind: np.asarray(row) for kind, row in head["gather"].items()},
        recalls,
        network,
        head.get("enough", {}),
        hashlib.sha256(content).hexdigest()[:12],
    )


def weights_file(path: str) -> Path:
    """A user's file of weights. A file that is not there is an error."""
    if not Path(path).is_file():
        raise bad_file(path, "there is no such file of reader weights")
    return Path(path)


@lru_cache(maxsize=4)
def shipped_weights(path: str = "", name: str = SHIPPED) -> Weights:
    """The weights in the package, or in a user's file."""
    if path:
        return load(weights_file(path).read_bytes(), path)
    return load(package_file("polyclinic.reading", f"data/{name}").read_bytes(), name)
