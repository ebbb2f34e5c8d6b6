"""Train a network on the lines of the training authors. Needs torch, and a GPU to be done in minutes.

    python -m tools.encoder.train start.npz network.npz
    python -m tools.encoder.train start.npz trial.npz --leave-out 0

The time decides how much is learned: the steps get smaller until it is up, or until all `--steps` are made. What is
written is a mean over the last steps. It is also written every `--save-every` seconds, so that nothing is lost;
`--resume` goes on from such a file with a fresh optimizer. With `--leave-out`, one of the groups of authors is not
learned; what the network says about the lines of that group is written instead of the network (which is kept beside,
with `-network` in its name), and its accuracy in each language is printed.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyclinic.reading.layers import WAVES
from polyclinic.reading.pieces import has_korean
from polyclinic.reading.together import TURN
from tools.encoder.base import new_parts, smaller
from tools.encoder.batches import (
    GROUPS,
    Arrays,
    Counts,
    EncoderSettings,
    LabelLessons,
    RowLessons,
    Start,
    TextTable,
    label_weights,
    open_start,
    row_batches,
    row_weights,
    without_group,
)
from tools.encoder.inferences import open_inferences
from tools.encoder.left_out import LANGUAGES, labels_right, rows_right
from tools.encoder.network import EncoderNetwork, RowBatch, Tensor
from tools.encoder.opinions import Opinions, open_opinions
from tools.encoder.pack import TrainedNetwork, open_network, save_network
from tools.encoder.together import TogetherNetwork

_TOLD_EVERY = 500
_READ_AT_ONCE = 256


class _Training:
    """One training: the network, its optimizer, and the mean of its weights over the last steps."""

    def __init__(self, start: Start, settings: EncoderSettings, out: Path | None = None) -> None:
        self.out = out
        self.torch: Any = importlib.import_module("torch")
        self.torch.manual_seed(settings.seed)
        self.start, self.settings = start, settings
        self.chance = np.random.default_rng(settings.seed)
        base = smaller(start.base, [int(number) for number in settings.layers], settings.inner)
        fresh = new_parts(base, start.names, settings.seed)
        if settings.resume:
            known_weights = _resumed(Path(settings.resume), start)
            base = {name: known_weights[name] for name in base}
            fresh = {name: known_weights[name] for name in fresh}
        self.net = network_of({**base, **fresh}, start.texts)
        known, new = ([self.net.weights[name] for name in part if name != WAVES] for part in (base, fresh))
        self.rates = (settings.rate, settings.new_rate)
        groups = [{"params": part, "lr": rate} for part, rate in zip((known, new), self.rates, strict=True)]
        self.learner = self.torch.optim.AdamW(groups, weight_decay=settings.decay, betas=(0.9, 0.98))
        self.learned = [*known, *new]
        self.names = [name for part in (base, fresh) for name in part if name != WAVES]
        self.means = [value.detach().clone() for value in self.learned]
        self.rows = [self._tensor(part) for part in start.rows[:5]]
        answers = np.where(start.rows.answer, 1 - settings.smoothing, settings.smoothing)
        self.answers, self.weights = self._tensor(answers.astype(np.float32)), self._tensor(row_weights(start.rows))
        self.label_text, self.label = self._tensor(start.lines.text), self._tensor(start.lines.label)
        self.label_weight = self._tensor(label_weights(start.lines, len(start.names.labels)))
        self.pairs: list[Tensor] = []
        if settings.inferences:
            pairs = open_inferences(Path(settings.inferences))
            self.pairs = [self._tensor(part) for part in (*pairs.rows.T, *pairs.texts)]
        self.opinions = (
            open_opinions(
                [Path(name) for name in settings.opinions.split(",")], start.names, start.texts.pieces.shape[1]
            )
            if settings.opinions
            else None
        )
        self.heard: list[Tensor] = [self._tensor(part) for part in self.opinions.texts] if self.opinions else []

    def _tensor(self, values: NDArray[Any]) -> Tensor:
        return self.torch.tensor(values, device=self.net.device)

    def run(self) -> None:
        """Train until the time is up or all steps are made; then the network has the mean weights."""
        settings, started, lost = self.settings, time.monotonic(), self.torch.zeros((), device=self.net.device)
        seconds = max(1.0, min(settings.seconds, settings.until - time.time())) if settings.until else settings.seconds
        saved = started
        for step, places in enumerate(row_batches(self.start, settings, self.chance), start=1):
            now = time.monotonic()
            passed = max((now - started) / seconds, (step - 1) / settings.steps if settings.steps else 0.0)
            if self.out and now - saved > settings.save_every:
                save_whole(self.out, TrainedNetwork(self._mean_arrays(), self.start.names))
                saved = now
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

    def _mean_arrays(self) -> Arrays:
        """The mean weights so far, by name."""
        means = zip(self.names, self.means, strict=True)
        return {**self.net.arrays(), **{name: mean.float().cpu().numpy() for name, mean in means}}

    def _step(self, places: Counts) -> Tensor:
        """Learn one batch. Returns its loss."""
        with self.torch.autocast(self.net.device, self.torch.bfloat16, enabled=self.net.device == "cuda"):
            loss = self.torch.zeros((), device=self.net.device)
            if self.settings.row_weight:
                loss = loss + self.settings.row_weight * self._row_loss(self._tensor(places))
            if self.settings.label_batch and len(self.label):
                some = self._tensor(self.chance.integers(len(self.label), size=self.settings.label_batch))
                loss = loss + self.settings.label_weight * self._label_loss(some)
            if self.pairs:
                loss = loss + self.settings.inference_weight * self._inference_loss()
            if self.opinions:
                loss = loss + self.settings.opinion_weight * self._opinion_loss(self.opinions)
        self.learner.zero_grad(set_to_none=True)
        loss.backward()
        self.torch.nn.utils.clip_grad_norm_(self.learned, self.settings.clip)
        self.learner.step()
        return loss.detach()

    def _row_loss(self, places: Tensor) -> Tensor:
        scores = self.net.scores(RowBatch(*(part[places] for part in self.rows)))
        answers, weights = self.answers[places], self.weights[places]
        return self.torch.nn.functional.binary_cross_entropy_with_logits(scores, answers, weights)

    def _inference_loss(self) -> Tensor:
        net, (text, second, answer, *table) = self.net, self.pairs
        if not isinstance(net, TogetherNetwork):
            raise ValueError("only a network that reads two texts together can learn inferences")
        some = self._tensor(self.chance.integers(len(answer), size=self.settings.inference_batch))
        return self.torch.nn.functional.cross_entropy(net.infers(text[some], second[some], *table), answer[some])

    def _opinion_loss(self, opinions: Opinions) -> Tensor:
        """The loss of some of the language model's opinions: about messages, and about statements beside sources."""
        functional, loss = self.torch.nn.functional, self.torch.zeros((), device=self.net.device)
        if len(opinions.messages) and self.settings.message_batch:
            some = self.chance.integers(len(opinions.messages), size=self.settings.message_batch)
            logits = self.net.labels(self._tensor(opinions.messages[some]), self.heard)
            loss = loss + functional.cross_entropy(logits, self._tensor(opinions.labels[some]))
        if len(opinions.yes) and self.settings.statement_batch and isinstance(self.net, TogetherNetwork):
            some = self.chance.integers(len(opinions.yes), size=self.settings.statement_batch)
            texts, seconds, columns = (
                self._tensor(part[some]) for part in (opinions.statements, opinions.seconds, opinions.columns)
            )
            scores = self.net.columns(texts, seconds, columns, self.heard)
            loss = loss + functional.binary_cross_entropy_with_logits(scores, self._tensor(opinions.yes[some]))
        return loss

    def _label_loss(self, places: Tensor) -> Tensor:
        logits = self.net.labels(self.label_text[places])
        smoothing = self.settings.label_smoothing
        return self.torch.nn.functional.cross_entropy(
            logits, self.label[places], self.label_weight, label_smoothing=smoothing
        )

    def says(self, rows: RowLessons) -> NDArray[np.float32]:
        """The score of each row."""
        parts = [self._tensor(part) for part in rows[:5]]
        return self._in_parts(len(rows.text), lambda at: self.net.scores(RowBatch(*(part[at] for part in parts))))

    def labels(self, lines: LabelLessons) -> NDArray[np.float32]:
        """The score of each label of each line."""
        texts = self._tensor(lines.text)
        return self._in_parts(len(lines.text), lambda at: self.net.labels(texts[at]))

    def _in_parts(self, count: int, read: Any) -> NDArray[np.float32]:
        self.net.training = False
        with self.torch.no_grad():
            found = [read(slice(at, at + _READ_AT_ONCE)).cpu().numpy() for at in range(0, count, _READ_AT_ONCE)]
        return np.concatenate(found)


