"""Whole episodes of every clinic on a server that enforces no schema, with a model that answers forms loosely."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from polyclinic.core.seed import stream
from polyclinic.core.transcript import Called
from polyclinic.runner.api import run
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.registry import clinic_modules, load_clinic
from polyclinic.store.store import open_store
from polyclinic.testing.fault_server import FaultServer

FIELD = re.compile(r'"(\w[\w \-/]*)": (\[?)("?)<([^<>]+)>')
SKELETON = "Put your values in place of <…>; a text may be empty:"
CHOICES = "Write one of these and nothing else: "
WORDS = ("It began on Monday, I think.", "I feel weak and I could not sleep.", "My back hurts when I stand up.")


def asked(body: dict[str, Any]) -> str:
    return str([message["content"] for message in body["messages"] if message["role"] == "user"][-1])


def value(blank: str, chance: random.Random) -> str:
    if blank.startswith("one of: "):
        named = blank.removeprefix("one of: ").split(", ")
        return chance.choice(named).replace("or empty", '""')
    return {"whole number": "2", "number": "2", "true or false": chance.choice(("yes", "no"))}.get(
        blank, chance.choice(WORDS)
    )


def loose(body: dict[str, Any]) -> str:
    """Speech in words; a form as lines, bullets or an object with words around it, and sometimes no form at all."""
    words, chance = asked(body), stream("loose", repr(body["messages"]), body.get("seed", 0))
    if CHOICES in words:
        return f"I would say {chance.choice(words.split(CHOICES)[-1].splitlines()[0].split(', '))}."
    if "Write one number." in words:
        return "That would be 2."
    if "Write yes or no." in words:
        return "Yes, I think so."
    if SKELETON not in words:
        return chance.choice(WORDS)
    blanks = [(name, value(blank, chance)) for name, _, _, blank in FIELD.findall(words.split(SKELETON)[-1])]
    way = chance.random()
    if way < 0.3:
        return "Well, that is hard to say."
    if way < 0.6:
        return "Here you are:\n" + "\n".join(f"- **{name}**: {said}" for name, said in blanks)
    return "\n".join(f"{name}: {said}" for name, said in blanks)


@pytest.mark.parametrize("mode", ["ignore", "refuse"])
@pytest.mark.parametrize("name", sorted(clinic_modules()))
async def test_episodes_end_where_no_schema_is_enforced(name: str, mode: str) -> None:
    clinic = load_clinic(name)
    judges = [role.name for role in clinic.roles if role.side == "judge"]
    async with FaultServer(reply=loose) as server, open_store("sqlite://:memory:") as store:
        if mode == "refuse":
            server.refuse = lambda body: "response_format is not supported" if "response_format" in body else None
        cast = ",".join([f"all={server.url}:any", "reader=builtin", *(f"{role}=understudy" for role in judges)])
        outcome = await run(store, make_config({"clinic": name, "scenarios": "2", "cast": cast}))
        failures = [
            (row.spec.id, row.outcome) for row in await store.runs.episodes(outcome.run) if row.status == "failed"
        ]
        assert failures == []
        calls: list[Called] = []
        for row in await store.runs.episodes(outcome.run):
            calls += (await store.runs.transcript(outcome.run, row.spec.id)).of(Called)
    assert outcome.done > 0
    assert any("form told in words" in call.adapted for call in calls)
