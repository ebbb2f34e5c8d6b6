"""The network that reads whole sentences beside the linear weights: its file, its language, and where it is used."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from polyclinic.clinics.counsel.readings import CONSENT
from polyclinic.errors import PolyclinicError
from polyclinic.models.cast import choose_models
from polyclinic.models.spec import parse_cast
from polyclinic.reading import reader
from polyclinic.reading.choose import open_reader
from polyclinic.reading.encoder import SentenceEncoder
from polyclinic.reading.layers import LONGEST
from polyclinic.reading.measure import SENTENCE_RESULTS, kept_results, table
from polyclinic.reading.networks import ENCODER, SECOND, load_encoder, packed_encoder, shipped_encoder
from polyclinic.reading.pieces import LikeliestPieces, LongestPieces
from polyclinic.reading.reader import BuiltInReader
from polyclinic.reading.together import LONGEST_TOGETHER, JoinedEncoder
from polyclinic.runner.readings import all_kinds, labelled, read_all

PROPOSED = "Shall we talk about who might speak for you?"
UNSETTLED = "I do not see why not, but my wife should hear it."
KINDS = {CONSENT.name: CONSENT}


def test_a_text_is_cut_into_its_likeliest_pieces() -> None:
    known = {"": 0, "\u2581pain": -3, "\u2581": -4, "p": -5, "a": -5, "i": -5, "n": -5, "\u2581pa": -4, "s": -5}
    pieces = LikeliestPieces(list(known), list(known.values()))
    assert [pieces.pieces[number] for number in pieces.cut("pain pains", 20)] == ["\u2581pain", "\u2581pain", "s"]
    assert pieces.cut("pain", 20) == pieces.cut("pain", 1)
    assert pieces.cut("pain \u00df\u00e7", 20).count(0) == 1, "unknown letters in a row are one piece"


def test_a_text_is_cut_into_its_longest_pieces() -> None:
    pieces = LongestPieces(["[UNK]", "[CLS]", "[SEP]", "pain", "##s", "p", "##ain", ".", "un"])

    def cut(text: str, most: int = 20) -> list[str]:
        return [pieces.pieces[number] for number in pieces.cut(text, most)]

    assert cut("PAINS. pain") == ["[CLS]", "pain", "##s", ".", "pain", "[SEP]"]
    assert cut("p\u00e1in") == ["[CLS]", "pain", "[SEP]"], "accents are left out"
    assert cut("pain unpain") == ["[CLS]", "pain", "[UNK]", "[SEP]"], "a word with an unknown part is unknown"
    assert cut("pain pain pain", 4) == ["[CLS]", "pain", "pain", "[SEP]"]
    assert cut("") == ["[CLS]", "[SEP]"] and cut("[SEP]")[1:-1] == ["[UNK]"] * 3, "signs cannot be typed"


@pytest.mark.parametrize("name", [ENCODER, SECOND])
def test_the_packed_file_gives_the_same_scores(name: str) -> None:
    shipped = shipped_encoder(name)
    again = load_encoder(packed_encoder(shipped))
    for text in ("Yes, let us do that.", "No. Not today."):
        one = shipped.compared(text, PROPOSED, "patient-told")
        other = again.compared(text, PROPOSED, "patient-told")
        assert one is not None
        assert other == pytest.approx(one, abs=0.05)


def test_a_broken_file_is_named() -> None:
    with pytest.raises(PolyclinicError, match=r"mine\.npz"):
        load_encoder(b"not a zip file", "mine.npz")


def test_both_networks_count_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    question, text = CONSENT.ask(proposed=PROPOSED), UNSETTLED

    def probability() -> float:
        return BuiltInReader(KINDS, sentences=True).probability(text, question)

    both, alone = probability(), []
    for only in (ENCODER, SECOND):
        monkeypatch.setattr(reader, "shipped_encoder", lambda name, only=only: shipped_encoder(only))
        alone.append(probability())
    odds = [np.log(chance / (1 - chance)) for chance in (both, *alone)]
    assert odds[1] != pytest.approx(odds[2])
    assert odds[0] == pytest.approx((odds[1] + odds[2]) / 2)


def test_what_was_not_learned_has_no_score() -> None:
    encoder = shipped_encoder()
    assert encoder.compared("I take the second.", "(B) A valve", "rounds-choice") is None
    assert encoder.alone("Hello.", "no such column", "counsel-claim", "") is None


def test_korean_and_what_the_words_settle_are_read_by_the_words_alone() -> None:
    words, sentences = open_reader(KINDS, ""), open_reader(KINDS, "sentences")
    korean, english = CONSENT.ask(proposed="그 이야기를 해 볼까요?"), CONSENT.ask(proposed=PROPOSED)
    assert words.probability("그러죠 뭐.", korean) == sentences.probability("그러죠 뭐.", korean)
    assert words.probability(UNSETTLED, english) != sentences.probability(UNSETTLED, english)
    assert words.probability("Fine by me.", english) == sentences.probability("Fine by me.", english)


@pytest.mark.parametrize(
    ("column", "yes", "no"),
    [
        (
            "desk-wish|as early as possible",
            "A visit with Dr. Park is fine, but it must be soon.",
            "A visit soon is fine, but it must be with Dr. Park.",
        ),
        (
            "counsel-signal|wants to wait or slow down",
            "I want to stop, not to go on.",
            "I want to go on, not to stop.",
        ),
    ],
)
def test_the_order_of_the_same_words_decides_yes_or_no(column: str, yes: str, no: str) -> None:
    encoder, kind = shipped_encoder(), column.partition("|")[0]
    assert sorted(encoder.pieces.cut(yes, LONGEST)) == sorted(encoder.pieces.cut(no, LONGEST))
    right, wrong = (encoder.alone(text, column, kind, "") for text in (yes, no))
    assert right is not None
    assert wrong is not None
    assert right > 0 > wrong


def test_the_order_of_the_same_words_counts_when_they_are_compared() -> None:
    has, has_not = (
        shipped_encoder().compared(text, "fever", "patient-told")
        for text in ("I have a fever but no cough.", "I have a cough but no fever.")
    )
    assert has is not None
    assert has_not is not None
    assert has > has_not + 1


@pytest.mark.parametrize(
    ("cast", "reader"),
    [
        ("all=understudy", "understudy"),
        ("doctor=human", "builtin:sentences"),
        ("doctor=https://host/v1:m", "builtin:sentences"),
        ("doctor=human,reader=builtin", "builtin"),
        ("all=https://host/v1:m", "https://host/v1:m"),
    ],
)
def test_strangers_are_read_by_whole_sentences(cast: str, reader: str) -> None:
    roles = ("doctor", "patient")
    chosen = choose_models(parse_cast(cast), roles, understudies=roles, reads=True)
    assert chosen["reader"].text == reader


async def test_the_kept_figures_are_those_of_the_shipped_network() -> None:
    rows = labelled(kind="counsel-consent")
    says = [finding.says for finding in await read_all(rows, "all=understudy")]
    kept = kept_results(SENTENCE_RESULTS)
    found = table(rows, says).kinds["counsel-consent"].balanced
    assert found == pytest.approx(kept["counsel-consent"].balanced, abs=0.02)
    assert np.mean([one.balanced for one in kept.values()]) > np.mean([one.balanced for one in kept_results().values()])
    assert set(kept) == set(kept_results()) <= set(all_kinds())


@pytest.mark.parametrize("names", ["columns", "kinds"])
def test_a_network_needs_a_weight_for_each_name(names: str) -> None:
    shipped = shipped_encoder()
    assert isinstance(shipped, SentenceEncoder) and load_encoder(packed_encoder(shipped)).columns == shipped.columns
    one_more: dict[str, Any] = {names: (*getattr(shipped, names), "patient-mood")}
    with pytest.raises(PolyclinicError, match=rf"mine\.npz.*{names}"):
        load_encoder(packed_encoder(replace(shipped, **one_more)), "mine.npz")


def test_a_network_without_its_weights_is_refused() -> None:
    for shipped in (shipped_encoder(ENCODER), shipped_encoder(SECOND)):
        assert isinstance(shipped, SentenceEncoder | JoinedEncoder)
        with pytest.raises(PolyclinicError, match=r"mine\.npz"):
            load_encoder(packed_encoder(replace(shipped, weights={})), "mine.npz")


def test_the_second_network_reads_a_text_together_with_what_it_is_compared_with() -> None:
    second = shipped_encoder(SECOND)
    for text, fact in (
        ("I have a fever but no cough.", "fever"),
        ("The pain moves into my left arm.", "pain moves to the arm"),
    ):
        told, other = second.compared(text, fact, "patient-told"), second.compared(text, "weight loss", "patient-told")
        assert told is not None and other is not None and told > other + 3 and other < 0
    assert second.compared("I have a fever.", "", "patient-told") is None
    assert second.alone("Hello.", "no such column", "counsel-claim", "") is None


def test_pieces_beyond_the_longest_are_not_read() -> None:
    second = shipped_encoder(SECOND)
    long = "pain " * LONGEST_TOGETHER
    assert second.compared(long, long, "patient-told") == second.compared(
        long + "fever", long + "fever", "patient-told"
    )
