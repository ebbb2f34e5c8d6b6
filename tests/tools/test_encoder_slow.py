"""Training the networks that read whole sentences with torch, on small ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import orjson
import pytest

from tests.tools.small_lessons import ALONE, LABELS, PAIR, ROWS, score_of, small_network, small_start
from tests.tools.small_package import Write, both_sorts, write_lite, write_minilm
from tools.encoder import inferences
from tools.encoder.batches import INFERENCES, INFERS, EncoderSettings, save_start
from tools.encoder.inferences import open_inferences
from tools.encoder.network import RowBatch
from tools.encoder.pack import as_encoder, open_network
from tools.encoder.together import TogetherNetwork
from tools.encoder.train import main, network_of, train_encoder

pytestmark = pytest.mark.slow
torch = pytest.importorskip("torch", reason="training needs torch: install the extra 'train'")
FACTS = ("no", "my chest")
PAIRS = [PAIR._replace(text=text, second=fact, answer=text == fact) for text in FACTS for fact in FACTS]
SIGNS = [ALONE._replace(text=text, answer=text == "my chest") for text in FACTS]
LESSONS = [*PAIRS, *SIGNS]
SETTINGS = EncoderSettings(
    layers="01", inner=12, seconds=10, batch=8, label_batch=4, warm_up=10, rate=4e-3, new_rate=4e-3
)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)  # so small a network is slower with more


@both_sorts
def test_the_network_in_training_gives_the_scores_of_the_reader(write: Write, tmp_path: Path) -> None:
    network, start = small_network(write(tmp_path)), small_start(tmp_path)
    net = network_of(network.weights, start.texts)
    net.training = False
    tensors = [net.torch.tensor(part, device=net.device) for part in start.rows[:5]]
    encoder = as_encoder(network)
    assert net.scores(RowBatch(*tensors)).tolist() == pytest.approx([score_of(encoder, row) for row in ROWS], abs=1e-4)
    guard = as_encoder(network, labels=True)
    logits = net.labels(net.torch.tensor(start.lines.text, device=net.device)).tolist()
    for line, found in zip(LABELS, logits, strict=True):
        said = [guard.alone(line.text, f"guard|{label}", "", "") for label in start.names.labels]
        assert found == pytest.approx(said, abs=1e-4)


@both_sorts
def test_training_learns_what_the_lines_say(write: Write, tmp_path: Path) -> None:
    network = train_encoder(small_start(write(tmp_path), LESSONS), SETTINGS)
    encoder = as_encoder(network, labels=True)
    scores = np.array([score_of(encoder, row) for row in LESSONS], float)
    right = np.array([1 if row.answer else -1 for row in LESSONS])
    assert (scores * right).min() > 0.5
    for line in LABELS:
        said = {label: encoder.alone(line.text, f"guard|{label}", "", "") or 0.0 for label in network.names.labels}
        assert max(said, key=said.__getitem__) == line.label


def test_the_command_line_chooses_the_layers_and_waves_stay_as_they_are(tmp_path: Path) -> None:
    start = small_start(write_lite(tmp_path))
    save_start(tmp_path / "start.npz", start)
    settings = ["--layers", "0", "--inner", "6", "--seconds", "1", "--batch", "2", "--label-batch", "0"]
    rates = ["--warm-up", "1", "--rate", "1e-2"]
    assert main([str(tmp_path / "start.npz"), str(tmp_path / "network.npz"), *settings, *rates]) == 0
    weights = open_network(tmp_path / "network.npz").weights
    assert np.array_equal(weights["ts"], start.base["ts"]) and "l.1.qkv" not in weights
    assert weights["l.0.f1"].shape[1] == 6 and not np.allclose(weights["l.0.o"], start.base["l.0.o"], atol=1e-2)


def test_what_is_said_about_a_left_out_group_is_written_and_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_minilm(tmp_path)
    seen = [row._replace(author="B") for row in LESSONS]
    unseen = [row._replace(author="A") for row in (*SIGNS, PAIRS[0])]
    save_start(tmp_path / "start.npz", small_start(tmp_path, [*unseen, *seen]))
    options = ["--leave-out", "0", "--layers", "01", "--inner", "12", "--seconds", "5", "--batch", "8"]
    rates = ["--warm-up", "10", "--rate", "4e-3", "--new-rate", "4e-3", "--label-batch", "0"]
    assert main([str(tmp_path / "start.npz"), str(tmp_path / "out.npz"), *options, *rates]) == 0
    assert "sign, en: 1.000\nlabels, en: " in capsys.readouterr().out  # about told, the group has no answer no
    with np.load(tmp_path / "out.npz") as file:
        assert file["rows"].tolist() == [0, 1, 2] and file["lines"].tolist() == [0]
        assert file["labels"].shape == (1, 2) and (file["scores"] > 0).tolist() == [False, True, True]


def test_lessons_in_inference_are_learned_beside(tmp_path: Path) -> None:
    write_minilm(tmp_path)
    start = small_start(tmp_path, LESSONS)
    save_start(tmp_path / "start.npz", start)
    pairs = [("my chest pain", "no pain", "contradiction"), ("my chest", "my chest pain", "entailment")]
    lines = [{"sentence2": later, "sentence1": before, "gold_label": label} for later, before, label in pairs]
    (tmp_path / "pairs.jsonl").write_bytes(b"\n".join(orjson.dumps(line) for line in lines))
    arguments = [str(tmp_path / name) for name in ("pairs.jsonl", "start.npz", "inferences.npz")]
    assert inferences.main(arguments) == 0
    lessons = open_inferences(tmp_path / "inferences.npz")
    trained = train_encoder(start, replace(SETTINGS, seconds=6, inferences=arguments[2], inference_batch=8))
    net = TogetherNetwork(trained.weights, start.texts)
    net.training = False
    text, second, answer = (net.torch.tensor(part, device=net.device) for part in lessons.rows.T)
    table = [net.torch.tensor(part, device=net.device) for part in lessons.texts]
    found = net.infers(text, second, *table).argmax(1).tolist()
    assert found == answer.tolist() == [INFERENCES.index(label) for _, _, label in pairs]
    assert not any(name.startswith(INFERS) for name in as_encoder(trained).weights)


def test_training_stops_after_some_steps_is_kept_meanwhile_and_goes_on(tmp_path: Path) -> None:
    write_minilm(tmp_path)
    save_start(tmp_path / "start.npz", small_start(tmp_path, LESSONS))
    paths = [str(tmp_path / name) for name in ("start.npz", "network.npz")]
    sizes = ["--layers", "01", "--inner", "12", "--batch", "8", "--warm-up", "1"]
    assert main([*paths, *sizes, "--steps", "8", "--save-every", "0"]) == 0
    first = open_network(tmp_path / "network.npz").weights
    resumed = [paths[0], str(tmp_path / "more.npz"), *sizes, "--resume", paths[1]]
    assert main([*resumed, "--steps", "1", "--rate", "0", "--new-rate", "0"]) == 0
    again = open_network(tmp_path / "more.npz").weights
    assert all(np.allclose(again[name], first[name], atol=1e-6) for name in first)
    assert main([*resumed, "--until", "1", "--seconds", "1000"]) == 0, "the time was up long ago"
    save_start(tmp_path / "start.npz", small_start(tmp_path, [*LESSONS, ALONE._replace(column="sign|new")]))
    with pytest.raises(ValueError, match="another start file"):
        main([*resumed, "--steps", "1"])


def test_rows_count_as_much_as_wanted(tmp_path: Path) -> None:
    start = small_start(write_minilm(tmp_path), LESSONS, LABELS)
    network = train_encoder(start, replace(SETTINGS, row_weight=0.0, seconds=4, label_batch=0, steps=5))
    untouched = small_network(tmp_path)
    assert np.allclose(network.weights["turn"], untouched.weights["turn"], atol=1e-3)
