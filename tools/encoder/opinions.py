"""What language models say about unlabelled texts, as lessons: the files of `teacher` and `readings`.

Each line has a text and what is said about it: the probability of each label of the guard, or those of no and yes. Then
it also has the kind of reading and what the text is compared with.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson

from tools.encoder.batches import Counts, Names, Shares, TextTable, text_table
from tools.encoder.pack import word_pieces

if TYPE_CHECKING:
    from tools.encoder.pool import Unlabelled


class Opinion(NamedTuple):
    """What is said about one text. A message has no kind."""

    text: str
    lang: str
    kind: str
    second: str
    says: list[float]


class Opinions(NamedTuple):
    """The lessons as numbers of texts in a table of their own: messages with the probability of each label, and
    statements beside what they are compared with, with the column of their kind and the probability of a yes. A network
    without a column for a kind gets none of that kind.
    """

    messages: Counts
    labels: Shares
    statements: Counts
    seconds: Counts
    columns: Counts
    yes: Shares
    texts: TextTable


def opinion_of(one: Unlabelled, says: Sequence[float], second: str = "") -> Opinion:
    """What is said about a text of the pool."""
    return Opinion(one.text, one.lang, one.kind, second, [round(chance, 4) for chance in says])


def save_opinions(path: Path, found: Iterable[Opinion]) -> None:
    """Write opinions, one JSON object a line."""
    path.write_bytes(b"".join(orjson.dumps(one._asdict(), option=orjson.OPT_APPEND_NEWLINE) for one in found))


def open_opinions(paths: Sequence[Path], names: Names, longest: int) -> Opinions:
    """The opinions in some files, for a network with these names."""
    rows = [Opinion(**orjson.loads(line)) for path in paths for line in path.read_bytes().splitlines()]
    texts: dict[str, int] = {}
    messages: list[int] = []
    labels: list[list[float]] = []
    pairs: list[tuple[Any, ...]] = []
    for row in rows:
        if not row.kind:
            messages.append(texts.setdefault(row.text, len(texts)))
            labels.append(row.says)
        elif row.kind in names.columns:
            numbers = [texts.setdefault(text, len(texts)) for text in (row.text, row.second)]
            pairs.append((*numbers, names.columns.index(row.kind), row.says[1]))
    text, second, column, yes = np.array(pairs, np.float64).reshape(-1, 4).T
    return Opinions(
        np.array(messages, np.int64),
        np.array(labels, np.float32).reshape(-1, len(names.labels)),
        text.astype(np.int64),
        second.astype(np.int64),
        column.astype(np.int64),
        yes.astype(np.float32),
        text_table(word_pieces(names), list(texts), longest),
    )
