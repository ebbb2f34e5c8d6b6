"""When answers are stored: paid ones before they are used, repeatable ones before the episode ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from polyclinic.clinics.demo import clinic as demo
from polyclinic.clinics.demo.prompts.caller import CallerAsks
from polyclinic.core.episode import EpisodeSpec
from polyclinic.core.execute import RunContext, run_episode
from polyclinic.core.journal import CallRecord, MemoryJournal
from polyclinic.core.model import ModelKind, answers_again
from polyclinic.core.note import Payload
from polyclinic.errors import EngineError, StoreError
from polyclinic.reading.reader import BuiltInReader
from tests.core.conftest import OpenEpisode, Scripted, Table

ASKS = CallerAsks(caller="Ada", medicine="Amberol", believes="much")


class Handed(Payload):
    """A payload for people."""

    what: str


class Thinks(Scripted):
    """A model that answers from the request alone, as understudies do."""

    kind: ModelKind = "understudy"


class Reads(Scripted):
    """A model that answers as the packaged reader does."""

    kind: ModelKind = "reader"
    answers_again = True


class Watched(MemoryJournal):
    """A journal that records the order of its entries, and may refuse them."""

    def __init__(self, refuses: Exception | None = None) -> None:
        super().__init__()
        self.order, self.refuses = list[str](), refuses

    async def record(self, call: CallRecord) -> None:
        if self.refuses is not None:
            raise self.refuses
        self.order.append(call.completion.text)
        await super().record(call)

    async def post(self, episode: str, queue: str, key: str, body: Mapping[str, Any]) -> None:
        self.order.append(f"post {key}")
        await super().post(episode, queue, key, body)


async def test_all_earlier_answers_and_a_paid_answer_are_stored_before_it_is_used(
    open_episode: OpenEpisode,
) -> None:
    journal = Watched()
    episode = await open_episode(journal=journal, caller=Thinks("one", "two"), nurse=Scripted("paid"))
    assert await episode.agent("caller").ask(ASKS) == "one"
    assert await episode.agent("caller").ask(ASKS) == "two"
    assert journal.order == []
    assert await episode.agent("nurse").ask(ASKS) == "paid"
    assert journal.order == ["one", "two", "paid"]


async def test_the_packaged_readers_answers_are_committed_with_the_next_paid_answer(open_episode: OpenEpisode) -> None:
    journal = Watched()
    episode = await open_episode(journal=journal, caller=Reads("one"), nurse=Scripted("paid"))
    assert await episode.agent("caller").ask(ASKS) == "one"
    assert journal.order == []
    assert await episode.agent("nurse").ask(ASKS) == "paid"
    assert journal.order == ["one", "paid"]
    assert answers_again(BuiltInReader({}))
    assert not answers_again(BuiltInReader({}, "weights.npz")), "a user's file may change before the run is resumed"


async def test_nothing_is_shown_to_people_before_the_answers_behind_it_are_stored(
    open_episode: OpenEpisode,
) -> None:
    journal = Watched()
    episode = await open_episode(journal=journal, caller=Thinks("one"))
    await episode.agent("caller").ask(ASKS)
    await episode.post("queue", "k", Handed(what="a note"))
    assert journal.order == ["one", "post k"]


async def _run(journal: MemoryJournal, **models: Scripted) -> tuple[str, str]:
    async def flow(episode: Any) -> str:
        await episode.agent("caller").ask(ASKS)
        return "over"

    clinic = replace(demo, flow=flow)
    scenario = clinic.scenarios("1", 0)[0]
    context = RunContext(clinic=clinic, players=Table(**models), journal=journal)
    result = await run_episode(context, EpisodeSpec("e", clinic.name, scenario.id, "plain", 0, 0), scenario)
    return result.status, result.outcome


@pytest.mark.parametrize("player", [Thinks, Scripted])
async def test_no_episode_ends_before_its_answers_are_stored(player: type[Scripted]) -> None:
    journal = Watched()
    assert await _run(journal, caller=player("one")) == ("done", "over")
    assert journal.order == ["one"]


@pytest.mark.parametrize("refuses", [StoreError("full"), EngineError("closed")])
async def test_an_episode_is_not_done_if_an_understudys_answer_cannot_be_stored(refuses: Exception) -> None:
    journal = Watched(refuses)
    if isinstance(refuses, StoreError):
        with pytest.raises(StoreError):
            await _run(journal, caller=Thinks("one"))
    else:
        assert await _run(journal, caller=Thinks("one")) == ("failed", "failed:engine")
