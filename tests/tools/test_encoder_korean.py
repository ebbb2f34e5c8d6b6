"""Pieces of Korean words, and their first vectors."""

from __future__ import annotations

import unicodedata
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from polyclinic.reading.networks import load_encoder, packed_encoder
from polyclinic.reading.pieces import LongestPieces
from tests.tools.small_lessons import ROWS
from tests.tools.small_package import write_lite, write_minilm
from tools.encoder.base import new_parts, open_base
from tools.encoder.base_minilm import SIGNS
from tools.encoder.batches import open_start, save_start
from tools.encoder.korean import mapped, model_states, shown_pieces, with_vectors
from tools.encoder.korean_pieces import korean_runs, learned_pieces
from tools.encoder.lessons import start_of
from tools.encoder.pack import TrainedNetwork, as_encoder
from tools.encoder.rows import EncoderRow
from tools.encoder.tiny import write_model

TEXTS = ["아파요 아파요 아파서", "배가 아파요.", "MRI가 아니라", "2알"]
KOREAN = EncoderRow("sign", "sign|pain", "아파요", "", False, True, "B", "ko")


def jamo(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def test_korean_letters_are_counted_as_they_stand_in_words() -> None:
    runs = korean_runs(TEXTS)
    assert runs[jamo("아파요")] == 3 and runs[f"##{jamo('가')}"] == 1 and runs[f"##{jamo('알')}"] == 1
    assert not any(letter.isascii() and letter != "#" for run in runs for letter in run)


def test_letters_that_often_stand_together_become_one_piece() -> None:
    runs = korean_runs(TEXTS)
    pieces = learned_pieces(runs, 10_000)
    assert jamo("아파") in pieces and jamo("아파요") in pieces and jamo("배") not in pieces
    assert learned_pieces(runs, 140) == pieces[:140] == learned_pieces(Counter(runs), 140)
    words = LongestPieces([*SIGNS, *pieces])
    cut = [words.pieces[number] for number in words.cut("아파요 갑", 20)]
    assert cut == [
        "[CLS]",
        jamo("아파요"),
        *(("##" if place else "") + x for place, x in enumerate(jamo("갑"))),
        "[SEP]",
    ]


def test_a_piece_never_spans_two_words_and_keeps_its_place_in_a_word() -> None:
    pieces = learned_pieces(Counter({jamo("가나"): 5, f"##{jamo('가')}": 9}), 1_000)
    assert f"##{jamo('가')}" in pieces and jamo("가나") in pieces and f"##{jamo('나')}" in pieces
    assert len(pieces) == len(set(pieces))


def test_a_start_with_korean_pieces_knows_korean_lines(tmp_path: Path) -> None:
    korean = learned_pieces(korean_runs(TEXTS), 200)
    english, _ = open_base(write_minilm(tmp_path), [])
    start = start_of(tmp_path, [*ROWS, KOREAN], (), {"A": 0, "B": 1}, korean)
    assert start.names.pieces[: len(english.pieces)] == tuple(english.pieces)
    assert start.names.pieces[len(english.pieces) :] == tuple(korean)
    assert start.rows.korean.tolist() == [False, False, False, True]
    line = start.texts.pieces[start.rows.text[3]]
    assert 0 not in line[: start.texts.lengths[start.rows.text[3]]]
    save_start(tmp_path / "start.npz", start)
    assert open_start(tmp_path / "start.npz").rows.korean.tolist() == start.rows.korean.tolist()
    network = as_encoder(TrainedNetwork({**start.base, **new_parts(start.base, start.names)}, start.names))
    again = load_encoder(packed_encoder(network))
    assert again.languages == ("en", "ko")
    score = network.alone("아파요", "sign|pain", "", "")
    assert again.alone("아파요", "sign|pain", "", "") == pytest.approx(score, abs=0.2)
    with pytest.raises(ValueError, match="English only"):
        open_base(write_lite(tmp_path), [], korean)


def test_pieces_are_shown_where_they_lie_in_written_words() -> None:
    pieces = LongestPieces([*SIGNS, jamo("아파"), f"##{jamo('요')}", "pain", "##s"])
    shown = shown_pieces(pieces, ["아파요 pains", "pains pain"], each=1)
    assert [(one.word, one.word[one.begin : one.end]) for one in shown] == [
        ("아파요", "아파"),
        ("아파요", "요"),
        ("pains", "pain"),
        ("pains", "s"),
    ]


def test_a_linear_map_is_found_and_a_piece_without_words_gets_the_mean() -> None:
    chance = np.random.default_rng(1)
    states, table = chance.standard_normal((400, 6)), chance.standard_normal((6, 4))
    vectors = states @ table + 3
    korean = [397, 398, 399]
    noise = {number: chance.standard_normal(6) for number in range(399)}
    found = mapped([noise, {n: states[n] for n in range(399)}], (0.25, 0.75), vectors, korean)
    assert found.depth == 0.75 and found.cosine > 0.99
    assert np.allclose(found.vectors[:2], vectors[korean[:2]], atol=0.3)
    assert np.allclose(found.vectors[2], vectors[:397].mean(axis=0), atol=0.1)
    base = with_vectors({"E": vectors.astype(np.float32)}, korean, np.zeros((3, 4)))
    assert not base["E"][korean].any() and np.array_equal(base["E"][:397], vectors[:397].astype(np.float32))


@pytest.mark.slow
def test_states_of_a_model_are_those_of_the_piece_in_its_words(tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="training needs torch: install the extra 'train'")
    from polyclinic.reading.tuned import AnswerScores

    model = AnswerScores(str(write_model(tmp_path, [*TEXTS, "the pain"] * 20)), "cpu")
    pieces = LongestPieces([*SIGNS, jamo("아파"), f"##{jamo('요')}", "pain", "##s"])
    shown = shown_pieces(pieces, ["아파요 pain"], each=1)
    first, last = model_states(model, shown, (0.0, 1.0))
    assert sorted(first) == sorted(last) == [3, 4, 5]
    assert not np.allclose(first[5], last[5])
    ids = model.tokenizer(" pain", add_special_tokens=False)["input_ids"]
    vectors = model.model.get_input_embeddings().weight.detach().float().numpy()
    assert np.allclose(first[5], vectors[ids].mean(axis=0), atol=1e-5)
