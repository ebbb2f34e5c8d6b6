"""When answers are kept: those that cost something before they are used, those that can be given again before the
episode ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from polyclinic.clinics.demo import clinic as demo
from polyclinic.clinics.demo.prompts import CallerAsks
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
    """What people get."""

    what: str


class Thinks(Scripted):
    """Answers from the request alone, as understudies do."""

    kind: ModelKind = "understudy"


class Reads(Scripted):
    """Answers as the packaged reader does."""

    kind: ModelKind = "reader"
    answers_again = True


class Watched(MemoryJournal):
    """A journal that knows the order of what it was given, and may refuse it."""

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


async def test_an_answer_that_was_paid_is_kept_before_it_is_used_and_all_before_it_first(
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


async def test_nothing_is_handed_to_people_before_the_answers_that_led_to_it_are_kept(
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
async def test_no_episode_ends_before_its_answers_are_kept(player: type[Scripted]) -> None:
    journal = Watched()
    assert await _run(journal, caller=player("one")) == ("done", "over")
    assert journal.order == ["one"]


@pytest.mark.parametrize("refuses", [StoreError("full"), EngineError("closed")])
async def test_an_understudys_answer_that_cannot_be_kept_never_ends_as_done(refuses: Exception) -> None:
    journal = Watched(refuses)
    if isinstance(refuses, StoreError):
        with pytest.raises(StoreError):
            await _run(journal, caller=Thinks("one"))
    else:
        assert await _run(journal, caller=Thinks("one")) == ("failed", "failed:engine")
