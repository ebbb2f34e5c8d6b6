"""`polyclinic fhir`: loading files and probing servers from the command line."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from polyclinic.cli.fhir import command
from polyclinic.errors import ConfigError, DataError
from polyclinic.store.store import open_store


def run(*arguments: str) -> Any:
    return CliRunner().invoke(command, list(arguments), standalone_mode=False)


def test_files_are_validated_and_loaded_once(tmp_path: Path) -> None:
    lines = [{"resourceType": "Patient", "id": f"p{i}"} for i in range(3)]
    (tmp_path / "patients.ndjson").write_text("\n".join(json.dumps(line) for line in lines) + "\n")
    bundle = {"resourceType": "Bundle", "type": "collection", "entry": [{"resource": {**lines[0], "id": "b"}}]}
    (tmp_path / "bundle.json").write_text(json.dumps(bundle))
    arguments = [
        "load",
        str(tmp_path / "patients.ndjson"),
        str(tmp_path / "bundle.json"),
        "--store",
        str(tmp_path / "x.db"),
    ]
    first = run(*arguments, "--json")
    assert json.loads(first.output) == {"read": 4, "added": 4}
    assert "0 of 4 resources added" in run(*arguments).output


async def test_a_store_of_a_newer_version_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    store = tmp_path / "newer.db"
    async with open_store(str(store)) as opened:
        await opened.database.write(lambda tx: tx.execute("UPDATE polyclinic SET version = 999"))
    (tmp_path / "p.json").write_text('{"resourceType": "Patient", "id": "a"}')
    before = store.read_bytes()
    for arguments in (("load", str(tmp_path / "p.json")), ("serve", "--port", "18998")):
        refused = await asyncio.to_thread(run, *arguments, "--store", str(store))
        assert isinstance(refused.exception, ConfigError)
        assert "schema 999" in str(refused.exception) and store.read_bytes() == before


def test_a_wrong_file_is_named_with_its_line_and_nothing_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "bad.ndjson"
    path.write_text('{"resourceType": "Patient", "id": "a"}\n{"resourceType": "Patient", "gender": "purple"}\n')
    failed = run("load", str(path), "--store", str(tmp_path / "x.db"))
    assert isinstance(failed.exception, DataError)
    assert "bad.ndjson:2: " in str(failed.exception)
    assert not (tmp_path / "x.db").exists()


def test_a_running_server_is_fit_and_can_be_loaded(tmp_path: Path, serve: Callable[..., Any]) -> None:
    base = serve().base
    assert run("probe", base).return_value == 0
    (tmp_path / "p.json").write_text('{"resourceType": "Patient", "id": "a"}')
    loaded = run("load", str(tmp_path / "p.json"), "--fhir", base, "--json")
    assert json.loads(loaded.output) == {"read": 1, "added": 1}


def test_an_invalid_address_gives_one_line_and_a_failure(tmp_path: Path) -> None:
    refused = run("probe", "http://127.0.0.1:9")
    assert refused.return_value == 1
    assert "does not answer" in refused.output and refused.output.count("\n") == 1
    (tmp_path / "p.json").write_text('{"resourceType": "Patient", "id": "a"}')
    failed = run("load", str(tmp_path / "p.json"), "--fhir", "http://127.0.0.1:9")
    assert isinstance(failed.exception, ConfigError)
