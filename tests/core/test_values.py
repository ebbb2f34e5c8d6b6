"""Plain values: they are read back equal, input from outside is validated, JSON is what pydantic writes."""

from __future__ import annotations

import copy
import hashlib
import pickle
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import orjson
import pytest
from pydantic import TypeAdapter, ValidationError

from polyclinic.core.message import Image, Message, ToolCall, user
from polyclinic.core.model import Completion, Request, Settings, Usage, estimate_usage, total
from polyclinic.core.prompt import Prompt
from polyclinic.core.tool import ToolSpec
from polyclinic.core.transcript import Called, Ended, Event, Noted, Said, Score, Scored, Started, Transcript
from polyclinic.core.value import Value, json_bytes, plain, unchanging

EVENTS = TypeAdapter(list[Any])
TOOL = ToolSpec(name='say "ja" \\ 안녕\n%b', description="", parameters={})


class Asks(Prompt[str]):
    template = "none.md"


def request(content: str = "how are you?") -> Request:
    return Request("nurse", Asks(), (user(content),), settings=Settings(seed=3), episode="e")


def test_a_value_survives_a_round_trip_through_json() -> None:
    usage = estimate_usage(request(), "well")
    completion = Completion(text="well", usage=usage, tool_calls=(ToolCall(id="1", name="t", arguments={"a": [1]}),))
    called = Called.from_reply(request(), completion, "understudy", 1, 2)
    said = Said(speaker="nurse", text="well", to="caller", data={"phase": "end"})
    scored = Scored(score=Score(metric="m", value=1.0, judge="j", evidence=("a",)))
    noted, both = Noted(topic="topic", data={"a": 1}), total([usage, usage])
    message = Message(role="user", content="look", images=(Image(data="aGk="),))
    for value in (usage, completion, called, said, scored, noted, both, Settings(seed=3), message):
        again = type(value).from_json(value.to_json())
        assert again == value and repr(again) == repr(value) and again is not value
        assert type(value).read(plain(value)) == value
        assert pickle.loads(pickle.dumps(value)) == copy.deepcopy(value) == value
    assert called == Called(
        role="nurse",
        prompt="Asks",
        model="understudy",
        key=request().key,
        occurrence=1,
        text="well",
        tool_calls=("t",),
        attempt=2,
        usage=usage,
    )
    assert replace(said, text="ill") == Said(speaker="nurse", text="ill", to="caller", data={"phase": "end"})
    assert said.text == "well"
    assert hash(usage) == hash(estimate_usage(request(), "well"))


class Nothing(Value):
    """A value without fields."""


@unchanging
class Spot:
    place: str
    seen: int = field(default=0, compare=False, repr=False)


def test_values_are_equal_by_the_fields_that_are_compared() -> None:
    assert Spot("desk", 1) == Spot("desk", 2) != Spot("ward", 1) and len({Spot("desk", 1), Spot("desk", 2)}) == 1
    assert Said(speaker="a", text="b", seq=1) == Said(speaker="a", text="b") != Said(speaker="a", text="c")
    assert Usage() != Settings() and Usage() != "Usage()"
    assert Nothing() == Nothing() and hash(Nothing()) == hash(Nothing())
    assert repr(Spot("desk", 1)) == "Spot(place='desk')" and repr(Nothing()) == "Nothing()"
    assert repr(Image(data="aGk=")) == "Image(media_type='image/png', caption='', described='')"
    with pytest.raises(TypeError):
        hash(Said(speaker="a", text="b"))


@pytest.mark.parametrize(
    "data",
    [{"input_tokens": "many"}, {"unknown": 1}, {"input_tokens": None}, [], "text"],
)
def test_input_from_outside_is_validated(data: Any) -> None:
    with pytest.raises(ValidationError):
        Usage.read(data)
    with pytest.raises(ValidationError):
        Completion.from_json(orjson.dumps({"usage": data}))


