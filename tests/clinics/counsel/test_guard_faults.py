"""Unless the guard gives a clear verdict, a person is called in before the patient gets an answer."""

from __future__ import annotations

import asyncio
import itertools
import json
from itertools import count
from typing import Any

import pytest

from polyclinic.clinics.counsel.rules.guard import QUEUE
from polyclinic.clinics.counsel.rules.messages import contacts, escalation_message
from polyclinic.clinics.counsel.rules.notes import Guarded
from polyclinic.clinics.counsel.scenario import cue_text
from polyclinic.core.journal import MemoryJournal
from polyclinic.core.model import Request
from polyclinic.core.transcript import Event, Failed, Posted, Said
from polyclinic.errors import EngineError, ModelError, ReplyError

HARMLESS = (
    "Hello, how are you today?",
    "I would like to talk about hospice.",
    "I am dying to see my grandson.",
    "Can you explain the scan to me?",
    "안녕하세요. 이야기를 나누고 싶어요.",
    "호스피스가 뭔가요?",
    "때가 되면 편안하게 가고 싶습니다.",
    "손주가 보고 싶어 죽겠어요.",
    "ok",
    "…",
)


def raising(error: BaseException) -> Any:
    def answer(request: Request) -> str:
        raise error

    return answer


async def _never(request: Request) -> str:
    await asyncio.Event().wait()
    return ""


FAULTS: dict[str, Any] = {
    "model error": raising(ModelError("the endpoint is down")),
    "reply error": raising(ReplyError("unreadable")),
    "engine error": raising(EngineError("ours")),
    "value error": raising(ValueError("odd")),
    "key error": raising(KeyError("label")),
    "memory error": raising(MemoryError()),
    "recursion": raising(RecursionError("deep")),
    "os error": raising(OSError("reset by peer")),
    "time-out raised": raising(TimeoutError()),
    "time-out": _never,
    "empty": lambda request: "",
    "prose": lambda request: "I think that this is fine.",
    "wrong label": lambda request: json.dumps({"reason": "", "words": "", "label": "fine"}),
    "label missing": lambda request: json.dumps({"reason": "", "words": ""}),
    "number": lambda request: "0",
    "list": lambda request: "[]",
    "null": lambda request: "null",
    "extra field": lambda request: json.dumps({"reason": "", "words": "", "label": "acceptance", "sure": True}),
    "two objects": lambda request: '{"reason":"","words":"","label":"acceptance"}{"reason":""}',
    "cut off": lambda request: '{"reason": "calm", "words": "", "lab',
}


def test_two_hundred_faults_are_injected() -> None:
    assert len(FAULTS) * len(HARMLESS) == 200


@pytest.mark.parametrize("fault", FAULTS)
async def test_every_guard_fault_reaches_the_queue_before_the_fixed_message_is_said(
    fault: str, play: Any, talk: Any, scripted: Any
) -> None:
    for number, words in enumerate(HARMLESS):
        order: list[str] = []

        class Journal(MemoryJournal):
            async def post(self, episode: str, queue: str, key: str, body: Any) -> None:
                await asyncio.sleep(0)
                await super().post(episode, queue, key, body)
                order.append("committed")  # noqa: B023

        def heard(episode: str, event: Event) -> None:
            if isinstance(event, Said) and event.speaker != "patient":
                order.append(event.speaker)  # noqa: B023

        journal = Journal()
        scenario = talk(id=f"fault-{number}", lang="ko" if number in (4, 5, 6, 7) else "en", turns=3)
        patient = scripted(lambda request, words=words: words)
        result = await play(
            scenario,
            models={"guard": scripted(FAULTS[fault]), "patient": patient},
            journal=journal,
            listener=heard,
            guard_timeout_s=0.02,
        )
        assert order == ["committed", "service"]
        assert result.outcome == "escalated"
        posts = [body for (_, queue, _), body in journal.posts.items() if queue == QUEUE]
        assert len(posts) == 1 and posts[0]["utterance"] == words and posts[0]["reason"]
        said = [event for event in result.transcript.said() if event.speaker != "patient"]
        assert [event.text for event in said] == [escalation_message(scenario.lang, "KR")]
        assert any(not event.fatal for event in result.transcript.of(Failed))


async def test_a_resumed_session_keeps_an_escalation_that_a_fault_caused(play: Any, talk: Any, scripted: Any) -> None:
    journal = MemoryJournal()
    scenario = talk(turns=4)
    broken = scripted(raising(ModelError("down")))
    first = await play(scenario, models={"guard": broken}, journal=journal)
    again = await play(scenario, journal=journal)
    assert first.outcome == again.outcome == "escalated"
    assert again.transcript.said("counsellor") == []


@pytest.mark.parametrize(("country", "number"), [("KR", "109"), ("US", "988"), ("GB", "116 123"), ("AU", "13 11 14")])
def test_the_fixed_message_names_local_contacts_in_both_languages(country: str, number: str) -> None:
    for lang in ("en", "ko"):
        text = escalation_message(lang, country)
        assert number in text and contacts(country).emergency_in(lang) in text and "{" not in text


def test_an_unknown_country_still_gets_an_emergency_number() -> None:
    assert "112" in escalation_message("en", "ZZ")


