"""Replies are read strictly: ten thousand malformed ones never crash the reader and are never accepted changed."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from typing import Any, Literal

import pytest
from pydantic import Field

from polyclinic.core.reply import ReplyModel, Unreadable, read_object, read_reply, schema_of, with_choices
from polyclinic.core.seed import stream


class Dose(ReplyModel):
    drug: str
    mg: float
    times: int = 1


class Note(ReplyModel):
    summary: str
    urgency: Literal["low", "high"]
    score: int
    safe: bool
    doses: tuple[Dose, ...] = ()
    counts: dict[str, int] = Field(default_factory=dict)
    follow_up: str | None = None


def valid(chance: random.Random) -> dict[str, Any]:
    words = ["chest pain", 'he said "no"', "밤에 더 아파요", "line\nbreak", "curly { } brackets", "12", "true", ""]
    return {
        "summary": chance.choice(words),
        "urgency": chance.choice(["low", "high"]),
        "score": chance.randint(-2, 100),
        "safe": chance.random() < 0.5,
        "doses": [
            {"drug": chance.choice(words), "mg": chance.choice([2.5, 500.0, 0.125]), "times": chance.randint(1, 4)}
            for _ in range(chance.randint(0, 2))
        ],
        "counts": {name: chance.randint(0, 9) for name in chance.sample(["a", "b", "c"], 2)},
        "follow_up": chance.choice([None, "in a week"]),
    }


def _char_deleted(text: str, value: dict[str, Any], chance: random.Random) -> str:
    at = chance.randrange(len(text))
    return text[:at] + text[at + 1 :]


def _char_inserted(text: str, value: dict[str, Any], chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice('"{}[],:\\ 0-.eE+tfn\x00\u2028가') + text[at:]


def _chars_swapped(text: str, value: dict[str, Any], chance: random.Random) -> str:
    at = chance.randrange(len(text) - 1)
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]


def _wrong_type(text: str, value: dict[str, Any], chance: random.Random) -> str:
    changed = dict(value)
    name = chance.choice(list(changed))
    changed[name] = chance.choice(["3", 3, 3.5, True, None, [], {}, "yes", "LOW", 1e400, -0.0, 10**30])
    return json.dumps(changed)


def _stringly(text: str, value: dict[str, Any], chance: random.Random) -> str:
    name = chance.choice(["score", "safe"])
    return json.dumps({**value, name: str(value[name])})


def _as_float(text: str, value: dict[str, Any], chance: random.Random) -> str:
    return json.dumps(value).replace(f'"score": {value["score"]}', f'"score": {value["score"]}.{chance.randint(0, 9)}')


def _truth_as_number(text: str, value: dict[str, Any], chance: random.Random) -> str:
    return json.dumps({**value, "safe": int(value["safe"])})


def _key_twice(text: str, value: dict[str, Any], chance: random.Random) -> str:
    name = chance.choice(list(value))
    return text[:-1] + f", {json.dumps(name)}: {json.dumps(value['score'])}}}"


def _key_missing(text: str, value: dict[str, Any], chance: random.Random) -> str:
    name = chance.choice(["summary", "urgency", "score", "safe"])
    return json.dumps({key: item for key, item in value.items() if key != name})


def _key_added(text: str, value: dict[str, Any], chance: random.Random) -> str:
    return json.dumps({**value, chance.choice(["Score", "note", "summary ", ""]): 1})


def _wrapped(text: str, value: dict[str, Any], chance: random.Random) -> str:
    before, after = chance.choice(
        [("Sure! ", ""), ("", " Hope it helps"), ("[", "]"), ("```\n", ""), ("```json ", " ```"), ("<json>", "</json>")]
    )
    return before + text + after


def _twice(text: str, value: dict[str, Any], chance: random.Random) -> str:
    return text + chance.choice(["", "\n", ", "]) + text


def _python(text: str, value: dict[str, Any], chance: random.Random) -> str:
    return repr(value)


def _comma(text: str, value: dict[str, Any], chance: random.Random) -> str:
    return text[:-1] + ",}"


def _comment(text: str, value: dict[str, Any], chance: random.Random) -> str:
    return chance.choice(["// note\n" + text, "/* a */" + text, "# x\n" + text, text[:-1] + " /* b */}"])


def _constant(text: str, value: dict[str, Any], chance: random.Random) -> str:
    number = chance.choice(["NaN", "Infinity", "-Infinity", "nan", "0x10", "1_000", "01", "+1", ".5", "1.", "1e"])
    return json.dumps({**value, "score": 777}).replace("777", number)


def _quotes(text: str, value: dict[str, Any], chance: random.Random) -> str:
    return text.replace('"', chance.choice(["'", "“", "`", ""]))


def _cut(text: str, value: dict[str, Any], chance: random.Random) -> str:
    return text[: chance.randrange(len(text))]


def _deep(text: str, value: dict[str, Any], chance: random.Random) -> str:
    depth = chance.choice([200, 5_000, 100_000])
    return '{"summary": ' + "[" * depth + "]" * depth + "}"


def _surrogate(text: str, value: dict[str, Any], chance: random.Random) -> str:
    return json.dumps({**value, "summary": "x"}).replace('"x"', '"\\ud83d"')


def _control(text: str, value: dict[str, Any], chance: random.Random) -> str:
    return json.dumps({**value, "summary": "x"}).replace('"x"', '"a\nb\tc"')


Mutation = Callable[[str, dict[str, Any], random.Random], str]
MUTATIONS: list[Mutation] = [
    _char_deleted, _char_inserted, _chars_swapped, _wrong_type, _stringly, _as_float, _truth_as_number,
    _key_twice, _key_missing, _key_added, _wrapped, _twice, _python, _comma, _comment, _constant, _quotes,
    _cut, _surrogate, _control,
]  # fmt: skip


def same(got: Any, said: Any) -> bool:
    """Whether a value is literally what the text says: a boolean is no number, and a text is no number."""
    if isinstance(got, bool) or isinstance(said, bool):
        return got is said
    if isinstance(got, (int, float)) and isinstance(said, (int, float)):
        return got == said
    if isinstance(got, (list, tuple)) and isinstance(said, list):
        return len(got) == len(said) and all(same(a, b) for a, b in zip(got, said, strict=True))
    if isinstance(got, dict) and isinstance(said, dict):
        return all(key in got and same(got[key], item) for key, item in said.items())
    return type(got) is type(said) and got == said


def test_ten_thousand_malformed_replies_cause_no_crash_and_no_accepted_value_is_altered() -> None:
    outcomes: Counter[str] = Counter()
    for number in range(10_000):
        chance = stream("malformed", number)
        value = valid(chance)
        text = json.dumps(value, ensure_ascii=chance.random() < 0.5)
        mutation = MUTATIONS[number % len(MUTATIONS)]
        mutated = mutation(text, value, chance)
        try:
            note = read_reply(mutated, Note)
        except Unreadable:
            outcomes["refused"] += 1
            continue
        said, _ = json.JSONDecoder().raw_decode(mutated, mutated.index("{"))
        accepted = note.model_dump()
        said = {key: item for key, item in said.items() if item is not None or accepted.get(key) is None}
        assert same(accepted, said), f"{mutation.__name__}: {mutated!r} was read as {accepted!r}"
        outcomes["said so"] += 1
    assert outcomes["refused"] > 7_500
    assert outcomes["said so"] > 100


def test_a_very_deeply_nested_reply_is_refused_without_a_crash() -> None:
    for number in range(3):
        with pytest.raises(Unreadable):
            read_reply(_deep("", {}, stream("deep", number)), Note)


def test_a_number_too_large_to_hold_is_refused_not_made_infinite() -> None:
    with pytest.raises(Unreadable, match="too large"):
        read_reply('{"drug": "x", "mg": 1e999}', Dose)


@pytest.mark.parametrize(
    "value",
    ["99999999999999999999", '"\\ud800"', '{"\\udfff": 1}', "[" * 150 + "]" * 150],
    ids=lambda value: value[:20],
)
def test_an_object_that_could_not_be_written_down_is_refused(value: str) -> None:
    with pytest.raises(Unreadable):
        read_object('{"x": ' + value + "}")
    assert read_object('{"x": [[{"y": -9223372036854775808}], "\\ud55c"]}') == {"x": [[{"y": -(2**63)}], "한"]}


def test_every_valid_reply_is_read_as_it_is() -> None:
    for number in range(200):
        value = valid(stream("valid", number))
        assert read_reply(json.dumps(value), Note).model_dump(mode="json") == value


@pytest.mark.parametrize("fence", ["```json\n{}\n```", "```\n{}\n```", "\n\n```json  \n{}\n```\n"])
def test_one_fence_around_the_whole_object_changes_nothing(fence: str) -> None:
    value = valid(stream("fenced", 1))
    assert read_reply(fence.replace("{}", json.dumps(value)), Note).model_dump(mode="json") == value


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_an_empty_reply_is_unreadable_as_text_and_as_json(text: str) -> None:
    for reply_type in (str, Note):
        with pytest.raises(Unreadable, match="empty"):
            read_reply(text, reply_type)


def test_plain_words_stay_as_they_are() -> None:
    assert read_reply(' {"not": "parsed"} ', str) == '{"not": "parsed"}'
    assert schema_of(str) is None


def test_the_error_names_the_field_that_must_be_fixed() -> None:
    with pytest.raises(Unreadable, match="urgency: Input should be 'low' or 'high'"):
        read_reply('{"summary": "x", "urgency": "LOW", "score": 1, "safe": true}', Note)


@pytest.mark.parametrize(
    "text",
    [
        '{"summary": "a", "summary": "b", "urgency": "low", "score": 1, "safe": true}',
        '{"summary":"a","summary" :"b","urgency":"low","score":1,"safe":true}',
        '{"summary":"a","\\u0073ummary":"b","urgency":"low","score":1,"safe":true}',
        '{"summary":"a:b","summary":"b","urgency":"low","score":1,"safe":true}',
        '{"summary":"a","urgency":"low","score":1,"safe":true,"counts":{"x":1,"x":2}}',
        '{"summary":"a","urgency":"low","score":1,"safe":true,"doses":[{"drug":"d","mg":1,"mg":2}]}',
    ],
)
def test_a_duplicate_key_is_refused_however_it_is_written(text: str) -> None:
    with pytest.raises(Unreadable, match="duplicate key"):
        read_reply(text, Note)


def test_colons_in_words_and_spaces_around_keys_are_no_duplicate_key() -> None:
    note = read_reply('{"summary" :\n"at 10:30: pain", "urgency":"low","score":1,"safe" : true}', Note)
    assert note.summary == "at 10:30: pain"


WHOLE = {"summary": "a", "urgency": "low", "score": 1, "safe": True}


@pytest.mark.parametrize(
    "around",
    [
        "Sure! Here is the JSON:\n{}",
        "Sure! Here it is:\n```json\n{}\n```",
        "Thinking done.\n\n```\n{}\n```\n",
    ],
)
def test_an_object_after_a_preamble_is_read_if_nothing_follows_it(around: str) -> None:
    assert read_reply(around.replace("{}", json.dumps(WHOLE)), Note).summary == "a"


@pytest.mark.parametrize(
    "around",
    [
        "{}\nHope that helps.",
        "```json\n{}\n```\nHope that helps.",
        "First {}, or rather {}",
        "```json\n{}\n```\n```json\n{}\n```",
        'A template {"summary": …}: {}',
    ],
)
def test_anything_after_the_object_and_any_second_object_is_refused(around: str) -> None:
    with pytest.raises(Unreadable):
        read_reply(around.replace("{}", json.dumps(WHOLE)), Note)


class Choice(ReplyModel):
    physician: str
    reason: str = ""
    places: list[Dose] = Field(default_factory=list)
    remark: str | None = "none"


def test_null_for_an_optional_field_counts_as_left_out() -> None:
    read = read_reply('{"physician": "Kim", "reason": null, "places": null, "remark": null}', Choice)
    assert read == Choice(physician="Kim", remark=None)


def test_null_for_a_field_that_is_needed_is_refused() -> None:
    with pytest.raises(Unreadable, match="physician"):
        read_reply('{"physician": null, "reason": "x"}', Choice)


class Wish(ReplyModel):
    physician: str
    day: str = ""
    remark: str = ""


class WishForm(Wish):
    day: Literal["", "Monday", "Tuesday"]
    remark: str


def test_null_for_a_field_that_only_the_form_requires_is_empty_text() -> None:
    assert read_reply('{"physician": "Kim", "day": null, "remark": null}', WishForm) == WishForm(
        physician="Kim", day="", remark=""
    )
    with pytest.raises(Unreadable, match="physician"):
        read_reply('{"physician": null, "day": "Monday", "remark": ""}', WishForm)
    with pytest.raises(Unreadable, match="remark"):
        read_reply('{"physician": "Kim", "day": null}', WishForm)
    with pytest.raises(Unreadable, match="day"):
        read_reply('{"physician": "Kim", "day": null, "remark": ""}', with_choices(WishForm, day=("Monday",)))


@pytest.mark.parametrize(
    "fence", ["```json %s ```", "```%s```", "```JSON\n%s\n```", "```json\r\n%s\r\n```", "Yes:\n```%s```"]
)
def test_an_object_in_a_fence_of_any_shape_is_read(fence: str) -> None:
    assert read_reply(fence % '{"physician": "Kim"}', Choice).physician == "Kim"
    with pytest.raises(Unreadable):
        read_reply(fence % '{"physician": "Kim"} {"physician": "Lee"}', Choice)


def test_a_null_inside_a_list_is_refused() -> None:
    with pytest.raises(Unreadable, match="places"):
        read_reply('{"physician": "Kim", "places": [null]}', Choice)


class Sent(ReplyModel):
    reason: str
    to: str


def test_a_reply_with_fixed_choices_must_be_exactly_one_of_them() -> None:
    form = with_choices(Sent, "SentTo", to=("cardiology", "surgery"))
    assert form is with_choices(Sent, "SentTo", to=("cardiology", "surgery")), "the same question has the same form"
    assert list(form.model_fields) == ["reason", "to"]
    assert read_reply('{"reason": "pain", "to": "surgery"}', form).to == "surgery"
    with pytest.raises(Unreadable, match="to"):
        read_reply('{"reason": "pain", "to": "dentistry"}', form)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ('"Where does it hurt?"', "Where does it hurt?"),
        ("“안녕하세요. 어떠세요?”", "안녕하세요. 어떠세요?"),
        ('"Yes" is what she said', '"Yes" is what she said'),
        ('"Yes," she said, "I will."', '"Yes," she said, "I will."'),
        ('""', '""'),
        ('"May I have your address?', "May I have your address?"),
        ("“어디가 아프세요?", "어디가 아프세요?"),
    ],
)
def test_quotation_marks_around_the_whole_reply_are_removed(reply: str, said: str) -> None:
    assert read_reply(reply, str) == said
