"""Cases over HTTP: forms from the clinics' types, the linter beside them, files that runs and Practise read."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from polyclinic.core.form import FormRow, form_rows
from polyclinic.runner.registry import clinic_modules, load_clinic
from polyclinic.web.app import create_web

HEADERS = {"Authorization": "Bearer start-up"}
KINDS = [(name, writing.name) for name in clinic_modules() for writing in load_clinic(name).writings]


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    app = create_web(str(tmp_path / "s.db"), "start-up")
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1", headers=HEADERS) as found,
    ):
        yield found


async def get(client: httpx.AsyncClient, path: str) -> Any:
    answer = await client.get(path)
    assert answer.status_code == 200, f"{path}: {answer.text}"
    return answer.json()


async def post(client: httpx.AsyncClient, path: str, body: object, status: int = 200) -> Any:
    answer = await client.post(path, json=body)
    assert answer.status_code == status, f"{path}: {answer.text}"
    return answer.json()


async def example(client: httpx.AsyncClient, clinic: str, kind: str) -> dict[str, Any]:
    form = await get(client, f"/api/cases/{clinic}/{kind}/form")
    name = form["examples"][0]["name"]
    values: dict[str, Any] = (await get(client, f"/api/cases/{clinic}/{kind}/examples/{name}"))["values"]
    return values | {form["named_by"]: "mine"}


@pytest.mark.parametrize(("clinic", "kind"), KINDS)
async def test_a_case_of_every_clinic_is_written_saved_opened_and_played(
    client: httpx.AsyncClient, clinic: str, kind: str
) -> None:
    values = await example(client, clinic, kind)
    found = await post(client, f"/api/cases/{clinic}/{kind}/check", {"values": values})
    assert found["valid"] and found["name"] == "mine", found["faults"]
    saved = await post(client, f"/api/cases/{clinic}/{kind}", {"values": values}, 201)
    assert Path(saved["path"]).read_text(encoding="utf-8") == found["text"]
    again = await get(client, f"/api/cases/{clinic}/files/mine")
    assert (again["kind"], again["values"], again["digest"]) == (kind, saved["values"], saved["digest"])
    page = await get(client, "/api/cases")
    assert [(one["clinic"], one["kind"], one["name"]) for one in page["cases"]] == [(clinic, kind, "mine")]
    part = load_clinic(clinic).roles[0].name
    assert "own/mine" in [one["id"] for one in await get(client, f"/api/clinics/{clinic}/cases?part={part}")]
    begun = await post(client, "/api/practise", {"clinic": clinic, "part": part, "case": "own/mine"}, 201)
    about = (await get(client, "/api/practise"))[0]
    assert about["id"] == begun["id"]
    if clinic != "frontdesk":  # a hospital's visit has its own id
        assert about["case"].startswith("mine")


async def test_the_linter_names_the_field_and_reports_the_clinics_findings(client: httpx.AsyncClient) -> None:
    values = await example(client, "demo", "case")
    values["leaflet"]["tablets"] = 0
    found = await post(client, "/api/cases/demo/case/check", {"values": values})
    assert not found["valid"] and found["faults"][0]["at"] == ["leaflet", "tablets"]
    values["leaflet"] |= {"tablets": 9, "times_a_day": 6, "most_a_day": 10}
    values["caller"] = " "
    found = await post(client, "/api/cases/demo/case/check", {"values": values})
    assert found["valid"], "an author may save what the linter still complains about"
    assert [one["at"] for one in found["faults"]] == [["caller"], []]
    assert "the usual dose exceeds most_a_day" in found["faults"][1]["text"]
    assert "checking-" not in json.dumps(found), "no name of a file that the author never gave"
    del values["style"]
    found = await post(client, "/api/cases/demo/case/check", {"values": values})
    assert found["faults"] == [{"at": ["style"], "text": "please fill this in"}]
    assert (await client.post("/api/cases/demo/case", json={"values": values})).status_code == 409


async def test_nobody_overwrites_what_somebody_else_wrote(client: httpx.AsyncClient) -> None:
    values = await example(client, "demo", "case")
    first = await post(client, "/api/cases/demo/case", {"values": values}, 201)
    changed = values | {"caller": "Bea"}
    refused = await client.post("/api/cases/demo/case", json={"values": changed})
    assert refused.status_code == 409 and "already" in refused.json()["detail"]
    second = await post(client, "/api/cases/demo/case", {"values": changed, "was": first["digest"]}, 201)
    late = values | {"caller": "Cem"}
    refused = await client.post("/api/cases/demo/case", json={"values": late, "was": first["digest"]})
    assert refused.status_code == 409 and "somebody else" in refused.json()["detail"]
    same = await post(client, "/api/cases/demo/case", {"values": changed, "was": first["digest"]}, 201)
    assert same["digest"] == second["digest"], "the same save, asked again after a lost answer"


async def test_a_file_name_never_leads_outside_the_folder(client: httpx.AsyncClient, tmp_path: Path) -> None:
    values = await example(client, "demo", "case")
    saved = await post(client, "/api/cases/demo/case", {"values": values | {"id": "../../etc/passwd"}}, 201)
    assert Path(saved["path"]).parent == tmp_path / "cases" / "demo"
    for name in ("..", "../s", "%2e%2e%2fs", ""):
        assert (await client.get(f"/api/cases/demo/files/{name}")).status_code in (404, 405)
    unnamed = await post(client, "/api/cases/demo/case/check", {"values": values | {"id": "///"}})
    assert unnamed["faults"][0]["at"] == ["id"] and not unnamed["valid"]


async def test_a_file_that_no_form_can_show_gives_the_reason(client: httpx.AsyncClient, tmp_path: Path) -> None:
    folder = tmp_path / "cases" / "demo"
    folder.mkdir(parents=True)
    (folder / "broken.jsonl").write_text("{", encoding="utf-8")
    values = await example(client, "demo", "case")
    (folder / "several.jsonl").write_text(f"{json.dumps(values)}\n{json.dumps(values)}\n", encoding="utf-8")
    cases = {one["name"]: one for one in (await get(client, "/api/cases"))["cases"]}
    assert "not JSON" in cases["broken"]["fault"] and "it holds 2 cases" in cases["several"]["fault"]
    assert (await client.get("/api/cases/demo/files/broken")).status_code == 409


def _kinds(rows: tuple[FormRow, ...]) -> dict[str, FormRow]:
    return {row.name: row for row in rows}


def test_a_form_supports_mappings_and_lists_of_choices() -> None:
    duty = load_clinic("duty").writings[1]
    rows = _kinds(form_rows(duty.kind.model_json_schema(), duty.hints))
    assert rows["roles"].kind == "several" and rows["roles"].options[0].value == "doctor"
    assert [row.name for row in rows["handoff_state"].rows] == ["doctor", "nurse", "trainee", "admin", "patient"]
    rounds = load_clinic("rounds").writings[0]
    assert _kinds(form_rows(rounds.kind.model_json_schema(), rounds.hints))["options"].kind == "pairs"
