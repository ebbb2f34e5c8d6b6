"""Values that are made without being looked at again, and JSON that is written without pydantic, must be what pydantic gives."""

from __future__ import annotations

import copy
import hashlib
import pickle
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, cast

import orjson
import pytest
from pydantic import TypeAdapter, ValidationError

from polyclinic.core.message import Frozen, json_bytes, user
from polyclinic.core.model import Completion, Request, Settings, Usage, estimate_usage, total
from polyclinic.core.prompt import Prompt
from polyclinic.core.tool import ToolSpec
from polyclinic.core.transcript import Called, Ended, Noted, Said, Score, Scored, Started, Transcript

EVENTS = TypeAdapter(list[Any])
TOOL = ToolSpec(name='say "ja" \\ 안녕\n%b', description="", parameters={})


class Asks(Prompt[str]):
    template = "none.md"


def request(content: str = "how are you?") -> Request:
    return Request("nurse", Asks(), (user(content),), settings=Settings(seed=3), episode="e")


def remade(value: Frozen) -> Frozen:
    """The same value as its class makes it from plain fields, looked at one by one."""
    return type(value).model_validate(value.model_dump())


def test_values_made_on_trust_equal_those_that_are_validated() -> None:
    usage = estimate_usage(request(), "well")
    completion = Completion.of("well", usage)
    called = Called.of(request(), completion, "understudy", 1, 2)
    said = Said.of("nurse", "well", "caller", {"phase": "end"})
    scored = Scored.of(Score(metric="m", value=1, judge="j"))
    noted, both = Noted.of("topic", {"a": 1}), total([usage, usage])
    for value in (usage, completion, called, said, scored, noted, both, Settings.seeded(3)):
        assert value == remade(value) and repr(value) == repr(remade(value))
        assert value.model_fields_set == set(type(value).model_fields)
        assert pickle.loads(pickle.dumps(value)) == copy.deepcopy(value) == value
        with pytest.raises(ValidationError):
            value.text = "other"  # type: ignore[union-attr]
    assert called == Called(
        role="nurse",
        prompt="Asks",
        model="understudy",
        key=request().key,
        occurrence=1,
        text="well",
        attempt=2,
        usage=usage,
    )
    assert said.model_copy(update={"text": "ill"}) == Said(
        speaker="nurse", text="ill", to="caller", data={"phase": "end"}
    )
    assert said.text == "well"


@pytest.mark.parametrize(("speaker", "text", "to"), [("nurse", 5, ""), (None, "well", ""), ("nurse", "well", 1)])
def test_words_that_are_none_are_refused(speaker: Any, text: Any, to: Any) -> None:
    with pytest.raises(ValidationError):
        Said.of(speaker, text, to, {})


def test_a_score_that_is_none_and_a_topic_that_is_none_are_refused() -> None:
    with pytest.raises(ValidationError):
        Scored.of(cast(Any, {"metric": "m"}))
    with pytest.raises(ValidationError):
        Noted.of(cast(Any, 7), {})


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
    events = [
        Started(clinic="c", scenario="s", variant="v", trial=0, seed=1, cast={"nurse": "understudy"}),
        Called.of(request(), Completion.of("well", Usage(input_tokens=1)), "understudy", 0, 0),
        Said.of("nurse", "ça va", "", {}),
        Noted.model_construct(topic="odd", data=data),
        Scored(score=Score(metric="m", value=0.1 + 0.2, judge="j", evidence=("a", "b"))),
        Ended(outcome="done"),
    ]
    assert json_bytes(events) == EVENTS.dump_json(events)
    assert Transcript(events).to_json() == EVENTS.dump_json(events)


def test_a_transcript_survives_its_json() -> None:
    events = [Said.of("nurse", "안녕", "caller", {"n": 1}), Scored(score=Score(metric="m", value=1, judge="j"))]
    transcript = Transcript(events).numbered()
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
    plain = {
        "messages": [{"content": words, "role": "user"}, {"content": "b", "role": "user"}],
        "prompt": "Asks",
        "role": words,
        "settings": asked.settings.model_dump(),
        "tools": [words],
    }
    assert asked.canonical == orjson.dumps(plain, option=orjson.OPT_SORT_KEYS)
