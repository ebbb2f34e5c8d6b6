from __future__ import annotations

import json

import pytest

from polyclinic.clinics.demo.prompts.caller import CallerAsks, CallerReacts
from polyclinic.clinics.demo.prompts.nurse import NurseAdvises
from polyclinic.clinics.demo.scenario import Leaflet
from polyclinic.clinics.demo.tools import leaflet_tool
from polyclinic.core.again import BAD_CALL, CUT_CALL, runs_on
from polyclinic.core.journal import MemoryJournal
from polyclinic.core.limits import Limits
from polyclinic.core.message import Frozen, ToolCall
from polyclinic.core.model import Completion, Usage
from polyclinic.core.reply import Unreadable
from polyclinic.core.tool import Tool
from polyclinic.core.transcript import Called, Failed, ToolUsed
from polyclinic.errors import LimitReached, ModelError, ReplyError, SimulatedUserError, ToolError
from tests.core.conftest import OpenEpisode, Scripted


class Nothing(Frozen):
    pass


REACTS = CallerReacts(caller="Ada", style="numbers", advice="2 tablets")
ASKS = CallerAsks(caller="Ada", medicine="Amberol", believes="much")
ADVISES = NurseAdvises(has_leaflet=True, medicine="Amberol", question="How?", phrases=(), said_before=(), objections=())
GOOD = '{"says": "yes", "understood": true}'


async def test_a_reply_that_does_not_parse_is_asked_again_with_the_error(open_episode: OpenEpisode) -> None:
    caller = Scripted('{"says": "yes"}', GOOD)
    episode = await open_episode(caller=caller)
    assert (await episode.agent("caller").ask(REACTS)).understood
    assert [message.role for message in caller.requests[1].messages[-2:]] == ["assistant", "user"]
    assert "understood" in caller.requests[1].messages[-1].content
    assert [call.attempt for call in episode.transcript.of(Called)] == [0, 1]


async def test_a_reply_that_its_prompt_refuses_is_asked_again_with_the_reason(open_episode: OpenEpisode) -> None:
    class Polite(CallerAsks):
        def check(self, reply: str) -> None:
            if "please" not in reply:
                raise Unreadable("say please")

    Polite.__module__ = CallerAsks.__module__
    caller = Scripted("How many?", "How many, please?")
    episode = await open_episode(caller=caller)
    polite = Polite(caller="Ada", medicine="Amberol", believes="much")
    assert await episode.agent("caller").ask(polite) == "How many, please?"
    assert "say please" in caller.requests[1].messages[-1].content


@pytest.mark.parametrize(
    "blank", ["\n" * 3_000, " \t\u3000" * 1_000, "\u0301\u0316" * 1_000], ids=["lines", "spaces", "accents"]
)
async def test_white_space_without_end_is_asked_for_again(open_episode: OpenEpisode, blank: str) -> None:
    """A rule that looks for the end of each word took minutes for it."""
    form = json.dumps({"says": f"yes{blank}no", "understood": True}, ensure_ascii=False)
    caller = Scripted(f"How{blank}many?", "How many?", form, GOOD)
    agent = (await open_episode(caller=caller)).agent("caller")
    assert await agent.ask(ASKS) == "How many?"
    assert (await agent.ask(REACTS)).says == "yes"
    assert len(caller.requests) == 4
    assert all(len(request.messages[-1].content) < 2_000 for request in caller.requests)


async def test_a_cut_reply_is_never_accepted_and_a_shorter_one_is_requested(open_episode: OpenEpisode) -> None:
    half = Completion(text="I was told to take the tablets with", finish="length")
    caller = Scripted(half, half, "How many?")
    episode = await open_episode(caller=caller)
    assert await episode.agent("caller").ask(ASKS) == "How many?"
    second, third = caller.requests[1], caller.requests[2]
    assert 'ended with "I was told to take the tablets with"' in second.messages[-1].content
    assert "in at most 25 words" in second.messages[-1].content
    assert "in at most 16 words" in third.messages[-1].content
    assert second.messages[-2].content == half.text
    assert [message.role for message in third.messages] == [message.role for message in caller.requests[0].messages]
    assert [request.settings.again for request in caller.requests] == [0, 1, 2]
    assert [request.settings.warmer > 0 for request in caller.requests] == [False, False, True]
    assert [call.fault for call in episode.transcript.of(Called)] == ["cut", "cut", ""]


