"""All that the network learns, as numbers in one file: the base weights, the texts, and what is asked about them.

    python -m tools.encoder.lessons PACKAGE start.npz
    python -m tools.encoder.lessons PACKAGE start.npz --korean korean-pieces.txt

With Korean pieces (`korean_pieces`) the network learns Korean lines too. What trains the network
(`tools.encoder.train`) needs only this file, the code, and of other packages torch, numpy, orjson and pydantic: it can
run on a machine without Polyclinic's other packages.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from polyclinic.core.seed import stream
from polyclinic.reading.label_training import LabelledText
from polyclinic.reading.layers import LONGEST
from polyclinic.reading.pieces import LikeliestPieces
from polyclinic.reading.together import LONGEST_TOGETHER
from polyclinic.runner.readings import all_kinds
from tools.encoder.base import open_base
from tools.encoder.batches import LabelLessons, Names, RowLessons, Start, save_start, text_table
from tools.encoder.rows import BOTH, ENGLISH, KOREAN, EncoderRow, repository_lines, row_of


def start_of(
    package: Path,
    rows: Sequence[EncoderRow],
    lines: Sequence[LabelledText],
    groups: Mapping[str, int],
    korean: Sequence[str] = (),
) -> Start:
    """All that a training starts from: rows and labelled lines as numbers, and the package's weights."""
    columns, kinds = _numbers(row.column for row in rows), _numbers(row.kind for row in rows)
    labels = _numbers(line.label for line in lines)
    texts = _numbers([row.text for row in rows] + [row.second for row in rows] + [line.text for line in lines])
    texts.pop("", None)
    texts = {text: number for number, text in enumerate(texts)}
    pieces, base = open_base(package, texts, korean)
    scores = tuple(pieces.scores) if isinstance(pieces, LikeliestPieces) else ()
    table = text_table(pieces, list(texts), LONGEST if scores else LONGEST_TOGETHER)
    texts[""] = len(texts)
    return Start(
        Names(tuple(columns), tuple(kinds), tuple(labels), tuple(pieces.pieces), scores),
        base,
        table,
        RowLessons(
            np.array([texts[row.text] for row in rows]),
            np.array([texts[row.second] for row in rows]),
            np.array([kinds[row.kind] for row in rows]),
            np.array([columns[row.column] for row in rows]),
            np.array([row.compares for row in rows]),
            np.array([int(row.answer) for row in rows]),
            np.array([groups[row.author] for row in rows]),
            np.array([row.lang == KOREAN for row in rows], bool),
        ),
        LabelLessons(
            np.array([texts[line.text] for line in lines]),
            np.array([labels[line.label] for line in lines]),
            np.array([groups[line.author] for line in lines]),
            np.array([line.lang == KOREAN for line in lines], bool),
        ),
    )


def _numbers(names: Iterable[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(sorted(set(names)))}


def main(arguments: list[str] | None = None) -> int:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", type=Path, help="the folder with model.json or model.safetensors")
    parser.add_argument("out", type=Path, help="the file to write")
    parser.add_argument("--most-lines", type=int, default=0, help="learn so many readings; 0: all")
    parser.add_argument("--korean", type=Path, help="the file of tools.encoder.korean_pieces")
    given = parser.parse_args(arguments)
    korean = given.korean.read_text(encoding="utf-8").split() if given.korean else []
    lines, labels, groups = repository_lines(BOTH if korean else ENGLISH)
    kinds = all_kinds()
    if given.most_lines:
        lines = stream("fewer lessons").sample(lines, min(given.most_lines, len(lines)))
    start = start_of(given.package, [row_of(line, kinds) for line in lines], labels, groups, korean)
    save_start(given.out, start)
    counts = (len(start.rows.text), len(start.lines.text), len(start.names.pieces))
    print("{}: {} rows, {} lines with a label, {} word pieces".format(given.out, *counts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
