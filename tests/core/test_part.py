from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from polyclinic.clinics.counsel.rules.part import SIGNS
from polyclinic.clinics.counsel.scenario import Lang, personas
from polyclinic.clinics.demo.prompts.caller import CallerAsks
from polyclinic.core.files import package_text
from polyclinic.core.message import Message
from polyclinic.core.model import Completion
from polyclinic.core.part import OUT_OF_PART, Part, answer_in_part, out_of_part
from polyclinic.core.part_again import FellOut, lines_to_choose, said_before
from polyclinic.core.part_signs import broken_by
from polyclinic.core.reading import Question
from polyclinic.core.services import Services
from polyclinic.core.transcript import Failed
from polyclinic.eval.report import parts_section
from polyclinic.eval.results import EpisodeRow, RunResults
from polyclinic.eval.sections import Paragraph
from polyclinic.reading.choose import reads_line
from tests.core.conftest import OpenEpisode, Scripted

ASKS = CallerAsks(caller="Ada", medicine="Amberol", believes="much")
CALLER = Part(who="Ada, the caller", own=("caller", "Ada"), others=("nurse",), said="What can I do for you?")
GOOD = "I was given these tablets and I do not know when to take them."
OUT = "The caller has a question about her tablets."


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("As an AI, I do not have a body.", "speaks as an assistant"),
        ("Sure! Here is what you could say: my back hurts.", "speaks as an assistant"),
        ("I'm sorry, but I cannot assist with that request.", "speaks as an assistant"),
        ("저는 인공지능이라 아프지 않습니다.", "speaks as an assistant"),
        ("The patient has a dull ache on the left.", "third person"),
        ("Patient reports two days of fever.", "third person"),
        ('{"answer": "It hurts."}', "form instead of speech"),
        ("*rubs her knee slowly* It aches.", "stage direction"),
        ("It aches. Doctor: Since when? Patient: Since Sunday.", "speaks for the other"),
        ("Since when does your knee ache, may I ask", "echo of the other"),
        ("Well, it must be gout.", "knows what is hidden"),
    ],
)
def test_each_way_of_falling_out_of_character_is_named(line: str, kind: str) -> None:
    found = broken_by(
        line,
        Part(own=("patient",), others=("doctor",), said="Since when does your knee ache, may I ask?", hidden=("gout",)),
    )
    assert found is not None
    assert found.kind == kind


def test_only_patients_are_held_to_not_calling_themselves_patients() -> None:
    line = "I am the patient who called yesterday."
    found = broken_by(line, Part(own=("patient",)))
    assert found is not None and found.kind == "third person"
    assert broken_by(line, Part()) is None


