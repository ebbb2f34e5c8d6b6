"""The tool that trains the sentence encoder: all that works without torch."""

from __future__ import annotations

import io
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from polyclinic.clinics.counsel.rules.teaching import guard_lines
from polyclinic.core.reading import ReadingKind
from polyclinic.reading.encoder import load_encoder, packed_encoder
from polyclinic.reading.label_training import LabelledText
from polyclinic.reading.sets import Labelled
from polyclinic.runner.readings import labelled
from tests.tools.small_package import INNER_UNITS, WIDE, write_package
from tools.encoder import pack, rows
from tools.encoder.base import base_weights, narrowed, new_parts, package_pieces
from tools.encoder.batches import EncoderSettings, numbered, row_batches, row_weights
from tools.encoder.guard import as_guard, packed_scores
from tools.encoder.pack import TrainedNetwork, as_encoder, balanced, open_network, save_network, score_of
from tools.encoder.rows import (
    EncoderRow,
    Lessons,
    author_groups,
    read_rows,
    repository_lines,
    row_of,
    training_lines,
    without_group,
    write_rows,
)
from tools.encoder.teacher import crossed, softened

TOLD = ReadingKind("told", who=(), question="Is this told: {fact}?", open=("fact",))
SIGN = ReadingKind("sign", who=(), question="Is it {sign}?", open=("sign",), listed=True)
AGREES = ReadingKind("agrees", who=(), context="The nurse said: {said}", question="Does the person agree?")
REPLY = ReadingKind("reply", who=(), context="Said: {said}", question="Is it an answer?", in_reply=True)
KINDS = {kind.name: kind for kind in (TOLD, SIGN, AGREES, REPLY)}
PAIR = EncoderRow("told", "told", "my pain.", "chest pain", True, 1.0, "A")
ALONE = EncoderRow("sign", "sign|pain", "no pain", "", False, 0.0, "B")
SAID = EncoderRow("agrees", "agrees", "yes my chest", "no pains", False, 1.0, "B")


def a_network(folder: Path) -> TrainedNetwork:
    """A network with random weights for every part."""
    columns, kinds = ("agrees", "sign|pain", "told"), ("agrees", "sign", "told")
    weights = {**base_weights(folder), **new_parts(WIDE, columns, kinds, ("calm", "danger"))}
    weights["ctx.weight"] = np.random.default_rng(3).normal(0, 0.1, weights["ctx.weight"].shape).astype(np.float32)
    return TrainedNetwork(weights, columns, kinds)


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
    assert [row_of(line, KINDS) for line in seen] == [
        EncoderRow("told", "told", "It hurts.", "chest pain", True, 1.0, "A"),
        EncoderRow("sign", "sign|fever", "I am hot.", "", False, 0.0, "A"),
        EncoderRow("agrees", "agrees", "Fine.", "Come at nine.", False, 1.0, "B"),
    ]


def test_no_line_by_a_test_author_of_the_repository_is_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    every = labelled(split="")
    monkeypatch.setattr(rows, "labelled", lambda split: every)
    lines, labels, groups = repository_lines()
    assert len(lines) > 20_000 and len(labels) > 1_000
    assert {line.split for line in lines} == {"train"} and {line.lang for line in labels} == {"en"}
    closed = {line.author for line in every if line.split == "test"} | {line.author for line in guard_lines("test")}
    assert len(closed) > 3 and not closed & groups.keys()
    authors = [groups[line.author] for line in lines] + [groups[line.author] for line in labels]
    sizes = [authors.count(group) for group in range(4)]
    assert max(sizes) < 1.3 * min(sizes)


def test_a_group_of_authors_is_left_out_with_the_answers_about_their_texts() -> None:
    groups = author_groups(["A", "A", "A", "B", "B", "C", "D", "E"])
    assert groups == {"A": 0, "B": 1, "C": 2, "D": 3, "E": 2}
    label = LabelledText("so calm", "en", "calm", "A")
    left = without_group(Lessons([PAIR, ALONE], [label], [PAIR, SAID]), groups, 0)
    assert left == Lessons([ALONE], [], [SAID])


def test_rows_are_the_same_after_writing_and_reading(tmp_path: Path) -> None:
    written = [PAIR, SAID._replace(answer=0.25, text="a\r\nb\u2028c")]
    write_rows(tmp_path / "soft.jsonl", written)
    assert read_rows(tmp_path / "soft.jsonl") == written


def test_the_package_gives_the_weights_their_names_in_the_reader(tmp_path: Path) -> None:
    weights = base_weights(write_package(tmp_path))
    assert weights["l.1.qkv"].shape == (WIDE, 3 * WIDE) and weights["l.0.ln1.weight"].shape == (8,)
    assert len(weights) == 28 and not any("tanh" in name for name in weights)
    half = narrowed(weights, 6)
    strength = np.linalg.norm(weights["l.0.f1"], axis=0) * np.linalg.norm(weights["l.0.f2"], axis=1)
    kept = [place for place in range(INNER_UNITS) if sum(strength > strength[place]) < 6]
    assert np.array_equal(half["l.0.f1"], weights["l.0.f1"][:, kept])
    assert np.array_equal(half["l.0.f2"], weights["l.0.f2"][kept]) and len(half["l.0.f1b"]) == 6
    (tmp_path / "part2").write_bytes((tmp_path / "part2").read_bytes() + b"0000")
    with pytest.raises(ValueError, match=r"names \d+ bytes of weights, the parts hold \d+"):
        base_weights(tmp_path)


