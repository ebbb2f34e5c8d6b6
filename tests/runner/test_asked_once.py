"""A language model that reads answers each question about a text once in a run, whichever episode asks first."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from polyclinic.core.model import Completion, ModelKind, Request, Settings, Usage
from polyclinic.core.read_text import ReadsText
from polyclinic.core.reading import ReadingKind
from polyclinic.errors import PersonLeft
from polyclinic.models.asked_once import AskedOnce
from polyclinic.models.human import HumanDesk
from polyclinic.runner.api import resume_run, run, start_run
from polyclinic.runner.plan.config import make_config
from polyclinic.store.store import Store, open_store
from polyclinic.testing.fault_server import FaultServer, SentBody
from polyclinic.testing.runs import MEMORY, Interruption, StopAfter, exported

QUESTION = ReadingKind("x-hurt", who=(), question="Does it hurt?").ask()
FORM = '{"q1_words": "", "q1": "no"}'


class Kept(dict[str, Completion]):
    """A response cache in memory."""

    async def get(self, key: str) -> Completion | None:  # type: ignore[override]
        await asyncio.sleep(0)
        return super().get(key)

    async def put(self, key: str, completion: Completion) -> None:
        await asyncio.sleep(0)
        self.setdefault(key, completion)


class Counting:
    """A paid reader that counts its calls, and the seeds it was given."""

    name = "paid"
    kind: ModelKind = "llm"

    def __init__(self, text: str = FORM) -> None:
        self.text, self.seeds = text, list[int]()

    async def answer(self, request: Request) -> Completion:
        self.seeds.append(request.settings.seed)
        await asyncio.sleep(0)
        return Completion(text=self.text, usage=Usage(input_tokens=9, cost_nano_usd=40))


def asked(text: str = "Ouch.", episode: str = "e", seed: int = 0) -> Request:
    prompt = ReadsText(text=text, context="", questions=(QUESTION,))
    return Request("reader", prompt, tuple(prompt.render()), settings=Settings(seed=seed), episode=episode)


async def test_episodes_side_by_side_ask_once_and_only_one_of_them_pays() -> None:
    model, kept = Counting(), Kept()
    reader = AskedOnce(model, kept, "run")
    answers = await asyncio.gather(*(reader.answer(asked(episode=f"e{n}", seed=n)) for n in range(8)))
    assert len(model.seeds) == 1 and {answer.text for answer in answers} == {FORM}
    assert sorted(answer.usage.cost_nano_usd for answer in answers) == [0] * 7 + [40]
    assert {answer.usage.input_tokens for answer in answers} == {9}, "limits on tokens do not depend on the order"
    await reader.answer(replace(asked(), occurrence=1))
    await reader.answer(asked("Never."))
    assert len(model.seeds) == 2


async def test_the_seed_that_is_sent_does_not_depend_on_who_asks_first() -> None:
    one, other = Counting(), Counting()
    await AskedOnce(one, Kept(), "run").answer(asked(episode="a", seed=1))
    await AskedOnce(other, Kept(), "run").answer(asked(episode="b", seed=2))
    assert one.seeds == other.seeds


async def test_another_run_asks_again_and_a_reply_that_cannot_be_read_is_not_kept() -> None:
    model, kept = Counting(), Kept()
    for name in ("one", "other"):
        await AskedOnce(model, kept, name).answer(asked())
    assert len(model.seeds) == 2
    poor = Counting("I would rather not say.")
    reader = AskedOnce(poor, Kept(), "run")
    for _ in range(2):
        await reader.answer(asked())
    assert len(poor.seeds) == 2


async def test_of_two_workers_that_asked_at_once_both_take_the_first_answer() -> None:
    kept = Kept()
    yes, no = Counting('{"q1_words": "Ouch", "q1": "yes"}'), Counting()
    answers = await asyncio.gather(*(AskedOnce(model, kept, "run").answer(asked()) for model in (yes, no)))
    assert len({answer.text for answer in answers}) == 1
    assert [answer.usage.cost_nano_usd for answer in answers] == [40, 40], "both were billed"


class Reads:
    """An endpoint that reads: every answer to a call differs from the one before, as those of a real model may."""

    def __init__(self, changing: bool = False) -> None:
        self.calls: Counter[str] = Counter()
        self._changing = changing

    def __call__(self, body: SentBody) -> str:
        asked = next(str(message["content"]) for message in body["messages"] if message["role"] == "user")
        self.calls[asked] += 1
        numbers = re.findall(r"^(\d+)\. ", asked.rpartition('"\n\n')[2] or asked, re.MULTILINE) or ["1"]
        says = "unclear" if self._changing and sum(self.calls.values()) % 2 else "no"
        return orjson.dumps(
            {f"q{n}{end}": value for n in numbers for end, value in (("_words", ""), ("", says))}
        ).decode()


def config(server: FaultServer, **more: Any) -> Any:
    cast = f"all=understudy,reader={server.url}:any"
    values = {"clinic": "patient", "variants": ["cot"], "scenarios": "3", "trials": 2, "cast": cast, "concurrency": 8}
    return make_config(values | more)


async def readings(store: Store, name: str) -> dict[str, set[str]]:
    """For everything that the reader was asked in a run, its answers."""
    rows = await store.runs.select("SELECT request, completion FROM calls WHERE run = ? AND role = 'reader'", (name,))
    found: dict[str, set[str]] = {}
    for request, completion in rows:
        found.setdefault(orjson.dumps(orjson.loads(request)["messages"]).decode(), set()).add(
            Completion.from_json(completion).text
        )
    return found


async def test_a_run_asks_each_question_once_at_any_concurrency_and_its_bytes_stay_the_same() -> None:
    exports, calls, reads = [], [], Reads()
    async with FaultServer(reply=reads) as server:
        for concurrency in (1, 8):
            async with open_store(MEMORY) as store:
                name = (await run(store, config(server, concurrency=concurrency))).run
                exports.append(await exported(store, name))
                count = "SELECT COUNT(*) FROM calls WHERE run = ? AND role = 'reader'"
                journalled = await store.runs.select(count, (name,))
            assert set(reads.calls.values()) == {1}
            calls.append(len(reads.calls))
            assert journalled[0][0] > calls[-1], "every episode's journal holds its own readings"
            reads.calls.clear()
    assert calls[0] == calls[1]
    assert exports[0] == exports[1]


async def test_a_run_that_was_stopped_does_not_ask_again() -> None:
    reads = Reads(changing=True)
    async with FaultServer(reply=reads) as server, open_store(MEMORY) as store:
        name = await start_run(store, config(server, concurrency=2))
        for stop in (1, 2):
            with pytest.raises(Interruption):
                await resume_run(store, name, progress=StopAfter(stop))
        assert (await resume_run(store, name)).left == 0
        found = await readings(store, name)
    assert found and all(len(answers) == 1 for answers in found.values())


async def test_two_workers_on_one_store_get_the_same_answers(tmp_path: Path) -> None:
    reads = Reads(changing=True)
    path = str(tmp_path / "s.db")
    async with FaultServer(reply=reads, latency_s=0.01) as server, open_store(path) as one, open_store(path) as two:
        name = await start_run(one, config(server))
        outcomes = await asyncio.gather(*(resume_run(store, name) for store in (one, two)))
        assert [outcome.left for outcome in outcomes] == [0, 0]
        found = await readings(one, name)
    assert found and all(len(answers) == 1 for answers in found.values())


async def test_where_a_person_takes_part_nothing_is_shared() -> None:
    """Their words stay in their own episode."""
    desk = HumanDesk()
    async with FaultServer(reply=Reads()) as server, open_store(MEMORY) as store:
        cast = f"doctor=human,reader={server.url}:any"
        name = await start_run(store, config(server, scenarios="1", trials=1, cast=cast))
        playing = asyncio.create_task(resume_run(store, name, desk=desk))
        while not await readings(store, name):
            question = await desk.next()
            assert desk.reply(question.id, "Since when have you had this pain?") == ""
        desk.close()
        with pytest.raises(PersonLeft):
            await playing
        assert (await store.runs.select("SELECT COUNT(*) FROM cache"))[0][0] == 0
        await run(store, config(server, scenarios="1", trials=1))
        assert (await store.runs.select("SELECT COUNT(*) FROM cache"))[0][0] > 0