@pytest.mark.parametrize(
    "line",
    [
        "It aches, mostly in the evening.",
        "I'm sorry, I cannot say when it began.",
        "You are the doctor, you tell me.",
        "The patient in the next bed kept me awake, I slept badly.",
        "Since when? I could not say. Perhaps Sunday.",
        "Her knee is swollen and she cries when the nurse touches it.",
        "무릎이 아파서 왔어요.",
        "No. (Sorry.) Not any more.",
    ],
)
def test_ordinary_lines_of_people_are_accepted(line: str) -> None:
    assert broken_by(line, Part(own=("patient",), others=("doctor",), said="Since when does your knee ache?")) is None


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("I am here to support you and help you navigate this challenging time.", "speaks as an assistant"),
        ("I am here to listen to you and provide any support you may need.", "speaks as an assistant"),
        ("I'm glad that you found the information helpful.", "speaks as an assistant"),
        ("I understand you're concerned about your brother.", "speaks as an assistant"),
        ("I do not have access to the specific information in that statement.", "speaks as an assistant"),
        ("I am thankful for the counselor's advice and will follow it.", "speaks as an assistant"),
        ("I have learned a lot from the counsellor.", "speaks as an assistant"),
        ("I am glad to hear about your illness.", "speaks as an assistant"),
        ("I do not feel ill, but I can help you understand it.", "speaks as an assistant"),
        ("Hello, Walter. I am here because I am ill.", "speaks for the other"),
        ('I am old. The counsellor says to me: "How are you?" I am well.', "speaks for the other"),
        ('상담자가 당신에게 말합니다: "얼마나 힘드세요?"', "speaks for the other"),
        ("Hello. I am Walter Brandt, the ill person.", "echo of the instructions"),
        ("The counsellor knows my name and where I live: do not introduce yourself.", "echo of the instructions"),
        ("나는 아픈 사람입니다. 상담자가 말한 것에 대답하지 않습니다.", "echo of the instructions"),
        ("죄송합니다. 제가 도움을 주는 사람이 아닙니다.", "echo of the instructions"),
        ("죄송합니다, 저는 상담자입니다.", "echo of the instructions"),
    ],
)
def test_what_a_small_model_said_as_an_ill_person_is_out_of_character(line: str, kind: str) -> None:
    """Lines of a 1.5B model that the rules let through until somebody read them."""
    told = "The counsellor knows your name and where you live: do not introduce yourself."
    found = broken_by(
        line, Part(own=("patient", "Walter Brandt"), others=("counsellor", "상담자"), told=(told,), signs=SIGNS)
    )
    assert found is not None
    assert found.kind == kind


def test_repeating_the_other_speakers_question_is_an_echo_and_repeating_information_is_not() -> None:
    asks = "그 마음과 함께 있고 싶습니다. 지금 마음이 어떠신지 조금 더 들려주시겠어요?"
    found = broken_by("저는 약을 먹고 있습니다. 지금 마음이 어떠신지 조금 더 들려주시겠어요?", Part(said=asks))
    assert found is not None
    assert found.kind == "echo of the other"
    told = "The blood values and how the kidneys clear the drug decide here. Is there anything you would like to ask?"
    said_back = "So the blood values and how the kidneys clear the drug decide here, that is what I will do."
    assert broken_by(said_back, Part(said=told)) is None
    booked = "I can offer you Monday the fifth at ten. That is with Dr. Kim. Would that suit you?"
    assert (
        broken_by("Let me write that down, please. That is with Dr. Kim. Thank you very much.", Part(said=booked))
        is None
    )


@pytest.mark.parametrize(
    "line",
    [
        "I am here to help my mother, she is the one who is ill.",
        "The doctor said to me: rest, nothing else.",
        "Hello, Walter Brandt is my name.",
        "My daughter is here to help me through this.",
        "I understand that you are busy.",
        "I got your letter and your number from the counsellor who came in spring.",
        "The counsellor's letter is on my table, I have not read it.",
        "I can help you with the spelling of my name.",
        'I could not say. "Everything about your illness", you say? I have not been told anything.',
        "I do not have the letter with me.",
        "I live alone, and my name is known in the village.",
    ],
)
def test_lines_that_only_sound_out_of_character_are_accepted(line: str) -> None:
    told = "The counsellor knows your name and where you live: do not introduce yourself."
    assert broken_by(line, Part(own=("patient", "Walter Brandt"), others=("counsellor",), told=(told,))) is None


def test_repeating_the_instructions_is_an_echo_and_telling_ones_own_story_is_not() -> None:
    told = "You never say the name of your disease to anybody at all. It began when the bus stopped in a hurry."
    told += " Your story: My knee aches since Sunday when I fell, and more."
    echo = broken_by("Never say the name of your disease to anybody.", Part(told=(told,)))
    assert echo is not None
    assert echo.kind == "echo of the instructions"
    copied = broken_by("Well. It began when the bus stopped in a hurry. Yes.", Part(told=(told,)))
    assert copied is not None
    assert copied.kind == "echo of the instructions"
    assert broken_by("My knee aches since Sunday when I fell.", Part(told=(told,))) is None


