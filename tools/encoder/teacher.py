"""A language model answers questions that nobody answered: a text of a training author with another question of its
case.

    python -m tools.encoder.teacher MODEL teacher soft.jsonl

MODEL is a folder with a model of `transformers`, such as one of 1.5 billion weights. It is fine-tuned as a reader
(`polyclinic train reader`) on the training lines, without those of the first group of authors: on these, the encoder
can still be measured. Then it answers; the encoder learns from how sure it is. It writes no texts.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from polyclinic.core.reading import Question, ReadingKind
from polyclinic.reading.sets import Labelled
from polyclinic.reading.settings import TuningSettings
from polyclinic.reading.tuned import AnswerScores
from polyclinic.reading.tuning import tune_reader
from polyclinic.runner.readings import all_kinds
from tools.encoder.rows import EncoderRow, repository_lines, row_of, write_rows

UNSEEN_GROUP = 0
CROSSED = 0.5
SOFTENED, SUREST = 0.7, 8.0
RATE = 1.2e-5
_AT_ONCE = 4_000


def crossed(lines: Sequence[Labelled], kinds: Mapping[str, ReadingKind], share: float, seed: int = 0) -> list[Labelled]:
    """Texts with another question of the same kind and case, which no author answered for this text: one for a share of
    the lines. Their labels say nothing.
    """
    chance = random.Random(seed)
    cases: dict[tuple[str, str], dict[Question, None]] = defaultdict(dict)
    answered: dict[str, set[Question]] = defaultdict(set)
    for line in lines:
        cases[_case(line, kinds)][line.question] = None
        answered[line.text].add(line.question)
    found: list[Labelled] = []
    for line in lines:
        others = [question for question in cases[_case(line, kinds)] if question not in answered[line.text]]
        if others and chance.random() < share:
            found.append(replace(line, question=chance.choice(others), label=False))
    return found


def _case(line: Labelled, kinds: Mapping[str, ReadingKind]) -> tuple[str, str]:
    row = row_of(line, kinds)
    return row.kind, line.about if row.compares else row.second


def softened(chance: float) -> float:
    """A teacher's probability, less sure: the encoder should not copy how sure the teacher is of its mistakes."""
    least = 1 / (1 + math.exp(SUREST / SOFTENED))
    chance = min(max(chance, least), 1 - least)
    return 1 / (1 + math.exp(-SOFTENED * math.log(chance / (1 - chance))))


def answered_rows(model: AnswerScores, lines: Sequence[Labelled], kinds: Mapping[str, ReadingKind]) -> list[EncoderRow]:
    """The lines as rows with the model's answers."""
    found: list[EncoderRow] = []
    for start in range(0, len(lines), _AT_ONCE):
        part = lines[start : start + _AT_ONCE]
        chances = model.chances([(line.text, line.question) for line in part])
        found += [
            row_of(line, kinds)._replace(answer=softened(chance)) for line, chance in zip(part, chances, strict=True)
        ]
        print(f"{len(found)} of {len(lines)} answered", flush=True)
    return found


def main(arguments: list[str] | None = None) -> int:
    """Fine-tune the model and let it answer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="the folder of a transformers model")
    parser.add_argument("teacher", type=Path, help="the folder for the fine-tuned model")
    parser.add_argument("out", type=Path, help="the file of answered rows to write")
    parser.add_argument("--seconds", type=float, default=0.0, help="stop fine-tuning after this time")
    given = parser.parse_args(arguments)
    kinds = all_kinds()
    lines, _, groups = repository_lines()
    lines = [line for line in lines if groups[line.author] != UNSEEN_GROUP]
    settings = TuningSettings(base=given.model, rate=RATE, most_seconds=given.seconds)
    tune_reader(lines, kinds, settings, given.teacher, lambda words: print(words, flush=True))
    pairs = crossed(lines, kinds, CROSSED)
    write_rows(given.out, answered_rows(AnswerScores(str(given.teacher)), pairs, kinds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
