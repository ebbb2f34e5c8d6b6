"""The package of the second network: all-MiniLM-L6-v2.

Its folder `model` has `model.safetensors` (the weights) and `vocab.txt`. Here each array gets the name that it has in
`polyclinic.reading.layers`. Word pieces that English texts of ours hardly need are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import orjson

from polyclinic.reading.pieces import LongestPieces
from polyclinic.reading.together import LONGEST_TOGETHER, TURN
from tools.encoder.batches import Arrays

SIGNS = ("[UNK]", "[CLS]", "[SEP]")
FREQUENT = 9_000
"""The package's pieces stand in the order of how frequent they are: the first so many are kept."""
LEAST_USED = 2
"""Others are kept if the texts of the training lines have them so often."""

_PARTS = {
    "o": "attention.output.dense.weight",
    "ob": "attention.output.dense.bias",
    "ln1.weight": "attention.output.LayerNorm.weight",
    "ln1.bias": "attention.output.LayerNorm.bias",
    "f1": "intermediate.dense.weight",
    "f1b": "intermediate.dense.bias",
    "f2": "output.dense.weight",
    "f2b": "output.dense.bias",
    "ln2.weight": "output.LayerNorm.weight",
    "ln2.bias": "output.LayerNorm.bias",
}
_ASKED = ("query", "key", "value")


def package_arrays(folder: Path) -> Arrays:
    """All arrays of the package by their own names. The file begins with the length of a JSON text that tells where
    each array lies.
    """
    content = (folder / "model.safetensors").read_bytes()
    begin = 8 + int.from_bytes(content[:8], "little")
    found: Arrays = {}
    for name, entry in orjson.loads(content[8:begin]).items():
        if entry.get("dtype") == "F32":
            start, end = entry["data_offsets"]
            part = content[begin + start : begin + end]
            found[name] = np.frombuffer(part, np.float32).reshape(entry["shape"])
    return found


def package_vocabulary(folder: Path) -> list[str]:
    """All word pieces of the package, by their numbers there."""
    return (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()


def kept_pieces(vocabulary: Sequence[str], texts: Iterable[str], frequent: int = FREQUENT) -> list[int]:
    """The numbers of the pieces that are kept: the signs first, then those that are frequent in English and those that
    the texts need. Single letters are always kept, so that every word can be cut.
    """
    numbers = {piece: number for number, piece in enumerate(vocabulary)}
    signs = [numbers[sign] for sign in SIGNS]
    whole = LongestPieces([*SIGNS, *vocabulary])
    used = Counter(piece - len(SIGNS) for text in texts for piece in whole.cut(text, LONGEST_TOGETHER))
    plain = [piece.isascii() and not (piece.startswith("[") and len(piece) > 1) for piece in vocabulary]
    wanted = {number for number in range(len(vocabulary)) if number < frequent or used[number] >= LEAST_USED}
    wanted |= {number for number, piece in enumerate(vocabulary) if len(piece.removeprefix("##")) == 1}
    return [*signs, *sorted(number for number in wanted if plain[number])]


def minilm_weights(folder: Path, kept: Sequence[int]) -> Arrays:
    """The layers and the vectors of the kept word pieces, by the names of the reader. The package has a vector for each
    of two sorts of text. The first is added to the vectors of the places; their difference marks the second sort.
    """
    arrays = {name.removeprefix("bert."): array for name, array in package_arrays(folder).items()}
    sort, second_sort = arrays["embeddings.token_type_embeddings.weight"][:2]
    found = {
        "E": arrays["embeddings.word_embeddings.weight"][list(kept)],
        "places": arrays["embeddings.position_embeddings.weight"][: 2 * LONGEST_TOGETHER] + sort,
        TURN: second_sort - sort,
        "first.weight": arrays["embeddings.LayerNorm.weight"],
        "first.bias": arrays["embeddings.LayerNorm.bias"],
    }
    for number in range(sum(name.endswith("self.query.weight") for name in arrays)):
        layer = f"encoder.layer.{number}."
        asked = [f"{layer}attention.self.{part}" for part in _ASKED]
        found[f"l.{number}.qkv"] = np.concatenate([arrays[f"{part}.weight"].T for part in asked], axis=1)
        found[f"l.{number}.qkvb"] = np.concatenate([arrays[f"{part}.bias"] for part in asked])
        for name, theirs in _PARTS.items():
            array = arrays[layer + theirs]
            found[f"l.{number}.{name}"] = array.T if array.ndim == 2 else array
    return {name: np.ascontiguousarray(array, np.float32) for name, array in found.items()}
