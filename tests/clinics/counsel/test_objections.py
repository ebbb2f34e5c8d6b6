"""A critic's objection always leads to another draft.

The person gets no answer only if something else confirms the objection.
"""

from __future__ import annotations

from typing import Any

import pytest

from polyclinic.clinics.counsel.prompts.replies import Criticism
from polyclinic.clinics.counsel.rules.guard import REVIEW_QUEUE
from polyclinic.clinics.counsel.rules.notes import ObjectionOverruled
from polyclinic.clinics.counsel.rules.objections import borrowed, confirmed, harmless, objected, void
from polyclinic.clinics.counsel.rules.risk import Draft
from polyclinic.core.transcript import Posted, Reviewed
from tests.clinics.counsel.test_drafts import CalmReader

SAID = "That sounds frightening. What do you want to know?"


@pytest.mark.parametrize(
    ("fault", "words", "found", "why"),
    [
        ("accuracy", "you will be well by spring", Draft(), "it quotes no words of the draft"),
        ("accuracy", "you will be well by spring", Draft(feeling=False), "it quotes no words of the draft"),
        ("choice", "What do you want to know?", Draft(), "it is about a question"),
        ("choice", "frightening", Draft(), ""),
        ("feelings", "", Draft(feeling=False), ""),
        ("feelings", "", Draft(), "it quotes no words of the draft"),
    ],
)
def test_an_objection_without_a_quotation_or_about_a_question_does_not_count(
    fault: str, words: str, found: Draft, why: str
) -> None:
    assert void(fault, words, SAID, found) == why


def test_an_objection_is_confirmed_by_findings_in_the_same_sentences() -> None:
    assert objected("frightening", SAID) == "That sounds frightening."
    assert confirmed("choice", Draft(slip="You must sign."))
    assert confirmed("accuracy", Draft(claim="Morphine shortens life.")) and not confirmed("choice", Draft(claim="x y"))
    assert confirmed("feelings", Draft(feeling=False)) and not confirmed("feelings", Draft())


@pytest.mark.parametrize(
    "text",
    [
        SAID,
        "It sounds as if you are very tired. How are the nights?",
        "Thank you for telling me. What matters most to you now?",
        "많이 두려우셨겠어요. 지금 무엇이 가장 마음에 걸리세요?",
    ],
)
def test_naming_a_feeling_and_asking_is_harmless(text: str) -> None:
    assert harmless(text)


@pytest.mark.parametrize(
    "text",
    [
        "You must sign today.",
        "That sounds frightening.",
        "That sounds frightening, and you should sign. What do you think?",
        "That sounds hard. Morphine shortens life. What do you think?",
        "It sounds as if you will be well soon. How are you?",
        "Don't you think that you should sign now?",
        "많이 두려우셨겠어요. 모르핀은 수명을 줄입니다. 무엇이 궁금하세요?",
        "걱정하지 않으셔도 되겠어요. 무엇이 궁금하세요?",
        "꼭 서명하시겠어요. 지금 하시겠어요?",
    ],
)
def test_a_fact_an_order_or_a_promise_is_not_harmless(text: str) -> None:
    assert not harmless(text)


def test_the_counsellor_must_not_repeat_the_persons_words_as_its_own() -> None:
    korean = ("안녕하세요. 저는 정미란입니다. 인천에서 병원 간호사 일하고 있습니다.",)
    taken = borrowed("안녕하세요, 정미란입니다. 인천에서 병원 간호사 일하고 있습니다. 무엇을 도와드릴까요?", korean)
    assert taken == "안녕하세요, 정미란입니다. 인천에서 병원 간호사 일하고 있습니다."
    english = ("I came because my ovarian cancer has come back.", "I am tired of the treatment.")
    assert borrowed("I came here because my ovarian cancer has come back.", english)
    for fine in ("You are tired of the treatment.", "So your cancer has come back.", "Hello.", "I am glad you came."):
        assert not borrowed(fine, english), fine
    assert not borrowed("병원 간호사로 일하고 계시는군요. 오늘은 좀 어떠세요?", korean)


def _objects(words: str) -> Criticism:
    return Criticism(reason="hm", fault="feelings", words=words, feedback="Leave the feeling out.")


async def test_a_harmless_draft_is_said_despite_the_critic_and_is_sent_to_human_review(
    play: Any, talk: Any, scripted: Any
) -> None:
    models = {
        "counsellor": scripted(lambda request: SAID),
        "critic": scripted(lambda request: _objects(request.prompt.draft)),
        "reader": CalmReader(yes=("counsel-feeling",)),
    }
    result = await play(talk(lang="en", turns=1), models=models)
    assert [event.code for event in result.transcript.of(Reviewed)] == ["r3"] * 3
    said = result.transcript.said("counsellor")[0]
    assert said.text == SAID and "fallback" not in said.data
    assert [note.reason for note in result.transcript.notes(ObjectionOverruled)] == ["Leave the feeling out."]
    assert [post.queue for post in result.transcript.of(Posted)] == [REVIEW_QUEUE]


async def test_a_draft_that_could_do_harm_is_never_said_against_the_critics_objection(
    play: Any, talk: Any, scripted: Any
) -> None:
    calm = CalmReader(yes=("counsel-feeling",))
    models = {
        "counsellor": scripted(lambda request: "You must sign today."),
        "critic": scripted(lambda request: _objects("You must sign")),
        "reader": calm,
    }
    result = await play(talk(lang="en", turns=1), models=models)
    assert "fallback" in result.transcript.said("counsellor")[0].data
    assert not result.transcript.notes(ObjectionOverruled)
