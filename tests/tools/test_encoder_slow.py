"""Training the sentence encoder with torch, on a small network."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from polyclinic.reading.label_training import LabelledText
from tests.tools.small_package import write_package
from tests.tools.test_encoder import ALONE, PAIR, SAID, a_network
from tools.encoder.base import package_pieces
from tools.encoder.batches import EncoderSettings, numbered
from tools.encoder.network import EncoderNetwork, RowBatch
from tools.encoder.pack import as_encoder, score_of
from tools.encoder.rows import Lessons
from tools.encoder.train import train_encoder

pytestmark = pytest.mark.slow
torch = pytest.importorskip("torch", reason="training needs torch: install the extra 'train'")
LABELS = [LabelledText("pain", "en", "calm", "A"), LabelledText("my chest", "en", "danger", "B")]


def test_the_network_in_training_gives_the_scores_of_the_reader(tmp_path: Path) -> None:
    network = a_network(write_package(tmp_path))
    pieces, rows = package_pieces(tmp_path), [PAIR, ALONE, SAID]
    cut = numbered(Lessons(rows, LABELS, []), pieces, EncoderSettings())
    net = EncoderNetwork(network.weights, cut.texts)
    net.training = False
    tensors = [net.torch.tensor(part, device=net.device) for part in cut.rows[:5]]
    encoder = as_encoder(network, pieces)
    assert net.scores(RowBatch(*tensors)).tolist() == pytest.approx([score_of(encoder, row) for row in rows], abs=1e-3)


def test_training_learns_what_the_lines_say(tmp_path: Path) -> None:
    torch.set_num_threads(1)  # so small a network is slower with more
    write_package(tmp_path)
    facts = ("no", "my chest")
    pairs = [PAIR._replace(text=text, second=fact, answer=float(text == fact)) for text in facts for fact in facts]
    alone = [ALONE._replace(text=text, answer=float(text == "my chest")) for text in facts]
    settings = EncoderSettings(inner=12, seconds=10, batch=8, warm_up=10, rate=4e-3, new_rate=4e-3)
    network = train_encoder(Lessons(pairs + alone, LABELS, [pairs[0]._replace(answer=0.9)]), tmp_path, settings)
    encoder = as_encoder(network, package_pieces(tmp_path))
    scores = np.array([score_of(encoder, row) for row in pairs + alone], float)
    right = np.array([1 if row.answer else -1 for row in pairs + alone])
    assert (scores * right).min() > 1
