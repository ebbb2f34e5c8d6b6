"""The tool that trains the networks that read whole sentences: all that works without torch."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import numpy as np
import orjson
import pytest

from polyclinic.clinics.counsel.rules.teaching import guard_lines
from polyclinic.core.reading import ReadingKind
from polyclinic.reading.layers import LONGEST, WAVES
from polyclinic.reading.networks import load_encoder, packed_encoder
from polyclinic.reading.sets import Labelled
from polyclinic.reading.together import LONGEST_TOGETHER, TURN
from polyclinic.runner.readings import labelled
from tests.tools.small_lessons import ALONE, LABELS, PAIR, ROWS, SAID, score_of, small_network, small_start
from tests.tools.small_package import (
    EVEN,
    INNER_UNITS,
    SECOND_PIECES,
    WIDE,
    Write,
    both_sorts,
    write_lite,
    write_minilm,
)
from tools.encoder import pack, rows
from tools.encoder.base import open_base, smaller
from tools.encoder.base_minilm import kept_pieces, package_arrays
from tools.encoder.batches import (
    EncoderSettings,
    TextTable,
    label_weights,
    open_start,
    row_batches,
    row_weights,
    save_start,
    without_group,
)
from tools.encoder.inferences import Inferences, inferences_of, open_inferences, save_inferences
from tools.encoder.pack import as_encoder, open_network, save_network
from tools.encoder.rows import BOTH, EncoderRow, author_groups, repository_lines, row_of, training_lines

TOLD = ReadingKind("told", who=(), question="Is this told: {fact}?", open=("fact",))
SIGN = ReadingKind("sign", who=(), question="Is it {sign}?", open=("sign",), listed=True)
AGREES = ReadingKind("agrees", who=(), context="The nurse said: {said}", question="Does the person agree?")
REPLY = ReadingKind("reply", who=(), context="Said: {said}", question="Is it an answer?", in_reply=True)
KINDS = {kind.name: kind for kind in (TOLD, SIGN, AGREES, REPLY)}


def test_only_english_lines_of_training_authors_become_rows() -> None:
    lines = [
        Labelled(TOLD.ask(fact="chest pain"), "It hurts.", True, "A", "train", about="case 1"),
        Labelled(TOLD.ask(fact="chest pain"), "Closed words.", True, "T", "test"),
        Labelled(TOLD.ask(fact="chest pain"), "Their own words.", True, "U", "file"),
        Labelled(SIGN.ask(sign="fever"), "I am hot.", False, "A", "train"),
        Labelled(SIGN.ask(sign="fever"), "열이 나요.", True, "A", "train", "ko"),
        Labelled(AGREES.ask(said="Come at nine."), "Fine.", True, "B", "train"),
        Labelled(REPLY.ask(said="Hello."), "Hello.", True, "B", "train"),
    ]
    seen = training_lines(lines, KINDS)
    assert {line.author for line in seen} == {"A", "B"} and all(line.split == "train" for line in seen)
    korean = [row_of(line, KINDS) for line in training_lines(lines, KINDS, BOTH) if line.lang == "ko"]
    assert korean == [EncoderRow("sign", "sign|fever", "열이 나요.", "", False, True, "A", "ko")]
    assert [row_of(line, KINDS) for line in seen] == [
        EncoderRow("told", "told", "It hurts.", "chest pain", True, True, "A"),
        EncoderRow("sign", "sign|fever", "I am hot.", "", False, False, "A"),
        EncoderRow("agrees", "agrees", "Fine.", "Come at nine.", False, True, "B"),
    ]


def test_no_line_by_a_test_author_of_the_repository_is_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    every = labelled(split="")
    monkeypatch.setattr(rows, "labelled", lambda split: every)
    lines, labels, groups = repository_lines()
    assert len(lines) > 20_000 and len(labels) > 1_000
    assert {line.split for line in lines} == {"train", "networks"} and {line.lang for line in labels} == {"en"}
    closed = {line.author for line in every if line.split == "test"} | {line.author for line in guard_lines("test")}
    assert len(closed) > 3 and not closed & groups.keys()
    both, more, of_both = repository_lines(BOTH)
    assert len(both) > len(lines) and len(more) > len(labels) and not closed & of_both.keys()
    assert {line.lang for line in both} == {line.lang for line in more} == {"en", "ko"}
    authors = [groups[line.author] for line in lines] + [groups[line.author] for line in labels]
    sizes = [authors.count(group) for group in range(4)]
    assert max(sizes) < 1.3 * min(sizes)


def test_all_lines_of_a_group_of_authors_are_left_out(tmp_path: Path) -> None:
    assert author_groups(["A", "A", "A", "B", "B", "C", "D", "E"]) == {"A": 0, "B": 1, "C": 2, "D": 3, "E": 2}
    start = small_start(write_lite(tmp_path))
    left = without_group(start, 0)
    assert left.rows.group.tolist() == [1, 1] and left.rows.text.tolist() == start.rows.text[1:].tolist()
    assert left.lines.label.tolist() == [start.names.labels.index("danger")]


@both_sorts
def test_what_training_starts_from_is_the_same_after_writing_and_reading(write: Write, tmp_path: Path) -> None:
    start = small_start(write(tmp_path))
    save_start(tmp_path / "start.npz", start)
    again = open_start(tmp_path / "start.npz")
    assert again.names == start.names and again.base.keys() == start.base.keys()
    for name, value in start.base.items():
        assert np.allclose(again.base[name], value, rtol=1e-3, atol=1e-6)
        assert value.ndim > 1 or np.array_equal(again.base[name], value)
    for mine, theirs in ((start.texts, again.texts), (start.rows, again.rows), (start.lines, again.lines)):
        assert all(np.array_equal(*pair) and pair[0].dtype == pair[1].dtype for pair in zip(mine, theirs, strict=True))


@both_sorts
def test_texts_are_numbers_as_the_reader_cuts_them(write: Write, tmp_path: Path) -> None:
    start = small_start(write(tmp_path))
    names, last = start.names, len(start.texts.lengths) - 1
    pieces = pack.word_pieces(names)
    for row, place in zip(ROWS, start.rows.text, strict=True):
        cut = start.texts.pieces[place, : start.texts.lengths[place]].tolist()
        assert cut == pieces.cut(row.text, LONGEST)
    assert start.rows.second[1] == last and start.texts.lengths[last] > 0
    assert [names.kinds[kind] for kind in start.rows.kind] == ["told", "sign", "agrees"]
    assert [names.columns[column] for column in start.rows.column] == ["told", "sign|pain", "agrees"]
    assert start.rows.answer.tolist() == [1, 0, 1] and names.labels == ("calm", "danger")


def test_the_first_package_gives_the_weights_their_names_in_the_reader(tmp_path: Path) -> None:
    _, weights = open_base(write_lite(tmp_path), [])
    assert weights["l.1.qkv"].shape == (WIDE, 3 * WIDE) and weights["l.0.ln1.weight"].shape == (8,)
    assert len(weights) == 28 and not any("tanh" in name for name in weights)
    (tmp_path / "part2").write_bytes((tmp_path / "part2").read_bytes() + b"0000")
    with pytest.raises(ValueError, match=r"names \d+ bytes of weights, the parts hold \d+"):
        open_base(tmp_path, [])


def test_the_second_package_gives_the_weights_their_names_in_the_reader(tmp_path: Path) -> None:
    pieces, weights = open_base(write_minilm(tmp_path), [])
    theirs = package_arrays(tmp_path)
    kept = [SECOND_PIECES.index(piece) for piece in pieces.pieces]
    assert np.array_equal(weights["E"], theirs["embeddings.word_embeddings.weight"][kept])
    both = theirs["embeddings.position_embeddings.weight"] + theirs["embeddings.token_type_embeddings.weight"][0]
    assert np.array_equal(weights["places"], both[: 2 * LONGEST_TOGETHER])
    sorts = theirs["embeddings.token_type_embeddings.weight"]
    assert np.array_equal(weights[TURN], sorts[1] - sorts[0])
    keys = theirs["encoder.layer.1.attention.self.key.weight"]
    assert np.array_equal(weights["l.1.qkv"][:, EVEN : 2 * EVEN], keys.T)
    assert np.array_equal(weights["l.0.ln2.bias"], theirs["encoder.layer.0.output.LayerNorm.bias"])
    assert len(weights) == 29 and WAVES not in weights and not any("pooler" in name for name in weights)


def test_a_folder_without_a_package_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"neither model\.json nor model\.safetensors"):
        open_base(tmp_path, [])


@both_sorts
def test_only_the_strongest_inner_units_of_the_wanted_layers_are_kept(write: Write, tmp_path: Path) -> None:
    _, weights = open_base(write(tmp_path), [])
    half = smaller(weights, [0, 1], 6)
    strength = np.linalg.norm(weights["l.0.f1"], axis=0) * np.linalg.norm(weights["l.0.f2"], axis=1)
    kept = [place for place in range(INNER_UNITS) if sum(strength > strength[place]) < 6]
    assert np.array_equal(half["l.0.f1"], weights["l.0.f1"][:, kept]) and half.keys() == weights.keys()
    assert np.array_equal(half["l.0.f2"], weights["l.0.f2"][kept]) and len(half["l.0.f1b"]) == 6
    second = smaller(weights, [1], INNER_UNITS)
    assert np.array_equal(second["l.0.qkv"], weights["l.1.qkv"]) and "l.1.qkv" not in second
    with pytest.raises(ValueError, match="has 2 layers"):
        smaller(weights, [0, 2], 6)


def test_a_text_is_cut_into_the_likeliest_pieces_of_the_first_package(tmp_path: Path) -> None:
    pieces, _ = open_base(write_lite(tmp_path), [])

    def cut(text: str) -> list[str]:
        return [pieces.pieces[number] for number in pieces.cut(text, 160)]

    assert cut("no pains") == ["\u2581no", "\u2581pain", "s"]
    assert cut("my pain.") == ["\u2581my", "\u2581pain", "."]
    assert cut("\uff4e\uff4f qq pain") == ["\u2581no", "\u2581", "", "\u2581pain"]
    assert cut("<control 1>")[0] == "\u2581" and "<control 1>" not in pieces.pieces


def test_a_text_is_cut_into_the_longest_pieces_of_the_second_package(tmp_path: Path) -> None:
    pieces, _ = open_base(write_minilm(tmp_path), [])
    cut = [pieces.pieces[number] for number in pieces.cut("No pains, my chest.", 160)]
    assert cut == ["[CLS]", "no", "pain", "##s", "[UNK]", "my", "chest", ".", "[SEP]"]


def test_rare_pieces_are_left_out_unless_the_lines_need_them() -> None:
    def kept(*texts: str) -> list[str]:
        return [SECOND_PIECES[number] for number in kept_pieces(SECOND_PIECES, texts, frequent=7)]

    assert kept() == ["[UNK]", "[CLS]", "[SEP]", ".", "pain", "##s"]
    assert kept("my chest", "my pain") == ["[UNK]", "[CLS]", "[SEP]", ".", "pain", "##s", "my"]


@both_sorts
def test_a_packed_network_gives_the_same_scores(
    write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    network = small_network(write(tmp_path))
    save_network(tmp_path / "network.npz", network)
    again = open_network(tmp_path / "network.npz")
    assert again.names == network.names and again.weights.keys() == network.weights.keys()
    whole = as_encoder(again)
    small = load_encoder(packed_encoder(whole))
    scores = [[score_of(encoder, row) for row in ROWS] for encoder in (whole, small)]
    assert scores[0] == pytest.approx(scores[1], abs=0.2)
    assert len({round(score or 0.0, 3) for score in scores[0]}) == 3
    arguments = [str(tmp_path / "network.npz"), str(tmp_path / "out.npz")]
    assert pack.main(arguments) == 0 and "3 columns" in capsys.readouterr().out
    assert pack.main([*arguments, "--not-asked", "sign"]) == 0 and "2 columns" in capsys.readouterr().out
    shipped = load_encoder((tmp_path / "out.npz").read_bytes())
    assert score_of(shipped, ALONE) is None and score_of(shipped, PAIR) == scores[1][0]
    assert "guard.weight" not in shipped.weights


def test_labels_of_the_guard_become_columns_of_the_reader_if_wanted(tmp_path: Path) -> None:
    network = small_network(write_minilm(tmp_path))
    save_network(tmp_path / "network.npz", network)
    assert pack.main([str(tmp_path / "network.npz"), str(tmp_path / "out.npz"), "--labels"]) == 0
    shipped, exact = load_encoder((tmp_path / "out.npz").read_bytes()), as_encoder(network, labels=True)
    labels = ("guard|calm", "guard|danger")
    assert shipped.columns == (*network.names.columns, *labels)
    for label in labels:
        score = exact.alone("my pain", label, "", "")
        assert score is not None and shipped.alone("my pain", label, "", "") == pytest.approx(score, abs=0.2)


def test_yes_and_no_of_a_column_weigh_the_same_and_a_rare_label_more(tmp_path: Path) -> None:
    yes, no = PAIR, PAIR._replace(answer=False)
    start = small_start(write_lite(tmp_path), [yes, no, no, no, no], [*LABELS, LABELS[1], LABELS[1]])
    weights = row_weights(start.rows)
    assert weights[0] == pytest.approx(weights[1:].sum()) and weights.mean() == pytest.approx(1)
    calm, danger = label_weights(start.lines, 2)
    assert calm == pytest.approx(3**0.5 * danger) and calm + danger == pytest.approx(2)


def test_a_kind_with_few_rows_counts_more_for_each_row(tmp_path: Path) -> None:
    weights = row_weights(small_start(write_lite(tmp_path), [SAID, ALONE, ALONE, ALONE]).rows)
    assert weights[0] == pytest.approx(3**0.4 * weights[1])


def test_each_row_is_in_every_epoch_beside_rows_of_similar_length(tmp_path: Path) -> None:
    rows = [ALONE._replace(text="no " * size) for size in range(1, 41)]
    start = small_start(write_lite(tmp_path), rows)
    batches = row_batches(start, EncoderSettings(batch=4), np.random.default_rng(0))
    for _ in range(2):
        epoch = list(islice(batches, 10))
        assert sorted(np.concatenate(epoch).tolist()) == list(range(40))
        assert all(np.ptp(start.texts.lengths[start.rows.text[batch]]) == 3 for batch in epoch)


def test_pairs_without_an_agreed_answer_are_no_lessons(tmp_path: Path) -> None:
    labels = ("entailment", "-", "neutral")
    lines = [{"sentence1": "My pain. ", "sentence2": f"No {n}", "gold_label": label} for n, label in enumerate(labels)]
    (tmp_path / "pairs.jsonl").write_bytes(b"\n".join(orjson.dumps(line) for line in lines))
    assert inferences_of(tmp_path / "pairs.jsonl") == ([(0, 1, 0), (2, 1, 1)], ["No 0", "My pain.", "No 2"])
    lessons = Inferences(np.array([[0, 1, 0]]), TextTable(np.array([[1, 2], [3, 4]]), np.array([2, 2])))
    save_inferences(tmp_path / "lessons.npz", lessons)
    again = open_inferences(tmp_path / "lessons.npz")
    assert np.array_equal(again.rows, lessons.rows) and np.array_equal(again.texts.pieces, lessons.texts.pieces)
