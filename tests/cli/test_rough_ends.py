"""Full disks, closed streams, signals, few open files, files of other programs: one clear line, and no loss of data."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from polyclinic.cli.web import TOKEN, TOKEN_FILE, start_up_token
from polyclinic.errors import ConfigError
from polyclinic.runner.api import resume_run, run
from polyclinic.runner.plan.config import make_config
from polyclinic.store.store import open_store
from polyclinic.testing.fault_server import FaultServer
from polyclinic.testing.killing import steady
from tests.cli.conftest import Run, as_json

PROGRAM = [sys.executable, "-m", "polyclinic"]


async def started(folder: Path, *words: str, prepare: Callable[[], None] | None = None) -> asyncio.subprocess.Process:
    """Start the command in its own process, in an empty folder."""

    def begin() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell ignore Ctrl-C
        if prepare is not None:
            prepare()

    environment = {name: value for name, value in os.environ.items() if name != "POLYCLINIC_STORE"}
    return await asyncio.create_subprocess_exec(
        *PROGRAM,
        *words,
        cwd=folder,
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        preexec_fn=begin,
    )


async def told(process: asyncio.subprocess.Process) -> tuple[int, list[str]]:
    """Wait for the process; return its exit code and the lines on standard error."""
    _, err = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode is not None
    assert b"Traceback" not in err, err.decode()
    return process.returncode, [line for line in err.decode().splitlines() if line.strip()]


def cast(server: FaultServer) -> str:
    return f"nurse={server.url}:any,caller={server.url}:any,all=understudy"


def test_output_that_cannot_be_written_is_reported_in_one_line(polyclinic: Run, tmp_path: Path) -> None:
    polyclinic("run", "demo", "--scenarios", "2")
    for words in ("report",), ("runs", "--json"):
        with open("/dev/full", "w") as full:
            done = subprocess.run([*PROGRAM, *words], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, check=False)
        said = b"polyclinic: standard output cannot be written: No space left on device\n"
        assert (done.returncode, done.stderr) == (1, said)


@pytest.mark.parametrize("state", ["closed", "full"])
async def test_a_run_works_when_standard_error_is_closed_or_full(tmp_path: Path, state: str) -> None:
    def prepare() -> None:
        if state == "closed":
            os.close(2)
        else:
            os.dup2(os.open("/dev/full", os.O_WRONLY), 2)

    process = await started(tmp_path, "run", "demo", "--scenarios", "3", prepare=prepare)
    assert (await told(process))[0] == 0
    store = sqlite3.connect(tmp_path / ".polyclinic" / "store.db")
    assert store.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert store.execute("SELECT COUNT(*) FROM episodes WHERE status = 'done'").fetchone() == (3,)
    store.close()


def test_a_report_does_not_replace_a_pipe_with_a_file(polyclinic: Run, tmp_path: Path) -> None:
    polyclinic("run", "demo", "--scenarios", "2")
    pipe, read = tmp_path / "pipe", list[str]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    assert polyclinic("report", "--html", str(pipe)).returncode == 0
    reader.join(20)
    assert pipe.is_fifo() and read[0].startswith("<!")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
async def test_a_signal_stops_a_run_and_prints_how_to_resume(tmp_path: Path, number: int, code: int) -> None:
    async with FaultServer(latency_s=30) as server:
        process = await started(tmp_path, "run", "demo", "--scenarios", "4", "--cast", cast(server))
        while not server.requests:
            await asyncio.sleep(0.02)
        process.send_signal(number)
        assert process.stdout is not None
        run = (await process.stdout.readline()).decode().strip()
        found, lines = await told(process)
    assert found == code
    assert f"stopped; 0 done, 4 left. Continue with: polyclinic resume {run}" in lines


async def test_a_second_ctrl_c_ends_at_once_without_a_traceback(tmp_path: Path) -> None:
    async with FaultServer(latency_s=30) as server:
        process = await started(tmp_path, "run", "demo", "--scenarios", "4", "--cast", cast(server))
        while not server.requests:
            await asyncio.sleep(0.02)
        store = sqlite3.connect(tmp_path / ".polyclinic" / "store.db", isolation_level=None)
        store.execute("BEGIN EXCLUSIVE")  # so that releasing the leases has to wait
        process.send_signal(signal.SIGINT)
        await asyncio.sleep(0.3)
        assert process.returncode is None
        process.send_signal(signal.SIGINT)
        code, lines = await told(process)
        store.close()
    assert (code, lines[-1]) == (130, "stopped at once; everything that was committed is kept")


async def test_a_low_limit_of_open_files_slows_a_run_but_does_not_break_it(tmp_path: Path) -> None:
    def prepare() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

    async with FaultServer(latency_s=0.05, reply=steady) as server:
        words = ("run", "demo", "--variant", "plain", "--scenarios", "100", "--concurrency", "100")
        code, lines = await told(await started(tmp_path, *words, "--cast", cast(server), prepare=prepare))
    assert code == 0, lines
    assert any("more files may be open" in line and "ulimit -n" in line for line in lines)
    assert any(line.startswith("100 done, 0 failed") for line in lines)


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("CREATE TABLE customers (id INTEGER)", "a database of another program (it has the table customers)"),
        ("CREATE TABLE runs (id INTEGER)", "a database of another program (it has the table runs)"),
        ("CREATE VIEW customers AS SELECT 1", "a database of another program (it has the view customers)"),
        ("PRAGMA application_id = 77", "a database of another program (it has the application id 77)"),
        ("CREATE TABLE polyclinic AS SELECT 'x' AS version", "has no valid version number ('x')"),
    ],
)
def test_a_database_of_another_program_is_refused_and_left_as_it_is(
    polyclinic: Run, tmp_path: Path, statement: str, says: str
) -> None:
    path = tmp_path / "foreign.db"
    foreign = sqlite3.connect(path)
    foreign.execute(statement)
    foreign.commit()
    foreign.close()
    before = path.read_bytes()
    for words in (("runs",), ("run", "demo", "--scenarios", "1")):
        done = polyclinic(*words, "--store", str(path))
        assert (done.returncode, len(done.stderr.strip().splitlines())) == (2, 1)
        assert says in done.stderr
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "words",
    [
        ("demo", "--cast", "nurse=openai:gpt-5-mini"),
        ("demo", "--cast", "nurse=local:/there/is/no.gguf"),
        ("counsel", "--embedder", "nosuch"),
        ("counsel", "--set", "documents=/there/is/no.json"),
        ("counsel", "--set", "voice=third"),
        ("rounds", "--set", "voice=third"),
        ("patient", "--set", "turns=many"),
        ("frontdesk", "--set", "voice=third"),
        ("duty", "--set", "voice=third"),
        ("duty", "--set", "norms=/there/is/no.yaml"),
        ("duty", "--set", "survey=/there/is/no.csv"),
        ("demo", "--cast", "nurse=replay:nosuch"),
        ("demo", "--cast", "nurse=http://127.0.0.1:99999/v1:m"),
        ("frontdesk", "--fhir", "http://127.0.0.1:9"),
    ],
    ids=" ".join,
)
def test_a_run_that_cannot_be_built_is_not_created(
    polyclinic: Run, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    good = polyclinic("run", "demo", "--scenarios", "1").stdout.strip()
    done = polyclinic("run", *words, "--scenarios", "1")
    assert (done.returncode, done.stdout) == (2, ""), "no id is printed for a run that does not exist"
    assert [row["run"] for row in as_json(polyclinic("runs", "--json"))] == [good]


def test_an_unreachable_endpoint_fails_episodes_and_never_the_run(polyclinic: Run) -> None:
    done = polyclinic("run", "demo", "--scenarios", "2", "--cast", "nurse=http://127.0.0.1:9/v1:m?tries=1", "--json")
    assert (as_json(done)["failed"], done.returncode) == (2, 1)


def test_deleting_a_run_deletes_everything_that_belongs_to_it(polyclinic: Run, tmp_path: Path) -> None:
    first, second = (polyclinic("run", "demo", "--scenarios", "2", "--seed", seed).stdout.strip() for seed in "12")
    refused = polyclinic("runs", "delete", "nosuch", "--yes")
    assert (refused.returncode, "'nosuch' is not a run" in refused.stderr) == (2, True)
    assert polyclinic("runs", "delete", "last", stdin="n\n").returncode == 130
    assert as_json(polyclinic("runs", "delete", second, "--yes", "--json")) == {"deleted": {second: 2}}
    assert [row["run"] for row in as_json(polyclinic("runs", "--json"))] == [first]
    store = sqlite3.connect(tmp_path / ".polyclinic" / "store.db")
    for table in ("calls", "scores", "episodes", "scenarios", "leases", "posts", "effects"):
        assert store.execute(f"SELECT COUNT(*) FROM {table} WHERE run = ?", (second,)).fetchone() == (0,)
    store.close()


def test_the_holder_of_a_lost_lease_is_named_with_its_age_and_the_run_can_be_released(
    polyclinic: Run, tmp_path: Path
) -> None:
    run = polyclinic("run", "demo", "--scenarios", "2").stdout.strip()
    store = sqlite3.connect(tmp_path / ".polyclinic" / "store.db")
    store.execute("UPDATE episodes SET status = 'pending'")
    units = [row[0] for row in store.execute("SELECT unit FROM episodes")]
    soon = "CAST(strftime('%s', 'now') AS INTEGER) * 1000 + 50000"
    for unit in units:
        store.execute(f"INSERT INTO leases VALUES (?, ?, 'far-away:77:1', {soon})", (run, unit))
    store.commit()
    store.close()
    held = polyclinic("runs", "delete", run, "--yes")
    assert (held.returncode, f"polyclinic runs release {run}" in held.stderr) == (2, True)
    freed = polyclinic("runs", "release", run)
    assert freed.stdout.startswith("freed from process 77 on far-away (2 units, held, last renewed 1")
    assert as_json(polyclinic("resume", run, "--json"))["left"] == 0


async def test_evolve_keeps_what_it_learned_and_pays_nothing_twice_after_a_kill(tmp_path: Path) -> None:
    async with FaultServer(reply=steady) as server, open_store(str(tmp_path / "whole.db")) as store:
        words = ("evolve", "demo", "--cases", "2", "--name", "mine", "--concurrency", "1", "--cast", cast(server))
        killed = await started(tmp_path, *words, "--store", "broken.db")
        while server.counts["answered"] < 4:
            await asyncio.sleep(0.01)
        killed.kill()
        await killed.wait()
        async with open_store(str(tmp_path / "broken.db")) as broken:
            outcome = await resume_run(broken, "last")
            config = make_config((await broken.runs.get("last")).config)
        paid = server.counts["answered"]
        await run(store, config)
        assert 4 <= paid <= (server.counts["answered"] - paid) + 1
    assert (outcome.left, outcome.exit_code, list(outcome.learned)) == (0, 0, ["mine.phrases"])
    assert libraries(tmp_path / "broken.db") == libraries(tmp_path / "whole.db") != []


def libraries(path: Path) -> list[tuple[str, str]]:
    store = sqlite3.connect(path)
    rows = store.execute("SELECT name, operations FROM libraries WHERE name LIKE 'mine.%' ORDER BY name").fetchall()
    store.close()
    return rows


def test_an_empty_token_file_is_named_with_its_fix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN, raising=False)
    (tmp_path / TOKEN_FILE).touch()
    with pytest.raises(ConfigError, match=f"{TOKEN_FILE}: the token file is empty; delete it"):
        start_up_token(str(tmp_path / "store.db"))
