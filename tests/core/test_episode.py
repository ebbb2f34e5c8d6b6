from __future__ import annotations

import asyncio
from typing import Any

import pytest

from polyclinic.clinics.demo.state import Phrase
from polyclinic.core.branches import Alongside
from polyclinic.core.campaign import Effect, StoredEffect, Turnstile
from polyclinic.core.episode import Campaign
from polyclinic.core.journal import MemoryJournal
from polyclinic.core.limits import Limits
from polyclinic.core.note import Note, Payload
from polyclinic.core.transcript import EVENT, Ended, Noted, Posted, Said, Transcript
from polyclinic.errors import (
    DataError,
    EngineError,
    LimitReached,
    ModelError,
    ToolError,
    UnknownName,
    UserError,
    boundary,
)
from tests.core.conftest import OpenEpisode


async def test_events_of_parallel_branches_are_in_the_given_order(open_episode: OpenEpisode) -> None:
    episode = await open_episode()
    late = asyncio.Event()

    async def slow() -> str:
        episode.say("slow", "begins")
        await late.wait()
        episode.say("slow", "ends")
        return "slow"

    async def quick() -> str:
        async def inner(name: str) -> None:
            episode.say(name, "inner")

        episode.say("quick", "begins")
        await episode.together(inner("a"), inner("b"))
        late.set()
        return "quick"

    assert await episode.together(slow(), quick()) == ["slow", "quick"]
    assert [f"{said.speaker} {said.text}" for said in episode.transcript.said()] == [
        "slow begins",
        "slow ends",
        "quick begins",
        "a inner",
        "b inner",
    ]


async def test_the_events_of_a_branch_that_runs_alongside_are_recorded_when_the_block_ends(
    open_episode: OpenEpisode,
) -> None:
    episode = await open_episode()

    async def checks(name: str) -> str:
        await asyncio.sleep(0)
        episode.say("checker", name)
        return name

    side: Alongside[str] = episode.alongside()
    async with side:
        for name in ("first", "second"):
            episode.say("speaker", name)
            side.start(checks(name))
            await asyncio.sleep(0.01)
        assert not episode.transcript.said("checker")
    assert side.results == ["first", "second"]
    assert [said.speaker for said in episode.transcript.said()] == ["speaker", "speaker", "checker", "checker"]


async def test_a_block_that_fails_stops_its_branches(open_episode: OpenEpisode) -> None:
    episode = await open_episode()
    stopped: list[str] = []

    async def endless() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append("stopped")

    async def fails() -> None:
        side: Alongside[None] = episode.alongside()
        async with side:
            side.start(endless())
            await asyncio.sleep(0)
            raise ModelError("gone")

    with pytest.raises(ModelError, match="gone"):
        await fails()
    assert stopped == ["stopped"]


async def test_the_first_failure_in_order_is_raised_after_all_branches_finished(open_episode: OpenEpisode) -> None:
    episode = await open_episode()

    async def fails(name: str) -> None:
        raise ModelError(name)

    async def works() -> None:
        await asyncio.sleep(0)
        episode.say("worker", "done")

    with pytest.raises(ModelError, match="first"):
        await episode.together(works(), fails("first"), fails("second"))
    assert episode.transcript.said("worker")


async def test_random_draws_depend_on_purpose_and_variant_but_paired_draws_do_not(open_episode: OpenEpisode) -> None:
    one, other = await open_episode(variant="plain"), await open_episode(variant="tool")
    assert one.random("a").random() == one.random("a").random()
    assert one.random("a").random() != one.random("b").random()
    assert one.random("a").random() != other.random("a").random()
    assert one.random("a", paired=True).random() == other.random("a", paired=True).random()


class Refused(Payload):
    dose: int
    why: str | None = None
    by: tuple[str, ...] = ()
    checked: bool | None


async def test_a_post_is_stored_once_and_known_after_a_restart(open_episode: OpenEpisode) -> None:
    journal = MemoryJournal()
    episode = await open_episode(journal=journal)
    refused = Refused(dose=40, checked=None)
    assert episode.posted("pharmacist", "k", Refused) is None
    await episode.post("pharmacist", "k", refused)
    again = await open_episode(journal=journal)
    assert again.posted("pharmacist", "k", Refused) == refused
    await again.post("pharmacist", "k", Refused(dose=50, checked=True))
    assert journal.posts == {("e", "pharmacist", "k"): {"dose": 40, "by": [], "checked": None}}


async def test_waiting_for_a_later_episode_is_refused_instead_of_waiting_for_ever(open_episode: OpenEpisode) -> None:
    campaign = Campaign(turnstile=Turnstile([(), (), ()]), positions={"before": 0, "own": 1, "later": 2})
    episode = await open_episode(campaign=campaign, position=1)
    for scenario in ("own", "later"):
        with pytest.raises(EngineError, match="does not come before it"):
            await episode.after(scenario)


