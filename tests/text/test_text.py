"""Small language tools: what the rooms that use them can rely on."""

from __future__ import annotations

import random
import re

import pytest

from polyclinic.text.layout import filled, number_of
from polyclinic.text.normal import letters, normalise, straight, without_accents
from polyclinic.text.phrases import contains_phrase, mentioned, name_pattern, phrase_pattern, stands_in
from polyclinic.text.sentences import between_marks, is_question, sentence_spans, sentences
from polyclinic.text.words import STOP_WORDS, ContentWords, search_stem, spoken_words, stem, words


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ("Sit down; rest.", "Why?", "Two", "hours.")),
        ({"lines": False}, ("Sit down; rest.", "Why?", "Two\nhours.")),
        ({"semicolons": True, "lines": False}, ("Sit down;", "rest.", "Why?", "Two\nhours.")),
    ],
)
def test_the_caller_chooses_what_ends_a_sentence(options: dict[str, bool], expected: tuple[str, ...]) -> None:
    assert sentences("Sit down; rest.  Why? Two\nhours.", **options) == expected


def test_with_the_option_capitals_an_abbreviation_or_a_decimal_ends_no_sentence() -> None:
    text = "It took approx. two hours at 38.5 degrees. Then it stopped."
    assert sentences(text, capitals=True) == ("It took approx. two hours at 38.5 degrees.", "Then it stopped.")


def test_korean_sentences_end_like_english_ones() -> None:
    assert sentences("머리가 아파요. 언제부터요？ 어제요.") == ("머리가 아파요.", "언제부터요？", "어제요.")
    assert is_question("언제부터요？") and is_question('She asked "why?"') and not is_question("어제요.")


def test_the_spans_of_a_document_lose_no_character_and_know_abbreviations() -> None:
    text = 'Dr. Kim came at 5 p.m. yesterday. "Well?" she said.\n\nNothing else.'
    spans = sentence_spans(text)
    assert "".join(text[a:b] for a, b in spans) == text
    assert text[slice(*spans[0])].startswith("Dr. Kim came")


def test_text_is_split_at_marks_even_without_a_space_after_them() -> None:
    assert between_marks("I am fine.but I; want\nout。끝") == ["I am fine", "but I", " want", "out", "끝"]


def test_words_are_read_in_any_script_without_case_and_punctuation() -> None:
    assert words("Don't — 가슴이 아파요, Café!") == ["don", "t", "가슴이", "아파요", "café"]
    assert spoken_words("Don't!") == ["don't"]
    spoken_words("Don't!").append("go")
    assert spoken_words("Don't!") == ["don't"], "a caller may change its list; the cached words stay"


def test_spaces_hyphens_and_case_do_not_change_a_name() -> None:
    assert letters("Disease_Awareness ") == letters("disease-awareness") == "diseaseawareness"


def test_a_hyphen_belongs_to_the_word_if_the_caller_says_so() -> None:
    assert contains_phrase("a well-known cause", "well")
    assert not phrase_pattern("well", hyphens=True).search("a well-known cause")
    assert phrase_pattern("well", hyphens=True).search("as well, then")


def test_content_words_leave_out_stop_words_and_are_compared_by_their_stems() -> None:
    words = ContentWords()
    assert words("It hurts when I am breathing") == words("hurt breath am")
    assert words("가슴이 아프고 숨이 차요") & words("가슴은 괜찮아요") == {"가슴"}
    assert not words("the and 그리고 네")


def test_numbers_are_read_as_the_caller_wants() -> None:
    assert ContentWords(decimals=True)("38.5 in 2 days") == {"38.5", "day"}
    assert ContentWords(digits=True)("38.5 in 2 days") == {"38", "5", "2", "day"}