def test_a_text_is_cut_into_the_likeliest_pieces_of_the_package(tmp_path: Path) -> None:
    pieces = package_pieces(write_package(tmp_path))

    def cut(text: str) -> list[str]:
        return [pieces.pieces[number] for number in pieces.cut(text, 160)]

    assert cut("no pains") == ["\u2581no", "\u2581pain", "s"]
    assert cut("my pain.") == ["\u2581my", "\u2581pain", "."]
    assert cut("\uff4e\uff4f qq pain") == ["\u2581no", "\u2581", "", "\u2581pain"]
    assert cut("<control 1>")[0] == "\u2581" and "<control 1>" not in pieces.pieces


def test_a_packed_network_gives_the_same_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    network = a_network(write_package(tmp_path))
    save_network(tmp_path / "network.npz", network)
    again = open_network(tmp_path / "network.npz")
    assert again.columns == network.columns and again.weights.keys() == network.weights.keys()
    whole = as_encoder(again, package_pieces(tmp_path))
    small = load_encoder(packed_encoder(whole))
    scores = [[score_of(encoder, row) for row in (PAIR, ALONE, SAID)] for encoder in (whole, small)]
    assert scores[0] == pytest.approx(scores[1], abs=1e-2)
    assert len({round(score or 0.0, 3) for score in scores[0]}) == 3
    arguments = [str(tmp_path), str(tmp_path / "network.npz"), str(tmp_path / "out.npz"), "--not-asked", "sign"]
    assert pack.main(arguments) == 0 and "2 columns" in capsys.readouterr().out
    shipped = load_encoder((tmp_path / "out.npz").read_bytes())
    assert score_of(shipped, ALONE) is None and score_of(shipped, PAIR) == scores[1][0]
    assert "guard.weight" not in shipped.weights


def test_accuracy_counts_yes_and_no_alike_and_needs_both(tmp_path: Path) -> None:
    encoder = as_encoder(a_network(write_package(tmp_path)), package_pieces(tmp_path))
    says = float((score_of(encoder, PAIR) or 0.0) > 0)
    found = [PAIR._replace(answer=says)] * 3 + [PAIR._replace(answer=1 - says), ALONE]
    assert balanced(encoder, found) == {"told": 0.5}


def test_yes_and_no_of_a_column_weigh_the_same_and_the_teacher_has_its_share(tmp_path: Path) -> None:
    yes, no = PAIR, PAIR._replace(answer=0.0)
    weights = row_weights([yes, no, no, no, no])
    assert weights[0] == pytest.approx(weights[1:].sum()) and weights.mean() == pytest.approx(1)
    unknown = SAID._replace(column="never answered")
    found = Lessons([yes, no, ALONE], [LabelledText("pain", "en", "calm", "A")], [SAID, unknown, *[yes] * 9])
    settings = EncoderSettings(batch=2, soft_share=0.5)
    cut = numbered(found, package_pieces(write_package(tmp_path)), settings)
    assert cut.columns == ("sign|pain", "told") and len(cut.rows.text) == 3 + 9
    assert cut.rows.second[2] == len(cut.texts.lengths) - 1 and cut.rows.answer[0] == pytest.approx(0.97)
    epoch = np.concatenate(list(islice(row_batches(cut, settings, np.random.default_rng(0)), 3)))
    assert set(epoch) >= {0, 1, 2} and len(set(epoch)) == 6


def test_the_teacher_is_asked_only_what_no_author_answered_about_the_same_case() -> None:
    def line(fact: str, text: str, about: str) -> Labelled:
        return Labelled(TOLD.ask(fact=fact), text, True, "A", "train", about=about)

    lines = [line("x", "one", "c1"), line("y", "one", "c1"), line("z", "two", "c1"), line("w", "three", "c2")]
    asked = [(pair.text, pair.question.fact("fact")) for pair in crossed(lines, KINDS, share=1.0)]
    assert asked[:2] == [("one", "z")] * 2 and asked[2] in (("two", "x"), ("two", "y")) and len(asked) == 3
    assert crossed(lines, KINDS, share=0.0) == []
    assert softened(0.5) == pytest.approx(0.5) and 0.5 < softened(0.9) < 0.9
    assert softened(0.0) == pytest.approx(1 - softened(1.0)) and 0 < softened(0.0) < 0.001


def test_the_network_of_the_guard_has_labels_for_columns_and_survives_packing(tmp_path: Path) -> None:
    folder = write_package(tmp_path)
    network = a_network(folder)
    guard = as_guard(network, ("calm", "danger"), package_pieces(folder))
    again = load_encoder(packed_encoder(guard))
    assert again.columns == ("calm", "danger")
    for label in again.columns:
        exact, packed = (reader.alone("my chest pain.", label, "", "") for reader in (guard, again))
        assert exact is not None and packed == pytest.approx(exact, abs=0.1)
    assert guard.alone("my chest pain.", "calm", "", "") != guard.alone("my chest pain.", "danger", "", "")


def test_scores_of_unseen_authors_are_kept_by_author() -> None:
    content = packed_scores({"B": [[0.5, 1.0]], "A": [[1.0, 2.0], [3.0, 4.0]]})
    assert content == packed_scores({"A": [[1.0, 2.0], [3.0, 4.0]], "B": [[0.5, 1.0]]})
    with np.load(io.BytesIO(content)) as kept:
        assert kept["A"].tolist() == [[1.0, 2.0], [3.0, 4.0]]