async def test_an_unknown_name_is_answered_with_the_nearest_names(open_episode: OpenEpisode) -> None:
    episode = await open_episode()
    with pytest.raises(UnknownName, match="did you mean nurse"):
        episode.agent("nruse")
    with pytest.raises(UnknownName, match="'phrases' is not a library"):
        episode.library(Phrase)


async def test_turns_are_limited(open_episode: OpenEpisode) -> None:
    episode = await open_episode(limits=Limits(turns=2))
    episode.take_turn()
    episode.take_turn()
    with pytest.raises(LimitReached) as stop:
        episode.take_turn()
    assert stop.value.scope == "episode"


@pytest.mark.parametrize(("speaker", "text", "to"), [("nurse", 5, ""), (None, "well", ""), ("nurse", "well", 1)])
async def test_only_text_can_be_said(open_episode: OpenEpisode, speaker: Any, text: Any, to: Any) -> None:
    episode = await open_episode()
    with pytest.raises(TypeError, match="must be text"):
        episode.say(speaker, text, to)


class Book(Effect):
    kind = "book"
    slot: int
    who: tuple[str, ...]


def test_an_effect_is_stored_as_its_kind_and_its_fields() -> None:
    effect = Book(slot=3, who=("a", "b"))
    assert effect.stored() == b'{"kind":"book","data":{"slot":3,"who":["a","b"]}}'
    assert StoredEffect.from_json(effect.stored()).as_one_of((Book,)) == effect


class Rounds(Payload):
    rounds: int


class Offered(Note):
    topic = "offer"
    stage: int
    via: tuple[str, ...] = ()


async def test_notes_are_read_back_by_their_type_and_stored_as_plain_data(open_episode: OpenEpisode) -> None:
    episode = await open_episode()
    episode.note(Offered(stage=1, via=("a", "b")))
    episode.note(Offered(stage=2))
    transcript = episode.transcript
    assert transcript.of(Noted)[0].data == {"stage": 1, "via": ["a", "b"]}
    for one in (transcript, Transcript.from_json(transcript.to_json())):
        assert one.notes(Offered) == [Offered(stage=1, via=("a", "b")), Offered(stage=2)]
        assert one.last_note(Offered) == Offered(stage=2)


def test_notes_of_an_older_version_are_read_and_unreadable_ones_are_data_errors() -> None:
    older = Transcript([Noted(topic="offer", data={"stage": 1, "dropped": True}), Noted(topic="other", data={})])
    assert older.notes(Offered) == [Offered(stage=1)]
    with pytest.raises(DataError, match=r"Offered: stage: .*; another version of this clinic wrote it"):
        Transcript([Noted(topic="offer", data={"stage": "first"})]).notes(Offered)


async def test_payloads_are_read_back_by_their_type_and_stored_as_plain_data(open_episode: OpenEpisode) -> None:
    episode = await open_episode()
    episode.say("nurse", "No.", payload=Refused(dose=4, by=("ann",), checked=None))
    episode.say("nurse", "Goodbye.")
    await episode.post("pharmacist", "k", Refused(dose=4, why="too much", checked=True))
    first, last = episode.transcript.said()
    assert first.data == {"dose": 4, "by": ["ann"], "checked": None}, "only what is None by default is left out"
    assert first.get(Refused) == Refused(dose=4, by=("ann",), checked=None)
    assert last.get(Refused) is None
    (posted,) = episode.transcript.of(Posted)
    assert posted.get(Refused) == Refused(dose=4, why="too much", checked=True)


async def test_an_ended_episode_has_all_payloads_of_its_conclusion(open_episode: OpenEpisode) -> None:
    episode = await open_episode()
    episode.conclude(Refused(dose=4, checked=True))
    episode.conclude(Rounds(rounds=3))
    ended = Transcript([Ended(outcome="done", data=episode.closing)])
    assert (ended.ended_with(Refused), ended.ended_with(Rounds)) == (Refused(dose=4, checked=True), Rounds(rounds=3))
    assert Transcript().ended_with(Rounds) is None
    with pytest.raises(DataError, match=r"Rounds: rounds: .*; another version of this clinic wrote it"):
        Transcript([Ended(outcome="done", data={"rounds": "many"})]).ended_with(Rounds)


def test_a_transcript_survives_a_round_trip_through_json() -> None:
    transcript = Transcript([Said(speaker="a", text="b", data={"n": 1})])
    again = Transcript.from_json(transcript.to_json())
    assert again.events == transcript.events
    assert EVENT.validate_json(b'{"kind": "said", "speaker": "a", "text": "b"}') == Said(speaker="a", text="b")


def test_a_boundary_assigns_an_owner_once_and_passes_owned_errors_through() -> None:
    with pytest.raises(ToolError, match="reading: KeyError: 'x'"), boundary("tool", "reading"):
        raise KeyError("x")
    with pytest.raises(ModelError), boundary("engine", "outer"):
        raise ModelError("inner")
    with pytest.raises(UserError), boundary("engine", "outer"):
        raise UserError("typo")
    with pytest.raises(EngineError) as caught, boundary("engine", "outer"):
        raise ValueError("why")
    assert isinstance(caught.value.__cause__, ValueError)
