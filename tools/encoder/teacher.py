"""Fine-tune a language model on our lines, and let it label the texts of `pool`. Needs torch, transformers and a GPU.

    python -m tools.encoder.teacher MODEL pool.jsonl opinions.jsonl
    python -m tools.encoder.teacher MODEL pool.jsonl opinions-01.jsonl --leave-out 0 1

MODEL is the folder of a model for transformers. It learns the guard's labels and whether a source supports a statement,
from English and Korean training lines. What it says is a probability of each answer. With `--leave-out` it does not
learn these groups of authors, so that it can teach a network that is measured on them. It prints how often it is right
on the lines of these groups, or, with `--test`, of the test authors.
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
from polyclinic.reading.label_training import LabelledText
from polyclinic.reading.sets import Labelled
from polyclinic.reading.tuned import AnswerScores, batches, question_text
from polyclinic.runner.readings import all_kinds, labelled
from tools.encoder.opinions import SUPPORTED
from tools.encoder.pool import Unlabelled
from tools.encoder.rows import NETWORKS, TRAIN, repository_lines

LABELS = tuple(sorted(TRAINED_LABELS))
_LETTERS = "ABCDEFGH"
_YES_NO = _LETTERS[:2]
_GUARD = (
    "You sort messages to a counselling service for seriously ill people. Answer with one letter: "
    "A abuse (somebody hurts the writer), B acceptance (accepts death, limits treatment, no danger), "
    "C active (means to end their own life), D emergency (body in danger now), E harm to others, "
    "F implicit (danger only hinted at), G ordinary (anything else), H passive (wishes to be dead, no intent)."
)
_READER = (
    "You check whether a source supports what somebody says. Judge the meaning, not the wording. "
    "Answer A for no, B for yes."
)
_RATE, _DECAY, _WARM_UP, _LEAST, _CLIP = 1e-5, 0.01, 20, 0.05, 1.0
_TOKENS, _TOLD_EVERY = 3_072, 100
"""So many tokens are learned at once; with 1.5 billion weights this takes about 40 GB of memory."""


class Lesson(NamedTuple):
    """One text as the model reads it, how many answers there are, and which is right."""

    tokens: list[int]
    answers: int
    right: int
    lang: str


class Teacher:
    """A language model that answers with one letter."""

    def __init__(self, folder: str) -> None:
        self.torch: Any = importlib.import_module("torch")
        self.base = AnswerScores(folder)
        self.base.model.float()
        letters = [self.base.tokenizer.encode(f" {letter}", add_special_tokens=False)[0] for letter in _LETTERS]
        self.letters = self.torch.tensor(letters, device=self.base.device)

    def tokens(self, asked: str, task: str) -> list[int]:
        """One text as tokens."""
        written = f"{task}\n{asked}\nAnswer:"
        found: list[int] = self.base.tokenizer.encode(written, add_special_tokens=False)
        return found

    def lesson(self, line: LabelledText | Labelled) -> Lesson:
        """A labelled line."""
        if isinstance(line, Labelled):
            return Lesson(
                self.tokens(question_text(line.text, line.question), _READER), len(_YES_NO), int(line.label), line.lang
            )
        tokens = self.tokens(f'Message: "{line.text}"', _GUARD)
        return Lesson(tokens, len(LABELS), LABELS.index(line.label), line.lang)

    def asked(self, one: Unlabelled) -> Lesson:
        """A text without a label."""
        if one.source:
            question = all_kinds()[SUPPORTED].ask(source=one.source)
            return Lesson(self.tokens(question_text(one.text, question), _READER), len(_YES_NO), 0, "en")
        return Lesson(self.tokens(f'Message: "{one.text}"', _GUARD), len(LABELS), 0, "en")

    def scores(self, lessons: Sequence[Lesson]) -> Any:
        """The score of each letter; letters that are no answers have none."""
        torch, device = self.torch, self.base.device
        longest = max(len(lesson.tokens) for lesson in lessons)
        ids, mask = torch.zeros(len(lessons), longest, dtype=torch.long), torch.zeros(len(lessons), longest)
        for place, lesson in enumerate(lessons):
            ids[place, : len(lesson.tokens)] = torch.tensor(lesson.tokens)
            mask[place, : len(lesson.tokens)] = 1
        last = torch.tensor([len(lesson.tokens) - 1 for lesson in lessons], device=device)
        states = self.base.model.base_model(
            input_ids=ids.to(device), attention_mask=mask.to(device).long(), use_cache=False
        ).last_hidden_state
        head = self.base.model.get_output_embeddings().weight[self.letters]
        found = states[torch.arange(len(lessons), device=device), last].float() @ head.float().T
        known = torch.tensor([lesson.answers for lesson in lessons], device=device)
        return found.masked_fill(torch.arange(len(_LETTERS), device=device)[None] >= known[:, None], -1e4)

    def _half(self) -> Any:
        """Sums with half of the digits, on a GPU."""
        device = self.base.device
        return self.torch.autocast(device, dtype=self.torch.bfloat16, enabled=device == "cuda")

    def learn(self, lessons: Sequence[Lesson], epochs: int, batch: int, seconds: float) -> None:
        """Train all weights."""
        torch, chance = self.torch, np.random.default_rng(0)
        learner = torch.optim.AdamW(
            self.base.model.parameters(), lr=_RATE, weight_decay=0.01, betas=(0.9, 0.98), fused=True
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
                    return
                for group in learner.param_groups:
                    group["lr"] = _RATE * min(1.0, (done + 1) / _WARM_UP) * max(_LEAST, 1 - passed)
                lost += self._step(learner, [lessons[n] for n in parts[place]])
                done += 1
                if done % _TOLD_EVERY == 0:
                    print(
                        f"step {done} of {steps}: loss {lost / done:.3f}, {time.monotonic() - started:.0f} s",
                        flush=True,
                    )

    def _step(self, learner: Any, lessons: Sequence[Lesson]) -> float:
        torch, total = self.torch, 0.0
        learner.zero_grad(set_to_none=True)
        for part in batches([len(lesson.tokens) for lesson in lessons], _TOKENS):
            some = [lessons[n] for n in part]
            with self._half():
                found = self.scores(some)
            right = torch.tensor([lesson.right for lesson in some], device=self.base.device)
            chosen = torch.log_softmax(found, -1).gather(1, right[:, None]).sum()
            loss = -chosen / len(lessons)
            loss.backward()
            total += float(loss.detach())
        norm = torch.nn.utils.clip_grad_norm_(self.base.model.parameters(), _CLIP)
        if torch.isfinite(norm):
            learner.step()
        return total

    def says(self, lessons: Sequence[Lesson]) -> list[list[float]]:
        """The probability of each answer."""
        torch = self.torch
        self.base.model.eval()
        found: list[list[float]] = [[] for _ in lessons]
        with (
            torch.inference_mode(),
            torch.autocast(self.base.device, dtype=torch.bfloat16, enabled=self.base.device == "cuda"),
        ):
            for part in batches([len(lesson.tokens) for lesson in lessons], 4 * _TOKENS):
                chances = torch.softmax(self.scores([lessons[n] for n in part]), -1).tolist()
                for n, row in zip(part, chances, strict=True):
                    found[n] = row[: lessons[n].answers]
        return found


def training_lines(left_out: Sequence[int]) -> tuple[list[LabelledText | Labelled], list[LabelledText | Labelled]]:
    """The lines that are learned, and those of the groups that are left out. An author without English lines is in no
    group, and learned.
    """
    _, _, groups = repository_lines()
    lines: list[LabelledText | Labelled] = [*guard_lines(TRAIN)]
    lines += [line for split in (TRAIN, NETWORKS) for line in labelled(split=split) if line.question.kind == SUPPORTED]
    out = [groups.get(line.author) in left_out for line in lines]
    return [line for line, away in zip(lines, out, strict=True) if not away], [
        line for line, away in zip(lines, out, strict=True) if away
    ]


def test_lines() -> list[LabelledText | Labelled]:
    """The lines of the test authors."""
    return [*guard_lines("test"), *(line for line in labelled() if line.question.kind == SUPPORTED)]


def _right(lessons: Sequence[Lesson], said: Sequence[Sequence[float]]) -> dict[str, float]:
    """How often the likeliest answer is right, by what is asked and by language."""
    found: dict[str, list[bool]] = {}
    for lesson, chances in zip(lessons, said, strict=True):
        name = f"{SUPPORTED if lesson.answers == len(_YES_NO) else 'guard'} {lesson.lang}"
        found.setdefault(name, []).append(int(np.argmax(chances)) == lesson.right)
    return {f"{name}, {len(right)} lines": float(np.mean(right)) for name, right in sorted(found.items())}


def main(arguments: list[str] | None = None) -> int:
    """Train, measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a folder with a model for transformers")
    parser.add_argument("pool", type=Path, help="the file of tools.encoder.pool")
    parser.add_argument("out", type=Path, help="the file to write")
    parser.add_argument("--leave-out", type=int, nargs="*", default=[], help="groups of authors that are not learned")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=600.0, help="at most so long")
    parser.add_argument("--test", type=Path, help="also write what it says about the test authors' lines")
    given = parser.parse_args(arguments)
    learned, away = training_lines(given.leave_out)
    texts = [Unlabelled(**orjson.loads(line)) for line in given.pool.read_bytes().splitlines()]
    teacher = Teacher(given.model)
    teacher.learn([teacher.lesson(line) for line in learned], given.epochs, given.batch, given.seconds)
    opinions = teacher.says([teacher.asked(one) for one in texts])
    rows = [{**one._asdict(), "says": [round(x, 4) for x in said]} for one, said in zip(texts, opinions, strict=True)]
    given.out.write_bytes(b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows))
    print(f"{given.out}: {len(rows)} opinions", flush=True)
    lessons = [teacher.lesson(line) for line in (test_lines() if given.test else away)]
    said = teacher.says(lessons)
    for name, share in _right(lessons, said).items():
        print(f"{name}: {share:.3f}", flush=True)
    if given.test:
        given.test.write_bytes(orjson.dumps(said))
    return 0


if __name__ == "__main__":
    sys.exit(main())
