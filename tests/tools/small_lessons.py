"""A few rows and labelled lines, and what the tool makes of them with a small package."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from polyclinic.reading.label_training import LabelledText
from polyclinic.reading.networks import SentenceNetwork
from tools.encoder.base import new_parts
from tools.encoder.batches import Start
from tools.encoder.lessons import start_of
from tools.encoder.pack import TrainedNetwork
from tools.encoder.rows import EncoderRow

PAIR = EncoderRow("told", "told", "my pain.", "chest pain", True, True, "A")
ALONE = EncoderRow("sign", "sign|pain", "no pain", "", False, False, "B")
SAID = EncoderRow("agrees", "agrees", "yes my chest", "no pains", False, True, "B")
ROWS = (PAIR, ALONE, SAID)
LABELS = (LabelledText("pain", "en", "calm", "A"), LabelledText("my chest", "en", "danger", "B"))


def small_start(folder: Path, rows: Sequence[EncoderRow] = ROWS, labels: Sequence[LabelledText] = LABELS) -> Start:
    """All that a training starts from. Author A is in group 0, B in group 1."""
    return start_of(folder, rows, labels, {"A": 0, "B": 1})


def small_network(folder: Path) -> TrainedNetwork:
    """A network with random weights for every part."""
    start = small_start(folder)
    weights = {**start.base, **new_parts(start.base, start.names)}
    if "ctx.weight" in weights:
        weights["ctx.weight"] = np.random.default_rng(3).normal(0, 0.1, weights["ctx.weight"].shape).astype(np.float32)
    return TrainedNetwork(weights, start.names)


def score_of(encoder: SentenceNetwork, row: EncoderRow) -> float | None:
    """The reader's score of one row."""
    if row.compares:
        return encoder.compared(row.text, row.second, row.kind)
    return encoder.alone(row.text, row.column, row.kind, row.second)
