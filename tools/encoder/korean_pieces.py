"""Learn pieces of Korean words from our own training texts: letters that often stand together become one piece.

    python -m tools.encoder.korean_pieces korean-pieces.txt

The package of the second network was made for English. Its pieces are kept, and these come after them. Words are split
into their letters (jamo). Then the two neighbours that stand together most often become one piece, again and again. Of
two pairs that are equally frequent, the first by name is taken, so that the same texts give the same pieces. No text of
a test author is read.
"""

from __future__ import annotations

import argparse
import heapq
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path

from polyclinic.reading.pieces import INSIDE, words_of
from polyclinic.runner.readings import all_kinds
from tools.encoder.rows import BOTH, repository_lines, row_of

PIECES = 4_800
LEAST_TOGETHER = 3
"""Pieces that stand together less often stay apart."""
_KOREAN = re.compile("[\u1100-\u11ff]+")
_LETTERS = [
    chr(code)
    for first, last in ((0x1100, 0x1112), (0x1161, 0x1175), (0x11A8, 0x11C2))
    for code in range(first, last + 1)
]
"""Every letter of today's Korean, so that any word can be cut."""
Pair = tuple[str, str]


def korean_runs(texts: Iterable[str]) -> Counter[str]:
    """How often each row of Korean letters occurs; one that does not begin its word is marked as inside."""
    found: Counter[str] = Counter()
    for text in texts:
        for word in words_of(text):
            for run in _KOREAN.finditer(word):
                found[(INSIDE if run.start() else "") + run.group()] += 1
    return found


def learned_pieces(runs: Mapping[str, int], most: int) -> list[str]:
    """At most so many pieces: every letter, at the beginning and inside of words, and the frequent rows of letters."""
    words = [_letters(run) for run in sorted(runs)]
    counts = [runs[run] for run in sorted(runs)]
    letters = sorted({letter.removeprefix(INSIDE) for word in words for letter in word} | set(_LETTERS))
    pieces = dict.fromkeys([*letters, *(INSIDE + letter for letter in letters)])
    together, where = Counter[Pair](), defaultdict[Pair, set[int]](set)
    for number, word in enumerate(words):
        _count(word, counts[number], number, together, where)
    waiting = [(-count, pair) for pair, count in together.items()]
    heapq.heapify(waiting)
    while waiting and len(pieces) < most:
        count, pair = heapq.heappop(waiting)
        if -count != together[pair]:
            continue
        if -count < LEAST_TOGETHER:
            break
        pieces[_joined(pair)] = None
        changed: set[Pair] = set()
        for number in sorted(where.pop(pair)):
            before, after = words[number], _with(words[number], pair)
            words[number] = after
            _count(before, -counts[number], number, together, where)
            _count(after, counts[number], number, together, where)
            changed |= {*_pairs(before), *_pairs(after)}
        for other in changed:
            if together[other] > 0:
                heapq.heappush(waiting, (-together[other], other))
    return list(pieces)[:most]


def _letters(run: str) -> list[str]:
    inside, bare = run.startswith(INSIDE), run.removeprefix(INSIDE)
    return [(INSIDE if inside or place else "") + letter for place, letter in enumerate(bare)]


def _pairs(word: list[str]) -> list[Pair]:
    return list(pairwise(word))


def _count(
    word: list[str], count: int, number: int, together: Counter[Pair], where: defaultdict[Pair, set[int]]
) -> None:
    for pair in _pairs(word):
        together[pair] += count
        if count > 0:
            where[pair].add(number)


def _joined(pair: Pair) -> str:
    return pair[0] + pair[1].removeprefix(INSIDE)


def _with(word: list[str], pair: Pair) -> list[str]:
    """The word with both pieces of the pair as one, from the left."""
    found: list[str] = []
    place = 0
    while place < len(word):
        both = tuple(word[place : place + 2]) == pair
        found.append(_joined(pair) if both else word[place])
        place += 1 + both
    return found


def training_texts() -> list[str]:
    """All texts of training lines in both languages, and what they are compared with."""
    lines, labels, _ = repository_lines(BOTH)
    kinds = all_kinds()
    rows = [row_of(line, kinds) for line in lines]
    return sorted({row.text for row in rows} | {row.second for row in rows} | {line.text for line in labels})


def main(arguments: list[str] | None = None) -> int:
    """Write the pieces, one a line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the file to write")
    parser.add_argument("--most", type=int, default=PIECES, help="default: %(default)s")
    given = parser.parse_args(arguments)
    runs = korean_runs(training_texts())
    pieces = learned_pieces(runs, given.most)
    given.out.write_text("\n".join(pieces) + "\n", encoding="utf-8")
    print(f"{given.out}: {len(pieces)} pieces from {runs.total()} Korean words, {len(runs)} of them different")
    return 0


if __name__ == "__main__":
    sys.exit(main())
