"""First vectors for the Korean pieces of a start file, from what a language model makes of them. Needs torch and
transformers; a GPU makes it quick.

    python -m tools.encoder.korean MODEL start.npz ready.npz

MODEL is the folder of a model for transformers that has read both languages. A piece is shown to it in words of the
training texts. The mean of the model's states at the piece is its place in the model. A linear map leads from there to
the vectors of the network. It is fitted on the English pieces, which have both, so that Korean pieces come to lie near
English ones of like meaning. The layer of the model and the strength of the ridge are those with the highest cosine on
one in ten English pieces, which are left out. What is written is the start file with the new vectors.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyclinic.reading.pieces import INSIDE, WordPieces, has_korean, words_of
from polyclinic.reading.tuned import AnswerScores
from tools.encoder.batches import Arrays, open_start, save_start
from tools.encoder.korean_pieces import training_texts
from tools.encoder.pack import word_pieces

WORDS_EACH = 8
"""A piece is shown in at most so many words, the most frequent ones that have it."""
DEPTHS = (0.0, 0.25, 0.5, 0.75)
"""The layers that are tried, as shares of the model's depth."""
RIDGES = (0.01, 0.1, 1.0)
_LEFT_OUT, _AT_ONCE = 10, 256
Doubles = NDArray[np.float64]


class Shown(NamedTuple):
    """A piece in a word: where it lies in the word's letters."""

    piece: int
    word: str
    begin: int
    end: int


class Mapped(NamedTuple):
    """The vectors of Korean pieces, the chosen layer and ridge, and the mean cosine on English pieces left out."""

    vectors: Doubles
    depth: float
    ridge: float
    cosine: float


def shown_pieces(pieces: WordPieces, texts: Iterable[str], each: int = WORDS_EACH) -> list[Shown]:
    """Where the pieces occur in the words of the texts: each in its most frequent words."""
    counts = Counter(word for text in texts for word in words_of(text))
    found: dict[int, list[Shown]] = defaultdict(list)
    for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        whole, place = _composed(word), 0
        letters = [number for number, sign in enumerate(whole) for _ in unicodedata.normalize("NFD", sign)]
        for number in pieces.cut(word, len(word) + 2)[1:-1]:
            size = len(pieces.pieces[number].removeprefix(INSIDE))
            if number and len(found[number]) < each:
                found[number].append(Shown(number, whole, letters[place], letters[place + size - 1] + 1))
            place += size
    return [one for number in sorted(found) for one in found[number]]


def _composed(word: str) -> str:
    """The word as it is written: its letters as syllables."""
    return unicodedata.normalize("NFC", word)


def model_states(model: AnswerScores, shown: Sequence[Shown], depths: Sequence[float]) -> list[dict[int, Doubles]]:
    """For each of the layers, the mean state of each piece."""
    torch: Any = importlib.import_module("torch")
    words = sorted({one.word for one in shown}, key=lambda word: (len(word), word))
    by_word: dict[str, list[Shown]] = defaultdict(list)
    for one in shown:
        by_word[one.word].append(one)
    counts = Counter[int]()
    sums: list[dict[int, Doubles]] = [{} for _ in depths]
    model.model.eval()
    with torch.inference_mode():
        for at in range(0, len(words), _AT_ONCE):
            part = words[at : at + _AT_ONCE]
            cuts = [_cut(model.tokenizer, word) for word in part]
            ids, mask = (torch.zeros(len(part), max(len(cut) for cut in cuts), dtype=torch.long) for _ in range(2))
            for row, cut in enumerate(cuts):
                ids[row, : len(cut)], mask[row, : len(cut)] = torch.tensor([token for token, _, _ in cut]), 1
            layers = model.model.base_model(
                input_ids=ids.to(model.device),
                attention_mask=mask.to(model.device),
                use_cache=False,
                output_hidden_states=True,
            ).hidden_states
            states = [layers[round(depth * (len(layers) - 1))].float().cpu().numpy() for depth in depths]
            for row, (word, cut) in enumerate(zip(part, cuts, strict=True)):
                for one in by_word[word]:
                    mine = [n for n, (_, begin, end) in enumerate(cut) if begin < one.end and end > one.begin]
                    counts[one.piece] += bool(mine)
                    for state, kept in zip(states, sums, strict=True) if mine else ():
                        mean = state[row, mine].mean(axis=0, dtype=np.float64)
                        kept[one.piece] = kept.get(one.piece, 0.0) + mean
    return [{piece: total / counts[piece] for piece, total in sorted(kept.items())} for kept in sums]


