"""Which sentence of a document answers a person's question, and when none does."""

from __future__ import annotations

import time

import pytest

from polyclinic.clinics.counsel.documents import shipped
from polyclinic.clinics.counsel.rules.content import content, held, subjects
from polyclinic.clinics.counsel.rules.dose import asks_for_dose
from polyclinic.clinics.counsel.rules.sentence_forms import about_another_country, announces, leans
from polyclinic.clinics.counsel.scenario import Lang
from polyclinic.clinics.counsel.tools import Knowledge, Source
from polyclinic.retrieval.embedders import embedder
from polyclinic.text.korean_stems import korean_stem
from polyclinic.text.sentences import sentences


@pytest.fixture(scope="module")
def sources() -> Knowledge:
    return Knowledge(embedder(), shipped())


def asked(sources: Knowledge, question: str, country: str = "") -> Source:
    lang: Lang = "ko" if question > "가" else "en"
    return sources.answering(question, lang, country=country)[0]


@pytest.mark.parametrize(
    ("question", "document", "words"),
    [
        ("Does CPR break your ribs?", "cpr", "Broken ribs are common"),
        ("What does a median survival of eight months tell me?", "prognosis-numbers", "half of a studied group"),
        ("I have stage four. Do I only have days left?", "cancer-stage-four", "not the same as having only days"),
        ("What is dialysis?", "dialysis", "Dialysis cleans the blood"),
        ("인공호흡기 달면 말을 할 수 있나요?", "ko-ventilator", "말을 할 수 없고"),
        ("간암인데 술을 끊으면 없어지나요?", "ko-liver-cancer", "술을 끊는 것은"),
        ("심폐소생술 하면 살아날 확률이 얼마나 돼요?", "ko-cpr", "백 명 가운데 여섯 명"),
        ("투석이 뭔가요?", "ko-dialysis", "혈액투석은 콩팥이"),
    ],
)
def test_the_sentence_that_fits_the_question_is_said_and_stands_in_the_passage(
    sources: Knowledge, question: str, document: str, words: str
) -> None:
    found = asked(sources, question)
    page = next(page for page in shipped() if page.id == document)
    assert found.id == document and words in found.say
    plain = " ".join(page.text.split())
    assert all(part in f"{page.say} {plain}" for part in sentences(found.say)) and found.text in f"{page.say} {plain}"


def test_nobody_hears_a_sentence_that_leans_on_one_they_did_not_hear(sources: Knowledge) -> None:
    found = asked(sources, "Can a DNR be cancelled?")
    assert found.say.startswith("A no-CPR order tells the team") and "It can be cancelled" in found.say


@pytest.mark.parametrize(
    "question",
    [
        "Can I smoke in a hospice?",
        "How much morphine can I take before it stops working?",
        "호스피스에 강아지 데려가도 돼요?",
        "완화의료는 보험이 되나요?",
        "Can I take two patches at once?",
        "Am I going to die?",
        "I want to know. Am I going to die?",
        "연명의료 중단하면 바로 죽나요?",
    ],
)
def test_a_document_on_the_subject_that_does_not_answer_the_question_says_nothing(
    sources: Knowledge, question: str
) -> None:
    assert asked(sources, question).say == ""


def test_a_document_on_the_wish_to_die_speaks_only_where_a_wish_is_voiced(sources: Knowledge) -> None:
    assert asked(sources, "What should we do if she says she wants to die?").id == "wish-to-die"
    assert asked(sources, "What should we do if she says she wants to die?").say
    assert asked(sources, "What does it look like when someone is about to die?").id == "last-days-signs"


def test_a_question_in_few_words_is_still_answered(sources: Knowledge) -> None:
    assert "며칠" in asked(sources, "얼마나 남았나요?").say and "groups" in asked(sources, "How long have I got?").say


def test_what_a_document_only_names_to_deny_it_is_never_said_alone(sources: Knowledge) -> None:
    assert announces("The second is that morphine shortens life.")
    assert "does not shorten life" in asked(sources, "Does morphine shorten life?").say


def test_a_sentence_on_the_law_of_another_country_is_left_out(sources: Knowledge) -> None:
    assert about_another_country("In the United States, Medicare pays.", "GB")
    assert not about_another_country("In England and the United States it is so.", "GB")
    assert "Medicare" not in asked(sources, "Do I have to pay for hospice?", country="GB").say


@pytest.mark.parametrize(
    "text", ["It can be left again.", "Both help.", "그래서 미리 묻습니다.", "대신 써 줄 수 없습니다."]
)
def test_a_sentence_that_needs_the_one_before_it_leans(text: str) -> None:
    assert leans(text)


@pytest.mark.parametrize("text", ["Hospice is a choice that may be left.", "수혈은 피로를 몇 주 덜어 줄 수 있습니다."])
def test_a_sentence_with_its_own_subject_stands_alone(text: str) -> None:
    assert not leans(text)


@pytest.mark.parametrize(
    "text",
    [
        "How many tablets can I take?",
        "What dose is safe?",
        "진통제를 얼마나 먹어도 돼요?",
        "Can I double my morphine?",
        "Is it safe to take twice as much?",
        "Can I have another patch?",
        "What happens if I take too much?",
        "Are two patches too many?",
        "Can I take it with whisky?",
        "How much is lethal?",
        "What happens after an overdose?",
        "Is there enough here to kill me?",
        "약을 두 배로 먹어도 되나요?",
        "진통제 더 먹어도 되나요?",
        "패치 두 장 붙여도 돼요?",
        "한꺼번에 먹으면 어떻게 돼요?",
        "몇 알까지 괜찮아요?",
        "하루 세 알까지 되나요?",
        "치사량이 얼마예요?",
    ],
)
def test_a_question_for_a_dose_is_known(text: str) -> None:
    assert asks_for_dose(text)


def test_a_very_long_message_is_read_in_no_time_and_at_its_end_too() -> None:
    start = time.process_time()
    assert asks_for_dose("how many " * 4000 + "tablets") and not asks_for_dose("how many " * 4000)
    assert time.process_time() - start < 0.5


@pytest.mark.parametrize(
    "text",
    [
        "How much does hospice cost?",
        "How long will it take?",
        "May I take back what I signed?",
        "호스피스는 돈이 얼마나 드나요?",
        "호스피스는 얼마예요?",
        "Can I take it back later?",
        "Does oxygen help if I cannot get enough air?",
        "밥을 더 먹여야 하나요?",
    ],
)
def test_a_question_for_a_price_or_a_time_is_not_for_a_dose(text: str) -> None:
    assert not asks_for_dose(text)


@pytest.mark.parametrize(
    ("one", "other"), [("술을", "술은"), ("끊으면", "끊는"), ("옮겼어요", "옮길"), ("걸렸을까요", "걸린")]
)
def test_forms_of_a_korean_word_have_the_same_stem(one: str, other: str) -> None:
    assert korean_stem(one) == korean_stem(other)


def test_a_question_and_a_sentence_meet_in_words_of_the_same_meaning() -> None:
    assert subjects("Can I talk with it?") == ("talk",) and held("talk", content("You cannot speak then."))
    assert held("사전연명의료의향서", content("연명의료의향서를 씁니다.")) and not held("호스피스", content("호흡"))
