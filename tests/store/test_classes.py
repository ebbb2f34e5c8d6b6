"""Classes in the store, on both databases."""

from __future__ import annotations

import asyncio

import pytest

from polyclinic.errors import UnknownName, UserError
from polyclinic.store.class_rows import ClassSession
from polyclinic.store.store import Store


async def test_a_place_in_a_class_belongs_to_one_browser_until_the_educator_releases_it(store: Store) -> None:
    made = await store.classes.open("{}")
    assert (await store.classes.by_code(f" {made.code.lower()} ")).id == made.id
    ada = await store.classes.join(made.id, "Ada", "browser-1")
    assert await store.classes.join(made.id, "Ada", "browser-1") == ada, "the same browser gets the same place"
    with pytest.raises(UserError, match="already"):
        await store.classes.join(made.id, "ada", "browser-2")
    await store.classes.readmit(made.id, ada.number)
    assert (await store.classes.join(made.id, "ADA", "browser-2")).number == ada.number
    assert [(one.number, one.name, one.digest) for one in await store.classes.members(made.id)] == [
        (1, "Ada", "browser-2")
    ]
    with pytest.raises(UnknownName):
        await store.classes.by_code("NOTONE")


async def test_two_sessions_started_at_once_become_one_and_belong_to_the_trainee_alone(store: Store) -> None:
    made = await store.classes.open("{}")
    member = await store.classes.join(made.id, "Ada", "browser-1")
    tries = [ClassSession(run=f"r{n}", class_id=made.id, member=member.number, place=0, begun_ms=n) for n in range(5)]
    kept = set(await asyncio.gather(*map(store.classes.keep_session, tries)))
    assert len(kept) == 1 and [one.run for one in await store.classes.sessions(made.id)] == list(kept)
    run = kept.pop()
    assert await store.classes.plays(run, "browser-1")
    assert not await store.classes.plays(run, "browser-2") and not await store.classes.plays("other", "browser-1")
    await store.classes.readmit(made.id, member.number)
    assert not await store.classes.plays(run, ""), "a released place opens nothing without its token"
    found = await store.classes.session(run)
    assert found is not None and found.member == member.number and await store.classes.session("other") is None


async def test_hints_are_numbered_by_session_and_a_class_ends_once(store: Store) -> None:
    made = await store.classes.open("{}")
    for run, text in (("a", "one"), ("a", "two"), ("b", "three")):
        await store.classes.hint(run, 3, text, "Dr Kim")
    assert [(one.run, one.number, one.text) for one in await store.classes.hints(["a", "b"])] == [
        ("a", 1, "one"),
        ("a", 2, "two"),
        ("b", 1, "three"),
    ]
    await store.classes.end(made.id)
    ended = (await store.classes.get(made.id)).ended_ms
    await store.classes.end(made.id)
    assert ended > 0 and (await store.classes.get(made.id)).ended_ms == ended
    assert [one.id for one in await store.classes.all()] == [made.id]