@pytest.mark.parametrize("risk", ["active", "implicit"])
@pytest.mark.parametrize("lang", ["en", "ko"])
async def test_voiced_danger_stops_the_automated_conversation_in_that_turn(
    risk: str, lang: str, play: Any, talk: Any, scripted: Any
) -> None:
    """This guard recognises the danger in the scenario; which words the offline guard knows is measured elsewhere."""
    scenario = talk(lang=lang, risk=risk, risk_turn=3, turns=12)
    voiced = cue_text(scenario)

    def hears(request: Request) -> str:
        label = risk if voiced in str(getattr(request.prompt, "utterance", "")) else "acceptance"
        return json.dumps({"reason": "", "words": "", "label": label})

    result = await play(scenario, models={"guard": scripted(hears)})
    assert result.outcome == "escalated"
    events = list(result.transcript)
    at = next(i for i, event in enumerate(events) if isinstance(event, Posted) and event.queue == QUEUE)
    after = [event for event in events[at:] if isinstance(event, Said)]
    assert [event.data.get("set_message") for event in after] == [True]
    assert len(result.transcript.said("counsellor")) == 2


@pytest.mark.parametrize("answer", ["Yes.", "y", "Both, I think.", "The second one.", "I don't know.", "Sometimes"])
async def test_any_answer_except_no_to_the_question_about_ending_ones_life_escalates(
    answer: str, play: Any, talk: Any, scripted: Any
) -> None:
    result = await _asked_and_answered(answer, "en", play, talk, scripted)
    assert result.outcome == "escalated"
    assert len([post for post in result.transcript.of(Posted) if post.queue == QUEUE]) == 1
    assert result.transcript.notes(Guarded)[-1].words == answer
    assert result.transcript.said("service")


@pytest.mark.parametrize("answer", ["네.", "응", "둘 다요", "두 번째요", "잘 모르겠어요", "그런 생각도 들어요"])
async def test_any_korean_answer_except_no_to_the_guards_question_escalates(
    answer: str, play: Any, talk: Any, scripted: Any
) -> None:
    assert (await _asked_and_answered(answer, "ko", play, talk, scripted)).outcome == "escalated"


@pytest.mark.parametrize(
    ("answer", "lang"),
    [
        ("No, I am only tired.", "en"),
        ("I would never do anything to myself.", "en"),
        ("The first. I am worn out.", "en"),
        ("아니요, 그냥 지쳤어요.", "ko"),
        ("그런 생각은 없어요.", "ko"),
    ],
)
async def test_a_clear_no_to_the_question_about_ending_ones_life_continues_the_conversation(
    answer: str, lang: str, play: Any, talk: Any, scripted: Any
) -> None:
    assert (await _asked_and_answered(answer, lang, play, talk, scripted)).outcome != "escalated"


async def _asked_and_answered(answer: str, lang: str, play: Any, talk: Any, scripted: Any) -> Any:
    """Play a talk in which the guard finds a passive wish in the third turn and the patient then gives this answer."""
    scenario = talk(lang=lang, risk="passive", risk_turn=3, turns=6)
    wish, spoken = cue_text(scenario), count(1)

    def hears(request: Request) -> str:
        said = str(getattr(request.prompt, "utterance", ""))
        return json.dumps({"reason": "", "words": said, "label": "passive" if wish in said else "acceptance"})

    def says(request: Request) -> str:
        turn = next(spoken)
        return wish if turn == 3 else answer if turn == 4 else f"I like room {turn}."

    return await play(scenario, models={"guard": scripted(hears), "patient": scripted(says)})


@pytest.mark.parametrize("lang", ["en", "ko"])
async def test_a_passive_wish_is_asked_about_and_flagged_but_not_escalated(
    lang: str, play: Any, talk: Any, scripted: Any
) -> None:
    result = await play(talk(lang=lang, risk="passive", risk_turn=3, turns=6))
    assert result.outcome != "escalated"
    notes = result.transcript.notes(Guarded)
    assert notes[2].way == "ask_gently" and notes[2].label == "passive"
    asked = result.transcript.said("counsellor")[2].text
    assert ("ending your life yourself" in asked) or ("스스로 생을 끝내고" in asked)
    assert result.transcript.events[-1] is not None
    assert not [post for post in result.transcript.of(Posted) if post.queue == QUEUE]


@pytest.mark.parametrize("lang", ["en", "ko"])
async def test_acceptance_of_a_natural_death_is_never_escalated(lang: str, play: Any, talk: Any, scripted: Any) -> None:
    result = await play(talk(lang=lang, risk="acceptance", risk_turn=3, turns=6))
    assert not [post for post in result.transcript.of(Posted) if post.queue == QUEUE]
    assert len(result.transcript.said("counsellor")) == 6


def test_the_more_serious_verdict_of_screen_and_model_decides() -> None:
    from polyclinic.clinics.counsel.rules.guard import decide, way_of
    from polyclinic.clinics.counsel.rules.lexicon import LABELS, Screening
    from polyclinic.clinics.counsel.rules.trained import GUARD_LABELS

    ranks = {"escalate": 0, "ask_gently": 1, "go_on": 2}
    for one, other in itertools.product(LABELS, GUARD_LABELS):
        made = decide(Screening(one, "x" if one != "acceptance" else ""), other, "why", "")
        assert ranks[made.way] == min(ranks[way_of(one)], ranks[way_of(other)])


@pytest.mark.parametrize(("second", "escalated"), [("acceptance", False), ("active", True)])
async def test_a_model_that_quotes_danger_nobody_said_is_asked_again(
    second: str, escalated: bool, play: Any, talk: Any, scripted: Any
) -> None:
    asked: list[str] = []

    def guards(request: Request) -> str:
        asked.append(request.prompt.unshown)  # type: ignore[attr-defined]
        label = second if request.prompt.unshown else "active"  # type: ignore[attr-defined]
        return json.dumps({"reason": "r", "words": "it ends on Sunday", "label": label})

    model = scripted(guards)
    model.kind = "llm"
    result = await play(talk(lang="en", turns=1), models={"guard": model})
    assert asked == ["", "active"]
    assert (result.outcome == "escalated") is escalated
