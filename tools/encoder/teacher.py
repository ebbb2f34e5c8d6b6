"""Fine-tune a language model on the guard's labels, and let it label the messages of `pool`. Needs torch, transformers
and a GPU.

    python -m tools.encoder.teacher MODEL pool.jsonl opinions.jsonl
    python -m tools.encoder.teacher MODEL pool.jsonl opinions-01.jsonl --leave-out 0 1

MODEL is the folder of a model for transformers. It learns from English and Korean training lines. The prompt is short:
the message, and a letter for its label. What the model says is a probability of each label. With `--leave-out` it does
not learn these groups of authors, so that it can teach a network that is measured on them. It prints how often it is
right on the lines of these groups, or, with `--test`, of the test authors. Statements and turns are labelled by
`readings`.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson

from polyclinic.clinics.counsel.rules.teaching import guard_lines
from polyclinic.clinics.counsel.rules.trained import TRAINED_LABELS
from polyclinic.core.seed import stream
from polyclinic.reading.label_training import LabelledText
from polyclinic.reading.tuned import AnswerScores, batches
from tools.encoder.opinions import opinion_of, save_opinions
from tools.encoder.pool import open_pool
from tools.encoder.rows import BOTH, repository_lines

LABELS = tuple(sorted(TRAINED_LABELS))
_LETTERS = "ABCDEFGHIJ"[: len(LABELS)]
_RATE, _DECAY, _WARM_UP, _LEAST, _CLIP = 1e-5, 0.01, 20, 0.05, 1.0
_TOKENS, _TOLD_EVERY = 3_072, 100
"""So many tokens are learned at once; with 1.5 billion weights this takes about 40 GB of memory."""


class Lesson(NamedTuple):
    """One message as the model reads it, the number of its label, and its language."""

    tokens: list[int]
    right: int
    lang: str


class Teacher:
    """A language model that answers with one letter."""

    def __init__(self, folder: str) -> None:
        self.torch: Any = importlib.import_module("torch")
        self.base = AnswerScores(folder)
        self.base.model.float()
        letters = [self.base.tokenizer.encode(f" {letter}", add_special_tokens=False)[-1] for letter in _LETTERS]
        if len(set(letters)) < len(letters):
            raise ValueError(f"{folder}: its tokenizer does not tell the letters {_LETTERS} apart")
        self.letters = self.torch.tensor(letters, device=self.base.device)

    def tokens(self, text: str) -> list[int]:
        """One message as tokens."""
        found: list[int] = self.base.tokenizer.encode(f"Message: {text}\nLabel:", add_special_tokens=False)
        return found

    def lesson(self, line: LabelledText) -> Lesson:
        """A labelled line."""
        return Lesson(self.tokens(line.text), LABELS.index(line.label), line.lang)

    def scores(self, rows: Sequence[Sequence[int]]) -> Any:
        """The score of each letter."""
        torch, device = self.torch, self.base.device
        longest = max(map(len, rows))
        ids, mask = (torch.zeros(len(rows), longest, dtype=torch.long) for _ in range(2))
        for place, row in enumerate(rows):
            ids[place, : len(row)], mask[place, : len(row)] = torch.tensor(row), 1
        last = torch.tensor([len(row) - 1 for row in rows], device=device)
        states = self.base.model.base_model(
            input_ids=ids.to(device), attention_mask=mask.to(device), use_cache=False
        ).last_hidden_state
        head = self.base.model.get_output_embeddings().weight[self.letters]
        return states[torch.arange(len(rows), device=device), last].float() @ head.float().T

    def _half(self) -> Any:
        """Sums with half of the digits, on a GPU."""
        device = self.base.device
        return self.torch.autocast(device, dtype=self.torch.bfloat16, enabled=device == "cuda")

    def learn(self, lessons: Sequence[Lesson], epochs: int, batch: int, seconds: float) -> int:
        """Train all weights, for at most so many seconds. Returns the number of steps."""
        torch, chance = self.torch, np.random.default_rng(0)
        learner = torch.optim.AdamW(
            self.base.model.parameters(), lr=_RATE, weight_decay=_DECAY, betas=(0.9, 0.98), fused=True
        )
        steps, started, done = epochs * -(-len(lessons) // batch), time.monotonic(), 0
        self.base.model.train()
        lost = 0.0
        for _ in range(epochs):
            order = sorted(range(len(lessons)), key=lambda n: len(lessons[n].tokens) + 40 * chance.random())
            parts = [order[at : at + batch] for at in range(0, len(order), batch)]
            for place in chance.permutation(len(parts)):
                passed = max(done / steps, (time.monotonic() - started) / seconds)
                if passed >= 1:
                    print(f"stopped after {done} of {steps} steps: the time is up", flush=True)
                    return done
                for group in learner.param_groups:
                    group["lr"] = _RATE * min(1.0, (done + 1) / _WARM_UP) * max(_LEAST, 1 - passed)
                lost += self._step(learner, [lessons[n] for n in parts[place]])
                done += 1
                if done % _TOLD_EVERY == 0:
                    print(
                        f"step {done} of {steps}: loss {lost / done:.3f}, {time.monotonic() - started:.0f} s",
                        flush=True,
                    )
        return done

    def _step(self, learner: Any, lessons: Sequence[Lesson]) -> float:
        torch, total = self.torch, 0.0
        learner.zero_grad(set_to_none=True)
        for part in batches([len(lesson.tokens) for lesson in lessons], _TOKENS):
            some = [lessons[n] for n in part]
            with self._half():
                found = self.scores([lesson.tokens for lesson in some])
            right = torch.tensor([lesson.right for lesson in some], device=self.base.device)
            loss = torch.nn.functional.cross_entropy(found, right, reduction="sum") / len(lessons)
            loss.backward()
            total += float(loss.detach())
        norm = torch.nn.utils.clip_grad_norm_(self.base.model.parameters(), _CLIP)
        if torch.isfinite(norm):
            learner.step()
        return total

    def says(self, rows: Sequence[Sequence[int]]) -> list[list[float]]:
        """The probability of each label of some messages."""
        self.base.model.eval()
        found: list[list[float]] = [[] for _ in rows]
        with self.torch.inference_mode(), self._half():
            for part in batches([len(row) for row in rows], 4 * _TOKENS):
                chances = self.torch.softmax(self.scores([rows[n] for n in part]), -1).tolist()
                for n, row in zip(part, chances, strict=True):
                    found[n] = row
        return found


def training_lines(left_out: Sequence[int]) -> tuple[list[LabelledText], list[LabelledText]]:
    """The lines that are learned, and those of the groups that are left out."""
    _, lines, groups = repository_lines(BOTH)
    out = [groups[line.author] in left_out for line in lines]
    return [line for line, away in zip(lines, out, strict=True) if not away], [
        line for line, away in zip(lines, out, strict=True) if away
    ]


def right_by_language(lessons: Sequence[Lesson], said: Sequence[Sequence[float]]) -> dict[str, float]:
    """How often the likeliest label is right, by language."""
    found: dict[str, list[bool]] = {}
    for lesson, chances in zip(lessons, said, strict=True):
        found.setdefault(lesson.lang, []).append(int(np.argmax(chances)) == lesson.right)
    return {f"{lang}, {len(right)} lines": float(np.mean(right)) for lang, right in sorted(found.items())}


def main(arguments: list[str] | None = None) -> int:
    """Train, measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a folder with a model for transformers")
    parser.add_argument("pool", type=Path, help="the file of tools.encoder.pool")
    parser.add_argument("out", type=Path, help="the file to write")
    parser.add_argument("--leave-out", type=int, nargs="*", default=[], help="groups of authors that are not learned")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=600.0, help="learns at most so long")
    parser.add_argument("--most-lines", type=int, default=0, help="learns from so many lines; 0: from all")
    parser.add_argument("--test", type=Path, help="also write what it says about the test authors' lines")
    given = parser.parse_args(arguments)
    learned, away = training_lines(given.leave_out)
    texts = [one for one in open_pool(given.pool) if not one.kind]
    teacher = Teacher(given.model)
    lessons = [teacher.lesson(line) for line in learned]
    if given.most_lines:
        chance = stream("fewer lessons")
        lessons = chance.sample(lessons, min(given.most_lines, len(lessons)))
        away = chance.sample(away, min(given.most_lines, len(away)))
    steps = teacher.learn(lessons, given.epochs, given.batch, given.seconds)
    opinions = teacher.says([teacher.tokens(one.text) for one in texts])
    save_opinions(given.out, (opinion_of(one, said) for one, said in zip(texts, opinions, strict=True)))
    print(f"{given.out}: {len(opinions)} opinions after {steps} steps", flush=True)
    asked = [teacher.lesson(line) for line in (guard_lines("test") if given.test else away)]
    said = teacher.says([lesson.tokens for lesson in asked])
    for name, share in right_by_language(asked, said).items():
        print(f"{'test authors' if given.test else 'left out'}, {name}: {share:.3f}", flush=True)
    if given.test:
        given.test.write_bytes(orjson.dumps(said))
    return 0


if __name__ == "__main__":
    sys.exit(main())