def labelled(authors: Iterable[str] = "FGHIJK") -> list[tuple[str, str, bool]]:
    """Lines in and out of character by these authors, with the words they answer."""
    found: list[tuple[str, str, bool]] = []
    for author in authors:
        for line in package_text("polyclinic.reading", f"data/readings/{author}.jsonl").splitlines():
            row = json.loads(line)
            if row["kind"] == OUT_OF_PART.name:
                found.append((row["text"], row["facts"]["said"], bool(row["label"])))
    return found


def test_false_alarms_on_good_lines_are_at_most_two_in_a_hundred() -> None:
    people, others = ("patient", "student", "caller"), ("doctor", "nurse", "tutor", "clerk", "counsellor")
    alarms: dict[bool, list[bool]] = {True: [], False: []}
    for text, said, out in labelled():
        alarms[out].append(broken_by(text, Part(own=people, others=others, said=said)) is not None)
    assert len(alarms[False]) > 100
    assert sum(alarms[False]) <= 0.02 * len(alarms[False])
    assert sum(alarms[True]) >= 0.5 * len(alarms[True])


READERS_DISAGREE = re.compile(
    r"\bi am (?:an?|the) patient\b|\bas a patient\b|\b\d+-year-old (?:fe)?male\b|a counsellor is coming|내는 것\.",
    re.IGNORECASE,
)
"""Lines of the same form that one reader took as out of character and another did not. The rules ask for them again."""


def read_by_another() -> list[dict[str, Any]]:
    """3,052 lines of a 1.5B model in the parts of patients and callers.

    There were six passes. Each pass was labelled by different readers, who did not know the rules.
    """
    packed = Path(__file__).parent.parent / "data" / "part-lines.jsonl.gz"
    return [json.loads(line) for line in gzip.decompress(packed.read_bytes()).decode().splitlines()]


def test_most_lines_that_another_reader_labelled_out_of_character_are_found() -> None:
    seen: dict[bool, list[bool]] = {True: [], False: []}
    for row in read_by_another():
        found = broken_by(
            row["line"],
            Part(
                own=("patient", "환자"),
                others=("doctor", "nurse", "상담자"),
                said=row["said"],
                signs=SIGNS if row["clinic"] == "counsel" else (),
            ),
        )
        if row["out"] or not READERS_DISAGREE.search(row["line"]):
            seen[bool(row["out"])].append(found is not None)
    assert sum(seen[True]) >= 0.65 * len(seen[True])
    assert sum(seen[False]) <= 0.02 * len(seen[False])


@pytest.mark.parametrize(
    "line", ["안녕하세요, 이순복입니다. 도움을 드릴까요?", "어떻게 도와드릴까요?", "제가 도와드릴 수 있습니다."]
)
def test_a_korean_patient_who_offers_help_is_out_of_character(line: str) -> None:
    found = broken_by(line, Part(own=("환자",), others=("상담자",)))
    assert found is not None and found.kind == "speaks as an assistant"


async def test_a_speaker_out_of_character_is_asked_for_another_line(open_episode: OpenEpisode) -> None:
    caller = Scripted(OUT, GOOD)
    episode = await open_episode(caller=caller)
    reply = await answer_in_part(episode, episode.agent("caller"), ASKS, CALLER)
    assert reply.value == GOOD
    first, second = caller.requests[0].messages, caller.requests[1].messages
    assert [message.role for message in second] == [message.role for message in first]
    assert second[-1].content.startswith(first[-1].content)
    assert "Ada, the caller" in second[-1].content
    assert OUT not in second[-1].content
    assert caller.requests[1].settings.sample == 1
    assert not episode.transcript.of(Failed)
    assert episode.closing["part"] == {"lines": 1, "again": {"third person": 1}, "stayed": {}}


