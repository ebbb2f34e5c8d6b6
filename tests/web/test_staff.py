"""Staff are persons: they log in by name, their role decides, and every view and action is logged."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from argon2 import PasswordHasher
from fastapi import HTTPException
from fhir.resources.auditevent import AuditEvent
from fhir.resources.bundle import Bundle

from polyclinic.clinics.counsel.rules.guard import FLAG_QUEUE
from polyclinic.errors import UserError
from polyclinic.fhir.schema import create_tables
from polyclinic.store import journal
from polyclinic.store import staff as accounts
from polyclinic.store.schema import MIGRATIONS
from polyclinic.store.store import open_store
from polyclinic.store.transfer import back_up
from polyclinic.web.sessions import logins
from polyclinic.web.sessions.access import AccessControl
from polyclinic.web.sessions.limits import ServiceLimits
from polyclinic.web.sessions.logins import Passwords, hash_password
from tests.web.conftest import DANGER, SERVICE, WIDE, Serve, staff_login, started


async def test_passwords_are_stored_as_argon2_and_only_the_right_one_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logins, "_hasher", PasswordHasher)  # with its usual work
    hashed = await hash_password("correct horse battery")
    assert hashed.startswith("$argon2id$")
    passwords = Passwords()
    assert await passwords.fit("correct horse battery", hashed)
    assert not await passwords.fit("correct horse batterx", hashed)
    assert not await passwords.fit("correct horse battery", None)
    assert not await passwords.fit("correct horse battery", "not a hash")


async def test_a_wrong_name_and_a_wrong_password_are_refused_in_the_same_way(serve: Serve) -> None:
    async with serve(ServiceLimits(logins_per_minute=30)) as (app, client, _):
        await app.state.service.staff.add("kim", "watch", await hash_password("correct horse battery"))
        wrong = [
            await client.post("/v1/staff/login", json={"name": name, "password": "correct horse batterx"})
            for name in ("kim", "lee")
        ]
        assert [answer.status_code for answer in wrong] == [401, 401]
        assert wrong[0].json() == wrong[1].json()
        right = await client.post("/v1/staff/login", json={"name": "kim", "password": "correct horse battery"})
        head = {"Authorization": f"Bearer {right.json()['token']}"}
        assert (await client.get("/v1/staff/me", headers=head)).json() == {
            "name": "kim",
            "role": "watch",
            "active": True,
        }
        log = [(entry.who, entry.action, entry.outcome) for entry in await app.state.service.trail.log.entries()]
        assert ("kim", "log in", "refused") in log and ("kim", "log in", "done") in log
        assert ("unknown", "log in", "refused") in log and "lee" not in str(log), "a name may be a mistyped password"


@pytest.mark.usefixtures("stopped_clock")
def test_attempts_to_log_in_are_limited_by_name_by_address_and_in_total() -> None:
    access = AccessControl("token", ServiceLimits(logins_per_minute=12))
    for _ in range(2):
        access.login("kim", "here")
    with pytest.raises(HTTPException, match="429"):
        access.login("kim", "here")
    access.login("kim", "elsewhere")
    for number in range(17):
        access.login(f"name {number}", "here")
    with pytest.raises(HTTPException, match="429"):
        access.login("name 18", "here")


async def test_a_login_ends_by_logging_out_by_idleness_by_age_and_with_its_account(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serve() as (app, client, _):
        for name, ending in (("a", "logout"), ("b", "idle"), ("c", "age"), ("d", "account")):
            head = await staff_login(app, name, "watch")
            assert (await client.get("/v1/queue", headers=head)).status_code == 200
            if ending == "logout":
                assert (await client.post("/v1/staff/logout", headers=head)).status_code == 204
            elif ending == "account":
                boss = await staff_login(app, "boss")
                assert (await client.post(f"/v1/staff/{name}/end", headers=boss)).status_code == 204
            else:
                later = journal.now_ms() + (accounts.IDLE_MS if ending == "idle" else accounts.LOGIN_MS) + 1
                monkeypatch.setattr(accounts, "now_ms", lambda later=later: later)
            assert (await client.get("/v1/queue", headers=head)).status_code == 401, ending
            monkeypatch.undo()


ALLOWED: dict[tuple[str, str], tuple[str, ...]] = {
    ("GET", "/v1/queue"): ("watch", "take_over", "administer"),
    ("GET", "/v1/sessions"): ("watch", "take_over", "administer"),
    ("POST", "{url}/take-over"): ("take_over", "administer"),
    ("GET", "/v1/staff"): ("administer",),
    ("GET", "/v1/audit"): ("administer",),
    ("GET", "/v1/audit/fhir"): ("administer",),
}


@pytest.mark.parametrize(("method", "path"), ALLOWED)
async def test_the_role_decides_and_service_and_session_tokens_do_not_count_as_persons(
    method: str, path: str, serve: Serve
) -> None:
    async with serve() as (app, client, _):
        for role in accounts.STAFF_ROLES:
            url, mine = await started(client)
            head = await staff_login(app, role, role)
            body: dict[str, Any] = {"json": {}} if method == "POST" else {}
            for token in (SERVICE, mine, {"Authorization": "Bearer nonsense"}):
                answer = await client.request(method, path.format(url=url), headers=token, **body)
                assert answer.status_code == 401
            answer = await client.request(method, path.format(url=url), headers=head, **body)
            assert answer.status_code == (200 if role in ALLOWED[method, path] else 403)


async def test_only_the_holder_of_a_conversation_acts_passes_it_on_and_hands_it_back(serve: Serve) -> None:
    async with serve() as (app, client, _):
        url, mine = await started(client)
        kim, lee = await staff_login(app, "Kim", "take_over"), await staff_login(app, "Lee", "take_over")
        await staff_login(app, "Watcher", "watch")
        await client.post(f"{url}/say", json={"text": DANGER}, headers=mine)
        assert (await client.post(f"{url}/hand-back", json={}, headers=kim)).status_code == 409
        taken = await client.post(f"{url}/take-over", json={"by": "somebody else"}, headers=kim)
        assert taken.json()["state"]["holder"] == "Kim"
        assert (await client.post(f"{url}/hand-back", json={}, headers=lee)).status_code == 409
        assert (await client.post(f"{url}/speak", json={"text": "hi"}, headers=lee)).status_code == 409
        spoken = (await client.post(f"{url}/speak", json={"text": "I am here.", "by": "Lee"}, headers=kim)).json()
        assert spoken["said"][-1] == {**spoken["said"][-1], "by": "Kim", "text": "I am here."}
        for nobody in ("Watcher", "Nobody"):
            assert (await client.post(f"{url}/pass-on", json={"to": nobody}, headers=kim)).status_code == 409
        passed = await client.post(f"{url}/pass-on", json={"to": "Lee"}, headers=kim)
        assert passed.json()["state"] == {**passed.json()["state"], "holder": "Lee", "control": "person"}
        cases = (await client.get("/v1/queue", headers=lee)).json()
        assert {case["taken_by"] for case in cases} == {"Lee"}
        assert (await client.post(f"{url}/say", json={"text": "Hello?"}, headers=mine)).json()["said"][-1][
            "speaker"
        ] == "patient"
        assert (await client.post(f"{url}/hand-back", json={}, headers=lee)).status_code == 200
        log = [(entry.who, entry.action, entry.outcome[:7]) for entry in await app.state.service.trail.log.entries()]
        assert ("Lee", "hand-back", "refused") in log and ("Lee", "hand-back", "done") in log
        assert ("Kim", "pass-on", "done") in log and ("Kim", "take-over", "done") in log


async def test_staff_with_the_right_can_take_over_after_the_patient_asked_for_a_person(serve: Serve) -> None:
    async with serve() as (app, client, _):
        url, mine = await started(client)
        kim = await staff_login(app, "Kim", "take_over")
        await client.post(f"{url}/hand-over", json={"reason": "please"}, headers=mine)
        assert (await client.post(f"{url}/take-over", json={}, headers=kim)).status_code == 200


async def test_only_a_person_hands_a_conversation_back_to_the_machine(serve: Serve) -> None:
    """The visitor, the application, a timeout or a restart cannot do this."""
    async with serve() as (app, client, _):
        url, mine = await started(client)
        kim = await staff_login(app, "Kim", "take_over")
        await client.post(f"{url}/say", json={"text": DANGER}, headers=mine)
        await client.post(f"{url}/take-over", json={}, headers=kim)
        for head in (mine, SERVICE, await staff_login(app, "W", "watch")):
            assert (await client.post(f"{url}/hand-back", json={}, headers=head)).status_code in (401, 403)
    async with serve() as (_, client, _):
        assert (await client.get(url, headers=mine)).json()["control"] == "person"
        silent = (await client.post(f"{url}/say", json={"text": "Hello?"}, headers=mine)).json()["said"]
        assert [said["speaker"] for said in silent] == ["patient"]


async def test_a_case_is_closed_by_the_person_who_took_it_or_an_administrator(serve: Serve) -> None:
    async with serve() as (app, client, _):
        url, mine = await started(client)
        kim, lee = await staff_login(app, "Kim", "take_over"), await staff_login(app, "Lee", "take_over")
        await client.post(f"{url}/say", json={"text": DANGER}, headers=mine)
        (case,) = (await client.get("/v1/queue", headers=kim)).json()
        at = f"/v1/queue/{case['id']}"
        assert (await client.post(f"{at}/take", headers=kim)).status_code == 200
        assert (await client.post(f"{at}/close", json={"remark": "x"}, headers=lee)).status_code == 409
        for empty in ({}, {"remark": " "}):
            assert (await client.post(f"{at}/close", json=empty, headers=kim)).status_code == 422
        assert (await client.post(f"{at}/close", json={"remark": "x"}, headers=kim)).json()["status"] == "closed"
        log = [(entry.who, entry.action, entry.outcome[:7]) for entry in await app.state.service.trail.log.entries()]
        assert ("Lee", "close case", "refused") in log and ("Kim", "close case", "done") in log


async def test_after_a_person_changes_their_password_all_their_logins_end(serve: Serve) -> None:
    async with serve(replace(WIDE, logins_per_minute=1e6)) as (app, client, _):
        old, new = "correct horse battery", "another long password"
        await app.state.service.staff.add("kim", "watch", await hash_password(old))

        async def login(password: str) -> httpx.Response:
            return await client.post("/v1/staff/login", json={"name": "kim", "password": password})

        head = {"Authorization": f"Bearer {(await login(old)).json()['token']}"}
        for body, status in (({"old": new, "new": new}, 403), ({"old": old, "new": "short"}, 422)):
            assert (await client.post("/v1/staff/password", json=body, headers=head)).status_code == status
        changed = await client.post("/v1/staff/password", json={"old": old, "new": new}, headers=head)
        assert changed.status_code == 204
        assert (await client.get("/v1/staff/me", headers=head)).status_code == 401
        assert (await login(old)).status_code == 401 and (await login(new)).status_code == 200


async def test_names_that_look_the_same_in_a_log_are_refused(serve: Serve) -> None:
    async with serve() as (app, *_):
        for name in ("", " kim", "kim ", "Nurse  Kim", "kim\n", "a" * 65, "a " * 40 + "a", "<b>"):
            with pytest.raises(UserError, match="cannot be an account's name"):
                await app.state.service.staff.add(name, "watch", "x")


@pytest.mark.parametrize("name", ["kim ", "Nurse  Kim", "박  간호사", "a " * 40 + "a"])
async def test_such_names_are_refused_over_http_too(serve: Serve, name: str) -> None:
    async with serve() as (app, client, _):
        head = await staff_login(app, "박 간호사")
        body = {"name": name, "role": "watch", "password": "correct horse battery"}
        assert (await client.post("/v1/staff", json=body, headers=head)).status_code == 422


async def test_every_view_is_logged_and_the_log_only_grows_and_reveals_manipulation(serve: Serve) -> None:
    async with serve() as (app, client, _):
        url, _ = await started(client)
        head = await staff_login(app)
        for path in ("/v1/queue", "/v1/sessions", url, f"{url}/heard", "/v1/audit"):
            assert (await client.get(path, headers=head)).status_code == 200
        log = app.state.service.trail.log
        assert [entry.target for entry in await log.entries()] == [
            "/v1/queue",
            "/v1/sessions",
            url,
            f"{url}/heard",
            "/v1/audit",
        ]
        database = app.state.service._store.database
        row = "VALUES (1, 1, 'x', 'x', 'x', 'x', 'x', 'x')"
        for change in (
            "UPDATE audit_log SET who = 'x'",
            "DELETE FROM audit_log",
            f"INSERT OR REPLACE INTO audit_log {row}",
        ):
            with pytest.raises(Exception, match="only grows"):
                await database.write(lambda tx, change=change: tx.execute(change))
        assert await log.broken_at() == 0
        await database.write(lambda tx: tx.execute("DROP TRIGGER audit_log_update"))
        await database.write(lambda tx: tx.execute("UPDATE audit_log SET who = 'x' WHERE number = 3"))
        assert await log.broken_at() == 3


async def test_an_attempt_at_a_session_or_case_that_does_not_exist_is_logged_too(serve: Serve) -> None:
    async with serve() as (app, client, _):
        kim = await staff_login(app, "Kim", "take_over")
        for answer in (
            await client.get("/v1/sessions/none", headers=kim),
            await client.post("/v1/sessions/none/take-over", json={}, headers=kim),
            await client.post("/v1/queue/none/take", headers=kim),
        ):
            assert answer.status_code == 404
        log = [(entry.who, entry.action, entry.target) for entry in await app.state.service.trail.log.entries()]
        assert log == [
            ("Kim", "look", "/v1/sessions/none"),
            ("Kim", "act", "/v1/sessions/none/take-over"),
            ("Kim", "take case", "case/none"),
        ]


async def test_the_log_is_valid_fhir(serve: Serve) -> None:
    async with serve() as (app, client, _):
        url, _ = await started(client)
        head = await staff_login(app)
        await client.get(url, headers=head)
        await client.post("/v1/staff/login", json={"name": "x", "password": "y"})
        await client.post(f"{url}/take-over", json={}, headers=head)
        answer = await client.get("/v1/audit/fhir", headers=head)
        assert answer.headers["content-type"] == "application/fhir+json"
        bundle = Bundle.model_validate(answer.json())
        events = [AuditEvent.model_validate(entry["resource"]) for entry in answer.json()["entry"]]
        assert len(bundle.entry or ()) == len(events) == 4
        assert [event.action for event in events] == ["R", "E", "U", "R"]
        assert answer.json()["entry"][1]["resource"]["outcome"]["code"]["code"] == "error"
        assert events[2].agent[0].who.display == "Nurse Kim"


async def test_a_passive_wish_is_flagged_for_staff_with_words_and_time_and_does_not_ring(serve: Serve) -> None:
    async with serve() as (app, client, _):
        url, mine = await started(client)
        wish = "I wish I could go to sleep and not wake up."
        said = (await client.post(f"{url}/say", json={"text": wish}, headers=mine)).json()
        assert said["said"][-1]["speaker"] == "counsellor"
        head = await staff_login(app, "w", "watch")
        (flag,) = (await client.get("/v1/queue", params={"queue": FLAG_QUEUE}, headers=head)).json()
        assert flag["utterance"] == wish and flag["words"] and flag["created_ms"] > 0 and flag["status"] == "open"
        assert await app.state.service.cases.ringing() == []


async def test_an_older_store_gets_the_tables_for_staff(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "s.db") as older:
        for statement in MIGRATIONS[0][2]:
            older.execute(statement)
        older.execute("CREATE TABLE polyclinic (version BIGINT NOT NULL)")
        older.execute("INSERT INTO polyclinic (version) VALUES (1)")
    async with open_store(str(tmp_path / "s.db")) as store:
        await store.staff.add("kim", "watch", "x")
        assert [account.name for account in await store.staff.all()] == ["kim"]


async def test_an_account_of_an_older_store_keeps_its_rights_at_the_desk(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "s.db") as older:
        for statement in (line for _, _, lines in MIGRATIONS[:7] for line in lines):
            older.execute(statement)
        older.execute("CREATE TABLE polyclinic (version BIGINT NOT NULL)")
        older.execute("INSERT INTO polyclinic (version) VALUES (7)")
        older.execute("INSERT INTO staff VALUES ('kim', 'counsellor', 'x', 1, 0)")
    async with open_store(str(tmp_path / "s.db")) as store:
        (kim,) = await store.staff.all()
        assert (kim.role, kim.may("take_over"), kim.may("administer")) == ("supervisor", True, False)


async def test_a_backup_holds_the_accounts_and_the_log_with_its_chain(tmp_path: Path) -> None:
    async with open_store(str(tmp_path / "s.db")) as store:
        await store.staff.add("kim", "watch", "x")
        for number in range(3):
            await store.audit_log.append("kim", "watch", "look", f"/{number}")
    back_up(str(tmp_path / "s.db"), tmp_path / "copy.db", create_tables)
    async with open_store(str(tmp_path / "copy.db")) as store:
        assert [account.name for account in await store.staff.all()] == ["kim"]
        assert await store.audit_log.broken_at() == 0 and len(await store.audit_log.entries()) == 3
