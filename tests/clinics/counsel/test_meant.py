"""What a message means most: a question that a document answers, a request, a wish, or a remark on the talk. The
messages here are none of the examples.
"""

from __future__ import annotations

from typing import get_args

import pytest

from polyclinic.clinics.counsel.documents import shipped
from polyclinic.clinics.counsel.rules.meant import answer_of, examples, kinds, set_answers
from polyclinic.clinics.counsel.rules.own_words import beyond_own_words, beyond_words_of_itself
from polyclinic.clinics.counsel.scenario import Lang, data
from polyclinic.clinics.counsel.tools import Knowledge
from polyclinic.clinics.counsel.tools.answers import AnswerFinder
from polyclinic.clinics.counsel.tools.asked import asked_rows
from polyclinic.retrieval.embedders import embedder
from polyclinic.text.sentences import sentences

LANGS: tuple[Lang, ...] = get_args(Lang)


@pytest.fixture(scope="module")
def sources() -> Knowledge:
    return Knowledge(embedder(), shipped())


def lang_of(text: str) -> Lang:
    return "ko" if text > "가" else "en"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("So am I chatting with some machine here?", "talk.who"),
        ("제가 기계랑 이야기하고 있는 건가요?", "talk.who"),
        ("Could you make me an appointment for Tuesday?", "cannot.book"),
        ("다음 주 화요일로 예약 잡아 줄 수 있나요?", "cannot.book"),
        ("Can you prescribe me a stronger tablet?", "cannot.prescribe"),
        ("수면제 처방 좀 부탁해도 될까요?", "cannot.prescribe"),
        ("I would want to be at home at the end.", "wish.home"),
        ("마지막 날들은 집에서 지내고 싶습니다.", "wish.home"),
        ("I don't want to be hooked up to a ventilator.", "wish.no_machines"),
        ("I would rather not talk about this now.", "talk.refuses"),
        ("오늘은 그 얘기 하고 싶지 않네요.", "talk.refuses"),
        ("Can I take the cat into the hospice?", "ask.ward"),
        ("담배는 호스피스에서 피워도 되나요?", "ask.ward"),
        ("Will my widow get my pension?", "ask.social"),
        ("Is there a heaven?", "ask.faith"),
        ("죽은 뒤에는 어디로 가는 건가요?", "ask.faith"),
    ],
)
def test_the_kind_of_a_message_in_other_words(sources: Knowledge, text: str, kind: str) -> None:
    assert sources.nearest(text, lang_of(text)).kind == kind
    assert not any(source.say for source in sources.answering(text, lang_of(text)))


@pytest.mark.parametrize(
    ("text", "document", "words"),
    [
        ("Would morphine make me die earlier?", "opioid-fears", "does not shorten life"),
        ("Who will decide things when I am unconscious?", "acp-proxy", "someone who knows you"),
        ("May I take back what I signed?", "acp-change-mind", "at any time"),
        ("How long can somebody live if they stop dialysis?", "dialysis", "days to a few weeks"),
        ("모르핀을 쓰면 일찍 죽게 되나요?", "ko-opioids", "수명을 줄이지 않습니다"),
        ("제가 의식을 잃으면 누가 대신 정하나요?", "ko-family-decision", "가족"),
        ("호스피스는 돈이 얼마나 드나요?", "ko-hospice-costs", "건강보험"),
        ("투석을 그만 받으면 어떻게 되나요?", "ko-dialysis", "며칠에서 몇 주"),
    ],
)
def test_a_question_in_other_words_gets_the_sentences_that_answer_it(
    sources: Knowledge, text: str, document: str, words: str
) -> None:
    found = sources.answering(text, lang_of(text))[0]
    assert found.id == document and words in found.say and 1 <= len(sentences(found.say)) <= 3


@pytest.mark.parametrize("text", ["Hello, who are you?", "Thank you.", "안녕하세요, 누구세요?", "고맙습니다."])
def test_no_document_answers_a_greeting_or_thanks(sources: Knowledge, text: str) -> None:
    assert not sources.nearest(text, lang_of(text)).document


def test_a_wish_is_no_question_and_a_statement_is_answered_only_like_a_statement(sources: Knowledge) -> None:
    assert sources.nearest("Can I refuse the chemotherapy?", "en").document == "stopping-treatment"
    assert sources.nearest("I am refusing the chemotherapy.", "en").kind == "wish.stop"
    assert sources.nearest("변비가 심해서 힘듭니다.", "ko").document == "ko-constipation"


@pytest.mark.parametrize("lang", LANGS)
def test_every_question_names_sentences_of_its_document(lang: Lang) -> None:
    pages = {page.id: page for page in shipped() if page.lang == lang}
    finder = AnswerFinder(embedder(), pages.values())
    for row in asked_rows(lang):
        said = finder.said_by(row.document, row.says)
        plain = f"{pages[row.document].say} {' '.join(pages[row.document].text.split())}"
        assert row.asked and all(part in plain for part in sentences(said.say)), row
    asked = [text for row in asked_rows(lang) for text in row.asked]
    assert len(asked) == len(set(asked)), "no question has two answers"


def test_both_languages_have_the_same_kinds_with_examples_and_answers() -> None:
    assert {group: set(found) for group, found in data("meant/en").items()} == {
        group: set(found) for group, found in data("meant/ko").items()
    }
    for lang in LANGS:
        assert {kind for _, kind in examples(lang)} == set(kinds()) - {"wish.any"}
        silent = {kind for kind in kinds() if not answer_of(kind, lang)}
        assert silent == {"talk.who", "talk.agrees", "talk.leaves"}


def test_the_set_answers_and_words_said_back_need_no_source() -> None:
    assert all(beyond_own_words(answer, "") == "" for answer in set_answers())
    heard = "My sister came to sit with me."
    assert not all(beyond_words_of_itself(answer) == "" for answer in set_answers()), "judges read them"
    assert beyond_own_words("So your sister came to sit with you. Morphine is safe.", heard) == "Morphine is safe."
