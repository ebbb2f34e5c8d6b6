"""Train the encoder on the lines of the training authors. Needs torch, and a GPU to be done in minutes.

    python -m tools.encoder.train PACKAGE/dist network.npz --soft soft.jsonl
    python -m tools.encoder.train PACKAGE/dist trial.npz --soft soft.jsonl --leave-out 0

The time decides how much is learned: the steps get smaller until it is up. What is written is a mean over the last
steps. With `--leave-out`, one of the four groups of authors is not learned, and the accuracy on their lines is printed.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tools.encoder.base import base_weights, narrowed, new_parts, package_pieces
from tools.encoder.batches import EncoderSettings, NumberedLessons, numbered, row_batches
from tools.encoder.network import EncoderNetwork, RowBatch, Tensor
from tools.encoder.pack import TrainedNetwork, as_encoder, balanced, save_network
from tools.encoder.rows import GROUPS, Lessons, lessons, without_group

_TOLD_EVERY = 500
_LEAST_LABELS = 16
_CHANGED = ("rate", "batch", "inner", "seconds", "soft_share", "soft_weight", "label_weight", "label_batch", "seed")
"""The settings that the command line can change."""


class _Course:
    """One training: the network, its optimizer, and the mean of its weights over the last steps."""

    def __init__(self, found: NumberedLessons, package: Path, settings: EncoderSettings) -> None:
        self.torch: Any = importlib.import_module("torch")
        self.torch.manual_seed(settings.seed)
        self.found, self.settings = found, settings
        self.chance = np.random.default_rng(settings.seed)
        base = narrowed(base_weights(package), settings.inner)
        fresh = new_parts(len(base["l.0.resb"]), found.columns, found.kinds, found.labels, settings.seed)
        self.net = EncoderNetwork({**base, **fresh}, found.texts)
        known, new = ([self.net.weights[name] for name in part if name != "ts"] for part in (base, fresh))
        self.rates = (settings.rate, settings.new_rate)
        groups = [{"params": part, "lr": rate} for part, rate in zip((known, new), self.rates, strict=True)]
        self.learner = self.torch.optim.AdamW(groups, weight_decay=settings.decay, betas=(0.9, 0.98))
        self.learned = [*known, *new]
        self.means = [value.detach().clone() for value in self.learned]
        self.rows = [self._tensor(part) for part in found.rows]
        self.label_text, self.label = self._tensor(found.label_text), self._tensor(found.label)
        self.label_weight = self._tensor(found.label_weight)
        share = settings.batch * len(found.label) // len(found.rows.text)
        self.label_batch = (settings.label_batch or max(_LEAST_LABELS, share)) if len(found.label) else 0

    def _tensor(self, values: NDArray[Any]) -> Tensor:
        return self.torch.tensor(values, device=self.net.device)

    def run(self) -> None:
        """Train until the time is up; then the network has the mean weights."""
        settings, started, lost = self.settings, time.monotonic(), self.torch.zeros((), device=self.net.device)
        for step, places in enumerate(row_batches(self.found, settings, self.chance), start=1):
            passed = (time.monotonic() - started) / settings.seconds
            if passed >= 1:
                break
            for group, rate in zip(self.learner.param_groups, self.rates, strict=True):
                group["lr"] = rate * min(1.0, step / settings.warm_up) * (1 - passed)
            lost += self._step(places)
            if step % settings.averaged_every == 0:
                kept = min(0.99, (step + 1) / (step + 40))
                self.torch._foreach_lerp_(self.means, [value.detach() for value in self.learned], 1 - kept)
            if step == 1 or step % _TOLD_EVERY == 0:
                print(f"step {step}: mean loss {float(lost) / step:.4f}, {passed:.0%} of the time", flush=True)
        print(f"{step - 1} steps on {self.net.device}, mean loss {float(lost) / max(1, step - 1):.4f}", flush=True)
        with self.torch.no_grad():
            for value, mean in zip(self.learned, self.means, strict=True):
                value.copy_(mean)

    def _step(self, places: NDArray[np.int64]) -> Tensor:
        """Learn one batch. Returns its loss."""
        with self.torch.autocast(self.net.device, self.torch.bfloat16, enabled=self.net.device == "cuda"):
            loss = self._row_loss(self._tensor(places))
            if self.label_batch:
                some = self._tensor(self.chance.integers(len(self.label), size=self.label_batch))
                loss = loss + self.settings.label_weight * self._label_loss(some)
        self.learner.zero_grad(set_to_none=True)
        loss.backward()
        self.torch.nn.utils.clip_grad_norm_(self.learned, self.settings.clip)
        self.learner.step()
        return loss.detach()

    def _row_loss(self, places: Tensor) -> Tensor:
        *asked, answer, weight = (part[places] for part in self.rows)
        scores = self.net.scores(RowBatch(*asked))
        return self.torch.nn.functional.binary_cross_entropy_with_logits(scores, answer, weight)

    def _label_loss(self, places: Tensor) -> Tensor:
        logits = self.net.labels(self.net.read(self.label_text[places]))
        smoothing = self.settings.label_smoothing
        return self.torch.nn.functional.cross_entropy(
            logits, self.label[places], self.label_weight, label_smoothing=smoothing
        )


def train_encoder(found: Lessons, package: Path, settings: EncoderSettings) -> TrainedNetwork:
    """Train the network from the package's weights."""
    cut = numbered(found, package_pieces(package), settings)
    course = _Course(cut, package, settings)
    course.run()
    return TrainedNetwork(course.net.arrays(), cut.columns, cut.kinds)


def main(arguments: list[str] | None = None) -> int:
    """Train and write the network."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", type=Path, help="the folder dist of the npm package")
    parser.add_argument("out", type=Path, help="the file to write; tools.encoder.pack makes it small")
    parser.add_argument("--soft", type=Path, help="rows that a teacher answered (tools.encoder.teacher)")
    parser.add_argument("--leave-out", type=int, choices=range(GROUPS), help="a group of authors to measure on")
    parser.add_argument("--rows", type=int, default=0, help="learn only so many rows of each sort: a trial")
    for field in fields(EncoderSettings):
        if field.name in _CHANGED:
            option, default = f"--{field.name.replace('_', '-')}", field.default
            parser.add_argument(option, type=type(default), default=default, help="default: %(default)s")
    given = parser.parse_args(arguments)
    everything, groups = lessons(given.soft)
    found = everything if given.leave_out is None else without_group(everything, groups, given.leave_out)
    if given.rows:
        few = np.random.default_rng(0).permutation(len(found.rows))[: given.rows]
        found = Lessons([found.rows[place] for place in few], found.labels[: given.rows], found.soft[: given.rows])
    print(f"{len(found.rows)} rows, {len(found.soft)} of a teacher, {len(found.labels)} with a label", flush=True)
    settings = EncoderSettings(**{name: getattr(given, name) for name in _CHANGED})
    network = train_encoder(found, given.package, settings)
    save_network(given.out, network)
    if given.leave_out is not None:
        unseen = [row for row in everything.rows if groups[row.author] == given.leave_out]
        for kind, right in balanced(as_encoder(network, package_pieces(given.package)), unseen).items():
            print(f"{kind}: {right:.3f} of {sum(row.kind == kind for row in unseen)} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())
