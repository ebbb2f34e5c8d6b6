"""A number alone calls nobody, unless the person was asked about ending their life."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from polyclinic.clinics.counsel.agents import SignalReader
from polyclinic.clinics.counsel.rules.affirmed import affirmed, asks_about_ending
from polyclinic.clinics.counsel.rules.bare_number import only_a_number
from polyclinic.clinics.counsel.rules.guard import offline
from polyclinic.clinics.counsel.rules.lexicon import screen
from polyclinic.clinics.counsel.rules.trained import read_message

NUMBERS = ["3", "10", "0.", "8 out of 10", "5/10", "about 7", "100 %", "3점", "7이요", ".", "??", "한 6 정도예요"]


@pytest.mark.parametrize("said", NUMBERS)
async def test_a_number_alone_says_nothing_to_the_guard_and_shows_no_signal(said: str) -> None:
    async def nobody_reads(text: str, questions: object) -> None:
        raise AssertionError("a number is not read")

    session: Any = SimpleNamespace(stage="conversation_start")
    episode: Any = SimpleNamespace(scenario=SimpleNamespace(live=True), reads=nobody_reads)
    assert offline(screen(said), read_message(said)).way == "go_on"
    assert await SignalReader(episode, session).hear(said, "How bad is it?") == {}


@pytest.mark.parametrize("said", NUMBERS)
def test_after_the_question_about_ending_ones_life_it_still_brings_people(said: str) -> None:
    assert asks_about_ending("From 0 to 10, how strong is your wish to die right now?")
    decision = affirmed(said)
    assert decision is not None and decision.way == "escalate"


@pytest.mark.parametrize("said", ["911", "119", "988", "1393", "no", "B", "3 pills", "70 tablets", "5 times", "10 알"])
def test_numbers_of_emergency_lines_and_numbers_of_things_are_read(said: str) -> None:
    assert not only_a_number(said)
