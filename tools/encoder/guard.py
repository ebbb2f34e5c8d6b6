"""Make the files of the counsel guard's network from what training wrote. Without a GPU.

    python -m tools.encoder.guard pack network.npz DATA/guard_encoder.npz
    python -m tools.encoder.guard unseen DATA/guard_unseen.npz out-0.npz out-1.npz out-2.npz out-3.npz
    python -m tools.encoder.guard later EN EO

DATA is the clinic's `data/guard`. `pack` writes the network of all training authors, one byte a weight. `unseen` takes
the files of `tools.encoder.train --leave-out`, one for each group of authors, and writes what the networks said about
the lines that they had not learned. `later` adds authors who came after the last training: the shipped networks have
not learned their lines. Run `unseen` instead as soon as the networks are trained again.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polyclinic.clinics.counsel.rules.sentence_guard import ENGLISH, UNSEEN, ScoresLabel, kept_scores, networks
from polyclinic.clinics.counsel.rules.teaching import guard_lines
from polyclinic.clinics.counsel.rules.trained import TRAINED_LABELS
from polyclinic.clinics.counsel.scenario import PACKAGE
from polyclinic.core.files import package_path
from polyclinic.reading.encoder import SentenceEncoder
from polyclinic.reading.layers import WAVES
from polyclinic.reading.networks import GUARD, SentenceNetwork, packed_encoder
from polyclinic.reading.text_labels import zipped
from polyclinic.reading.together import TURN, JoinedEncoder
from tools.encoder.base import width_of
from tools.encoder.pack import TrainedNetwork, open_network, word_pieces
from tools.encoder.rows import repository_lines

_LAYERS = ("E", WAVES, "places", TURN, "first.", "l.")
"""How the names of the weights begin that read a text. The rest compares texts, which the guard does not do."""
Rows = Sequence[NDArray[np.floating]]


def as_guard(network: TrainedNetwork) -> SentenceNetwork:
    """The network with the guard's labels as its columns."""
    weights = {name: value for name, value in network.weights.items() if name.startswith(_LAYERS)}
    for part in ("weight", "bias"):
        weights[f"heads.{part}"] = network.weights[f"{GUARD}.{part}"]
    if TURN in weights:
        return JoinedEncoder(word_pieces(network.names), network.names.labels, weights)
    weights |= {"P.weight": np.zeros((1, width_of(weights)), np.float32), "P.bias": np.zeros(1, np.float32)}
    weights["kind"] = np.zeros((0, 1), np.float32)
    return SentenceEncoder(word_pieces(network.names), network.names.labels, (), weights)


def unseen_scores(files: Sequence[Path], authors: Sequence[str]) -> dict[str, Rows]:
    """The scores of each left-out author's lines, in their order. `authors` has the author of each line."""
    found: dict[int, NDArray[np.floating]] = {}
    for path in files:
        with np.load(path) as file:
            found |= zip(file["lines"].tolist(), file["labels"], strict=True)
    scores: dict[str, list[NDArray[np.floating]]] = defaultdict(list)
    for place, author in enumerate(authors):
        if place in found:
            scores[author].append(found.pop(place))
    count = Counter(authors)
    if found or any(len(mine) != count[author] for author, mine in scores.items()):
        raise ValueError("the lines with a label are not those of the files: train again")
    return dict(scores)


def later_scores(kept: Mapping[str, Rows], score: ScoresLabel, authors: Sequence[str]) -> dict[str, Rows]:
    """The kept scores, and those of a shipped network for the English lines of authors whom it has not learned."""
    lines = [line for line in guard_lines("train") if line.lang == ENGLISH]
    strange = set(authors) - {line.author for line in lines}
    if strange:
        raise ValueError(f"no English training lines by {', '.join(sorted(strange))}")
    labels = sorted(TRAINED_LABELS)
    new = {
        author: [np.array([score(line.text, label) for label in labels]) for line in lines if line.author == author]
        for author in authors
    }
    return {**kept, **new}


def packed_scores(by_author: Mapping[str, Rows]) -> bytes:
    """The scores of each author's lines as one file. The same scores give the same bytes."""
    return zipped({f"{author}.npy": _saved(np.array(rows, np.float16)) for author, rows in sorted(by_author.items())})


def _saved(array: NDArray[np.float16]) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def main(arguments: list[str] | None = None) -> int:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    pack = commands.add_parser("pack")
    pack.add_argument("network", type=Path)
    pack.add_argument("out", type=Path)
    unseen = commands.add_parser("unseen")
    unseen.add_argument("out", type=Path)
    unseen.add_argument("files", type=Path, nargs="+")
    later = commands.add_parser("later")
    later.add_argument("authors", nargs="+")
    given = parser.parse_args(arguments)
    if given.command == "later":
        for name, score in zip(UNSEEN, networks(), strict=True):
            path = package_path(PACKAGE, f"data/guard/{name}")
            kept: dict[str, Rows] = {author: list(rows) for author, rows in kept_scores(name).items()}
            path.write_bytes(packed_scores(later_scores(kept, score, given.authors)))
            print(f"{path}: {len(given.authors)} authors added")
        return 0
    if given.command == "pack":
        content = packed_encoder(as_guard(open_network(given.network)))
    else:
        _, lines, _ = repository_lines()
        content = packed_scores(unseen_scores(given.files, [line.author for line in lines]))
    given.out.write_bytes(content)
    print(f"{given.out}: {len(content)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