def _cut(tokenizer: Any, word: str) -> list[tuple[int, int, int]]:
    """The tokens of a word after a space, each with the letters that it stands for."""
    found = tokenizer(f" {word}", add_special_tokens=False, return_offsets_mapping=True)
    return [
        (token, begin - 1, end - 1)
        for token, (begin, end) in zip(found["input_ids"], found["offset_mapping"], strict=True)
    ]


def mapped(
    states: Sequence[Mapping[int, Doubles]], depths: Sequence[float], vectors: Doubles, korean: Sequence[int]
) -> Mapped:
    """The best linear map, and what it makes of the Korean pieces. One that no text shows gets the mean vector."""
    best: Mapped | None = None
    new = set(korean)
    for depth, known in zip(depths, states, strict=True):
        numbers = [number for number in known if number not in new]
        rows, wanted = np.array([known[number] for number in numbers]), vectors[numbers]
        middle, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-6
        even, centre = (rows - middle) / spread, wanted.mean(axis=0)
        held = np.arange(len(numbers)) % _LEFT_OUT == 0
        square, aim = even[~held].T @ even[~held], even[~held].T @ (wanted[~held] - centre)
        for ridge in RIDGES:
            table = np.linalg.solve(square + ridge * len(numbers) * np.eye(len(square)), aim)
            cosine = _cosine(even[held] @ table, wanted[held] - centre)
            if best is None or cosine > best.cosine:
                found = _as_long(even @ table, wanted - centre)
                there = {n: ((known[n] - middle) / spread) @ table * found + centre for n in korean if n in known}
                best = Mapped(np.array([there.get(n, centre) for n in korean]), depth, ridge, cosine)
    if best is None:
        raise ValueError("no English piece is known to the model")
    return best


def _cosine(rows: Doubles, others: Doubles) -> float:
    sizes = np.linalg.norm(rows, axis=1) * np.linalg.norm(others, axis=1)
    return float(((rows * others).sum(axis=1) / np.maximum(sizes, 1e-9)).mean())


def _as_long(rows: Doubles, others: Doubles) -> float:
    """What makes the rows as long as the others: a ridge makes them shorter."""
    return float(np.linalg.norm(others, axis=1).mean() / max(np.linalg.norm(rows, axis=1).mean(), 1e-9))


def with_vectors(base: Arrays, korean: Sequence[int], vectors: Doubles) -> Arrays:
    """The weights with other vectors for these pieces."""
    changed = base["E"].copy()
    changed[list(korean)] = vectors
    return {**base, "E": changed}


def main(arguments: list[str] | None = None) -> int:
    """Write the start file with other vectors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a folder with a model for transformers")
    parser.add_argument("start", type=Path, help="a file of tools.encoder.lessons with Korean pieces")
    parser.add_argument("out", type=Path, help="the file to write")
    parser.add_argument("--each", type=int, default=WORDS_EACH, help="words for each piece; default: %(default)s")
    given = parser.parse_args(arguments)
    start = open_start(given.start)
    korean = [number for number, piece in enumerate(start.names.pieces) if has_korean([piece])]
    shown = shown_pieces(word_pieces(start.names), training_texts(), given.each)
    states = model_states(AnswerScores(given.model), shown, DEPTHS)
    found = mapped(states, DEPTHS, start.base["E"].astype(np.float64), korean)
    save_start(given.out, start._replace(base=with_vectors(start.base, korean, found.vectors)))
    there = len(set(korean) & states[0].keys())
    print(
        f"{given.out}: {there} of {len(korean)} Korean pieces have vectors of the model (layer at {found.depth:.0%}, "
        f"ridge {found.ridge}); cosine on English pieces left out {found.cosine:.3f}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
