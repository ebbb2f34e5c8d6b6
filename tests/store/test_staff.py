"""Accounts and the audit log on both databases."""

from __future__ import annotations

import asyncio

import pytest

from polyclinic.errors import UserError
from polyclinic.store.audit_log import AuditLog
from polyclinic.store.store import Store, open_store


async def test_an_account_can_be_added_then_changed_then_closed_then_added_again(store: Store) -> None:
    await store.staff.add("kim", "watch", "hash")
    with pytest.raises(UserError, match="already"):
        await store.staff.add("kim", "administer", "other")
    token, _ = await store.staff.log_in("kim")
    assert (await store.staff.account_of(token)) is not None
    await store.staff.set_password("kim", "new hash")
    assert await store.staff.account_of(token) is None
    found = await store.staff.find("kim")
    assert found is not None and found[1] == "new hash"
    await store.staff.end("kim")
    assert await store.staff.find("kim") is None
    await store.staff.add("kim", "administer", "hash")
    assert [(account.role, account.active) for account in await store.staff.all()] == [("administer", True)]


async def test_the_last_account_that_may_administer_cannot_be_ended(store: Store) -> None:
    for name, role in (("kim", "administer"), ("lee", "take_over"), ("han", "administrator"), ("noh", "educator")):
        await store.staff.add(name, role, "hash")  # type: ignore[arg-type]
    await store.staff.end("kim")
    token, _ = await store.staff.log_in("han")
    with pytest.raises(UserError, match="han is the last administrator: add another one first"):
        await store.staff.end("han")
    assert await store.staff.account_of(token) is not None
    await store.staff.add("park", "administer", "hash")
    await store.staff.end("lee")
    await store.staff.end("han")


async def changed(store: Store, statement: str) -> None:
    await store.database.write(lambda tx: tx.execute(statement))


async def test_the_audit_log_only_grows_and_any_manipulation_is_noticed(store: Store) -> None:
    log = store.audit_log
    for number in range(4):
        await log.append("kim", "watch", "look", f"/{number}")
    for change in (
        "UPDATE audit_log SET who = 'x'",
        "DELETE FROM audit_log",
        *(["TRUNCATE audit_log"] if store.database.dialect == "postgres" else []),
    ):
        with pytest.raises(Exception, match="only grows"):
            await changed(store, change)
    assert await log.broken_at() == 0
    assert [entry.target async for entry in log.every()] == ["/0", "/1", "/2", "/3"]
    assert await log.targets("look") == {"/0", "/1", "/2", "/3"}
    trigger = "audit_log_update" if store.database.dialect == "sqlite" else "audit_log_grows ON audit_log"
    await changed(store, f"DROP TRIGGER {trigger}")
    await changed(store, "UPDATE audit_log SET who = 'x' WHERE number = 3")
    assert await log.broken_at() == 3


async def test_entries_from_two_processes_make_one_chain(store: Store) -> None:
    async with open_store(store.url) as other:
        logs: list[AuditLog] = [store.audit_log, other.audit_log]
        await asyncio.gather(*(logs[number % 2].append("kim", "watch", "look", f"/{number}") for number in range(30)))
    entries = await store.audit_log.entries()
    assert [entry.number for entry in entries] == list(range(1, 31))
    assert await store.audit_log.broken_at() == 0
