"""Packages of the same forms as those from which the two networks started, with few and random weights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from polyclinic.reading.layers import WAVES, heads_of
from tools.encoder.tiny import random_weights, write_package

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
    arrays: dict[str, Any] = {**random_weights(shapes)}
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
    return write_package(folder, SECOND_PIECES, EVEN, INNER_UNITS)


Write = Callable[[Path], Path]
_PACKAGES = {"first": write_lite, "second": write_minilm}
both_sorts = pytest.mark.parametrize("write", _PACKAGES.values(), ids=_PACKAGES)
