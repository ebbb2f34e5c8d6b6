"""How the networks cut Korean words, and that English is cut as before."""

from __future__ import annotations

import hashlib
import unicodedata

import orjson

from polyclinic.reading.networks import ENCODER, SECOND, shipped_encoder
from polyclinic.reading.pieces import LongestPieces, has_korean, words_of
from polyclinic.reading.together import JoinedEncoder
from polyclinic.runner.readings import labelled

SIGNS = ("[UNK]", "[CLS]", "[SEP]")
AUTHORS = ("A", "B")
WORDS = "1527c7efffac"
"""Of the words of these authors' English lines, before Korean was cut."""


def jamo(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def english_texts() -> list[str]:
    lines = labelled(split="train")
    return sorted({line.text for line in lines if line.lang == "en" and line.author in AUTHORS})


def korean_pieces() -> list[str]:
    letters = sorted(set(jamo("아파요못해")))
    return [jamo("아"), f"##{jamo('파')}", f"##{jamo('요')}", *letters, *(f"##{letter}" for letter in letters)]


def test_korean_words_are_cut_letter_by_letter_at_the_longest_piece() -> None:
    pieces = LongestPieces([*SIGNS, *korean_pieces(), "no", "."])
    cut = [pieces.pieces[number] for number in pieces.cut("아파요. 못해 No", 40)]
    assert [unicodedata.normalize("NFC", piece) for piece in cut[1:5]] == ["아", "##파", "##요", "."]
    assert cut[5] == jamo("못")[0] and cut[6:10] == [f"##{letter}" for letter in jamo("못해")[1:]][:4]
    assert cut[-2:] == ["no", "[SEP]"] and "[UNK]" not in cut


def test_a_long_korean_word_is_known_and_one_beyond_the_limit_is_not() -> None:
    pieces = LongestPieces([*SIGNS, *korean_pieces()])
    assert pieces.cut("아" * 100, 300)[1:3] == [3, pieces.pieces.index("##" + jamo("아")[0])]
    assert len(pieces.cut("아" * 100, 300)) == 2 + 1 + 2 * 99
    assert pieces.cut("아" * 101, 300) == [1, 0, 2]


def test_words_are_those_that_the_network_sees() -> None:
    assert words_of("Take 2 pills,\u00e9t") == ["take", "2", "pills", ",", "et"]
    assert words_of("약 2알") == [jamo("약"), "2" + jamo("알")]


def test_english_words_are_as_before() -> None:
    texts = english_texts()
    digest = hashlib.sha256(orjson.dumps([words_of(text) for text in texts])).hexdigest()
    assert len(texts) == 945 and digest[:12] == WORDS


def test_korean_pieces_change_no_number_of_an_english_text() -> None:
    shipped = shipped_encoder(SECOND).pieces
    both = LongestPieces([*shipped.pieces, *korean_pieces()])
    for text in english_texts():
        assert both.cut(text, 256) == shipped.cut(text, 256)


def test_a_network_reads_korean_only_if_its_vocabulary_has_korean_pieces() -> None:
    for name in (ENCODER, SECOND):
        shipped = shipped_encoder(name)
        assert shipped.languages == ("en",) and shipped.reads("My chest hurts.") and not shipped.reads("아파요")
    both = JoinedEncoder(LongestPieces([*SIGNS, "no", *korean_pieces()]), (), {})
    assert both.languages == ("en", "ko") and both.reads("아파요") and both.reads("no")
    assert has_korean(korean_pieces()) and not has_korean(["no", "##s"])