async def test_a_speaker_who_stays_out_of_character_is_the_simulators_fault_and_the_episode_goes_on(
    open_episode: OpenEpisode,
) -> None:
    episode = await open_episode(caller=Scripted(OUT))
    reply = await answer_in_part(episode, episode.agent("caller"), ASKS, CALLER)
    assert reply.value == OUT
    (failure,) = episode.transcript.of(Failed)
    assert (failure.owner, failure.fatal) == ("simulated_user", False)
    assert [note.stayed for note in episode.transcript.notes(FellOut)] == [False, False, False, True]
    assert episode.closing["part"]["stayed"] == {"third person": 1}


async def test_the_last_retry_does_not_show_the_facts_that_could_be_recited(open_episode: OpenEpisode) -> None:
    caller = Scripted(OUT, OUT, GOOD)
    episode = await open_episode(caller=caller)
    assert (await answer_in_part(episode, episode.agent("caller"), ASKS, CALLER)).value == GOOD
    (message,) = caller.requests[2].messages
    assert "What can I do for you?" in message.content and "Ada, the caller" in message.content
    assert "Amberol" not in message.content


async def test_a_model_that_stays_out_of_character_may_choose_a_line_of_its_case(open_episode: OpenEpisode) -> None:
    own = "I keep the tablets beside my bed."
    caller = Scripted(OUT, OUT, OUT, '{"line": "1"}')
    episode = await open_episode(caller=caller)
    part = replace(CALLER, ready=(own,))
    assert (await answer_in_part(episode, episode.agent("caller"), ASKS, part)).value == own
    (message,) = caller.requests[3].messages
    assert f"1. {own}" in message.content and "What can I do for you?" in message.content
    assert episode.closing["lines_chosen"] == 1
    assert episode.closing["part"]["stayed"] == {} and not episode.transcript.of(Failed)
    assert [note.stayed for note in episode.transcript.notes(FellOut)] == [False, False, False]


async def test_a_line_that_was_said_before_is_not_offered_again(open_episode: OpenEpisode) -> None:
    said, other = "I keep the tablets beside my bed.", "I take them with water."
    caller = Scripted(OUT, OUT, OUT, '{"line": "1"}')
    episode = await open_episode(caller=caller)
    part = replace(CALLER, ready=(said, other))
    history = (Message(role="assistant", content=said), Message(role="user", content="And then?"))
    assert (await answer_in_part(episode, episode.agent("caller"), ASKS, part, history=history)).value == other


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_lines_offered_to_choose_from_are_in_character(lang: Lang) -> None:
    """The lines that anybody can say, and every line of every persona of the counselling clinic."""
    for persona in (*personas("korean"), *personas("elsewhere")):
        ready = persona.lines[lang]
        own = (ready.worry, ready.value, ready.question, ready.misunderstanding)
        for line in (*own, *lines_to_choose((), lang, frozenset(), "a question")):
            assert broken_by(line, Part(own=("patient", "환자"), others=("counsellor", "상담자"))) is None, line
        left = lines_to_choose(own, lang, frozenset(own[:1]), "a question")
        assert left and own[0] not in left
        assert lines_to_choose(own, lang, frozenset(), "") == own, "a line that answers somebody opened the talk"


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("저는 폐암입니다. 잠시 그 마음과 함께하고 싶습니다.", "echo of the other"),
        ("죄송합니다, 저는 당신의 질문에 대한 답변을 제공할 수 없습니다.", "speaks as an assistant"),
        ("안녕하세요, 윤대식입니다. 왜 여기와드릴까요?", "speaks as an assistant"),
        ("죄송합니다, 하지만 상대의 말을 되풀이하지 않습니다. 당신은 김영숙입니다.", "echo of the instructions"),
        ("'저'로 말하면 이름을 사용하게 됩니다.", "echo of the instructions"),
        ("몸이 아팠습니다. 병: 폐암으로 폐 둘레에 물이 참.", "echo of the instructions"),
    ],
)
def test_what_a_small_model_said_in_korean_is_out_of_character(line: str, kind: str) -> None:
    """Lines of a 1.5B model that the rules let through until somebody read them."""
    said = "얼마나 힘드신지 마음이 전해집니다. 잠시 그 마음과 함께 있고 싶습니다. 어떠신지 들려주시겠어요?"
    found = broken_by(line, Part(own=("환자",), others=("상담자",), said=said, signs=SIGNS))
    assert found is not None and found.kind == kind


