"""Replies of a real model of 1.5 billion parameters to our prompts, kept as test data: 932 replies with their requests.

Qwen2.5-Coder-1.5B-Instruct (Q4_K_M, guided JSON, temperature 0.7), with the prompts of version 0.1 (339) and with an
early state of the prompts of 0.2 (593). The words are wrong in many ways. They only test how replies are read and are
never medical fact.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pydantic import Field

from polyclinic.core.again import runs_on, whole
from polyclinic.core.loose_form import FormField, fields_said
from polyclinic.core.model import Completion
from polyclinic.core.part_signs import Part, broken_by
from polyclinic.core.reply import ReplyModel, Unreadable, read_object, read_reply
from polyclinic.eval.prompts import Preferred
from polyclinic.models.said import spoken
from polyclinic.reading.reader import BuiltInReader
from polyclinic.runner.registry import clinic_modules, load_clinic

FILE = Path(__file__).parents[1] / "data" / "real-replies.jsonl.gz"
LATER = FILE.with_name("real-replies-0.2.jsonl.gz")
Row = dict[str, Any]


class Judged(ReplyModel):
    """One criterion's judgement in the form that version 0.1 asked for: an item of a list."""

    criterion: str
    reason: str = Field(min_length=1)
    quotes: tuple[str, ...]
    score: int


class Raised(ReplyModel):
    """The answer to one yes/no question in the form that version 0.1 asked for: an item of a list."""

    flag: str
    reason: str = Field(min_length=1)
    quotes: tuple[str, ...]
    raised: bool


class RubricListed(ReplyModel):
    """A judge's answer in the form in which these replies were requested."""

    criteria: tuple[Judged, ...]
    flags: tuple[Raised, ...] = ()


JUDGED: dict[str, type[ReplyModel]] = {"JudgesRubric": RubricListed, "JudgesPair": Preferred}


@cache
def rows(finish: str, file: Path = FILE) -> tuple[Row, ...]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return tuple(row for row in map(json.loads, lines) if row["finish"] == finish)


def test_there_are_replies_of_every_clinic_and_of_each_finish_reason() -> None:
    assert len(rows("stop")) + len(rows("length")) > 300
    assert {row["clinic"] for row in rows("stop")} >= {"counsel", "demo", "duty", "frontdesk", "patient", "rounds"}
    assert len(rows("length")) > 60


def test_no_reply_that_was_cut_is_accepted_as_complete() -> None:
    for row in rows("length"):
        with pytest.raises(Unreadable) as caught:
            whole(Completion(text=row["reply"], finish="length"))
        assert caught.value.kind in ("cut", "run-on")


def test_a_reply_that_ended_by_itself_is_never_taken_for_a_repetition() -> None:
    assert [row["reply"] for row in rows("stop") if runs_on(row["reply"])] == []


def test_many_replies_that_reached_the_limit_are_found_to_repeat_themselves() -> None:
    found = [runs_on(row["reply"]) for row in rows("length")]
    assert sum(found) > 0.2 * len(found)


def test_objects_are_read_or_refused_and_incomplete_ones_are_always_refused() -> None:
    outcomes: Counter[str] = Counter()
    for row in (*rows("stop"), *rows("length")):
        if "{" not in row["reply"]:
            continue
        try:
            read = read_object(row["reply"])
        except Unreadable:
            outcomes[f"refused {row['finish']}"] += 1
            continue
        assert read == json.loads(row["reply"][row["reply"].index("{") :])
        outcomes[f"read {row['finish']}"] += 1
    assert outcomes["read length"] == 0
    assert outcomes["read stop"] > 0.95 * (outcomes["read stop"] + outcomes["refused stop"])


def test_thinking_is_not_found_where_there_is_none() -> None:
    assert all(spoken(row["reply"]) == row["reply"] for row in rows("stop"))


def test_callers_who_speak_as_assistants_are_found_by_their_exact_signs() -> None:
    asked = [row for row in rows("stop") if row["prompt"] == "CallerAsks"]
    assert any(broken_by(row["reply"], Part(own=("caller",))) is not None for row in asked)


@pytest.mark.parametrize("clinic", sorted(clinic_modules()))
def test_the_built_in_reader_answers_every_closed_kind_on_real_words(clinic: str) -> None:
    kinds = {kind.name: kind for kind in load_clinic(clinic).readings if not kind.fact_names}
    if not kinds:
        pytest.skip("no closed kinds")
    reader = BuiltInReader(kinds)
    said: Counter[str] = Counter()
    for row in rows("stop"):
        if row["clinic"] == clinic:
            for kind in kinds.values():
                says, words = reader.read(row["reply"][:600], kind.ask())
                said[says] += 1
                assert words == "" or words in row["reply"]
    assert said["no"] > 0


def test_judges_read_real_rubric_answers_strictly() -> None:
    """Each reply is read as a rubric's or a preference's reply, or refused; none causes an error in our code."""
    outcomes: Counter[str] = Counter()
    for row in (*rows("stop"), *rows("length")):
        if row["prompt"] not in JUDGED:
            continue
        try:
            read_reply(row["reply"], JUDGED[row["prompt"]])
            outcomes["read"] += 1
        except Unreadable:
            outcomes["refused"] += 1
    assert outcomes["read"] > 20


# The prompts of 0.2


def test_replies_that_ended_by_themselves_are_complete_and_stopped_ones_are_not() -> None:
    stopped = [row for finish in ("length", "run-on") for row in rows(finish, LATER)]
    assert len(stopped) > 10
    for row in stopped:
        with pytest.raises(Unreadable):
            whole(Completion(text=row["reply"], finish=row["finish"]))
    for row in rows("stop", LATER):
        whole(Completion(text=row["reply"]))


def test_reading_a_strict_form_loosely_gives_the_same_values() -> None:
    """Lenient reading never changes a value, even with text around the object or fields as `name: value` lines."""
    forms = [row["reply"] for row in rows("stop", LATER) if row["reply"].startswith("{")]
    assert len(forms) > 150
    for reply in forms:
        said = read_object(reply)
        fields = tuple(FormField(name, "text", required=True, may_be_none=False) for name in said)
        for text in (reply, f"Here it is: {reply}", f"{reply}\nI hope that this is right."):
            assert fields_said(text, fields) == said
        if all(isinstance(value, str) and value and "\n" not in value for value in said.values()):
            lines = "\n".join(f"- {name}: {value}" for name, value in said.items())
            assert fields_said(lines, fields) == {name: value.strip() for name, value in said.items()}


def test_simulated_people_who_offer_help_in_the_real_run_are_noticed() -> None:
    """The lines that spoiled whole talks: offers and refusals of help at a front desk."""
    spoken = [row["reply"] for row in rows("stop", LATER) if row["prompt"] in ("PatientIntake", "PatientCalls")]
    offers = [line for line in spoken if "assist" in line.lower() and "?" in line]
    assert len(offers) > 1
    assert all(broken_by(line, Part(own=("patient",), others=("clerk",))) for line in offers)
