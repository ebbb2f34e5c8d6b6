"""A sixth clinic, made with one command outside the source tree, runs, serves sessions and makes a dataset."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import orjson
import pytest

from polyclinic.core.files import package_path
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.registry import PATH_VARIABLE, clinic_modules, clinics_with, load_clinic
from polyclinic.testing import shape
from polyclinic.testing.serving import TOKEN, ServedProcess
from polyclinic.web.app import create_web
from polyclinic.web.fixed_words import korean_of
from polyclinic.web.sessions.app import create_app

from .conftest import Run, as_json

STAFF = {"Authorization": "Bearer staff-token"}


@pytest.fixture
def ward(polyclinic: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A new clinic for one test. Its package is unloaded afterwards, so that the next test loads its own copy."""
    assert polyclinic("new", "my_ward").returncode == 0
    monkeypatch.setenv(PATH_VARIABLE, str(tmp_path / "clinics"))
    monkeypatch.setattr("sys.path", [str(tmp_path / "clinics"), *(path for path in sys.path if "clinics" not in path)])
    importlib.invalidate_caches()
    clinic_modules.cache_clear()
    yield tmp_path / "clinics" / "my_ward"
    for name in [name for name in sys.modules if name.split(".")[0] == "my_ward"]:
        del sys.modules[name]
    monkeypatch.delenv(PATH_VARIABLE)
    clinic_modules.cache_clear()


def test_a_new_clinic_runs_at_once(polyclinic: Run, ward: Path) -> None:
    done = polyclinic("run", "my_ward", "--scenarios", "3")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("my_ward-")
    for name, words in (("my_ward", "already"), ("My Ward", "cannot be a clinic's name"), ("demo", "already")):
        refused = polyclinic("new", name)
        assert (refused.returncode, words in refused.stderr) == (2, True)


async def test_a_new_clinic_appears_in_the_browser_with_its_parts_forms_and_desk(ward: Path, tmp_path: Path) -> None:
    app = create_web(str(tmp_path / "web.db"), "token")
    headers = {"Authorization": "Bearer token"}
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1", headers=headers) as web,
    ):
        found = {one["name"]: one for one in (await web.get("/api/clinics")).json()}["my_ward"]
        assert (
            found["title"] == "My ward" and found["live"] and {"nurse", "caller"} <= {p["name"] for p in found["parts"]}
        )
        run = (await web.post("/api/practise", json={"clinic": "my_ward", "part": "nurse"})).json()["id"]
        asked = (await web.get(f"/api/practise/{run}")).json()["standing"]["asked"]
        assert [row["name"] for row in asked["rows"]] == ["text", "tablets", "times_a_day"]
        assert "my_ward" in {one["clinic"] for one in (await web.get("/api/desk")).json()}
        for part in ("nurse", "caller"):
            made = (await web.post("/api/classes", json={"clinic": "my_ward", "part": part})).json()
            await web.post("/api/join", json={"code": made["code"], "name": "Ada"})
            session = (await web.post(f"/api/join/{made['id']}/begin", json={"place": 0})).json()["id"]
            assert (await web.get(f"/api/practise/{session}")).json()["standing"]["asked"] is not None
        begun = await web.post("/api/runs", json={"clinic": "my_ward", "scenarios": "1"})
        assert begun.status_code == 201


def test_a_new_clinic_has_its_own_name_title_and_headings_everywhere(ward: Path) -> None:
    files = [path for path in ward.rglob("*") if path.suffix in (".py", ".md", ".toml")]
    assert [str(path) for path in files if re.search(r"\b[Dd]emo\b|Medicine helpline", path.read_text())] == []
    assert (ward / "README.md").read_text().startswith("# My ward\n")
    assert 'title="My ward"' in (ward / "__init__.py").read_text()
    korean, demos = korean_of("my_ward"), korean_of("demo")
    assert korean["My ward"] == "My ward 진료소" and demos["Medicine helpline"] not in korean.values()


def test_only_a_clinic_outside_the_package_needs_a_path(polyclinic: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert PATH_VARIABLE in polyclinic("new", "my_ward").stdout
    monkeypatch.setattr("polyclinic.cli.new.package_path", lambda package: Path("inside"))
    done = polyclinic("new", "other_ward", "--into", "inside").stdout
    assert "polyclinic run other_ward" in done and PATH_VARIABLE not in done


def test_the_test_generated_for_a_new_clinic_passes_and_can_fail(ward: Path) -> None:
    test = ward.parent / "test_my_ward.py"

    def passed() -> bool:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)]
        return subprocess.run(command, cwd=ward.parent.parent, capture_output=True, check=False).returncode == 0

    assert passed()
    readme = ward / "README.md"
    readme.write_text(readme.read_text().replace("## Known limits", "## Limits"))
    assert not passed()


def test_check_reports_what_is_wrong_with_a_clinic_and_continues(polyclinic: Run, ward: Path) -> None:
    whole = as_json(polyclinic("check", "my_ward", "--quick", "--json"))
    assert whole["failed"] == [] and len(whole["checks"]) >= 4
    (ward / "README.md").unlink()
    report = ward / "report.py"
    report.rename(ward / "reports.py")
    start = ward / "__init__.py"
    start.write_text(start.read_text().replace("my_ward.report import", "my_ward.reports import"))
    (ward / "report.py").write_text("")
    for name in [name for name in sys.modules if name.split(".")[0] == "my_ward"]:
        del sys.modules[name]
    done = polyclinic("check", "my_ward", "--quick")
    assert done.returncode == 1
    assert "no README.md" in done.stdout and "report= must be report of the room report" in done.stdout


