"""The fault server itself: the same request gets the same fault in any order, and schemas are answered correctly."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any, Literal

import aiohttp
import pytest
from pydantic import Field

from polyclinic.core.reply import ReplyModel, Unreadable, read_reply
from polyclinic.core.seed import stream
from polyclinic.models.schema import reply_schema
from polyclinic.testing.fault_server import FAULTS, MOODS, FaultServer
from polyclinic.testing.plausible import reply_text


class Leaf(ReplyModel):
    code: Annotated[str, Field(pattern=r"^[A-Z]{2}-\d{3,5}$")]
    day: date
    children: tuple[Leaf, ...] = ()


class Tree(ReplyModel):
    kind: Literal["a", "b"]
    share: Annotated[float, Field(ge=0, le=1)]
    count: Annotated[int, Field(gt=2, lt=9)]
    leaves: Annotated[list[Leaf], Field(min_length=1, max_length=4)]
    other: Leaf | str | None
    fixed: tuple[int, str] = (1, "x")
    free: dict[str, int] = Field(default_factory=dict)


@pytest.mark.parametrize("reply_type", [Leaf, Tree])
def test_a_plausible_reply_fits_its_schema_and_wrong_or_nonsense_replies_do_not(reply_type: type[ReplyModel]) -> None:
    _, schema, _ = reply_schema(reply_type)
    for number in range(100):
        assert read_reply(reply_text(schema, "plausible", stream("plausible", number)), reply_type)
        for mood in ("wrong", "nonsense"):
            with pytest.raises(Unreadable):
                read_reply(reply_text(schema, mood, stream(mood, number)), reply_type)


async def fates(server: FaultServer, numbers: Sequence[int]) -> dict[int, Any]:
    async with aiohttp.ClientSession() as session:
        found: dict[int, Any] = {}
        for number in numbers:
            body = {"model": "any", "messages": [{"role": "user", "content": f"question {number}"}]}
            async with session.post(f"{server.url}/chat/completions", json=body) as response:
                found[number] = (response.status, await response.text())
        return found


async def test_a_request_gets_the_same_fault_in_any_order() -> None:
    quick = [fault for fault in FAULTS if fault not in ("stall", "drip", "reset", "truncated")]
    async with FaultServer(faults=0.5, kinds=quick, seed=4) as one, FaultServer(faults=0.5, kinds=quick, seed=4) as two:
        first = await fates(one, range(40))
        second = await fates(two, range(39, -1, -1))
        assert first == second
        assert one.counts == two.counts
        assert 10 <= 40 - one.counts["answered"] <= 30
        again = await fates(one, range(40))
        assert again != first


async def test_the_scripted_faults_come_first_and_then_the_random_ones() -> None:
    async with FaultServer(script=["server_error", None, "rate_limit"], retry_after_s=1.5) as server:
        found = await fates(server, range(4))
    assert [status for status, _ in found.values()] == [500, 200, 429, 200]


async def test_latency_is_kept_and_requests_overlap() -> None:
    async with FaultServer(latency_s=0.1) as server:
        started = asyncio.get_running_loop().time()
        await asyncio.gather(*(fates(server, [number]) for number in range(20)))
        passed = asyncio.get_running_loop().time() - started
    assert 0.1 <= passed < 2.0
    assert server.most_busy > 5


async def test_the_list_of_models_can_be_requested() -> None:
    async with (
        FaultServer() as server,
        aiohttp.ClientSession() as session,
        session.get(f"{server.url}/models") as found,
    ):
        assert (await found.json())["data"][0]["id"] == "any"


def test_the_fault_server_runs_as_a_process_and_prints_its_address() -> None:
    command = [sys.executable, "-m", "polyclinic.testing.fault_server", "--moods", *MOODS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        process.terminate()
    assert address.startswith("http://127.0.0.1:")
    assert address.endswith("/v1")
