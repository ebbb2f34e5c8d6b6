"""Make the small file that the package ships from a trained network: one byte a weight.

python -m tools.encoder.pack network.npz src/polyclinic/reading/data/second_encoder.npz
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from polyclinic.reading.encoder import SentenceEncoder
from polyclinic.reading.networks import GUARD, SentenceNetwork, packed_encoder
from polyclinic.reading.pieces import LikeliestPieces, LongestPieces, WordPieces
from polyclinic.reading.together import TURN, JoinedEncoder
from tools.encoder.batches import INFERS, Arrays, Names, names_in

_LEARNED_BESIDE = (f"{GUARD}.", f"{INFERS}.")


class TrainedNetwork(NamedTuple):
    """Weights by name, and the names of the columns, kinds, labels and word pieces."""

    weights: Arrays
    names: Names


def save_network(path: Path, network: TrainedNetwork) -> None:
    """Write a trained network with all its digits."""
    parts: dict[str, Any] = {**network.names.arrays(), **network.weights}
    np.savez(path, **parts)


def open_network(path: Path) -> TrainedNetwork:
    """The reverse of `save_network`."""
    with np.load(path) as file:
        weights = {name: file[name] for name in file if name not in Names._fields}
        return TrainedNetwork(weights, names_in(file))


def word_pieces(names: Names) -> WordPieces:
    """The vocabulary: pieces with scores are of the first sort."""
    return LikeliestPieces(names.pieces, names.scores) if names.scores else LongestPieces(names.pieces)


def as_encoder(network: TrainedNetwork, not_asked: Sequence[str] = (), labels: bool = False) -> SentenceNetwork:
    """The network as the reader uses it. Kinds that are not asked lose their names. The guard's labels are left out, or
    become the last columns.
    """

    def named(names: Sequence[str]) -> tuple[str, ...]:
        return tuple("" if name.partition("|")[0] in not_asked else name for name in names)

    weights = {name: value for name, value in network.weights.items() if not name.startswith(_LEARNED_BESIDE)}
    names, columns = network.names, named(network.names.columns)
    if labels:
        columns += tuple(f"{GUARD}|{label}" for label in names.labels)
        for part in ("weight", "bias"):
            both = [network.weights[f"{name}.{part}"] for name in ("heads", GUARD)]
            weights[f"heads.{part}"] = np.concatenate(both)
    if TURN in weights:
        return JoinedEncoder(word_pieces(names), columns, weights)
    return SentenceEncoder(word_pieces(names), columns, named(names.kinds), weights)


def main(arguments: list[str] | None = None) -> int:
    """Write the small file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", type=Path, help="what tools.encoder.train wrote")
    parser.add_argument("out", type=Path)
    parser.add_argument("--not-asked", nargs="*", default=(), metavar="KIND", help="kinds it reads badly")
    parser.add_argument("--labels", action="store_true", help="also the counsel guard's labels, as columns")
    given = parser.parse_args(arguments)
    encoder = as_encoder(open_network(given.network), given.not_asked, given.labels)
    content = packed_encoder(encoder)
    given.out.write_bytes(content)
    print(f"{given.out}: {len(content)} bytes, {sum(map(bool, encoder.columns))} columns")
    return 0


if __name__ == "__main__":
    sys.exit(main())