async def test_a_structured_reply_that_was_cut_off_is_refused_even_if_it_parses(open_episode: OpenEpisode) -> None:
    caller = Scripted(Completion(text=GOOD, finish="length"), GOOD)
    episode = await open_episode(caller=caller)
    assert (await episode.agent("caller").ask(REACTS)).understood
    assert len(caller.requests) == 2


async def test_a_reply_that_repeated_itself_is_retried_at_a_higher_temperature_and_shown_shortened(
    open_episode: OpenEpisode,
) -> None:
    caller = Scripted(Completion(text="Well. " + "I am not sure about it. " * 80, finish="length"), "How many?")
    episode = await open_episode(caller=caller)
    assert await episode.agent("caller").ask(ASKS) == "How many?"
    again = caller.requests[1]
    assert "repeated itself" in again.messages[-1].content
    assert len(again.messages[-2].content.split()) < 70
    assert again.settings.warmer > 0
    assert episode.transcript.of(Called)[0].fault == "run-on"


async def test_a_korean_prompt_is_asked_again_in_korean(open_episode: OpenEpisode) -> None:
    class Korean(CallerAsks):
        lang: str = "ko"

    Korean.__module__ = CallerAsks.__module__
    caller = Scripted(Completion(text="약을 몇", finish="length"), "몇 알인가요?")
    episode = await open_episode(caller=caller)
    await episode.agent("caller").ask(Korean(caller="Ada", medicine="Amberol", believes="much"))
    assert "다시 답하세요" in caller.requests[1].messages[-1].content


@pytest.mark.parametrize(
    ("text", "repeats"),
    [
        ("ha" * 200, True),
        ('{"reason": "' + " " * 400, True),
        ("The patient is stable and has no pain today. " * 8, True),
        ("환자분은 안정적입니다. " * 30, True),
        ("I see. " * 20, False),
        (" ".join(f"{number}. The patient says that it hurts at night." for number in range(40)), False),
        ("| a | b |\n|---|---|\n" + "\n".join(f"| {n} | yes |" for n in range(60)), False),
    ],
)
def test_a_reply_that_repeats_itself_is_distinguished_from_a_long_one(text: str, repeats: bool) -> None:
    assert runs_on(text) is repeats


async def test_a_simulated_role_that_stays_unreadable_is_the_simulators_fault(open_episode: OpenEpisode) -> None:
    caller = Scripted("nonsense")
    episode = await open_episode(caller=caller)
    with pytest.raises(SimulatedUserError, match="stayed unreadable after 3 tries") as caught:
        await episode.agent("caller").ask(REACTS)
    assert caught.value.prompt == REACTS.prompt_name()
    assert list(caught.value.calls) == [call.key for call in episode.transcript.of(Called) if call.fault]
    event = Failed.because(caught.value, "words", "here")
    assert (event.owner, event.prompt, event.calls) == ("simulated_user", REACTS.prompt_name(), caught.value.calls)


async def test_an_unreadable_reply_of_a_tested_role_is_that_roles_failure(open_episode: OpenEpisode) -> None:
    episode = await open_episode(nurse=Scripted("{}"))
    with pytest.raises(ReplyError):
        await episode.agent("nurse").ask(ADVISES)


async def test_an_empty_text_reply_is_not_accepted(open_episode: OpenEpisode) -> None:
    caller = Scripted("  ", "hello")
    episode = await open_episode(caller=caller)
    assert await episode.agent("caller").ask(ASKS) == "hello"
    assert "the reply is empty" in caller.requests[1].messages[-1].content
    assert [(call.attempt, call.fault) for call in episode.transcript.of(Called)] == [(0, "empty"), (1, "")]


async def test_a_tool_call_that_cannot_be_used_is_a_failed_first_try_and_its_fault_is_told(
    open_episode: OpenEpisode,
) -> None:
    advice = '{"text": "one", "tablets": 1, "times_a_day": 2}'
    for finish, said in ((BAD_CALL, "duplicate key 'medicine'"), (CUT_CALL, "shorter arguments")):
        nurse = Scripted(Completion(text='{"medicine": "a", "medicine": "b"}', finish=finish), advice)
        episode = await open_episode(nurse=nurse)
        await episode.agent("nurse").ask(ADVISES)
        asked = nurse.requests[1].messages
        assert said in asked[-1].content
        assert all(message.role != "assistant" for message in asked)
        assert [(call.attempt, call.fault) for call in episode.transcript.of(Called)] == [(0, "tool call"), (1, "")]


