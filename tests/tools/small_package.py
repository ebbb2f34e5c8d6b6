"""A package of the same form as the one from which the encoder started, with few and random weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import orjson

from polyclinic.reading.encoder import HEADS

NARROW, WIDE, INNER_UNITS = 8, 16, 12
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


def write_package(folder: Path) -> Path:
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
    chance = np.random.default_rng(7)
    arrays = {name: chance.standard_normal(shape).astype(np.float32) * 0.15 for name, shape in shapes.items()}
    for layer, width in (("Layer_0", NARROW), ("Layer_1", WIDE)):
        arrays[f"apply/{layer}/TransformerLayer/MultiheadAttention/mul/y"] = np.array(
            (width / HEADS) ** -0.5, np.float32
        )
    content = b"".join(array.tobytes() for array in arrays.values())
    (folder / "part1").write_bytes(content[:1001])
    (folder / "part2").write_bytes(content[1001:])
    named = [{"name": name, "shape": shape, "dtype": "float32"} for name, shape in shapes.items()]
    manifest = [{"paths": ["part1", "part2"], "weights": named}]
    (folder / "model.json").write_bytes(orjson.dumps({"weightsManifest": manifest}))
    return folder