@pytest.mark.parametrize(
    "line",
    [
        "The QRS complex in lead V3 represents a normal R wave. Is it dangerous?",
        "The most likely cause of my severe pain is a gallbladder infection.",
        "The signs of liver damage are jaundice and fatigue.",
        "I will provide information and guidance.",
        "I understand that I am experiencing severe pain.",
        "I don't have access to medical information.",
        "I will walk with the frame. If the calf swells or you get breathless, I will call you.",
    ],
)
def test_a_patient_who_lectures_or_repeats_what_was_said_to_them_is_out_of_character(line: str) -> None:
    """Lines of a 1.5B model that another reader found."""
    told = "You walk with the frame. If the calf swells or you get breathless, you call us."
    assert broken_by(line, Part(own=("patient",), others=("nurse",), said=told)) is not None


@pytest.mark.parametrize(
    "line",
    [
        "They said the ECG shows a fast heart, but I do not know more.",
        "I don't know what the ECG shows.",
        "Is the most likely cause of this my gallbladder?",
        "My haemoglobin was low last year, the doctor told me.",
        "So if the calf swells or I get breathless, I call you.",
    ],
)
def test_a_patient_may_repeat_advice_and_ask_questions_about_themselves(line: str) -> None:
    told = "You walk with the frame. If the calf swells or you get breathless, you call us."
    assert broken_by(line, Part(own=("patient",), others=("nurse",), said=told)) is None


@pytest.mark.parametrize(
    "line",
    [
        "네, 마음이 많이 힘들어요. 그래도 함께 있어 주셔서 고맙습니다.",
        "솔직히 말씀드리면 아직 잘 모르겠습니다.",
        "병은 작년에 알았고 가족은 딸뿐이에요.",
    ],
)
def test_a_korean_patient_who_answers_in_their_own_words_stays_in_character(line: str) -> None:
    said = "얼마나 힘드신지 마음이 전해집니다. 잠시 그 마음과 함께 있고 싶습니다. 어떠신지 들려주시겠어요?"
    assert broken_by(line, Part(own=("환자",), others=("상담자",), said=said)) is None


async def test_a_speaker_who_reads_the_reminder_aloud_is_still_out_of_character(open_episode: OpenEpisode) -> None:
    said = "Speak as yourself, with I or my, to the person in front of you."
    episode = await open_episode(caller=Scripted(OUT, said, GOOD))
    assert (await answer_in_part(episode, episode.agent("caller"), ASKS, CALLER)).value == GOOD
    assert [note.kind for note in episode.transcript.notes(FellOut)] == ["third person", "echo of the instructions"]


async def test_the_last_readable_line_is_kept_when_asking_again_does_not_help(open_episode: OpenEpisode) -> None:
    half = Completion(text="I was told to", finish="length")
    episode = await open_episode(caller=Scripted(OUT, half, half, half))
    reply = await answer_in_part(episode, episode.agent("caller"), ASKS, CALLER)
    assert reply.value == OUT
    assert episode.closing["part"]["stayed"] == {"third person": 1}


def test_lines_that_break_no_exact_rule_are_read() -> None:
    read: list[str] = []

    def reads(line: str, question: Question) -> bool:
        read.append(line)
        return line.startswith("Take")

    advice = "Take three a day, dear. That should do."
    assert out_of_part(GOOD, CALLER, reads=reads) is None
    assert out_of_part(advice, CALLER, reads=reads) == ("read as out of the part", advice)
    assert out_of_part(OUT, CALLER, reads=reads) is not None
    assert read == [GOOD, advice]
    assert out_of_part(advice, replace(CALLER, reads=False), reads=reads) is None
    assert out_of_part(advice, CALLER) is None


