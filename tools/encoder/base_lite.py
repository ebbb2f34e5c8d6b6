"""The package of the first network: the Universal Sentence Encoder Lite.

Its folder `dist` has `model.json` (names and shapes), the weights in parts, and `vocab.json`. Here each array gets the
name that it has in `polyclinic.reading.layers`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from polyclinic.reading.layers import WAVES, heads_of
from polyclinic.reading.pieces import LikeliestPieces
from tools.encoder.batches import Arrays

NO_LETTERS = 6
"""The first pieces stand for what is unknown and for control signs."""
NO_SCORE = -6.0

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


def lite_pieces(folder: Path) -> LikeliestPieces:
    """The package's vocabulary."""
    entries = orjson.loads((folder / "vocab.json").read_bytes())
    pieces = [piece if number >= NO_LETTERS else "" for number, (piece, _) in enumerate(entries)]
    return LikeliestPieces(pieces, [NO_SCORE if score is None else float(score) for _, score in entries])


def lite_weights(folder: Path) -> Arrays:
    """The layers and the vectors of the word pieces, by the names of the reader. The package's last layer, which sums
    a text up in one vector, is left out.
    """
    arrays = package_arrays(folder)
    found = {
        "E": _only(arrays, "module/Embeddings_en"),
        WAVES: _only(arrays, "TimingSignal/ExpandDims_1")[0],
        "l.0.resw": _only(arrays, "Layer_0/", "dense/kernel"),
        "l.0.resb": _only(arrays, "Layer_0/", "dense/bias"),
    }
    for number in range(sum(_PLAIN["qkvb"] in name for name in arrays)):
        layer = f"Layer_{number}/"
        for name, theirs in _PLAIN.items():
            array = _only(arrays, layer, theirs)
            found[f"l.{number}.{name}"] = array.reshape(array.shape[-2:])
        for theirs, name in _NORMS.items():
            found[f"l.{number}.ln1.{name}"] = _only(arrays, f"{layer}TransformerLayer/layer_prepost", f"norm_{theirs}")
            found[f"l.{number}.ln2.{name}"] = _only(arrays, layer, "FFN/layer_prepost", f"norm_{theirs}")
        width = found[f"l.{number}.qkv"].shape[1] // 3 // heads_of(found)
        if not np.isclose(_only(arrays, layer, "MultiheadAttention/mul/y"), width**-0.5):
            raise ValueError(f"{folder}: layer {number} has other heads than the reader")
    return found


def _only(arrays: Mapping[str, NDArray[np.generic]], *parts: str) -> NDArray[np.float32]:
    """The one array whose name has all these parts."""
    names = [name for name in arrays if all(part in name for part in parts)]
    if len(names) != 1:
        raise ValueError(f"the package has {len(names)} arrays with {' and '.join(parts)} in their names, not one")
    return arrays[names[0]].astype(np.float32)