def test_overlap_is_the_share_of_the_first_texts_words() -> None:
    words = ContentWords(STOP_WORDS | {"please"}, same={"tummy": "stomach"})
    assert words.overlap("please, my tummy", "the stomach hurts") == 1.0
    assert words.overlap("stomach and chest", "the stomach hurts") == 0.5
    assert words.overlap("", "the stomach hurts") == 0.0


@pytest.mark.parametrize(
    ("word", "plain", "searched"),
    [("studies", "stud", "study"), ("breathing", "breath", "breath"), ("ss", "ss", "ss"), ("dose", "dose", "dose")],
)
def test_stems_are_cut_as_documented(word: str, plain: str, searched: str) -> None:
    assert (stem(word), search_stem(word)) == (plain, searched)


def test_numbers_and_short_korean_words_are_not_stemmed() -> None:
    assert stem("1990s") == "1990s" and stem("나이") == "나이" and stem("병원에서") == "병원"


def test_phrases_are_found_as_whole_words_only() -> None:
    assert contains_phrase("Is it HIV?", "hiv") and not contains_phrase("I am shivering", "hiv")
    assert contains_phrase("열이 나요", "열이") and not contains_phrase("열이나", "열이")
    assert phrase_pattern("confus", open_end=True).search("Confused") and not phrase_pattern("confus").search(
        "confused"
    )


def test_names_are_found_with_any_spacing_and_acronyms_only_as_written() -> None:
    names = ["heart-attack", "PE", "Crohn's disease"]
    assert mentioned("A heart  attack, or PEs?", names) == ["heart-attack", "PE"]
    assert mentioned("physical pe lesson", names) == []
    assert name_pattern("migraine").search("her migraine's back")


def test_normal_forms_remove_differences_of_writing() -> None:
    assert normalise("“It’s  FINE” …") == '"it\'s fine" ...'
    assert without_accents("Zoë  ÉCOLE") == "zoe ecole"
    assert straight("can’t") == "can't"


def test_a_plain_search_for_whole_words_finds_what_the_pattern_finds() -> None:
    draw = random.Random(3)
    found = 0
    for _ in range(20_000):
        text = "".join(draw.choices("ab-_ é열.", k=draw.randrange(8)))
        phrase = "".join(draw.choices("ab-é열", k=draw.randrange(1, 4)))
        for hyphens in (False, True):
            expected = phrase_pattern(phrase, hyphens=hyphens).search(text) is not None
            found += expected
            assert stands_in(phrase, text, hyphens=hyphens) is expected, (phrase, text)
    assert found > 1_000


def test_a_name_is_mentioned_wherever_its_pattern_finds_it() -> None:
    names = ("HIV", "type 2 diabetes", "Crohn's disease", "non-small cell", "Ménière")
    texts = (
        "My hiv test",
        "HIV?",
        "Type-2  Diabetes it is",
        "crohn's  disease",
        "NON SMALL CELL",
        "ménière",
        "nothing",
    )
    for text in texts:
        assert mentioned(text, names) == [name for name in names if name_pattern(name).search(text)]


def test_words_of_ascii_text_are_those_that_the_pattern_finds() -> None:
    chance = random.Random(3)
    for _ in range(500):
        text = "".join(chr(chance.randrange(128)) for _ in range(chance.randrange(60)))
        assert words(text) == re.findall(r"\w+", text.casefold())
        assert spoken_words(text) == re.findall(r"[\w']+", text.casefold())


def test_a_count_stands_with_its_noun() -> None:
    counts = [number_of(count, thing) for thing in ("run", "entry") for count in (0, 1, 2400)]
    assert counts == ["0 runs", "1 run", "2,400 runs", "0 entries", "1 entry", "2,400 entries"]


def test_what_somebody_said_cannot_steer_the_terminal() -> None:
    said = "\x1b[1mcaller:\x1b[0m Good \x1b]0;owned\x07day\x1b[2J\x9b1A\r\x00, 안녕"
    assert filled(said, 80) == "\x1b[1mcaller:\x1b[0m Good ]0;ownedday[2J1A, 안녕"
