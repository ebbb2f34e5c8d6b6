"""The accounts of staff and the audit log on the command line, and what `serve` says when it cannot start."""

from __future__ import annotations

import builtins
import sys
from pathlib import Path
from typing import Any

import pytest
from fhir.resources.bundle import Bundle

from polyclinic.errors import StoreError
from polyclinic.store.runs import Runs
from tests.cli.conftest import Run, as_json

GOOD = "correct horse battery\n"


def test_accounts_can_be_added_listed_and_closed_and_every_step_is_logged(polyclinic: Run) -> None:
    added = polyclinic("staff", "add", "kim", "--role", "take_over", stdin=GOOD)
    assert (added.returncode, added.stdout) == (0, "kim may take over\n")
    assert polyclinic("staff", "password", "kim", stdin="another long one\n").returncode == 0
    assert as_json(polyclinic("staff", "list", "--json")) == [{"name": "kim", "role": "take_over", "active": True}]
    assert as_json(polyclinic("staff", "end", "kim", "--json")) == {"name": "kim", "done": "end account"}
    assert "kim  take_over  (ended)" in polyclinic("staff", "list").stdout
    log = as_json(polyclinic("staff", "log", "--json"))
    assert [entry["action"] for entry in log["entries"]] == ["add account", "change password", "end account"]
    assert log["broken_at"] == 0
    assert "3 entries; the last one's digest is " in polyclinic("staff", "log").stdout
    bundle = Bundle.model_validate(as_json(polyclinic("staff", "log", "--fhir")))
    assert len(bundle.entry or ()) == 3


@pytest.mark.parametrize(
    ("words", "stdin", "why"),
    [
        (("add", "kim"), "short\n", "12 to 256 characters"),
        (("add", "a\nb"), GOOD, "cannot be an account's name"),
        (("end", "nobody"), "", "no active account"),
        (("password", "nobody"), GOOD, "no active account"),
    ],
)
def test_account_errors_are_reported_in_one_line(polyclinic: Run, words: tuple[str, ...], stdin: str, why: str) -> None:
    done = polyclinic("staff", *words, stdin=stdin)
    assert done.returncode == 2 and why in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize("words", [("serve", "counsel"), ("staff", "add", "kim")])
def test_a_missing_extra_is_reported_with_the_command_that_installs_it(
    polyclinic: Run, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = builtins.__import__

    def missing(name: str, *given: Any, **named: Any) -> Any:
        if name.startswith("polyclinic.web.sessions"):
            raise ModuleNotFoundError("No module named 'argon2'", name="argon2")
        return whole(name, *given, **named)

    monkeypatch.setattr(builtins, "__import__", missing)
    done = polyclinic(*words, stdin=GOOD)
    assert done.returncode == 2
    assert f"{sys.executable} -m pip install " in done.stderr and "[web]'" in done.stderr


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--documents", "none.jsonl"), "none.jsonl: there is no such file of documents"),
        (("--set", "nosuch=1"), "'nosuch' is not a setting of counsel"),
        (("--cast", "counsellor=openai:gpt-5"), "needs a key"),
    ],
)
def test_a_service_that_cannot_work_is_refused_before_anything_is_announced(
    polyclinic: Run, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], why: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = polyclinic("serve", "counsel", *words, "--port", "0")
    assert done.returncode == 2 and why in done.stderr, done.stderr
    assert "Traceback" not in done.stderr and "password" not in done.stderr and not Path(".polyclinic").exists()


def test_a_store_that_cannot_be_written_is_refused_in_one_line_before_a_server_starts(
    polyclinic: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert polyclinic("staff", "add", "kim", "--role", "administer", stdin=GOOD).returncode == 0

    async def read_only(*_: object) -> str:
        raise StoreError("the store cannot be used: its file or folder is read-only for you")

    monkeypatch.setattr(Runs, "create", read_only)
    done = polyclinic("serve", "counsel", "--port", "0", "--token", "a-token-of-a-test")
    assert (done.returncode, done.stdout) == (2, "")
    assert "read-only for you" in done.stderr and done.stderr.count("\n") == 1
