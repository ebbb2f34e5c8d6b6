"""An episode goes on without replies that could not be read, and records whose fault they were."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from polyclinic.clinics.rounds.rules.notes import Chose, Withheld
from polyclinic.core.transcript import Failed, Transcript
from polyclinic.runner.api import run
from polyclinic.runner.plan.config import make_config
from polyclinic.store.store import open_store
from polyclinic.testing.fault_server import FaultServer


def cut(body: dict[str, Any]) -> dict[str, Any]:
    """A reply that is always stopped at its limit."""
    return {"content": "I would first like to say that", "finish_reason": "length"}


def nonsense(body: dict[str, Any]) -> str:
    return "%%% no answer at all"


async def played(clinic: str, role: str, reply: Any, **values: Any) -> list[Transcript]:
    """Run episodes with one role on a server that gives nothing usable; all of them must end."""
    async with FaultServer(reply=reply) as server, open_store("sqlite://:memory:") as store:
        config = {"clinic": clinic, "cast": f"{role}={server.url}:any,all=understudy", "scenarios": "1", **values}
        outcome = await run(store, make_config(config))
        assert outcome.failed == 0
        return [await store.runs.transcript(outcome.run, row.spec.id) for row in await store.runs.episodes(outcome.run)]


def faults(transcripts: list[Transcript]) -> Counter[tuple[str, str, bool]]:
    return Counter((event.owner, event.where, event.fatal) for events in transcripts for event in events.of(Failed))


async def test_a_tutor_whose_replies_cannot_be_read_gives_no_guidance() -> None:
    transcripts = await played("rounds", "tutor", cut, variants=("full",))
    withheld = [note for events in transcripts for note in events.notes(Withheld)]
    assert withheld and {note.objections for note in withheld} == {("unreadable",)}
    assert not [line for events in transcripts for line in events.said("tutor")]
    assert set(faults(transcripts)) == {("reply", "thinking", False), ("reply", "guidance", False)}


async def test_students_whose_replies_cannot_be_read_say_nothing_and_are_not_scored() -> None:
    transcripts = await played("rounds", "student", cut, variants=("full",))
    assert not [note for events in transcripts for note in events.notes(Chose)]
    owners = {owner for owner, _, fatal in faults(transcripts) if not fatal}
    assert owners == {"simulated_user"}


@pytest.mark.parametrize("reply", [cut, nonsense])
async def test_a_breach_that_the_reflector_cannot_explain_adds_no_lesson(reply: Any) -> None:
    transcripts = await played("duty", "reflector", reply, variants=("full",), scenarios="4")
    assert all(not fatal for _, _, fatal in faults(transcripts))