def test_the_canonical_form_is_not_a_field() -> None:
    message = user("hello")
    fields = set(vars(message))
    assert message.canonical() is message.canonical() and set(vars(message)) == fields
    assert orjson.loads(message.to_json()) == {
        "role": "user",
        "content": "hello",
        "images": [],
        "tool_calls": [],
        "tool_call_id": "",
    }
    assert replace(message, content="other").canonical() != message.canonical()
    settings = Settings(seed=3)
    assert settings.canonical() == Settings(seed=3).canonical() and settings == Settings(seed=3)


def test_events_are_numbered_when_a_transcript_is_written() -> None:
    event = Said(speaker="nurse", text="well")
    written = Transcript.from_json(Transcript([event, event]).to_json())
    assert [one.seq for one in written] == [0, 1] and event.seq == -1


@dataclass
class Ward:
    beds: int
    _load: float
    used: Usage | None = None


ODD: list[Any] = [
    {"when": datetime(2026, 1, 2, 3, 4, tzinfo=UTC), "day": date(2026, 1, 2)},
    {"big": 2**80, "small": 1e-9, "large": 1e22, "none": None, "nan": float("nan"), "inf": float("inf")},
    {"decimal": Decimal("1.10"), "set": frozenset({"a"}), "bytes": b"abc", "tuple": (1, 2.0, "x")},
    {"inner": {1: "a number as key"}, "ключ": '안녕 \u2028 \x01 \\ " /'},
    {"model": Usage(input_tokens=3), "message": user("hello"), "list": [Usage(), {"deep": Usage()}]},
    {"record": Ward(3, 4.5, Usage()), "infinite": Ward(1, float("inf"))},
]


@pytest.mark.parametrize("data", ODD)
def test_json_is_what_pydantic_writes(data: dict[Any, Any]) -> None:
    user("hello").canonical()
    events: list[Event] = [
        Started(clinic="c", scenario="s", variant="v", trial=0, seed=1, cast={"nurse": "understudy"}),
        Called.from_reply(request(), Completion(text="well", usage=Usage(input_tokens=1)), "understudy", 0, 0),
        Said(speaker="nurse", text="ça va"),
        Noted(topic="odd", data=plain(data)),
        Scored(score=Score(metric="m", value=0.1 + 0.2, judge="j", evidence=("a", "b"))),
        Ended(outcome="done"),
    ]
    assert json_bytes(events) == EVENTS.dump_json(events)
    numbered = [replace(event, seq=number) for number, event in enumerate(events)]
    assert Transcript(events).to_json() == EVENTS.dump_json(numbered)


def test_a_transcript_survives_a_round_trip_through_json() -> None:
    events: list[Event] = [
        Said(speaker="nurse", text="안녕", to="caller", data={"n": 1}),
        Scored(score=Score(metric="m", value=1.0, judge="j")),
    ]
    transcript = Transcript(events)
    again = Transcript.from_json(transcript.to_json())
    assert again.events == transcript.events
    assert again.to_json() == transcript.to_json()


@pytest.mark.parametrize("length", [1, 1900, 2046, 2047, 2048, 4094, 4095, 10_000])
def test_a_key_is_the_digest_of_the_whole_request(length: int) -> None:
    asked = request("x" * length)
    assert asked.key == hashlib.sha256(asked.canonical).hexdigest()[:32]


def test_the_canonical_form_is_sorted_json() -> None:
    words = 'say "ja" \\ 안녕\n%b'
    asked = Request(words, Asks(), (user(words), user("b")), (TOOL,), Settings(seed=3, temperature=0.5), "e")
    sorted_form = {
        "messages": [{"content": words, "role": "user"}, {"content": "b", "role": "user"}],
        "prompt": "Asks",
        "role": words,
        "settings": {"temperature": 0.5, "max_output_tokens": None, "seed": 3, "sample": 0},
        "tools": [words],
    }
    assert asked.canonical == orjson.dumps(sorted_form, option=orjson.OPT_SORT_KEYS)
