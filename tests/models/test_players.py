"""Understudies, people and recordings as models, and the cast that holds them."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from polyclinic.core.message import ToolCall
from polyclinic.core.model import Completion
from polyclinic.core.prompt import Prompt
from polyclinic.core.read_text import ReadsText, findings_type
from polyclinic.core.reading import ReadingKind
from polyclinic.core.reply import ReplyModel, read_reply
from polyclinic.core.tool import ToolSpec
from polyclinic.core.understudy import Ask as Asked
from polyclinic.core.understudy import Understudy, answers, call_tool
from polyclinic.errors import ConfigError, EngineError, ModelError, PersonLeft, UnknownName
from polyclinic.models.cast import build_cast
from polyclinic.models.human import HumanDesk, HumanModel
from polyclinic.models.replay import ReplayModel
from polyclinic.models.spec import parse_cast
from polyclinic.models.understudy import UnderstudyModel

from .conftest import Ask, Greets, Judges, Verdict


class Lists(Prompt[list[str]]):
    """A reply that is neither text nor a model."""

    template = "lists.md"


class Said(ReplyModel):
    """One field that a person can simply type."""

    words: str


class Says(Prompt[Said]):
    """A question a person answers in plain words."""

    template = "says.md"


class Staff(Understudy):
    @answers(Greets)
    def greets(self, ask: Asked[Greets]) -> str:
        return "What?" if ask.mistake("rude") else f"Hello {ask.prompt.name}."

    @answers(Judges)
    def judges(self, ask: Asked[Judges]) -> Verdict | list[ToolCall]:
        if ask.prompt.case == "tool":
            return call_tool("lookup", id="7")
        if ask.prompt.case == "broken":
            raise KeyError("oops")
        return Verdict(reason="clear", score=3)

    @answers(Lists)
    def lists(self, ask: Asked[Lists]) -> list[str]:
        return ["a", "b"]


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("yes no unclear", ["yes", "no", "unclear"]),
        ("1. Yes, 2. no; 3. ?", ["yes", "no", "unclear"]),
        ("1 y 2 n 3 u", ["yes", "no", "unclear"]),
        ("예 아니요 모름", ["yes", "no", "unclear"]),
    ],
)
async def test_a_person_who_reads_answers_in_plain_words(typed: str, says: list[str], ask: Ask) -> None:
    kinds = [ReadingKind(f"x-{n}", who=(), context=f"Around {n}.", question=f"Is it {n}?").ask() for n in range(3)]
    desk = HumanDesk()
    asked = asyncio.create_task(
        HumanModel(desk).answer(ask("x", ReadsText(text="It hurts.", context="", questions=tuple(kinds))))
    )
    question = await desk.next()
    assert 'Text: "It hurts."' in question.show and "2. (Around 1.) Is it 1?" in question.show
    assert "JSON" not in question.show and "q1" not in question.show
    for wrong in ("yes", "yes no", "yes no perhaps", "yes no no no"):
        assert "yes, no or unclear" in desk.reply(question.id, wrong)
    assert desk.reply(question.id, typed) == ""
    found = read_reply((await asked).text, findings_type(3))
    assert [found.finding(n, "It hurts.").says for n in (1, 2, 3)] == says
    assert found.finding(1, "It hurts.").words == "It hurts."


async def test_an_understudy_answers_in_text_json_or_tool_calls(ask: Ask) -> None:
    model = UnderstudyModel(Staff())
    assert (await model.answer(ask())).text == "Hello Kim."
    verdict = await model.answer(ask("x", Judges(case="x")))
    assert read_reply(verdict.text, Verdict) == Verdict(reason="clear", score=3)
    assert verdict.usage.estimated
    assert verdict.usage.input_tokens > 0
    tool = await model.answer(ask("x", Judges(case="tool")))
    assert [(call.name, call.arguments) for call in tool.tool_calls] == [("lookup", {"id": "7"})]
    assert (await model.answer(ask("x", Lists()))).text == '["a","b"]'


async def test_a_bug_of_an_understudy_is_the_engines_failure(ask: Ask) -> None:
    with pytest.raises(EngineError, match="Staff as staff: KeyError"):
        await UnderstudyModel(Staff()).answer(ask("x", Judges(case="broken")))


async def test_mistakes_come_at_their_rate_and_always_at_the_same_questions(ask: Ask) -> None:
    model = UnderstudyModel(Staff(), {"rude": 0.3})
    replies = [(await model.answer(ask(f"question {n}"))).text for n in range(400)]
    again = [(await model.answer(ask(f"question {n}"))).text for n in range(400)]
    assert replies == again
    assert 0.2 < replies.count("What?") / 400 < 0.4


def test_the_cast_knows_who_plays_whom() -> None:
    cast = build_cast(
        parse_cast("all=understudy,nurse=understudy:mistake=rude@0.5"),
        ["doctor", "nurse"],
        {"doctor": Staff(), "nurse": Staff()},
        ["rude"],
    )
    assert cast.describe() == {"doctor": "understudy", "nurse": "understudy:mistake=rude@0.5"}
    assert cast.model("doctor-2") is cast.model("doctor")
    with pytest.raises(UnknownName, match="doctor"):
        cast.model("docter")


def test_roles_without_a_model_are_understudies() -> None:
    cast = build_cast(parse_cast("judge=http://127.0.0.1:1/v1:m"), ["doctor", "judge"], {"doctor": Staff()})
    assert cast.describe() == {"doctor": "understudy", "judge": "http://127.0.0.1:1/v1:m"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("docter=understudy", "'docter' is not a role: did you mean doctor"),
        ("doctor=understudy:mistake=rood", "'rood' is not a known mistake: did you mean rude"),
        ("doctor=human", "a run has no person to answer"),
        ("doctor=replay:demo-1", "'demo-1' is not a recorded run"),
        ("doctor=openai:gpt-5", "--local-only allows only"),
        ("doctor=anthropic:claude", "--local-only allows only"),
    ],
)
def test_a_cast_that_cannot_be_built_gives_the_reason(text: str, said: str) -> None:
    with pytest.raises((ConfigError, UnknownName), match=said):
        build_cast(parse_cast(text), ["doctor"], {"doctor": Staff()}, ["rude"], local_only=True)


def test_local_only_accepts_loopback_endpoints() -> None:
    cast = build_cast(parse_cast("all=http://127.0.0.1:1/v1:m"), ["doctor"], {}, local_only=True)
    assert cast.describe() == {"doctor": "http://127.0.0.1:1/v1:m"}


async def test_a_recording_answers_in_order_and_says_what_is_missing(ask: Ask) -> None:
    kept = {(ask("a").key, 0): Completion(text="one"), (ask("a").key, 1): Completion(text="two")}
    model = ReplayModel("demo-1", lambda key, occurrence: kept.get((key, occurrence)))
    asked = [replace(ask("a"), occurrence=occurrence) for occurrence in range(3)]
    assert [(await model.answer(request)).text for request in asked[:2]] == ["one", "two"]
    with pytest.raises(ModelError, match=r"demo-1 has no answer to Greets as staff .*occurrence 2.*same clinic"):
        await model.answer(asked[2])


async def test_a_person_answers_and_is_asked_again_if_the_answer_is_unreadable(ask: Ask) -> None:
    desk = HumanDesk()
    call = asyncio.ensure_future(HumanModel(desk).answer(ask("Your verdict?", Judges(case="x"))))
    question = await desk.next()
    assert (question.role, question.prompt, question.error) == ("staff", "Judges", "")
    assert "Your verdict?" in question.show
    assert "not one JSON object" in desk.reply(question.id, "three, I think")
    again = await desk.next()
    assert again.id == question.id
    assert "not one JSON object" in again.error
    assert desk.pending() == [again]
    assert desk.reply(question.id, '{"reason": "clear", "score": 3}') == ""
    assert read_reply((await call).text, Verdict).score == 3
    assert desk.pending() == []


async def test_plain_words_fill_a_reply_that_has_one_text_field(ask: Ask) -> None:
    desk = HumanDesk()
    call = asyncio.ensure_future(HumanModel(desk).answer(ask("Speak.", Says())))
    question = await desk.next()
    assert desk.reply(question.id, "   ") == "please type an answer"
    assert desk.reply(question.id, " Good morning. ") == ""
    assert (await call).text == '{"words":"Good morning."}'


async def test_a_person_can_use_a_tool(ask: Ask) -> None:
    desk = HumanDesk()
    lookup = ToolSpec(name="lookup", description="Look up.", parameters={})
    call = asyncio.ensure_future(HumanModel(desk).answer(ask("Who?", tools=(lookup,))))
    question = await desk.next()
    assert "/use lookup" in question.show
    assert "no tool 'look'" in desk.reply(question.id, "/use look {}")
    assert "not JSON" in desk.reply(question.id, "/use lookup {id")
    assert "must be a JSON object" in desk.reply(question.id, "/use lookup [1]")
    assert desk.reply(question.id, '/use lookup {"id": "7"}') == ""
    assert (await call).tool_calls[0].arguments == {"id": "7"}


async def test_a_desk_that_closes_fails_the_waiting_questions(ask: Ask) -> None:
    desk = HumanDesk()
    call = asyncio.ensure_future(HumanModel(desk).answer(ask()))
    question = await desk.next()
    desk.close()
    with pytest.raises(PersonLeft, match="the person left"):
        await call
    with pytest.raises(UnknownName):
        desk.reply(question.id, "too late")
    with pytest.raises(PersonLeft):
        await HumanModel(desk).answer(ask())


async def test_a_cancelled_question_is_removed_from_the_desk(ask: Ask) -> None:
    desk = HumanDesk()
    call: asyncio.Future[Any] = asyncio.ensure_future(HumanModel(desk).answer(ask()))
    await desk.next()
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    assert desk.pending() == []


def test_importing_casts_loads_no_http_library_and_no_provider() -> None:
    code = (
        "import sys; import polyclinic.models.cast;"
        " print(sorted({'aiohttp', 'httpx', 'pydantic_ai', 'xllamacpp', 'faiss', 'wordllama'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
