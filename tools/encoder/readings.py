"""Fine-tune a language model as a reader, measure it, and let it answer the questions of `pool`. Needs torch,
transformers and a GPU.

    python -m tools.encoder.readings MODEL pool.jsonl statements.jsonl --reader my-reader --seconds 300

The reader is one for ``--cast reader=local:FOLDER``, as ``polyclinic train reader --base`` makes it. It learns all
training lines of the kinds that `pool` makes texts of, and some of the others. One in ten of the sources and cases is
left out: it is measured on their lines, and on the test authors' (`--figures`). What it says about the pool teaches a
small network. Where the answer to a text of the pool is known, the model is not asked.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import orjson

from polyclinic.core.seed import stream
from polyclinic.core.value import plain
from polyclinic.reading.measure import ReaderFigures, table
from polyclinic.reading.sets import Labelled
from polyclinic.reading.settings import TuningSettings
from polyclinic.reading.targets import target_of
from polyclinic.reading.tuned import AnswerScores, says_of
from polyclinic.reading.tuning import tune_reader
from polyclinic.runner.readings import all_kinds, labelled
from tools.encoder.opinions import opinion_of, save_opinions
from tools.encoder.pool import FALSE, SUPPORTED, Unlabelled, open_pool
from tools.encoder.rows import BOTH, repository_lines

OTHERS = 12_000
"""So many lines of other kinds are learned too."""
_ONE_IN = 10
_CERTAIN = 0.97


def chosen_lines(lines: Sequence[Labelled], others: int) -> tuple[list[Labelled], list[Labelled]]:
    """The lines that are learned, and those of sources and cases that are left out."""
    chance = stream("readings", "left out")
    mine = [line for line in lines if line.question.kind in (SUPPORTED, FALSE)]
    rest = [line for line in lines if line.question.kind not in (SUPPORTED, FALSE)]
    about = sorted({line.about for line in mine})
    away = set(chance.sample(about, len(about) // _ONE_IN))
    learned = [line for line in mine if line.about not in away]
    rest = [line for line in rest if line.about not in away]
    learned += chance.sample(rest, min(others, len(rest)))
    return learned, [line for line in mine if line.about in away]


def figures(scores: AnswerScores, lines: Sequence[Labelled]) -> ReaderFigures:
    """How often the reader is right, kind by kind."""
    chances = scores.chances([(line.text, line.question) for line in lines])
    return table(lines, [says_of(chance) for chance in chances])


def answered(scores: AnswerScores, texts: Sequence[Unlabelled]) -> list[float]:
    """How likely the answer about each text of the pool is yes."""
    kinds = all_kinds()
    asked = [one for one in texts if one.known is None]
    said = iter(scores.chances([(one.text, one.question(kinds)) for one in asked]))
    known = {True: _CERTAIN, False: 1 - _CERTAIN}
    return [next(said) if one.known is None else known[one.known] for one in texts]


def save_statements(path: Path, texts: Sequence[Unlabelled], chances: Sequence[float]) -> None:
    """Write what is said about the texts, with what each is compared with."""
    kinds = all_kinds()
    seconds = [target_of(kinds[one.kind], one.question(kinds)).whole for one in texts]
    rows = zip(texts, chances, seconds, strict=True)
    save_opinions(path, (opinion_of(one, (1 - chance, chance), second) for one, chance, second in rows))


def main(arguments: list[str] | None = None) -> int:
    """Train, measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a folder with a model for transformers")
    parser.add_argument("pool", type=Path, help="the file of tools.encoder.pool")
    parser.add_argument("out", type=Path, help="the file to write")
    parser.add_argument("--reader", type=Path, required=True, help="the folder for the reader")
    parser.add_argument("--figures", type=Path, help="write how often it is right")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=0.0, help="learns at most so long")
    parser.add_argument("--others", type=int, default=OTHERS, help="lines of other kinds; default: %(default)s")
    parser.add_argument("--most-lines", type=int, default=0, help="learns and measures so many lines; 0: all")
    given = parser.parse_args(arguments)
    lines, _, _ = repository_lines(BOTH)
    learned, away = chosen_lines(lines, given.others)
    settings = TuningSettings(
        given.model, given.epochs, given.batch, most_lines=given.most_lines, most_seconds=given.seconds
    )
    tune_reader(learned, all_kinds(), settings, given.reader, lambda line: print(line, flush=True))
    scores = AnswerScores(str(given.reader))
    texts = [one for one in open_pool(given.pool) if one.kind]
    save_statements(given.out, texts, answered(scores, texts))
    print(f"{given.out}: {len(texts)} opinions", flush=True)
    tested = labelled(split="test")
    if given.most_lines:
        tested, away = tested[: given.most_lines], away[: given.most_lines]
    found = {"left out": figures(scores, away), "test authors": figures(scores, tested)}
    for name, one in found.items():
        print(f"{name}: {one.all.balanced}, {len(one.kinds)} kinds", flush=True)
    if given.figures:
        given.figures.write_bytes(
            orjson.dumps({name: plain(one) for name, one in found.items()}, option=orjson.OPT_INDENT_2)
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
