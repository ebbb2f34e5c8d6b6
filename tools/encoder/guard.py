"""Make the files of the counsel guard's networks. Without a GPU.

    python -m tools.encoder.guard pack guard.npz
    python -m tools.encoder.guard unseen out-0.npz out-1.npz
    python -m tools.encoder.guard later EN EO

They are in the data of the clinic counsel, or in the folder after `--folder`. `pack` writes the network of all training
authors, one byte a weight, with the guard's labels alone. `unseen` writes what networks said about authors that they
had not learned, for ``polyclinic train guard``, from the files of `tools.encoder.train --leave-out`: in each language
that they know. Both write the files of the network for both languages. `later` adds authors who came after the last
training to the answers of both networks: neither has learned their lines. Run `unseen` instead as soon as a network is
trained again.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polyclinic.clinics.counsel.rules.sentence_guard import (
    NETWORKS,
    NetworkFiles,
    kept_name,
    kept_scores,
    network,
    network_score,
)
from polyclinic.clinics.counsel.rules.teaching import guard_lines
from polyclinic.clinics.counsel.rules.trained import TRAINED_LABELS
from polyclinic.clinics.counsel.scenario import PACKAGE
from polyclinic.core.files import package_path
from polyclinic.reading.networks import GUARD, SentenceNetwork, packed_encoder
from polyclinic.reading.text_labels import zipped
from polyclinic.reading.together import JoinedEncoder
from tools.encoder.pack import TrainedNetwork, as_encoder, open_network
from tools.encoder.rows import repository_lines

Rows = Sequence[NDArray[np.floating]]


def as_guard(network: TrainedNetwork) -> SentenceNetwork:
    """The network with the guard's labels as its only columns."""
    whole = as_encoder(network, labels=True)
    places = [place for place, name in enumerate(whole.columns) if name.startswith(f"{GUARD}|")]
    weights = {**whole.weights, **{name: whole.weights[name][places] for name in ("heads.weight", "heads.bias")}}
    return JoinedEncoder(whole.pieces, tuple(whole.columns[place] for place in places), weights)


def unseen_scores(files: Sequence[Path], authors: Sequence[str]) -> dict[str, Rows]:
    """The scores of each left-out author's lines in one language, in their order. `authors` has the name under which
    each line's scores are kept.
    """
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


ScoresLabel = Callable[[NetworkFiles, str, str], float | None]
"""A network's score of one text for one label."""


def later_scores(
    files: NetworkFiles, kept: Mapping[str, Rows], score: ScoresLabel, authors: Sequence[str]
) -> dict[str, Rows]:
    """The kept scores, and those of the shipped network for the lines of authors whom it has not learned, in the
    languages that it knows.
    """
    lines = guard_lines("train")
    strange = set(authors) - {line.author for line in lines}
    if strange:
        raise ValueError(f"no training lines by {', '.join(sorted(strange))}")
    labels = sorted(TRAINED_LABELS)
    new: dict[str, list[NDArray[np.floating]]] = defaultdict(list)
    for line in lines:
        if line.author in authors and line.lang in network(files).languages:
            scores = np.array([score(files, line.text, label) for label in labels])
            new[kept_name(line.author, line.lang)].append(scores)
    return {**kept, **new}


def languages_of(files: Sequence[Path]) -> set[str]:
    """The languages of the lines that were left out in these files."""
    found: set[str] = set()
    for path in files:
        with np.load(path) as file:
            found |= set(file["languages"].tolist())
    return found


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
    parser.add_argument("--folder", type=Path, help="where the files go; default: into the package")
    commands = parser.add_subparsers(dest="command", required=True)
    pack = commands.add_parser("pack")
    pack.add_argument("network", type=Path)
    unseen = commands.add_parser("unseen")
    unseen.add_argument("files", type=Path, nargs="+")
    later = commands.add_parser("later")
    later.add_argument("authors", nargs="+")
    given = parser.parse_args(arguments)
    first = NETWORKS[0]
    if given.command == "pack":
        path = _there(given.folder, first.weights)
        path.write_bytes(packed_encoder(as_guard(open_network(given.network))))
        print(f"{path}: {path.stat().st_size} bytes")
    elif given.command == "later":
        for files in NETWORKS:
            kept: dict[str, Rows] = {author: list(rows) for author, rows in kept_scores(files).items()}
            _write_scores(_there(given.folder, files.unseen), later_scores(files, kept, network_score, given.authors))
    else:
        _, lines, _ = repository_lines(languages_of(given.files))
        scores = unseen_scores(given.files, [kept_name(line.author, line.lang) for line in lines])
        _write_scores(_there(given.folder, first.unseen), scores)
    return 0


def _there(folder: Path | None, name: str) -> Path:
    return folder / name if folder else package_path(PACKAGE, f"data/guard/{name}")


def _write_scores(path: Path, scores: Mapping[str, Rows]) -> None:
    path.write_bytes(packed_scores(scores))
    print(f"{path}: {len(scores)} authors, each language counted by itself")


if __name__ == "__main__":
    sys.exit(main())
