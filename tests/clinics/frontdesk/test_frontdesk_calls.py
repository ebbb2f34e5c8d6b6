"""The desk's staff calls its tools natively where the server can; otherwise it chooses them in a form."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from polyclinic.clinics.frontdesk import clinic
from polyclinic.clinics.frontdesk.agents import PatientActor, Staff
from polyclinic.clinics.frontdesk.flow.booking import Booking
from polyclinic.clinics.frontdesk.prompts.history import Step, as_messages
from polyclinic.clinics.frontdesk.prompts.replies import Choice
from polyclinic.clinics.frontdesk.scenario import Contact, scenarios
from polyclinic.clinics.frontdesk.state.hospital import HospitalState
from polyclinic.clinics.frontdesk.understudies import UNDERSTUDIES
from polyclinic.clinics.frontdesk.variants import DeskVariant
from polyclinic.core.episode import Campaign, Episode, EpisodeSpec
from polyclinic.core.execute import EpisodeResult, RunContext, run_episode
from polyclinic.core.journal import MemoryJournal
from polyclinic.core.transcript import Called, Said, ToolUsed
from polyclinic.eval.replies import tool_rows
from polyclinic.models import guard
from polyclinic.models.cast import build_cast
from polyclinic.models.spec import parse_cast
from polyclinic.runner.build.built_run import reader_of
from polyclinic.testing.fault_server import FaultServer, SentBody

CONTACTS = scenarios("secondary:1:20", 0)
VISIT = next(contact for contact in CONTACTS if contact.kind == "visit")
PLAN = HospitalState.open(CONTACTS).diaries[VISIT.caller.home_department]
SPOKEN = "I will look for a time."


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "_FIRST_WAIT_S", 0.002)


def wanted(body: SentBody) -> tuple[str, dict[str, str]]:
    """The right tool for what the patient said last."""
    texts = [str(message["content"]).partition("The patient says: ")[2] for message in body["messages"]]
    said = next(text for text in reversed(texts) if text).splitlines()[0]
    doctor = next((name for name in PLAN.physician_names if name in said), "")
    day = next((text for text in map(str, PLAN.time.dates) if text in said), "")
    if doctor:
        return "physician_filter", {"physician": doctor}
    return ("date_filter", {"date": day}) if day else ("get_all_time", {})


def call(name: str, arguments: dict[str, Any], number: int = 0) -> SentBody:
    return {"index": number, "id": f"c{number}", "function": {"name": name, "arguments": json.dumps(arguments)}}


def written(name: str, arguments: Any) -> SentBody:
    """A call with its arguments exactly as they are given here."""
    return {"index": 0, "id": "c0", "function": {"name": name, "arguments": arguments}}


def by_call(body: SentBody) -> str | SentBody:
    """Calls a tool where tools are offered, and fills in the form otherwise."""
    name, arguments = wanted(body)
    if "tools" in body:
        return {"tool_calls": [call(name, arguments)], "finish_reason": "tool_calls"}
    return by_form(body)


def by_form(body: SentBody) -> str:
    """Fills in the form, whatever is offered; speaks if no form was sent."""
    if "response_format" not in body:
        return SPOKEN
    name, arguments = wanted(body)
    form = {"wants": "a time", "action": name, "physician": "", "date": "", "question": ""}
    return json.dumps(form | arguments)


async def only_books(episode: Episode[Contact, DeskVariant]) -> str:
    """The booking of a visit without the intake."""
    contact = episode.scenario
    actor, staff = PatientActor(episode, contact.caller), Staff(episode, contact.departments)
    department = contact.caller.home_department
    return await Booking(episode, contact, episode.variant, actor, staff, department, None).run()


async def book(
    reply: Callable[[SentBody], str | SentBody],
    refuse: Callable[[SentBody], str | tuple[int, str] | None] | None = None,
    options: str = "",
) -> tuple[EpisodeResult, list[SentBody]]:
    """A visit whose patient turns the first offer down; the staff is a model on a stub server."""
    changes_mind = VISIT.caller.model_copy(update={"resistance": 0.0})
    visit = VISIT.model_copy(update={"patient": changes_mind})
    async with FaultServer(reply=reply, refuse=refuse) as server:
        cast = build_cast(
            parse_cast(f"staff={server.url}:any{options},all=understudy"),
            ["staff", "patient"],
            {role: player() for role, player in UNDERSTUDIES.items()},
            mistakes=[],
            reader=reader_of(clinic),
        )
        context = RunContext(replace(clinic, flow=only_books), cast, MemoryJournal(), judges=())
        spec = EpisodeSpec("e", clinic.name, visit.id, "tool", 0, 1, campaign=visit.campaign)
        result = await run_episode(context, spec, visit, Campaign(HospitalState.open(CONTACTS)))
        await cast.close()
    assert result.outcome == "booked"
    return result, list(server.requests)


def how(result: EpisodeResult) -> set[str]:
    """The report's column that says how the staff's tools were used."""
    return {str(row[3]) for row in tool_rows(result.transcript.of(Called), result.transcript.of(ToolUsed))}


def offered(requests: list[SentBody]) -> list[bool]:
    return ["tools" in body for body in requests]


async def test_tools_are_called_natively_and_their_choices_are_those_of_the_prompt() -> None:
    result, requests = await book(by_call)
    assert offered(requests) == [True, True]
    assert all(body["tool_choice"] == "required" and "response_format" not in body for body in requests)
    tools = {tool["function"]["name"]: tool["function"]["parameters"] for tool in requests[0]["tools"]}
    assert list(tools) == ["get_all_time", "physician_filter", "date_filter", "ask", "fallback"]
    assert tools["physician_filter"]["properties"]["physician"]["enum"] == list(PLAN.physician_names)
    assert tools["date_filter"]["properties"]["date"]["enum"] == list(map(str, PLAN.time.dates))
    assert "JSON" not in str(requests[0]["messages"]) and "`wants`" not in str(requests[0]["messages"])
    assert how(result) == {"native"}


@pytest.mark.parametrize(
    "refusal",
    ["any does not support tools", (500, "tools param requires --jinja flag"), (404, "no endpoint supports tool use")],
)
async def test_a_server_that_refuses_tools_gets_the_form_from_then_on(refusal: str | tuple[int, str]) -> None:
    result, requests = await book(by_call, lambda body: refusal if "tools" in body else None)
    assert offered(requests) == [True, False, False]
    assert "Reply with `wants` first" in str(requests[-1]["messages"])
    assert "physician_filter" in str(requests[-1]["response_format"])
    assert how(result) == {"closed reply"}
    adapted = [event.adapted for event in result.transcript.of(Called) if event.role == "staff"]
    assert adapted == [("tools offered as choices of a form",)] * 2


async def test_a_server_that_ignores_tools_gets_the_form_from_then_on() -> None:
    result, requests = await book(by_form)
    assert offered(requests) == [True, False, False]
    assert how(result) == {"closed reply"}


async def test_a_server_that_cannot_be_told_to_call_still_gets_the_tools() -> None:
    refusal = "tool_choice 'required' is not supported"
    result, requests = await book(by_call, lambda body: refusal if "tool_choice" in body else None)
    assert offered(requests) == [True, True, True]
    assert ["tool_choice" in body for body in requests] == [True, False, False]
    assert how(result) == {"native"}


@pytest.mark.parametrize(
    "unusable",
    [
        [call("book", {})],
        [call("get_all_time", {"doctor": "any"})],
        [call("get_all_time", {}), call("fallback", {}, 1)],
        [written("date_filter", '{"date": "2025-03-20", "date": "2025-03-21"}')],
        [written("date_filter", '{"date": "2025-')],
        [written("date_filter", '["2025-03-20"]')],
    ],
    ids=["no such tool", "no such argument", "two calls", "duplicate key", "half a call", "a list"],
)
async def test_after_an_unusable_call_the_form_is_asked_for_at_once(unusable: list[SentBody]) -> None:
    calls = iter([unusable])

    def reply(body: SentBody) -> str | SentBody:
        wrong = next(calls, None)
        return by_call(body) if wrong is None else {"tool_calls": wrong, "finish_reason": "tool_calls"}

    result, requests = await book(reply)
    assert offered(requests) == [True, False, False]
    assert how(result) == {"closed reply"}


@pytest.mark.parametrize(
    ("words", "native"),
    [
        ("I will look for the earliest time.", True),
        ('{"name": "get_all_time", "arguments": {}}', True),
        ('{"action": "fallback"}', False),
        ('<tool_call>{"name": "fallback", "arguments": {}}</tool_call>', False),
    ],
    ids=["words", "the same call", "another action", "another call"],
)
async def test_words_beside_a_call_are_left_out_unless_they_name_another_action(words: str, native: bool) -> None:
    given = {"content": words, "tool_calls": [call("get_all_time", {})], "finish_reason": "tool_calls"}
    result, requests = await book(lambda body: dict(given) if "tools" in body else by_form(body))
    assert offered(requests) == ([True, True] if native else [True, False, False])
    assert how(result) == ({"native"} if native else {"closed reply"})


async def test_arguments_may_be_an_object_instead_of_text() -> None:
    day = str(PLAN.time.dates[0])
    given = {"tool_calls": [written("date_filter", {"date": day})], "finish_reason": "tool_calls"}
    result, _ = await book(lambda body: dict(given))
    assert how(result) == {"native"}
    assert [use.arguments for use in result.transcript.of(ToolUsed)] == [{"date": day}] * 2


async def test_a_call_that_was_cut_off_is_asked_for_as_a_form() -> None:
    cut = {"tool_calls": [call("get_all_time", {})], "finish_reason": "length"}
    result, requests = await book(lambda body: dict(cut) if "tools" in body else by_form(body))
    assert offered(requests) == [True, False, False]
    assert how(result) == {"closed reply"}


async def test_a_server_that_refuses_tools_after_a_success_gets_the_form_from_then_on() -> None:
    calls = 0

    def refuse(body: SentBody) -> str | None:
        nonlocal calls
        calls += "tools" in body
        return "tool use is switched off" if "tools" in body and calls > 1 else None

    result, requests = await book(by_call, refuse)
    assert offered(requests) == [True, True, False]
    assert how(result) == {"native", "closed reply"}


async def test_a_call_with_a_choice_that_does_not_exist_is_asked_for_again_as_a_form() -> None:
    wrong = {"tool_calls": [call("physician_filter", {"physician": "Dr. Nobody"})], "finish_reason": "tool_calls"}
    calls = iter([wrong])
    result, requests = await book(lambda body: next(calls, None) or by_call(body))
    assert offered(requests) == [True, False, True], "the tools are offered again for the next decision"
    assert "That reply cannot be used" in str(requests[1]["messages"][-1]["content"])
    faults = [event.fault for event in result.transcript.of(Called) if event.role == "staff"]
    assert [bool(fault) for fault in faults] == [True, False, False]


async def test_a_model_that_calls_seldom_gets_the_form() -> None:
    spoken = iter([False, True])
    result, requests = await book(lambda body: SPOKEN if next(spoken, False) else by_call(body))
    assert offered(requests) == [True, True, False]
    assert how(result) == {"native", "closed reply"}
    faults = [event.fault for event in result.transcript.of(Called) if event.role == "staff"]
    assert not any(faults), "the form is asked for at once, so the model has failed at nothing"


@pytest.mark.parametrize("words", ["Failed to parse grammar", "Bad request", "Only user and assistant roles are taken"])
async def test_a_server_that_refuses_tools_without_naming_them_gets_the_form(words: str) -> None:
    result, requests = await book(by_form, lambda body: (400, words) if "tools" in body else None)
    assert offered(requests)[-2:] == [False, False]
    assert how(result) == {"closed reply"}


@pytest.mark.parametrize("unused", [None, ""])
async def test_an_argument_that_a_tool_does_not_have_may_be_empty(unused: str | None) -> None:
    given = {"tool_calls": [call("get_all_time", {"date": unused})], "finish_reason": "tool_calls"}
    result, requests = await book(lambda body: given)
    assert offered(requests) == [True, True]
    assert how(result) == {"native"}


async def test_the_cast_can_turn_native_calls_off() -> None:
    result, requests = await book(by_call, options="?tools=false")
    assert offered(requests) == [False, False]
    assert how(result) == {"closed reply"}
    assert not any(event.adapted for event in result.transcript.of(Called))


@pytest.mark.parametrize(
    "written",
    [
        '{"name": "get_all_time", "arguments": {}}',
        '<tool_call>\n{"name": "get_all_time", "arguments": {}}\n</tool_call>',
    ],
)
async def test_a_call_that_the_model_writes_as_text_is_a_call(written: str) -> None:
    result, requests = await book(lambda body: written)
    assert offered(requests) == [True, True]
    assert how(result) == {"native"}


def shapes(body: SentBody) -> list[str]:
    """The roles of the messages after the instructions."""
    return [str(message["role"]) for message in body["messages"][1:]]


def spoken_by(result: EpisodeResult, phase: str) -> list[str]:
    return [event.text for event in result.transcript.of(Said) if event.data.get("phase") == phase]


async def test_the_second_decision_sees_words_call_result_offer_and_answer_in_true_order() -> None:
    result, requests = await book(by_call)
    first, second = requests
    assert shapes(first) == ["user"]
    assert shapes(second) == ["user", "assistant", "tool", "assistant", "user"]
    heard, called, came_back, offered_words, answered = second["messages"][1:]
    wish, answer = [event.text for event in result.transcript.said("patient")][:2]
    offer = spoken_by(result, "offer")[0]
    name, arguments = wanted(first)
    assert heard["content"] == wish
    assert called["tool_calls"][0]["function"] == {
        "name": name,
        "arguments": json.dumps(arguments, separators=(",", ":")),
    }
    assert came_back["tool_call_id"] == called["tool_calls"][0]["id"]
    found = offer.removeprefix("How about ").removesuffix("?")
    assert came_back["content"] == f"The earliest time: {found}."
    assert offered_words["content"] == offer
    assert f"The patient says: {answer}" in answered["content"]


async def test_the_history_is_the_same_for_a_model_that_chooses_in_a_form() -> None:
    result, requests = await book(by_form)
    second = requests[-1]
    assert shapes(second) == ["user", "assistant", "user", "assistant", "user"]
    _, chosen, came_back, offered_words, _ = second["messages"][1:]
    assert chosen["content"] == by_form(requests[-2])
    assert came_back["content"].startswith("The tool's result: The earliest time: ")
    assert offered_words["content"] == spoken_by(result, "offer")[0]


async def test_a_call_in_the_history_is_a_form_where_the_next_try_is_one() -> None:
    spoken = iter([False, True])
    _, requests = await book(lambda body: SPOKEN if next(spoken, False) else by_call(body))
    again = requests[-1]["messages"]
    assert json.loads(again[2]["content"])["action"] == wanted(requests[0])[0]
    assert again[3]["role"] == "user" and "tool_calls" not in str(again)


async def test_a_patient_answers_the_offer_that_was_made() -> None:
    result, _ = await book(by_call)
    events = list(result.transcript.events)
    offer = next(event for event in events if isinstance(event, Said) and event.data.get("phase") == "offer")
    wishes = [event for event in events if isinstance(event, Called) and event.prompt == "PatientBooking"]
    assert [events.index(wish) > events.index(offer) for wish in wishes] == [False, True]


async def test_a_clerk_who_asks_sees_its_question_and_the_answer() -> None:
    asks = iter([True])

    def reply(body: SentBody) -> str | SentBody:
        if next(asks, False):
            return {"tool_calls": [call("ask", {"question": "Which day?"})], "finish_reason": "tool_calls"}
        return by_call(body)

    _, requests = await book(reply)
    assert shapes(requests[1]) == ["user", "assistant", "tool", "user"]
    assert "Which day?" in str(requests[1]["messages"][2]["tool_calls"])


async def test_a_clerk_who_chooses_again_sees_what_went_wrong() -> None:
    wrong = iter([True])

    def reply(body: SentBody) -> str | SentBody:
        if next(wrong, False):
            return {"tool_calls": [call("physician_filter", {})], "finish_reason": "tool_calls"}
        return by_call(body)

    _, requests = await book(reply)
    assert shapes(requests[1]) == ["user", "assistant", "tool", "user"]
    assert requests[1]["messages"][3]["content"] == "no doctor of this department was given"
    assert shapes(requests[2]) == ["user", "assistant", "tool", "assistant", "tool", "assistant", "user"]


def test_a_call_that_was_not_carried_out_gets_a_result_before_the_next_question() -> None:
    chosen = Step(chose=Choice(action="get_all_time"), by_call=True)
    for after in ([], [Step(heard="Hello?")]):
        told = as_messages([Step(heard="Soon, please."), chosen, *after])
        assert [message.role for message in told[:3]] == ["user", "assistant", "tool"]
        assert told[2].tool_call_id == told[1].tool_calls[0].id
