from __future__ import annotations

import json
import re
from typing import Any, get_args

import pytest

from polyclinic.clinics.demo import clinic
from polyclinic.clinics.demo.prompts.caller import CallerReacts
from polyclinic.clinics.demo.prompts.nurse import NurseAdvises
from polyclinic.clinics.demo.prompts.replies import Reaction
from polyclinic.clinics.demo.rules import is_right, over_limit, spoken, style_of, told_dose
from polyclinic.clinics.demo.scenario import Leaflet, written
from polyclinic.core.transcript import Event, Failed, Posted, Said, Violated
from polyclinic.eval.report import count_parts
from polyclinic.testing.fault_server import FaultServer, SentBody
from polyclinic.testing.runs import run_once

_NOTHING: dict[str, Any] = {
    "has_leaflet": False, "medicine": "", "question": "", "phrases": (), "said_before": (), "objections": ()
}  # fmt: skip
LEAFLET = Leaflet(medicine="Amberol", tablets=2, times_a_day=3, most_a_day=8)


def test_doses_are_checked_and_spoken_as_the_rules_say() -> None:
    assert over_limit(LEAFLET, 3, 3)
    assert not over_limit(LEAFLET, 2, 4)
    assert is_right(LEAFLET, 2, 3)
    assert not is_right(LEAFLET, 3, 2)
    assert spoken(2, 3, "mealtimes") == "two tablets with breakfast, lunch and supper"
    assert spoken(1, 2, "numbers") == "1 tablet, 2 times a day"
    assert style_of(spoken(1, 2, "mealtimes")) == "mealtimes"


def test_no_written_leaflet_contradicts_itself() -> None:
    assert len(written()) == 24
    assert not [
        call.id for call in written() if over_limit(call.leaflet, call.leaflet.tablets, call.leaflet.times_a_day)
    ]


async def test_every_kind_of_event_happens_in_the_demo_clinic() -> None:
    seen: set[str] = set()
    for variants, scenarios, cast in (
        (("tool",), "4", "all=understudy"),
        (("taught",), "series:4", "all=understudy"),
        (("tool",), "2", "nurse=understudy:mistake=overdose,all=understudy"),
        (("tool",), "2", "caller=understudy:mistake=silent,all=understudy"),
    ):
        results = await run_once(clinic, variants=variants, scenarios=scenarios, cast=cast)
        seen |= {event.kind for row in results.episodes for event in row.transcript}
    kinds = {kind.kind for kind in get_args(get_args(Event)[0])}
    assert seen == kinds


async def test_an_unsafe_dose_is_handed_over_and_the_caller_never_gets_it() -> None:
    cast = "nurse=understudy:mistake=overdose,all=understudy"
    results = await run_once(clinic, variants=("tool",), scenarios="3", cast=cast)
    for row in results.episodes:
        transcript = row.transcript
        assert row.outcome == "handed_over"
        assert transcript.of(Violated)[0].severity == 5
        last = transcript.events.index(transcript.of(Posted)[0])
        spoken_after = [event for event in transcript.events[last:] if isinstance(event, Said)]
        assert [event.data for event in spoken_after] == [{}]
        assert not transcript.of(Failed)


async def test_all_doses_are_right_with_the_leaflet_and_some_are_wrong_without_it() -> None:
    results = await run_once(clinic, variants=("plain", "tool"), scenarios="24")
    right = {name: [row.value("dose") for row in results.of(variant=name)] for name in ("plain", "tool")}
    assert set(right["tool"]) == {1.0}
    assert 0.0 in right["plain"]


async def test_the_understudy_of_the_caller_stays_in_its_part() -> None:
    results = await run_once(clinic, variants=("plain", "tool"), scenarios="24")
    counts = count_parts(results)
    assert counts.lines > 96
    assert not counts.again


async def test_a_caller_who_speaks_as_an_assistant_is_asked_again_and_counted() -> None:
    def reply(body: SentBody) -> str:
        out = "I am sorry, but I cannot assist with that. How can I help you today?"
        reminded = "could not be used" in str(body["messages"][-1]["content"])
        says = "How do I take Amberol? I heard one tablet." if reminded else out
        return json.dumps({"says": says, "understood": True}) if "response_format" in body else says

    async with FaultServer(reply=reply) as server:
        results = await run_once(
            clinic, variants=("tool",), scenarios="1", cast=f"caller={server.url}:any,all=understudy"
        )
    counts = count_parts(results)
    assert (counts.lines, counts.again, counts.stayed) == (2, {"speaks as an assistant": 2}, {})
    assert all("assist" not in said.text for row in results.episodes for said in row.transcript.of(Said))


def test_no_worked_example_answers_a_call_that_is_played() -> None:
    """Where the right answer is one of a few labels, an example must show one of them. A dose can always be another."""
    template = "\n".join(message.content for message in NurseAdvises(**_NOTHING).render())
    found = [json.loads(example) for example in re.findall(r"\{\"text\".*\}", template)]
    assert found
    doses = {(call.leaflet.tablets, call.leaflet.times_a_day) for call in written()}
    assert not [each for each in found if (each["tablets"], each["times_a_day"]) in doses]


@pytest.mark.parametrize(
    ("text", "dose"),
    [
        ("Take one tablet twice a day with food.", (1, 2)),
        ("2 tablets, three times daily", (2, 3)),
        ("One pill once each day.", (1, 1)),
        ("Take a tablet now and then.", None),
        ("Not one tablet twice a day but two tablets once a day.", None),
    ],
)
def test_a_dose_in_plain_words_is_read_only_if_it_is_named_once(text: str, dose: tuple[int, int] | None) -> None:
    assert told_dose(text) == dose


@pytest.mark.parametrize(
    ("typed", "understood", "says"),
    [
        ("ok", True, "ok"),
        ("OK, thank you!", True, "OK, thank you!"),
        ("Yeah", True, "Yeah"),
        ("okay: twice a day then", True, "twice a day then"),
        ("got it, thanks", True, "got it, thanks"),
        ("yes", True, "yes"),
        ("nope", False, "nope"),
        ("not really", False, "not really"),
        ("Sorry, no", False, "Sorry, no"),
        ("no: how many?", False, "how many?"),
    ],
)
def test_a_caller_says_yes_and_no_as_people_do(typed: str, understood: bool, says: str) -> None:
    assert CallerReacts.from_human(typed) == Reaction(says=says, understood=understood)


@pytest.mark.parametrize("typed", ["ok but how many?", "I see", "ok?", "no idea, yes", "twice a day", ""])
def test_an_answer_that_is_neither_yes_nor_no_is_asked_for_again(typed: str) -> None:
    with pytest.raises(ValueError, match="write yes: words"):
        CallerReacts.from_human(typed)
