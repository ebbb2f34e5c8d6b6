"""Make the small file that the package ships from a trained network: one byte a weight.

python -m tools.encoder.pack PACKAGE/dist network.npz src/polyclinic/reading/data/encoder.npz
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from polyclinic.reading.encoder import SentenceEncoder, packed_encoder
from polyclinic.reading.pieces import WordPieces
from tools.encoder.base import Arrays, package_pieces
from tools.encoder.rows import EncoderRow

NOT_ASKED = ("rounds-choice",)
"""Kinds that the encoder does not read well enough: they lose their names, so that it is not asked."""
ONLY_TRAINING = "guard."
"""Weights of the counsel guard's labels. Only training uses them: the reader asks for no labels."""


class TrainedNetwork(NamedTuple):
    """Weights by name, and the names of the columns and kinds."""

    weights: Arrays
    columns: tuple[str, ...]
    kinds: tuple[str, ...]


def save_network(path: Path, network: TrainedNetwork) -> None:
    """Write a trained network with all its digits."""
    named: dict[str, Any] = {"columns": network.columns, "kinds": network.kinds, **network.weights}
    with path.open("wb") as file:
        np.savez(file, **named)


def open_network(path: Path) -> TrainedNetwork:
    """The reverse of `save_network`."""
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    columns, kinds = (tuple(map(str, arrays.pop(name))) for name in ("columns", "kinds"))
    return TrainedNetwork(arrays, columns, kinds)


def as_encoder(network: TrainedNetwork, pieces: WordPieces, not_asked: Sequence[str] = ()) -> SentenceEncoder:
    """The network as the reader uses it."""

    def named(names: Sequence[str]) -> tuple[str, ...]:
        return tuple("" if name.partition("|")[0] in not_asked else name for name in names)

    weights = {name: value for name, value in network.weights.items() if not name.startswith(ONLY_TRAINING)}
    return SentenceEncoder(pieces, named(network.columns), named(network.kinds), weights)


def score_of(encoder: SentenceEncoder, row: EncoderRow) -> float | None:
    """The encoder's score of one row; None if it has not learned the question."""
    if row.compares:
        return encoder.compared(row.text, row.second, row.kind)
    return encoder.alone(row.text, row.column, row.kind, row.second)


def balanced(encoder: SentenceEncoder, rows: Sequence[EncoderRow]) -> dict[str, float]:
    """By kind, the mean of how often a yes and how often a no is right, for kinds with both. What the encoder has not
    learned counts as no.
    """
    right: dict[str, tuple[list[bool], list[bool]]] = defaultdict(lambda: ([], []))
    for row in rows:
        yes = (score_of(encoder, row) or 0.0) > 0
        right[row.kind][int(row.answer)].append(yes == bool(row.answer))
    return {
        kind: (sum(no) / len(no) + sum(yes) / len(yes)) / 2 for kind, (no, yes) in sorted(right.items()) if no and yes
    }


def main(arguments: list[str] | None = None) -> int:
    """Write the small file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", type=Path, help="the folder dist of the npm package, for its vocabulary")
    parser.add_argument("network", type=Path, help="what tools.encoder.train wrote")
    parser.add_argument("out", type=Path)
    parser.add_argument("--not-asked", nargs="*", default=NOT_ASKED, metavar="KIND", help="default: %(default)s")
    given = parser.parse_args(arguments)
    encoder = as_encoder(open_network(given.network), package_pieces(given.package), given.not_asked)
    content = packed_encoder(encoder)
    given.out.write_bytes(content)
    print(f"{given.out}: {len(content)} bytes, {sum(map(bool, encoder.columns))} columns")
    return 0


if __name__ == "__main__":
    sys.exit(main())
