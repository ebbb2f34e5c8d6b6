"""Pairs of sentences of which one follows from the other, contradicts it, or neither: lessons for the second network.

    python -m tools.encoder.inferences snli_1.0_train_subset.jsonl start.npz inferences.npz

Our own lines are too few to teach a network what follows from what. The pairs are a part of the Stanford Natural
Language Inference corpus (CC BY-SA 4.0). Only what the network learned from them is shipped, not the pairs.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import orjson

from tools.encoder.batches import INFERENCES, Counts, TextTable, open_start, text_table
from tools.encoder.pack import word_pieces

LONGEST_SENTENCE = 64


class Inferences(NamedTuple):
    """The lessons as numbers: for each pair the later sentence, the one it is held against, and the answer; and all
    sentences.
    """

    rows: Counts
    texts: TextTable


def inferences_of(path: Path) -> tuple[list[tuple[int, int, int]], list[str]]:
    """The pairs of a file of the corpus, and all sentences. Pairs on which its readers did not agree are left out."""
    sentences: dict[str, int] = {}
    rows = []
    for line in path.read_bytes().splitlines():
        pair = orjson.loads(line)
        if pair["gold_label"] in INFERENCES:
            said, before = (pair[name].strip() for name in ("sentence2", "sentence1"))
            numbers = [sentences.setdefault(text, len(sentences)) for text in (said, before)]
            rows.append((numbers[0], numbers[1], INFERENCES.index(pair["gold_label"])))
    return rows, list(sentences)


def save_inferences(path: Path, lessons: Inferences) -> None:
    """Write the lessons."""
    pieces, lengths = (part.astype(np.int32) for part in lessons.texts)
    np.savez_compressed(path, rows=lessons.rows.astype(np.int32), pieces=pieces, lengths=lengths)


def open_inferences(path: Path) -> Inferences:
    """The reverse of `save_inferences`."""
    with np.load(path) as file:
        rows, pieces, lengths = (file[name].astype(np.int64) for name in ("rows", "pieces", "lengths"))
    return Inferences(rows, TextTable(pieces, lengths))


def main(arguments: list[str] | None = None) -> int:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path, help="a file of the corpus, one JSON object a line")
    parser.add_argument("start", type=Path, help="the file of tools.encoder.lessons, for its vocabulary")
    parser.add_argument("out", type=Path, help="the file to write")
    given = parser.parse_args(arguments)
    rows, sentences = inferences_of(given.pairs)
    table = text_table(word_pieces(open_start(given.start).names), sentences, LONGEST_SENTENCE)
    save_inferences(given.out, Inferences(np.array(rows, np.int64), table))
    print(f"{given.out}: {len(rows)} pairs of {len(sentences)} sentences")
    return 0


if __name__ == "__main__":
    sys.exit(main())