async def test_whatever_a_model_raises_becomes_the_models_failure(open_episode: OpenEpisode) -> None:
    episode = await open_episode(caller=Scripted(RuntimeError("boom")))
    with pytest.raises(ModelError, match="scripted as caller: RuntimeError: boom"):
        await episode.agent("caller").ask(ASKS)


async def test_a_recorded_reply_is_used_and_the_model_is_not_called(open_episode: OpenEpisode) -> None:
    journal = MemoryJournal()
    first = await open_episode(journal=journal, caller=Scripted("one", "two"))
    assert [await first.agent("caller").ask(ASKS) for _ in range(2)] == ["one", "two"]
    silent = Scripted(RuntimeError("must not be asked"))
    again = await open_episode(journal=journal, caller=silent)
    assert [await again.agent("caller").ask(ASKS) for _ in range(2)] == ["one", "two"]
    assert silent.requests == []
    assert again.transcript.events == first.transcript.events


async def test_tools_are_run_and_their_results_shown_to_the_model(open_episode: OpenEpisode) -> None:
    leaflet = Leaflet(medicine="Amberol", tablets=1, times_a_day=2, most_a_day=4)
    wish = Completion(tool_calls=(ToolCall(id="1", name="leaflet", arguments={"medicine": "amberol"}),))
    nurse = Scripted(wish, '{"text": "one", "tablets": 1, "times_a_day": 2}')
    episode = await open_episode(nurse=nurse)
    advice = await episode.agent("nurse").ask(ADVISES, tools=[leaflet_tool(leaflet)])
    assert advice.tablets == 1
    assert '"times_a_day":2' in nurse.requests[1].messages[-1].content
    used = episode.transcript.of(ToolUsed)[0]
    assert (used.tool, used.effect, used.result["found"]) == ("leaflet", "read", True)


async def test_unknown_tools_and_wrong_arguments_are_reported_to_the_model(open_episode: OpenEpisode) -> None:
    leaflet = Leaflet(medicine="Amberol", tablets=1, times_a_day=2, most_a_day=4)
    unknown = Completion(tool_calls=(ToolCall(id="1", name="leaflets", arguments={}),))
    wrong = Completion(tool_calls=(ToolCall(id="2", name="leaflet", arguments={"drug": 1}),))
    nurse = Scripted(unknown, wrong, '{"text": "one", "tablets": 1, "times_a_day": 2}')
    episode = await open_episode(nurse=nurse)
    await episode.agent("nurse").ask(ADVISES, tools=[leaflet_tool(leaflet)])
    errors = [used.error for used in episode.transcript.of(ToolUsed)]
    assert "there is no tool 'leaflets'" in errors[0]
    assert "medicine: Field required" in errors[1]


async def test_a_tool_that_breaks_is_the_tools_failure(open_episode: OpenEpisode) -> None:
    def broken(_: Nothing) -> str:
        raise OSError("disk")

    wish = Completion(tool_calls=(ToolCall(id="1", name="broken", arguments={}),))
    episode = await open_episode(nurse=Scripted(wish))
    with pytest.raises(ToolError, match="broken: OSError: disk"):
        await episode.agent("nurse").ask(ADVISES, tools=[Tool(broken, access="write")])
    assert episode.transcript.of(ToolUsed)[0].error


async def test_an_agent_that_only_uses_tools_is_stopped(open_episode: OpenEpisode) -> None:
    leaflet = Leaflet(medicine="Amberol", tablets=1, times_a_day=2, most_a_day=4)
    wish = Completion(tool_calls=(ToolCall(id="1", name="leaflet", arguments={"medicine": "x"}),))
    nurse = Scripted(wish)
    episode = await open_episode(nurse=nurse)
    with pytest.raises(ReplyError, match="without an answer"):
        await episode.agent("nurse").ask(ADVISES, tools=[leaflet_tool(leaflet)])
    assert len(nurse.requests) == 27


async def test_limits_stop_the_next_call_not_the_one_that_was_paid(open_episode: OpenEpisode) -> None:
    reply = Completion(text="hello", usage=Usage(input_tokens=60, output_tokens=50))
    caller = Scripted(reply)
    episode = await open_episode(caller=caller, limits=Limits(tokens=100))
    assert await episode.agent("caller").ask(ASKS) == "hello"
    with pytest.raises(LimitReached, match="100 tokens"):
        await episode.agent("caller").ask(ASKS)
    assert len(caller.requests) == 1
