"""Packages of the same forms as those from which the two networks started, with few and random weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from numpy.typing import NDArray

from polyclinic.reading.layers import WAVES, heads_of
from polyclinic.reading.together import LONGEST_TOGETHER

NARROW, WIDE, INNER_UNITS = 8, 16, 12
EVEN = 24
"""The width of the second network, whose states are as wide in all layers."""
PIECES = [
    "pain",
    "\u2581pain",
    "\u2581no",
    "\u2581p",
    "ain",
    "s",
    "\u2581yes",
    "\u2581my",
    "\u2581chest",
    "\u2581",
    ".",
]
SECOND_PIECES = ["[PAD]", "[unused0]", "[UNK]", "[CLS]", "[SEP]", ".", "pain", "é", "##s", "no", "yes", "my", "chest"]


def write_lite(folder: Path) -> Path:
    """Write `model.json`, the weights in two parts, and `vocab.json`."""
    entries: list[list[str | float | None]] = [[f"<control {number}>", None] for number in range(6)]
    entries += [[piece, -1.0 - number] for number, piece in enumerate(PIECES)]
    (folder / "vocab.json").write_bytes(orjson.dumps(entries))
    shapes = {
        "module/Embeddings_en": [len(entries), NARROW],
        "apply/Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1": [1, NARROW // 2],
        "apply/Layer_0/TransformerLayer/dense/kernel/concat": [NARROW, WIDE],
        "apply/Layer_0/TransformerLayer/dense/bias/concat": [WIDE],
        "apply/hidden_layers/tanh_layer_0/weights": [WIDE, WIDE],
    }
    for layer, width in (("Layer_0/TransformerLayer/", NARROW), ("Layer_1/TransformerLayer/", WIDE)):
        shapes |= {
            f"module/{layer}MultiheadAttention/qkv_transform_single/kernel/part_0": [1, 1, width, 3 * width],
            f"apply/{layer}MultiheadAttention/qkv_transform_single/bias/concat": [3 * width],
            f"module/{layer}MultiheadAttention/output_transform_single/kernel/part_0": [1, 1, width, WIDE],
            f"apply/{layer}MultiheadAttention/output_transform_single/bias/concat": [WIDE],
            f"apply/{layer}MultiheadAttention/mul/y": [],
            f"apply/{layer}FFN/conv1/Tensordot/Reshape_1": [WIDE, INNER_UNITS],
            f"apply/{layer}FFN/conv1/bias/concat": [INNER_UNITS],
            f"apply/{layer}FFN/conv2/Tensordot/Reshape_1": [INNER_UNITS, WIDE],
            f"apply/{layer}FFN/conv2/bias/concat": [WIDE],
            f"apply/{layer}layer_prepostprocess/layer_norm/layer_norm_scale/concat": [width],
            f"apply/{layer}layer_prepostprocess/layer_norm/layer_norm_bias/concat": [width],
            f"apply/{layer}FFN/layer_prepostprocess/layer_norm/layer_norm_scale/concat": [WIDE],
            f"apply/{layer}FFN/layer_prepostprocess/layer_norm/layer_norm_bias/concat": [WIDE],
        }
    arrays = _random(shapes)
    for layer, width in (("Layer_0", NARROW), ("Layer_1", WIDE)):
        arrays[f"apply/{layer}/TransformerLayer/MultiheadAttention/mul/y"] = np.array(
            (width / heads_of({WAVES: ()})) ** -0.5, np.float32
        )
    content = b"".join(array.tobytes() for array in arrays.values())
    (folder / "part1").write_bytes(content[:1001])
    (folder / "part2").write_bytes(content[1001:])
    named = [{"name": name, "shape": shape, "dtype": "float32"} for name, shape in shapes.items()]
    manifest = [{"paths": ["part1", "part2"], "weights": named}]
    (folder / "model.json").write_bytes(orjson.dumps({"weightsManifest": manifest}))
    return folder


def write_minilm(folder: Path) -> Path:
    """Write `model.safetensors` and `vocab.txt`."""
    (folder / "vocab.txt").write_text("\n".join(SECOND_PIECES), encoding="utf-8")
    shapes = {
        "embeddings.word_embeddings.weight": [len(SECOND_PIECES), EVEN],
        "embeddings.position_embeddings.weight": [2 * LONGEST_TOGETHER + 8, EVEN],
        "embeddings.token_type_embeddings.weight": [2, EVEN],
        "embeddings.LayerNorm.weight": [EVEN],
        "embeddings.LayerNorm.bias": [EVEN],
        "pooler.dense.weight": [EVEN, EVEN],
    }
    for layer in ("encoder.layer.0.", "encoder.layer.1."):
        for part in ("query", "key", "value"):
            shapes |= _linear(f"{layer}attention.self.{part}", EVEN, EVEN)
        shapes |= _linear(f"{layer}attention.output.dense", EVEN, EVEN)
        shapes |= _linear(f"{layer}intermediate.dense", INNER_UNITS, EVEN)
        shapes |= _linear(f"{layer}output.dense", EVEN, INNER_UNITS)
        for part in ("attention.output", "output"):
            shapes |= {f"{layer}{part}.LayerNorm.weight": [EVEN], f"{layer}{part}.LayerNorm.bias": [EVEN]}
    arrays: dict[str, NDArray[Any]] = {"embeddings.position_ids": np.arange(4)}
    arrays |= _random(shapes)
    head: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    at = 0
    for name, array in arrays.items():
        kind = "F32" if array.dtype == np.float32 else "I64"
        head[name] = {"dtype": kind, "shape": array.shape, "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    begin = orjson.dumps(head)
    content = b"".join(array.tobytes() for array in arrays.values())
    (folder / "model.safetensors").write_bytes(len(begin).to_bytes(8, "little") + begin + content)
    return folder


def _linear(name: str, out: int, into: int) -> dict[str, list[int]]:
    return {f"{name}.weight": [out, into], f"{name}.bias": [out]}


def _random(shapes: Mapping[str, list[int]]) -> dict[str, NDArray[np.float32]]:
    """Weights so large that every step of a layer changes the scores."""
    chance = np.random.default_rng(7)
    found = {name: chance.standard_normal(shape).astype(np.float32) * 0.4 for name, shape in shapes.items()}
    return {
        name: array + 1 if "norm_scale" in name or "Norm.weight" in name else array for name, array in found.items()
    }


Write = Callable[[Path], Path]
_PACKAGES = {"first": write_lite, "second": write_minilm}
both_sorts = pytest.mark.parametrize("write", _PACKAGES.values(), ids=_PACKAGES)
