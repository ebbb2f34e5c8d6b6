"""Fine-tuning a language model as a reader, from the lines that train the built-in one.

All weights are trained; the loss is on one word, yes or no. Longer messages put together from these lines are added,
because people talk in more than one sentence. The seed decides the order of the lines. On one kind of machine the same
command gives the same model, if its kernels are deterministic.
"""

from __future__ import annotations

import importlib
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson

from polyclinic.core.files import missing
from polyclinic.core.reading import READER_CARD, ReadingKind
from polyclinic.core.seed import stream
from polyclinic.reading.longer import messages
from polyclinic.reading.sets import Labelled
from polyclinic.reading.settings import TuningSettings
from polyclinic.reading.tuned import AnswerScores, batches, need_torch

WARM_UP, LEAST_RATE, CLIP, DECAY = 20, 0.05, 1.0, 0.01
_NEAR_LENGTHS = 40
_TOLD_EVERY = 50


def check_tuning(settings: TuningSettings) -> None:
    """Raise an error if a package or the base model is missing, before any line is read."""
    need_torch()
    if not Path(settings.base).is_dir():
        raise missing(settings.base, about="folder", fix="give --base the folder of a transformers model")


def tune_reader(
    rows: Sequence[Labelled],
    kinds: Mapping[str, ReadingKind],
    settings: TuningSettings,
    out: Path,
    say: Callable[[str], None],
) -> dict[str, Any]:
    """Train and write the model. Returns the content of its `reader.json`."""
    check_tuning(settings)
    torch = importlib.import_module("torch")
    torch.manual_seed(settings.seed)
    made = lines(rows, kinds, settings)
    model = AnswerScores(settings.base)
    model.model.float()
    say(f"{len(made)} lines, {len(rows)} of them as written; training on {model.device}")
    started = time.monotonic()
    losses = _train(torch, model, made, settings, say)
    dtype = torch.bfloat16 if model.device == "cuda" else torch.float32
    out.mkdir(parents=True, exist_ok=True)
    model.model.to(dtype).save_pretrained(out)
    model.tokenizer.save_pretrained(out)
    card = {
        "settings": asdict(settings),
        "lines": len(made),
        "authors": sorted({row.author for row in rows if row.author}),
        "kinds": sorted({row.question.kind for row in rows}),
        "steps": len(losses),
        "loss": [round(value, 4) for value in losses],
        "seconds": round(time.monotonic() - started, 1),
        "device": model.device,
    }
    (out / READER_CARD).write_bytes(orjson.dumps(card, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    return card


def lines(rows: Sequence[Labelled], kinds: Mapping[str, ReadingKind], settings: TuningSettings) -> list[Labelled]:
    """The lines as written and up to half as many longer ones made from them, shuffled; at most `most_lines`."""
    longer = messages(rows, kinds)
    chance = stream("tuning", str(settings.seed))
    made = [*rows, *chance.sample(longer, min(len(longer), len(rows) // 2))]
    chance.shuffle(made)
    return made[: settings.most_lines or len(made)]


def _train(
    torch: Any, model: AnswerScores, rows: Sequence[Labelled], settings: TuningSettings, say: Callable[[str], None]
) -> list[float]:
    """Train the model. Returns the loss of each step."""
    items = [(model.ids(row.text, row.question), int(row.label)) for row in rows]
    steps = settings.epochs * math.ceil(len(items) / settings.batch)
    network = model.model
    learner = torch.optim.AdamW(network.parameters(), lr=settings.rate, weight_decay=DECAY, betas=(0.9, 0.98))
    network.train()
    losses: list[float] = []
    started = time.monotonic()
    for epoch in range(settings.epochs):
        for batch in _batches(items, settings, epoch):
            passed = len(losses) / steps
            if settings.most_seconds:
                passed = max(passed, (time.monotonic() - started) / settings.most_seconds)
            share = min(1.0, (len(losses) + 1) / WARM_UP) * max(LEAST_RATE, 1 - passed)
            for group in learner.param_groups:
                group["lr"] = settings.rate * share
            learner.zero_grad(set_to_none=True)
            parts = _parts(items, batch, settings.tokens)
            losses.append(sum(_learn(torch, model, [items[place] for place in part], len(batch)) for part in parts))
            norm = torch.nn.utils.clip_grad_norm_(network.parameters(), CLIP)
            if torch.isfinite(norm):
                learner.step()
            if len(losses) % _TOLD_EVERY == 0:
                mean = sum(losses[-_TOLD_EVERY:]) / _TOLD_EVERY
                say(f"step {len(losses)} of {steps}: loss {mean:.3f}, {time.monotonic() - started:.0f} s")
            if settings.most_seconds and time.monotonic() - started > settings.most_seconds:
                say(f"stopped after {len(losses)} of {steps} steps: the time is up")
                return losses
    return losses


def _learn(torch: Any, model: AnswerScores, items: Sequence[tuple[list[int], int]], of: int) -> float:
    """Add the gradient of a part of a batch of `of` lines. Returns the part's share of the loss."""
    with torch.autocast(model.device, dtype=torch.bfloat16, enabled=model.device == "cuda"):
        scores = model.scores([ids for ids, _ in items])
    wanted = torch.tensor([label for _, label in items], device=model.device)
    loss = torch.nn.functional.cross_entropy(scores.float(), wanted, reduction="sum") / of
    loss.backward()
    return float(loss.detach())


def _parts(items: Sequence[tuple[list[int], int]], batch: Sequence[int], tokens: int) -> list[list[int]]:
    """A batch in parts that fit into memory."""
    found = batches([len(items[place][0]) for place in batch], tokens)
    return [[batch[place] for place in part] for part in found]


def _batches(items: Sequence[tuple[list[int], int]], settings: TuningSettings, epoch: int) -> list[list[int]]:
    """The lines of one epoch, in batches of similar length. The seed decides their order."""
    chance = stream("tuning", str(settings.seed), str(epoch))
    order = sorted(range(len(items)), key=lambda place: len(items[place][0]) + _NEAR_LENGTHS * chance.random())
    found = [order[start : start + settings.batch] for start in range(0, len(order), settings.batch)]
    chance.shuffle(found)
    return found
