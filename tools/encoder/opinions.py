"""What a language model says about unlabelled texts, as lessons: the file of `teacher`."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import orjson

from tools.encoder.batches import Counts, Names, Shares, TextTable, text_table
from tools.encoder.pack import word_pieces

SUPPORTED = "counsel-supported"
"""The kind of reading whose statements are labelled."""


class Opinions(NamedTuple):
    """The lessons as numbers of texts in a table of their own: messages with the probability of each label, and
    statements beside sources with the probability of a yes. A network without a column for such statements gets none.
    """

    messages: Counts
    labels: Shares
    statements: Counts
    sources: Counts
    yes: Shares
    column: int
    texts: TextTable


def open_opinions(path: Path, names: Names, longest: int) -> Opinions:
    """The opinions in a file, for a network with these names."""
    rows = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    compares = SUPPORTED in names.columns
    texts: dict[str, int] = {}
    messages, labels, pairs, yes = [], [], [], []
    for row in rows:
        if not row["source"]:
            messages.append(texts.setdefault(row["text"], len(texts)))
            labels.append(row["says"])
        elif compares:
            pairs.append([texts.setdefault(row[name], len(texts)) for name in ("text", "source")])
            yes.append(row["says"][1])
    numbers = np.array(pairs, np.int64).reshape(-1, 2)
    return Opinions(
        np.array(messages, np.int64),
        np.array(labels, np.float32),
        numbers[:, 0],
        numbers[:, 1],
        np.array(yes, np.float32),
        names.columns.index(SUPPORTED) if compares else -1,
        text_table(word_pieces(names), list(texts), longest),
    )
