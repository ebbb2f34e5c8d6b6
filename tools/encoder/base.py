"""The network from which training starts: what a package holds, made smaller, with new parts that answer questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from polyclinic.reading.layers import layers_of
from polyclinic.reading.networks import GUARD
from polyclinic.reading.pieces import LongestPieces, WordPieces
from polyclinic.reading.together import TURN
from tools.encoder.base_lite import lite_pieces, lite_weights
from tools.encoder.base_minilm import kept_pieces, minilm_weights, package_vocabulary
from tools.encoder.batches import INFERENCES, INFERS, Arrays, Names

COMPARED = 128
"""The width of the parts that compare two texts."""


def open_base(folder: Path, texts: Iterable[str], korean: Sequence[str] = ()) -> tuple[WordPieces, Arrays]:
    """The vocabulary and the weights of a package, which is known by its files. `texts` are those that it must cut.
    Korean pieces come after those of the package, with random vectors (see `korean`).
    """
    if (folder / "model.json").exists():
        if korean:
            raise ValueError(f"{folder}: the first network knows English only")
        return lite_pieces(folder), lite_weights(folder)
    if not (folder / "model.safetensors").exists():
        raise ValueError(f"{folder}: neither model.json nor model.safetensors is there")
    vocabulary = package_vocabulary(folder)
    kept = kept_pieces(vocabulary, texts)
    weights = minilm_weights(folder, kept)
    vectors = weights["E"]
    chance = np.random.default_rng(0).standard_normal((len(korean), vectors.shape[1]))
    weights["E"] = np.concatenate([vectors, (vectors.mean(0) + vectors.std(0) * chance).astype(np.float32)])
    return LongestPieces([*(vocabulary[number] for number in kept), *korean]), weights


def width_of(weights: Arrays) -> int:
    """How many numbers the last state of a piece has."""
    return len(weights["l.0.f2b"])


def smaller(weights: Arrays, layers: Sequence[int], width: int) -> Arrays:
    """The weights with only these layers, and in each of them only the `width` strongest inner units."""
    known = layers_of(weights)
    if not all(number < known for number in layers):
        raise ValueError(f"the package has {known} layers, numbered from 0: {list(layers)} cannot be kept")
    found = {name: value for name, value in weights.items() if not name.startswith("l.")}
    for place, number in enumerate(layers):
        begin = f"l.{number}."
        mine = {name.removeprefix(begin): value for name, value in weights.items() if name.startswith(begin)}
        strength = np.linalg.norm(mine["f1"], axis=0) * np.linalg.norm(mine["f2"], axis=1)
        kept = np.sort(np.argsort(-strength, kind="stable")[:width])
        mine |= {"f1": mine["f1"][:, kept], "f1b": mine["f1b"][kept], "f2": mine["f2"][kept]}
        found |= {f"l.{place}.{name}": value for name, value in mine.items()}
    return found


def new_parts(base: Arrays, names: Names, seed: int = 0) -> Arrays:
    """Random weights for the parts that no package has: what turns the states of a text into answers."""
    chance, wide = np.random.default_rng(seed), width_of(base)
    columns, kinds = len(names.columns), len(names.kinds)
    if TURN in base:
        counts = {"heads": columns, GUARD: len(names.labels), INFERS: len(INFERENCES)}
        return _linear(chance, {name: (count, 3 * wide) for name, count in counts.items()})
    shapes = {
        "heads": (columns, 2 * wide),
        GUARD: (len(names.labels), 2 * wide),
        "P": (COMPARED, wide),
        "cmp": (COMPARED, 4 * COMPARED),
        "trunk": (COMPARED, 8 * COMPARED),
        "ctx": (columns, COMPARED),
    }
    found = _linear(chance, shapes)
    found["ctx.weight"][:] = 0
    found["kind"] = (chance.standard_normal((kinds, COMPARED)) * 0.05).astype(np.float32)
    found["kb"] = np.zeros(kinds, np.float32)
    found["kmod.weight"] = np.ones((kinds, COMPARED), np.float32)
    return found


def _linear(chance: np.random.Generator, shapes: Mapping[str, tuple[int, int]]) -> Arrays:
    found: Arrays = {}
    for name, shape in shapes.items():
        bound = shape[1] ** -0.5
        found[f"{name}.weight"] = chance.uniform(-bound, bound, shape).astype(np.float32)
        found[f"{name}.bias"] = chance.uniform(-bound, bound, shape[0]).astype(np.float32)
    return found