def test_a_line_is_also_read_without_the_words_that_it_quotes() -> None:
    said = "He laughed and went on: 'Take three a day.' That was all."
    assert out_of_part(said, CALLER, reads=lambda line, question: "Take" in line) is None
    assert out_of_part(said, CALLER, reads=lambda line, question: "all" in line) is not None


async def test_she_is_somebody_else_if_somebody_was_mentioned_before(open_episode: OpenEpisode) -> None:
    line = "She has been dizzy since Sunday."
    part = replace(CALLER, said="Since when?", sex="female")
    for before, asked in (("I am dizzy.", 2), ("My sister is dizzy.", 1)):
        caller = Scripted(line, GOOD)
        episode = await open_episode(caller=caller)
        history = (Message(role="assistant", content=before),)
        await answer_in_part(episode, episode.agent("caller"), ASKS, part, history=history)
        assert len(caller.requests) == asked


async def test_a_language_models_line_that_is_read_as_out_of_character_is_asked_for_again(
    open_episode: OpenEpisode,
) -> None:
    advice = "Take three a day, dear. That should do."
    episode = await open_episode(caller=Scripted(advice, GOOD))
    episode.services = Services(reads_line=lambda line, question: line == advice)
    assert (await answer_in_part(episode, episode.agent("caller"), ASKS, CALLER)).value == GOOD
    assert [note.kind for note in episode.transcript.notes(FellOut)] == ["read as out of the part"]


def shares(rows: Iterable[tuple[str, str, bool]]) -> tuple[float, float]:
    """Which share of bad and of good lines is taken for a fault, with the shipped weights."""
    part = Part(who="the patient", own=("patient", "환자"), others=("doctor", "nurse", "counsellor", "상담자"))
    found: dict[bool, list[bool]] = {True: [], False: []}
    for line, said, out in rows:
        found[out].append(out_of_part(line, replace(part, said=said), reads=reads_line) is not None)
    bad, good = found[True], found[False]
    return sum(bad) / len(bad), sum(good) / len(good)


def test_lines_of_an_author_whom_the_reader_never_saw_are_mostly_judged_rightly() -> None:
    """Half of that author's lines are hard to tell, good ones too."""
    caught, wrong = shares(labelled(["BF"]))
    assert caught >= 0.6
    assert wrong <= 0.05


def test_lines_of_a_pass_that_the_reader_never_saw_raise_few_false_alarms() -> None:
    caught, wrong = shares(
        (row["line"], row["said"], bool(row["out"])) for row in read_by_another() if row["reader"] == 6
    )
    assert caught >= 0.6
    assert wrong <= 0.02


def test_reports_count_lines_by_kind() -> None:
    counts = {"lines": 40, "again": {"third person": 2}, "stayed": {"third person": 1}}
    results = RunResults("r", "demo", episodes=(EpisodeRow("a", "s", "v", data={"part": counts}),))
    section = parts_section(results)
    assert section is not None
    first = section.body[0]
    assert isinstance(first, Paragraph)
    assert "1 (2.5%) stayed out" in first.text
    assert parts_section(RunResults("r", "demo", episodes=(EpisodeRow("a", "s", "v"),))) is None


@pytest.mark.parametrize(("line", "lang"), [("What does the strip show?", "en"), ("저는 박말순입니다.", "ko")])
async def test_a_line_that_somebody_has_said_is_asked_for_once_more(
    open_episode: OpenEpisode, line: str, lang: str
) -> None:
    caller = Scripted(line, GOOD)
    episode = await open_episode(caller=caller)
    part = replace(CALLER, heard=(line,), lang=lang)
    assert (await answer_in_part(episode, episode.agent("caller"), ASKS, part)).value == GOOD
    assert len(caller.requests) == 2
    assert caller.requests[1].messages[-1].content.endswith(said_before(lang))
    assert not episode.closing["part"]["again"]
