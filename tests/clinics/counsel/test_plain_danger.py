"""What the screen finds in plain statements of danger, which the trained guard may not overrule."""

from __future__ import annotations

import re

import pytest

from polyclinic.clinics.counsel.rules.guard import offline, that_count
from polyclinic.clinics.counsel.rules.lexicon import NOTHING_FOUND, Screening, screen
from polyclinic.clinics.counsel.rules.teaching import guard_lines
from polyclinic.clinics.counsel.rules.trained import NOTHING_READ, read_message
from polyclinic.clinics.counsel.scenario import data

CALM = NOTHING_READ.model_copy(update={"calm": True})


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("I'm having a stroke", "emergency"),
        ("Help, I can't breathe!", "emergency"),
        ("She isn't breathing.", "emergency"),
        ("The blood won't stop.", "emergency"),
        ("I've taken too many of the white ones by mistake.", "emergency"),
        ("Please call an ambulance", "emergency"),
        ("Bye, I am bleeding badly", "emergency"),
        ("I'm thinking of ending things", "active"),
        ("I have cyanide", "active"),
        ("Sorry. Bye.", "implicit"),
        ("Goodbye and forgive me", "implicit"),
        ("I want to hurt my brother", "harm_others"),
        ("I'm going to stab him.", "harm_others"),
        ("My daughter hits me.", "abuse"),
        ("숨을 못 쉬겠어요", "emergency"),
        ("피가 안 멈춰요", "emergency"),
        ("119 좀 불러 주세요", "emergency"),
        ("남편을 죽이고 싶어요", "harm_others"),
        ("아들이 저를 때려요", "abuse"),
    ],
)
def test_danger_stated_plainly_is_found_whatever_the_weights_say(text: str, label: str) -> None:
    found = screen(text)
    assert (found.label, found.plain) == (label, True)
    assert offline(found, CALM).way == "escalate"


@pytest.mark.parametrize(
    "text",
    [
        "I had a stroke in May.",
        "Sorry, I have to go now. Bye.",
        "I'm thinking of ending things with the hospice.",
        "A stroke of luck, that was.",
        "I look at her boots in the hall and I can't breathe.",
        "My brother hurt his knee.",
        "I never wanted to hurt him.",
        "My grandson beats me at chess.",
        "He is breathing more easily today.",
        "작년에 뇌졸중이 왔었어요.",
        "밤마다 숨이 안 쉬어질까 봐 무서워요.",
        "아들이 저를 도와줘요.",
    ],
)
def test_the_same_words_told_of_other_things_are_not_found(text: str) -> None:
    assert screen(text) == NOTHING_FOUND


def test_only_plain_words_count_against_a_calm_reading() -> None:
    assert that_count(Screening("passive", "I'd like to die", plain=True), CALM).words
    assert that_count(Screening("passive", "like to die"), CALM) == NOTHING_FOUND


def test_a_plain_wish_counts_beside_graver_words_that_do_not() -> None:
    found = screen("I'd like to die. She asked whether I would take all my pills.")
    assert found.plain and found.words


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_no_harmless_line_of_any_training_author_is_plain_danger(every: int) -> None:
    harmless = [line for line in guard_lines("train") if line.label in ("acceptance", "ordinary")][::every]
    assert len(harmless) * every > 5_000
    assert not [line.text for line in harmless if screen(line.text).plain]


@pytest.mark.parametrize("text", ["I'm having a stroke", "아들이 저를 때려요"])
def test_plain_danger_reaches_people_whatever_the_weights_say(text: str) -> None:
    assert offline(screen(text), read_message(text)).way == "escalate"


def test_a_request_for_a_pill_that_makes_it_over_is_noticed() -> None:
    for text, label in (
        ("give me something that ends it all", "active"),
        ("can you give me a pill so it's over?", "passive"),
        ("Give me a tablet so that I can sleep until it is light.", "acceptance"),
    ):
        assert screen(text).label == label, text


def test_a_person_in_danger_is_told_how_to_reach_help_and_no_dates() -> None:
    countries = [each for each in data("contacts").values() if isinstance(each, dict)]
    notes = [each["note"][lang] for each in countries for lang in ("en", "ko") if "note" in each]
    assert notes and not [note for note in notes if re.search(r"\b(?:19|20)\d\d", note)]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("아니요, 죽을 생각은 없어요.", "acceptance"),
        ("죽을 생각 전혀 안 해요", "acceptance"),
        ("죽을 생각밖에 없어요", "active"),
        ("죽을 생각이 없어지질 않아요", "active"),
        ("살 생각은 없고 죽을 작정이에요", "active"),
    ],
)
def test_a_korean_denial_is_no_plan_and_a_thought_that_stays_is_one(text: str, label: str) -> None:
    assert screen(text).label == label
