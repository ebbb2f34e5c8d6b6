"""The layers of the two networks that read whole sentences, as sums over the word pieces of one text.

The first began as the Universal Sentence Encoder Lite: two layers that even a row out before they use it, and waves
for the places of the pieces. The second began as all-MiniLM-L6-v2: six layers that even a row out after each step, and
a learned vector for each place. Both are under the Apache License 2.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyclinic.reading.text_labels import shares

Singles = NDArray[np.float32]
LONGEST = 160
"""Pieces after this one are not read."""
WAVES = "ts"
"""Only the first network has weights of this name."""
STRONGEST = np.float32(0.3)
"""How much the strongest state of a text counts beside the mean."""
_FEW_HEADS, _MANY_HEADS = 4, 12


def layers_of(weights: Mapping[str, Any]) -> int:
    """How many layers a network has, by the names of its weights."""
    return sum(name.endswith(".qkv") for name in weights)


def heads_of(weights: Mapping[str, Any]) -> int:
    """How many heads each layer has."""
    return _FEW_HEADS if WAVES in weights else _MANY_HEADS


def states(weights: Mapping[str, Singles], pieces: Sequence[int]) -> Singles:
    """The last states of the pieces of a text, one row for each."""
    rows = weights["E"][list(pieces)]
    if WAVES in weights:
        places = np.arange(len(rows), dtype=np.float32)[:, None] * weights[WAVES]
        rows = 2 * rows + np.concatenate([np.sin(places), np.cos(places)], axis=1)
        for layer in range(layers_of(weights)):
            rows = _evened_before(rows, weights, f"l.{layer}.")
        return rows
    return later_layers(even(rows + weights["places"][: len(rows)], weights, "first", 1e-12), weights)


def later_layers(rows: Singles, weights: Mapping[str, Singles]) -> Singles:
    """What the layers of the second sort make of rows."""
    for layer in range(layers_of(weights)):
        rows = _evened_after(rows, weights, f"l.{layer}.")
    return rows


def _evened_before(rows: Singles, weights: Mapping[str, Singles], name: str) -> Singles:
    wide = rows @ weights["l.0.resw"] + weights["l.0.resb"] if name == "l.0." else rows
    heard = _heard(even(rows, weights, f"{name}ln1", 1e-6), weights, name)
    rows = np.asarray(wide + heard, np.float32)
    inner = np.maximum(even(rows, weights, f"{name}ln2", 1e-6) @ weights[f"{name}f1"] + weights[f"{name}f1b"], 0)
    found: Singles = rows + inner @ weights[f"{name}f2"] + weights[f"{name}f2b"]
    return found


def _evened_after(rows: Singles, weights: Mapping[str, Singles], name: str) -> Singles:
    rows = even(rows + _heard(rows, weights, name), weights, f"{name}ln1", 1e-12)
    inner = _bent(rows @ weights[f"{name}f1"] + weights[f"{name}f1b"])
    return even(rows + inner @ weights[f"{name}f2"] + weights[f"{name}f2b"], weights, f"{name}ln2", 1e-12)


def _heard(rows: Singles, weights: Mapping[str, Singles], name: str) -> Singles:
    """What each piece takes over from all pieces."""
    mixed = rows @ weights[f"{name}qkv"] + weights[f"{name}qkvb"]
    asks, keys, values = mixed.reshape(len(rows), 3, heads_of(weights), -1).transpose(1, 2, 0, 3)
    attention = shares(asks @ keys.transpose(0, 2, 1) / np.sqrt(np.float32(keys.shape[-1])))
    heard = (attention @ values).transpose(1, 0, 2).reshape(len(rows), -1)
    found: Singles = heard @ weights[f"{name}o"] + weights[f"{name}ob"]
    return found


def even(rows: Singles, weights: Mapping[str, Singles], name: str, least: float) -> Singles:
    """Each row with mean 0 and spread 1, then scaled."""
    middle = rows - rows.mean(axis=1, keepdims=True)
    spread = np.sqrt(np.einsum("ij,ij->i", middle, middle) / rows.shape[1] + np.float32(least))
    found: Singles = middle / spread[:, None] * weights[f"{name}.weight"] + weights[f"{name}.bias"]
    return found


def _bent(rows: Singles) -> Singles:
    """The GELU function, in the form with a hyperbolic tangent."""
    steep = np.float32(0.7978845608) * (rows + np.float32(0.044715) * rows * rows * rows)
    found: Singles = np.float32(0.5) * rows * (1 + np.tanh(steep))
    return found
