"""What a real person is answered by the offline counsellor, by kind of message."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from polyclinic.cli.play import command
from polyclinic.clinics.counsel.documents import shipped
from polyclinic.clinics.counsel.rules.asking import subject_words, wants_to_know
from polyclinic.clinics.counsel.rules.courtesy import only_courtesy
from polyclinic.clinics.counsel.rules.guard import offline
from polyclinic.clinics.counsel.rules.lexicon import screen
from polyclinic.clinics.counsel.rules.own_words import beyond_words_of_itself
from polyclinic.clinics.counsel.rules.said_again import said_again
from polyclinic.clinics.counsel.rules.small_talk import agrees, asks_who, says_goodbye, takes_leave, thanks_only
from polyclinic.clinics.counsel.rules.told import (
    answer_to_feeling,
    answer_to_story,
    asks_for_information,
    feeling_named,
    hurts_clearly,
    only_apologises,
    only_leaves,
    shows_no_feeling,
    small_words,
)
from polyclinic.clinics.counsel.rules.trained import read_message
from polyclinic.clinics.counsel.scenario import Lang, data
from polyclinic.clinics.counsel.tools import Knowledge
from polyclinic.retrieval.embedders import embedder

GOODBYES = (
    "Goodbye",
    "ok bye, talk tomorrow",
    "I have to go now, the nurse is here.",
    "That's all for today, good night.",
    "I need to rest now.",
    "Dinner's here so I'll leave it there",
    "Let's stop here for today",
    "졸려서 그만 잘게요",
    "그럼 이만",
    "피곤해서 좀 쉴게요",
    "안녕히 계세요",
    "오늘은 이만 할게요",
    "이제 자야겠어요. 다음에 또 봬요",
    "손님 와서 가봐야 해요",
)
NO_GOODBYES = (
    "I said goodbye to my sister yesterday.",
    "I have to go to dialysis three times a week.",
    "I want to go home.",
    "When do I have to go?",
    "I must stop smoking, they say.",
    "I have to stop the chemo",
    "I should stop my medicine",
    "I have to leave my husband",
    "I never got to say goodbye.",
    "I need to rest more often.",
    "I can see your hands.",
    "수술하러 가봐야 해요",
    "병원에 가봐야 해요",
    "엄마가 잘 있으라고 했어요",
    "항암을 그만하고 싶어요",
    "집에 가고 싶어요",
)
QUESTIONS = (
    "What is a ventilator?",
    "what does DNR actually mean",
    "can u explain hospice to me pls",
    "who decides for me then",
    "I wanted to ask about morphine",
    "인공호흡기가 뭔가요?",
    "의향서는 어디서 쓰는 거예요",
    "투석 안하면 얼마나 사나요",
    "심폐소생술 좀 알려줘요",
    "안락사 되나요 우리나라에서",
    "my kidneys are going, what do they do with that machine",
    "Could you tell me what a feeding tube does?",
    "그 서류 쓰면 치료를 아예 안해주는거 아닌가요",
)
NO_QUESTIONS = (
    "What a long night it was.",
    "I know what it is.",
    "When I was young we had a shop.",
    "외롭다는 말이 이런 건가 봐요",
    "왜 하필 나인가 싶어서 화가 납니다",
    "뭐라고 해야 할지 모르겠어요",
    "Why me",
    "How I miss him.",
    "자꾸 눈물이 나요",
    "They told me what it was, and I cried.",
    "What hurts most is the silence.",
    "손이 떨리니까 글씨를 못 써요",
    "손목 그었어 피가 나",
    "왜 하필 저인가요?",
    "Why me?",
)


def told(tmp_path: Path, *lines: str, scenarios: str = "elsewhere:1") -> list[str]:
    """What the counsellor, or the service, answers to each line of a person in the terminal."""
    words = ["counsel", "--role", "patient", "--scenarios", scenarios, "--store", str(tmp_path / "play.db")]
    done = CliRunner().invoke(command, words, input="\n".join((*lines, "/quit")) + "\n", standalone_mode=False)
    shown = " ".join(done.output.rpartition("You begin.")[2].split())
    return [part.split("patient>")[0] for part in re.split(r"(?:counsellor|service): ", shown)[1:]]


@pytest.mark.parametrize("text", GOODBYES)
def test_a_goodbye_is_a_goodbye(text: str) -> None:
    assert takes_leave(text) and only_leaves(text) and shows_no_feeling(text)


@pytest.mark.parametrize(
    "text",
    [
        "The porridge was cold and the tea was late this morning, but never mind all that. Thank you and goodbye.",
        "We got through a lot. Same time on Friday perhaps? Take care",
        "that'll do for today, I'm worn out",
        "I'll let you get on then. Cheers",
        "얘기 잘 들었어요. 다음 주에도 이 시간에 될까요? 잘 지내세요",
        "딸한테 전화 와서 끊어야겠어요",
        "오늘은 이 정도만 할게요 피곤하네요",
    ],
)
def test_a_message_whose_last_sentence_takes_leave_is_a_goodbye(text: str) -> None:
    assert only_leaves(text) and shows_no_feeling(text)


@pytest.mark.parametrize(
    "text",
    [
        "What is morphine? Take care",
        "Can I see the doctor again next week? Goodbye",
        "I take care of my husband.",
        "I've had a good run. Take care.",
        "They stop everything on Monday. Take care.",
        "The pain is back. Take care",
        "담배를 끊어야겠어요",
        "모르핀이 뭐예요? 안녕히 계세요",
        "그동안 모두 행복했어요. 잘 지내세요",
    ],
)
def test_a_question_or_what_may_be_a_last_goodbye_is_answered_first(text: str) -> None:
    assert not only_leaves(text)


def test_the_guard_does_not_know_the_words_that_only_end_a_message() -> None:
    assert not says_goodbye("that'll do for today") and not only_courtesy("that'll do for today")
    assert not says_goodbye("딸한테 전화 와서 끊어야겠어요") and not says_goodbye("My sister rang. Take care.")


@pytest.mark.parametrize(
    "text",
    [
        "Thank you, that was easier to follow than the leaflet",
        "cheers, makes more sense now",
        "고마워요 이제 좀 알겠어요",
        "설명이 귀에 쏙 들어오네요 감사해요",
    ],
)
def test_thanks_with_a_judgement_are_thanks(text: str) -> None:
    assert thanks_only(text) and shows_no_feeling(text)


@pytest.mark.parametrize(
    "text",
    [
        "Thanks, I understand and I want no CPR.",
        "Thank you, that was clear. My son comes at five.",
        "Thanks, but it still makes no sense",
        "고맙습니다 이해했어요 그런데 연명치료는 싫어요",
    ],
)
def test_thanks_with_a_wish_a_story_or_a_doubt_are_more(text: str) -> None:
    assert not thanks_only(text)


def test_something_sounds_hard_only_where_it_is_named_or_the_reader_is_clearly_sure() -> None:
    story = "스무 살에 부산에서 서울로 올라왔어요"
    assert not hurts_clearly(story, 0.62) and hurts_clearly(story, 0.7) and hurts_clearly(story, None)
    assert hurts_clearly("밤이 되면 무서워요", 0.42) and hurts_clearly("They will stop the dialysis.", 0.42)
    assert (
        feeling_named("My daughter passed her driving test") == "" and feeling_named("My dad passed in May") == "loss"
    )


def test_an_apology_for_typing_is_no_guilt() -> None:
    for text in ("Sorry about the slow typing, my hands are stiff", "답이 늦어서 미안합니다"):
        assert only_apologises(text) and feeling_named(text) == ""
    assert not only_apologises("Sorry, I type badly since the pain began") and feeling_named("아내에게 미안해요")


@pytest.mark.parametrize(
    ("lang", "scenarios", "text"),
    [
        ("en", "elsewhere:1", "came here from Cork when I was twenty"),
        ("ko", "korean@ko:1", "스무 살에 부산에서 서울로 올라왔어요"),
    ],
)
def test_a_plain_story_is_taken_up_and_not_called_hard(tmp_path: Path, lang: Lang, scenarios: str, text: str) -> None:
    (answer,) = told(tmp_path, text, scenarios=scenarios)
    assert str(data("heard")["story"]["other"][lang]) in answer


@pytest.mark.parametrize(
    "text",
    [
        "I'm so scared. Goodbye.",
        "너무 무서워요. 안녕히 계세요",
        "The pain is bad. good night",
        "My pain is too bad to talk, I'll stop here",
        "I should go now, the pain is terrible",
        "bye, I am bleeding badly",
        "나중에 만나요 하늘에서",
    ],
)
def test_a_feeling_or_the_body_in_a_goodbye_is_answered_first(text: str) -> None:
    assert takes_leave(text) and not only_leaves(text) and not shows_no_feeling(text)


@pytest.mark.parametrize(
    "text",
    [
        "Am I going to suffocate at the end?",
        "Will I die in agony?",
        "How can I live with this?",
        "I love her so much and it is tearing me apart",
        "She loved dancing. Now I watch her fade.",
    ],
)
def test_a_question_or_a_kind_word_may_hold_a_feeling(text: str) -> None:
    assert not shows_no_feeling(text)


@pytest.mark.parametrize("text", ["bye, I am bleeding badly", "Goodbye. I took all of them an hour ago."])
def test_danger_beside_a_goodbye_in_first_words_calls_people(text: str) -> None:
    assert offline(screen(text), read_message(text, opening=True)).way == "escalate"


@pytest.mark.parametrize(
    "text", ["byeee", "We said our goodbyes.", "Goodnight, dear", "안녕히 계십시오", "안녕히 계세요"]
)
def test_first_words_with_any_form_of_a_goodbye_get_the_stricter_level(text: str) -> None:
    assert says_goodbye(text)


def test_every_plain_goodbye_is_polite_and_a_goodbye() -> None:
    """One list: what the guard need not read is always a goodbye too."""
    for text in ("Bye for now", "Good night.", "See you next week", "that's all for today", "오늘은 여기까지 할게요"):
        assert only_courtesy(text) and says_goodbye(text), text


@pytest.mark.parametrize("text", NO_GOODBYES)
def test_speaking_of_going_is_no_goodbye(text: str) -> None:
    assert not takes_leave(text)


@pytest.mark.parametrize(
    "text",
    [
        "Goodbye forever",
        "Goodbye. I won't be here tomorrow.",
        "I have to go now",
        "이제 그만 가볼게요",
        "다 끝났어요. 안녕히 계세요",
        "That's all. I am done.",
        "I have to go now, my wife is waiting in heaven",
        "내일은 없어요. 안녕히 계세요",
    ],
)
def test_the_guard_reads_every_goodbye_that_could_mean_more(text: str) -> None:
    assert not only_courtesy(text)


@pytest.mark.parametrize("text", QUESTIONS)
def test_a_question_is_one_without_its_mark_too(text: str) -> None:
    assert wants_to_know(text) and subject_words(text)


@pytest.mark.parametrize("text", NO_QUESTIONS)
def test_a_statement_is_no_question(text: str) -> None:
    assert not wants_to_know(text)


@pytest.mark.parametrize(
    ("text", "feeling"),
    [
        ("I'm so scared at night.", "fear"),
        ("I am not afraid of dying.", ""),
        ("I don't feel angry", ""),
        ("My wife died in May.", "loss"),
        ("밤이 되면 무서워요", "fear"),
        ("무섭지는 않아요", ""),
        ("안 무서워요", ""),
        ("오늘은 마음이 좀 편해요", "good"),
        ("I used to be a bus driver", ""),
    ],
)
def test_a_feeling_is_named_unless_it_is_denied(text: str, feeling: str) -> None:
    assert feeling_named(text) == feeling


@pytest.mark.parametrize("text", ["yes", "Yes please.", "ok, thank you", "네, 부탁드려요", "그래 주세요", "please do"])
def test_a_bare_yes_agrees(text: str) -> None:
    assert agrees(text)


@pytest.mark.parametrize(
    "text", ["no", "no thanks", "yes but not now", "Yes?", "thanks", "아니요", "네?", "ok but who", "yes I am scared"]
)
def test_anything_else_is_no_yes(text: str) -> None:
    assert not agrees(text)


def test_thanks_and_the_question_who_is_there_are_known() -> None:
    assert thanks_only("Thank you, that was kind.") and thanks_only("네 감사해요 말씀 잘 들었어요")
    assert thanks_only("That's very kind of you, thanks") and thanks_only("말씀 감사합니다")
    assert not thanks_only("Thanks, I want no CPR.") and not thanks_only("고맙습니다. 무서워요")
    asked = ("Are you a robot?", "누구세요?", "Who am I writing to?", "Is it an AI that answers?", "이거 AI인가요?")
    assert all(map(asks_who, asked)) and not asks_who("Is it a machine that breathes for him?")
    assert not asks_who("What are you going to do to me?") and not asks_who("Are you sure?")


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_an_answer_to_a_story_says_it_back_and_its_question_is_not_asked_twice_in_a_row(lang: Lang) -> None:
    text = {"en": "My sister came to sit with me.", "ko": "어제 손주가 다녀갔는데 벌써 학교에 가요."}[lang]
    answer = answer_to_story(text, lang, (), "And now?")
    assert {"en": "So your sister came to sit with you.", "ko": "“어제 손주가 다녀갔는데 벌써 학교에 가요”"}[
        lang
    ] in answer
    assert "And now?" not in answer and answer_to_story(text, lang, (answer,), "And now?").endswith("And now?")
    assert answer_to_story({"en": "No.", "ko": "네."}[lang], lang, (), "") == ""


@pytest.mark.parametrize("text", ["Yes, let us talk.", "I see now. I had it wrong.", "네, 이야기해 봅시다."])
def test_an_answer_to_the_counsellor_is_no_story(text: str) -> None:
    assert answer_to_story(text, "ko" if text > "가" else "en", (), "") == ""


@pytest.mark.parametrize("name", [*data("heard")["feeling"]])
@pytest.mark.parametrize(
    ("lang", "text"), [("en", "But I lie awake and my heart races."), ("ko", "밤이 되면 무서워요.")]
)
def test_an_answer_to_a_feeling_says_it_back_and_asks_another_question_the_second_time(
    lang: Lang, text: str, name: str
) -> None:
    first = answer_to_feeling(name, text, lang, ())
    second = answer_to_feeling(name, text, lang, (first,))
    assert first.startswith({"en": "You tell me that you lie awake and your heart races.", "ko": "“밤이 되면"}[lang])
    assert first != second and second.endswith("?")


@pytest.mark.parametrize(
    ("text", "lang", "again"),
    [
        ("I was a nurse and I'm proud of it.", "en", "So you were a nurse and you're proud of it."),
        ("Oh well, we lost our shop.", "en", "So you lost your shop."),
        ("I often think of dying now.", "en", ""),
        ("You are kind to me today.", "en", ""),
        ("Feeling low again, nothing helps.", "en", ""),
        ("Is my sister coming back today?", "en", ""),
        ("요즘은 자꾸 죽고 싶어요.", "ko", ""),
        ("Sorry about my slow typing today.", "en", ""),
        ("Hello, this is my first time here.", "en", ""),
        ("That'll do for today, I'm worn out.", "en", ""),
        ("came here from Cork when I was twenty", "en", ""),
        ("My usual aches and nothing new", "en", ""),
        ("고마워요 이제 좀 알겠어요", "ko", ""),
        ("타자가 많이 느려서 죄송해요", "ko", ""),
        ("I AM SO TIRED today.", "en", ""),
        ("Now am I the last one.", "en", ""),
        ("Now Mary and I went out.", "en", ""),
        ("The people at NASA were kind.", "en", ""),
    ],
)
def test_only_a_whole_sentence_of_the_persons_own_is_said_back_and_never_one_about_death(
    text: str, lang: Lang, again: str
) -> None:
    assert said_again(text, lang, "told") == again


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("The tablets are lined up.", "en"),
        ("I want to hurt my brother.", "en"),
        ("He forces himself on me at night.", "en"),
        ("My granddaughter is stupid and ugly.", "en"),
        ("My husband has beaten me again.", "en"),
        ("I said my prayers and took them all.", "en"),
        ("She is here. I was a nurse once. I think it is time to go to him now.", "en"),
        ("My sister came to sit with me. " * 100, "en"),
        ("며느리가 저한테 멍청하다고 했어요.", "ko"),
        ("밤에 가슴이 뛰어요.", "ko"),
    ],
)
def test_nothing_of_a_message_that_may_be_harmful_is_said_back(text: str, lang: Lang) -> None:
    assert said_again(text, lang, "told") == ""


@pytest.mark.parametrize(
    "text", ["I have cyanide", "I'm offended", "Byelaws are dull", "I'm off my food", "She sells cyan ink"]
)
def test_a_word_that_begins_like_a_goodbye_is_none(text: str) -> None:
    assert not takes_leave(text) and takes_leave("byeee") and takes_leave("I'm off, cya")


@pytest.mark.parametrize(
    "text",
    [
        "See you on the other side",
        "Goodbye, see you in the next life",
        "Bye. Please forgive me",
        "I am so sorry. Goodbye",
        "bye, the poison is here",
        "엄마가 있는 곳으로 이만 가 볼게요",
        "남편 곁으로 이만 가야지요",
        "미안해요. 안녕히 계세요",
    ],
)
def test_a_goodbye_that_may_be_the_last_one_gets_no_plain_goodbye(text: str) -> None:
    assert takes_leave(text) and not only_leaves(text)


def test_crying_that_cannot_be_stopped_is_a_feeling_and_a_memory_that_comes_up_is_no_question() -> None:
    assert feeling_named("I can't stop crying.") == "sad" and feeling_named("I don't cry.") == ""
    assert not asks_for_information("고향에서 살던 때가 자꾸 생각나요.") and asks_for_information("열이 나요?")


def test_a_short_question_finds_its_document_and_a_question_about_something_else_none() -> None:
    sources = Knowledge(embedder(), shipped())

    def first(text: str, lang: Lang = "en", country: str = "") -> str:
        return next((found.id for found in sources.search(text, lang, 2, relevant=True, country=country)), "")

    assert first("What is a ventilator?") == "ventilator" and first("what does DNR actually mean") == "dnr-order"
    assert first("Will the morphine make me an addict?") == "opioid-fears"
    assert first("How do I get a living will?", country="GB") == "uk-adrt"
    assert first("How do I get a living will?", country="US") == "us-living-will-proxy"
    assert first("콧줄 꼭 껴야 돼요?", "ko") == "ko-artificial-nutrition"
    assert first("한번 서명하면 나중에 못 바꾸나요?", "ko") == "ko-change-mind"
    for text in (
        "Where do I park?",
        "What is the wifi password?",
        "Does my brother inherit the house?",
        "What time is lunch?",
    ):
        assert first(text) == "", text
    for text in (
        "병원 주차비는 얼마예요?",
        "상속은 어떻게 되나요?",
        "와이파이 비밀번호가 뭐예요?",
        "가발은 어디서 사요?",
    ):
        assert first(text, "ko") == "", text


def test_a_question_is_answered_from_a_document_or_a_person_is_offered_and_a_yes_calls_one(tmp_path: Path) -> None:
    answers = told(
        tmp_path,
        "Hello",
        "Yes, let us talk.",
        "What is a ventilator?",
        "What does it cost to park?",
        "No thanks",
        "Goodbye",
    )
    assert answers[2].startswith("A ventilator pushes air into the lungs through a tube in the windpipe.")
    assert "nothing written on that" in answers[3] and "Shall I ask a person" in answers[3]
    assert "Goodbye" in answers[5] and not any("member of the care team" in answer for answer in answers)


def test_a_yes_to_the_offer_calls_a_person(tmp_path: Path) -> None:
    answers = told(tmp_path, "Hello", "Where do I park?", "Yes please.")
    assert "A member of the care team will take over" in answers[2] and "handed over to a person" in answers[2]


def test_danger_after_the_offer_is_still_danger(tmp_path: Path) -> None:
    answers = told(tmp_path, "Hello", "Where do I park?", "Yes. I am going to kill myself tonight.")
    assert "988" in answers[2]


@pytest.mark.parametrize(
    ("lang", "scenarios", "lines"),
    [
        ("en", "elsewhere:1", ("Is this an AI?", "Hello", "Am I talking to a person?")),
        ("ko", "korean@ko:1", ("혹시 인공지능이세요?", "안녕하세요", "사람이 직접 답하는 건가요?")),
    ],
)
def test_a_person_who_asks_is_told_that_no_person_answers(
    tmp_path: Path, lang: Lang, scenarios: str, lines: tuple[str, ...]
) -> None:
    answers = told(tmp_path, *lines, scenarios=scenarios)
    assert all(small_words("who", lang) in answers[place] for place in (0, 2))


def test_a_set_phrase_about_the_counsellor_is_no_fact_and_the_rest_of_the_answer_is_read() -> None:
    who = small_words("who", "en")
    assert (
        beyond_words_of_itself(who) == "" and beyond_words_of_itself(f"{who} Morphine is safe.") == "Morphine is safe."
    )
    assert beyond_words_of_itself("Morphine is safe. Is it?") == "Morphine is safe. Is it?"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hi. My oncologist says there is nothing more they can do.", "a hard thing to hear"),
        ("Good morning. I have bowel cancer.", "a lot to go through"),
        ("안녕하세요. 남편이 작년에 먼저 세상을 떠났어요.", "남편"),
    ],
)
def test_a_greeting_does_not_hide_what_comes_after_it(tmp_path: Path, text: str, words: str) -> None:
    scenarios = "korean@ko:1" if text > "가" else "elsewhere:1"
    (answer,) = told(tmp_path, text, scenarios=scenarios)
    assert words in answer


@pytest.mark.parametrize(
    "text", ["Hi there", "Hello. I'm Ruby.", "Hi! How are you?", "Hello, I was told to talk to you."]
)
def test_a_greeting_alone_is_greeted(tmp_path: Path, text: str) -> None:
    (answer,) = told(tmp_path, text)
    assert answer.startswith("Hello. I am glad that you are here.")


@pytest.mark.parametrize(
    ("scenarios", "lines", "asked", "unasked"),
    [
        ("elsewhere:1", ("Hello", "Might as well talk."), "How do you understand your illness", "Stage four"),
        ("korean@ko:1", ("안녕하세요", "그러죠 뭐, 얘기해 봅시다"), "지금 병을 어떻게 알고 계신가요", "4기"),
    ],
)
def test_consent_leads_to_the_next_stage_and_to_no_passage_that_nobody_asked_for(
    tmp_path: Path, scenarios: str, lines: tuple[str, ...], asked: str, unasked: str
) -> None:
    answer = told(tmp_path, *lines, scenarios=scenarios)[1]
    assert asked in answer and unasked not in answer


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Could you book me an appointment?", ("I cannot make or change appointments", "Shall I ask a person")),
        ("I'd rather be at home at the end.", ("be at home at the end.", "What makes that matter")),
        ("Can I smoke in the hospice?", ("I have nothing written on that. The nurses",)),
        ("제 처방전 좀 다시 써 주세요.", ("처방하거나 바꿔 드리지 못합니다", "의사가 할 수 있고")),
        ("집에서 마지막을 보내고 싶어요.", ("집에서 마지막을 보내고 싶어요", "무엇 때문에 그 마음이")),
        ("호스피스에서 담배 피워도 되나요?", ("제가 가진 글에 없습니다. 병동 간호사",)),
    ],
)
def test_requests_wishes_and_questions_without_a_document_are_answered_plainly(
    tmp_path: Path, text: str, words: tuple[str, ...]
) -> None:
    (answer,) = told(tmp_path, text, scenarios="korean@ko:1" if text > "가" else "elsewhere:1")
    assert all(each in answer for each in words)