def network_of(weights: Arrays, texts: TextTable) -> EncoderNetwork:
    """The network of the sort that the weights are for."""
    return TogetherNetwork(weights, texts) if TURN in weights else EncoderNetwork(weights, texts)


def save_whole(path: Path, network: TrainedNetwork) -> None:
    """Write a network so that there is never half a file."""
    beside = path.with_name(f"{path.stem}-new.npz")
    save_network(beside, network)
    os.replace(beside, path)


def _resumed(path: Path, start: Start) -> Arrays:
    """The weights of a network with which training goes on."""
    network = open_network(path)
    if network.names != start.names:
        raise ValueError(f"{path}: this network began from another start file")
    return network.weights


def train_encoder(start: Start, settings: EncoderSettings, out: Path | None = None) -> TrainedNetwork:
    """Train the network from the package's weights, or from those to resume. With `out`, it is written now and then."""
    training = _Training(start, settings, out)
    training.run()
    return TrainedNetwork(training.net.arrays(), start.names)


def left_out(start: Start, group: int, settings: EncoderSettings, out: Path) -> dict[str, float]:
    """Train without one group of authors, and write what the network says about the lines of that group. Returns how
    often it is right: for each kind and language the mean of both answers, and the share of right labels.
    """
    network = out.with_name(f"{out.stem}-network.npz")
    training = _Training(without_group(start, group), settings, network)
    training.run()
    save_whole(network, TrainedNetwork(training.net.arrays(), start.names))
    mine, lines = start.rows.group == group, start.lines.group == group
    rows = RowLessons(*(part[mine] for part in start.rows))
    labelled = LabelLessons(*(part[lines] for part in start.lines))
    scores, labels = training.says(rows), training.labels(labelled)
    languages = ["en", "ko"] if has_korean(start.names.pieces) else ["en"]
    np.savez_compressed(
        out,
        rows=np.flatnonzero(mine),
        scores=scores,
        lines=np.flatnonzero(lines),
        labels=labels,
        languages=np.array(languages),
    )
    return rows_right(rows, scores, start.names.kinds) | labels_right(labelled, labels)


def main(arguments: list[str] | None = None) -> int:
    """Train and write the network."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("start", type=Path, help="the file of tools.encoder.lessons")
    parser.add_argument("out", type=Path, help="the file to write; tools.encoder.pack makes it small")
    parser.add_argument("--leave-out", type=int, choices=range(GROUPS), help="a group of authors to measure on")
    for field in fields(EncoderSettings):
        option, default = f"--{field.name.replace('_', '-')}", field.default
        parser.add_argument(option, type=type(default), default=default, help="default: %(default)s")
    given = parser.parse_args(arguments)
    settings = EncoderSettings(**{field.name: getattr(given, field.name) for field in fields(EncoderSettings)})
    start = open_start(given.start)
    if given.leave_out is None:
        save_whole(given.out, train_encoder(start, settings, given.out))
        return 0
    found = left_out(start, given.leave_out, settings, given.out)
    for name, right in found.items():
        print(f"{name}: {right:.3f}")
    for lang in LANGUAGES:
        kinds = [right for name, right in found.items() if name.endswith(f", {lang}") and not name.startswith("labels")]
        if kinds:
            print(f"all kinds, {lang}: {np.mean(kinds):.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
