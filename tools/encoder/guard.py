"""Make the files of the counsel guard's network from trained networks. Without a GPU.

    python -m tools.encoder.guard pack PACKAGE/dist network.npz FOLDER
    python -m tools.encoder.guard unseen PACKAGE/dist FOLDER out-0.npz out-1.npz out-2.npz out-3.npz

FOLDER is the clinic's `data/guard`. `pack` writes the network of all training authors, one byte a weight. `unseen`
takes the four networks that left out one group of authors each (`tools.encoder.train --leave-out`), and writes what
each of them says about the lines of its group.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polyclinic.clinics.counsel.rules.sentence_guard import NETWORK, UNSEEN
from polyclinic.reading.encoder import SentenceEncoder, packed_encoder
from polyclinic.reading.pieces import WordPieces
from polyclinic.reading.text_labels import zipped
from tools.encoder.base import package_pieces
from tools.encoder.pack import ONLY_TRAINING, TrainedNetwork, open_network
from tools.encoder.rows import GROUPS, repository_lines

_LAYERS = ("E", "ts", "l.")
"""How the names of the weights begin that read a text. The rest compares texts, which the guard does not do."""


def as_guard(network: TrainedNetwork, labels: Sequence[str], pieces: WordPieces) -> SentenceEncoder:
    """The network with the guard's labels as its columns."""
    weights = {name: value for name, value in network.weights.items() if name.startswith(_LAYERS)}
    wide = len(weights["l.0.resb"])
    for part in ("weight", "bias"):
        weights[f"heads.{part}"] = network.weights[f"{ONLY_TRAINING}{part}"]
    weights |= {"P.weight": np.zeros((1, wide), np.float32), "P.bias": np.zeros(1, np.float32)}
    weights["kind"] = np.zeros((0, 1), np.float32)
    return SentenceEncoder(pieces, tuple(labels), (), weights)


def packed_scores(by_author: dict[str, list[list[float]]]) -> bytes:
    """The scores of each author's lines as one file. The same scores give the same bytes."""
    return zipped({f"{author}.npy": _saved(np.array(rows, np.float16)) for author, rows in sorted(by_author.items())})


def _saved(array: NDArray[np.float16]) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def main(arguments: list[str] | None = None) -> int:
    """Write one of the two files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    pack = commands.add_parser("pack")
    pack.add_argument("package", type=Path)
    pack.add_argument("network", type=Path)
    pack.add_argument("folder", type=Path)
    unseen = commands.add_parser("unseen")
    unseen.add_argument("package", type=Path)
    unseen.add_argument("folder", type=Path)
    unseen.add_argument("networks", type=Path, nargs=GROUPS)
    given = parser.parse_args(arguments)
    _, lines, groups = repository_lines()
    labels, pieces = sorted({line.label for line in lines}), package_pieces(given.package)
    if given.command == "pack":
        content, name = packed_encoder(as_guard(open_network(given.network), labels, pieces)), NETWORK
    else:
        readers = [as_guard(open_network(path), labels, pieces) for path in given.networks]
        scores: dict[str, list[list[float]]] = defaultdict(list)
        for line in lines:
            reader = readers[groups[line.author]]
            scores[line.author].append([reader.alone(line.text, label, "", "") or 0.0 for label in labels])
        content, name = packed_scores(scores), UNSEEN
    (given.folder / name).write_bytes(content)
    print(f"{given.folder / name}: {len(content)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