def test_the_rooms_of_a_clinic_outside_the_source_tree_are_checked_too(ward: Path) -> None:
    start = ward / "__init__.py"
    start.write_text(start.read_text().replace("lint=lint", "lint=lambda path: []"))
    with pytest.raises(AssertionError, match="my_ward: lint= must be lint of the room scenario"):
        shape.check_rooms(load_clinic("my_ward"))


async def test_a_new_clinic_serves_live_sessions(ward: Path, tmp_path: Path) -> None:
    assert "my_ward" in clinics_with("service")
    app = create_app(make_config({"clinic": "my_ward", "store": str(tmp_path / "s.db")}), "staff-token")
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client,
    ):
        made = (await client.post("/v1/sessions", json={"medicine": "Brixin"}, headers=STAFF)).json()
        url, mine = f"/v1/sessions/{made['id']}", {"Authorization": f"Bearer {made['token']}"}
        assert made["control"] == "asking"
        early = await client.post(f"{url}/react", json={"text": "Thanks", "understood": True}, headers=mine)
        assert early.status_code == 409
        asked = (await client.post(f"{url}/ask", json={"text": "How do I take Brixin?"}, headers=mine)).json()
        assert asked["said"][-1]["speaker"] == "nurse" and "2 tablets, 3 times" in asked["said"][-1]["text"]
        body = {"text": "Now I know.", "understood": True}
        ended = (await client.post(f"{url}/react", json=body, headers=mine)).json()
        assert (ended["state"]["control"], ended["state"]["outcome"]) == ("closed", "understood")
        wrong = await client.post("/v1/sessions", json={"medicine": "Water"}, headers=STAFF)
        assert wrong.status_code == 422 and "Brixin" in wrong.json()["detail"]


def test_a_sixth_clinic_is_checked_served_and_gives_a_dataset_without_changes_to_other_files(
    polyclinic: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Uses only commands; the service runs in its own process, and a message is sent to it over HTTP."""
    (tmp_path / "clinics").mkdir()
    monkeypatch.setenv(PATH_VARIABLE, str(tmp_path / "clinics"))
    before = _engine()
    for words in (("new", "sixth"), ("check", "sixth"), ("dataset", "sixth", "--rows", "8", "--out", "rows")):
        done = subprocess.run([sys.executable, "-m", "polyclinic", *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    service = ServedProcess("sixth", tmp_path)
    try:
        with httpx.Client(base_url=f"{service.address}/v1", headers={"Authorization": f"Bearer {TOKEN}"}) as web:
            made = web.post("/sessions", json={"medicine": "Brixin"}).json()
            mine = {"Authorization": f"Bearer {made['token']}"}
            question = {"text": "How do I take Brixin?"}
            asked = web.post(f"/sessions/{made['id']}/ask", json=question, headers=mine).json()
            assert asked["said"][-1]["speaker"] == "nurse" and "2 tablets, 3 times" in asked["said"][-1]["text"]
    finally:
        service.end()
    rows = [line for path in (tmp_path / "rows").glob("*.jsonl") for line in path.read_bytes().splitlines()]
    assert len(rows) == 8
    assert _engine() == before


def _engine() -> dict[str, int]:
    """Every source file of the package, with its modification time."""
    files = (path for path in package_path("polyclinic").rglob("*") if path.suffix in (".py", ".md", ".toml"))
    return {str(path): path.stat().st_mtime_ns for path in files}


def test_a_new_clinic_makes_a_dataset(polyclinic: Run, ward: Path, tmp_path: Path) -> None:
    card = as_json(polyclinic("dataset", "my_ward", "--rows", "8", "--out", str(tmp_path / "rows"), "--json"))
    assert card["name"] == "My ward"
    rows = [
        orjson.loads(line) for path in (tmp_path / "rows").glob("*.jsonl") for line in path.read_bytes().splitlines()
    ]
    assert len(rows) == 8
    assert [turn["role"] for turn in (*rows[0]["prompt"], *rows[0]["completion"])] == ["system", "user", "assistant"]
    refused = polyclinic("dataset", "duty", "--out", str(tmp_path / "none"))
    assert refused.returncode == 2 and "my_ward" in refused.stderr


def test_the_classifier_that_a_new_clinic_ships_is_trained_by_its_name(polyclinic: Run, ward: Path) -> None:
    start = ward / "__init__.py"
    training = '''def leaflets(out):
    """Learn which leaflet a question is about."""
    from polyclinic.core.dataset import TrainedWeights

    return TrainedWeights(weights=str(out), bytes=3, lines=7, left_out={"en": {"right": 0.5}}, levels={})


clinic = Clinic(
    trainings={"leaflets": leaflets},'''
    start.write_text(start.read_text().replace("clinic = Clinic(", training))
    helped = polyclinic("train", "--help").stdout
    assert "leaflets" in helped and "Learn which leaflet a question is about." in helped, helped
    done = polyclinic("train", "leaflets", "--out", "mine.npz")
    assert done.stdout == "7 lines; weights in mine.npz (3 bytes)\nen: right 0.500\n", done.stderr
    start.write_text(start.read_text().replace('{"leaflets":', '{"guard":'))
    for name in [name for name in sys.modules if name.split(".")[0] == "my_ward"]:
        del sys.modules[name]
    twice = polyclinic("train", "guard")
    assert twice.returncode == 2 and "counsel and my_ward both have a training 'guard'" in twice.stderr


def test_texts_that_a_new_clinic_keeps_have_the_translation_of_the_demo(ward: Path) -> None:
    """The browser shows one translation for one text, whichever clinic it is from."""
    shipped, own = korean_of("demo"), korean_of("my_ward")
    kept = shipped.keys() & own.keys()
    assert own["My ward"] == "My ward 진료소" and len(kept) > len(shipped) - 3
    assert {text: own[text] for text in kept} == {text: shipped[text] for text in kept}
