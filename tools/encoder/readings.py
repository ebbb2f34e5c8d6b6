"""Fine-tune a language model as a reader, measure it, and let it answer the questions of `pool`. Needs torch,
transformers and a GPU.

    python -m tools.encoder.readings learn MODEL my-reader pool.jsonl statements.jsonl --seconds 300
    python -m tools.encoder.readings measure my-reader figures.json

The reader is one for ``--cast reader=local:FOLDER``, as ``polyclinic train reader --base`` makes it. It learns all
training lines of the kinds that `pool` makes texts of, and some of the others. One in ten of the sources and cases is
left out: `measure` reads their lines, and the test authors'. What it says about the pool teaches a
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

OTHERS = 6_000
"""So many lines of other kinds are learned too."""
_TOKENS = 4_096
"""With 1.5 billion weights and so many tokens at once, learning takes about 45 GB of memory."""
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


def chances_of(scores: AnswerScores, lines: Sequence[Labelled]) -> list[float]:
    """How likely the answer about each line is yes."""
    return [round(chance, 4) for chance in scores.chances([(line.text, line.question) for line in lines])]


def figures(lines: Sequence[Labelled], chances: Sequence[float]) -> ReaderFigures:
    """How often the reader is right, kind by kind."""
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


def learn(given: argparse.Namespace) -> None:
    """Train the reader, and let it answer the questions of the pool."""
    learned, _ = chosen_lines(repository_lines(BOTH)[0], given.others)
    settings = TuningSettings(
        given.model,
        given.epochs,
        given.batch,
        most_lines=given.most_lines,
        most_seconds=given.seconds,
        tokens=given.tokens,
    )
    tune_reader(learned, all_kinds(), settings, given.reader, lambda line: print(line, flush=True))
    texts = [one for one in open_pool(given.pool) if one.kind]
    save_statements(given.out, texts, answered(AnswerScores(str(given.reader)), texts))
    print(f"{given.out}: {len(texts)} opinions", flush=True)


def measure(given: argparse.Namespace) -> None:
    """Measure the reader on the sources and cases that were left out, and on the test authors. How likely it finds a
    yes is written for each line too, in the order of the lines, so that it can be joined with another reader's answers.
    """
    _, away = chosen_lines(repository_lines(BOTH)[0], 0)
    scores = AnswerScores(str(given.reader))
    sets = {"left out": away, "test authors": labelled(split="test")}
    found, chances = {}, {}
    for name, every in sets.items():
        lines = every[: given.most_lines or None]
        chances[name] = chances_of(scores, lines)
        found[name] = figures(lines, chances[name])
        for kind, one in found[name].kinds.items():
            print(f"{name}, {kind}: {one.balanced:.3f} of {one.n}", flush=True)
        print(f"{name}, all kinds: {found[name].all.balanced}", flush=True)
    written = {name: {**plain(one), "chances": chances[name]} for name, one in found.items()}
    given.out.write_bytes(orjson.dumps(written, option=orjson.OPT_INDENT_2))


def main(arguments: list[str] | None = None) -> int:
    """Learn or measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    learning = commands.add_parser("learn")
    learning.add_argument("model", help="a folder with a model for transformers")
    learning.add_argument("reader", type=Path, help="the folder for the reader")
    learning.add_argument("pool", type=Path, help="the file of tools.encoder.pool")
    learning.add_argument("out", type=Path, help="the file to write")
    learning.add_argument("--epochs", type=int, default=2)
    learning.add_argument("--batch", type=int, default=64)
    learning.add_argument("--seconds", type=float, default=0.0, help="learns at most so long")
    learning.add_argument("--tokens", type=int, default=_TOKENS, help="learned at once; default: %(default)s")
    learning.add_argument("--others", type=int, default=OTHERS, help="lines of other kinds; default: %(default)s")
    measuring = commands.add_parser("measure")
    measuring.add_argument("reader", type=Path, help="the folder of the reader")
    measuring.add_argument("out", type=Path, help="the file to write")
    for command in (learning, measuring):
        command.add_argument("--most-lines", type=int, default=0, help="so many lines of each set; 0: all")
    given = parser.parse_args(arguments)
    (learn if given.command == "learn" else measure)(given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
