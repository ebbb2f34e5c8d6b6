"""What somebody new can do wrong in the first minutes: one line names the thing and the fix."""

from __future__ import annotations

import io
import os
from pathlib import Path

import httpx
import pytest

from polyclinic.fhir.smart.discovery import discovered
from polyclinic.fhir.smart.tokens import Unauthorized
from polyclinic.runner.execute.progress import Ticker
from tests.cli.conftest import Run

WRONG = {
    ("report", "last"): ("there are none yet", "make one with: polyclinic run demo", "--store"),
    ("resume", "demo-12"): ("there are none yet", "polyclinic run demo"),
    ("run", "my-run.toml"): ("'my-run.toml' is not a clinic", "--config my-run.toml"),
    ("run", "demo", "--cast", "nurse=gpt-5"): ("cast 'gpt-5'", "openai:gpt-5"),
    ("run", "demo", "--cast", "nurse=undrestudy"): ("did you mean understudy?",),
    ("library", "list", "lesson.phrases"): ("there are none yet", "polyclinic evolve CLINIC --name NAME"),
    ("train", "reader", "--add", "mine.jsonl", "--out", "mine.npz"): ("mine.jsonl: there is no such file of readings",),
    ("staff", "add", "ann", "--role", "supervisor"): ("12 to 256 characters", "write it to standard input"),
    ("runs", "--store", "postgresql://nobody@127.0.0.1:9/none"): ("cannot be reached", "Connection refused"),
}


@pytest.mark.parametrize("words", WRONG, ids=" ".join)
def test_a_wrong_start_is_answered_with_the_thing_and_the_fix(words: tuple[str, ...], polyclinic: Run) -> None:
    done = polyclinic(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and all(part in done.stderr for part in WRONG[words]), done.stderr


LOCKED = {
    ("run", "demo", "--scenarios", "1"): ("'.polyclinic': Permission denied", "--store"),
    ("new", "my_ward"): ("clinics: cannot be written: Permission denied", "--into"),
}


@pytest.mark.parametrize("words", LOCKED, ids=" ".join)
def test_a_read_only_folder_is_named_with_the_fix(words: tuple[str, ...], polyclinic: Run, tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    try:
        if os.access(tmp_path, os.W_OK):
            pytest.skip("this user may write everywhere")
        done = polyclinic(*words)
    finally:
        tmp_path.chmod(0o755)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and all(part in done.stderr for part in LOCKED[words]), done.stderr


def test_an_endpoint_that_is_not_reached_is_named_while_it_is_asked_again(polyclinic: Run) -> None:
    cast = "nurse=http://127.0.0.1:9/v1:none?tries=2"
    done = polyclinic("run", "demo", "--scenarios", "1", "--cast", cast)
    told = [line for line in done.stderr.splitlines() if line.startswith("not reached yet, trying again: ")]
    assert len(told) == 1 and "no connection" in told[0]
    assert told[0].count("http://127.0.0.1:9/v1:none") == 1
    assert "127.0.0.1:9: Connection refused" in told[0]
    assert done.stderr.count("check that it is running") == 1, "while it is asked again, not at the end once more"
    assert (
        f"  model: {cast.removeprefix('nurse=')}: no connection (in full above); gave up after 2 tries" in done.stderr
    )


def test_a_run_that_a_limit_stopped_before_any_answer_says_so(polyclinic: Run) -> None:
    cast = "nurse=http://127.0.0.1:9/v1:none?tries=8"
    done = polyclinic("run", "demo", "--scenarios", "2", "--cast", cast, "--max-seconds", "2")
    assert done.returncode == 3 and done.stderr.count("check that it is running") == 1
    assert f"no episode has ended: {cast.removeprefix('nurse=')}: no connection (in full above)\n" in done.stderr


def test_after_the_first_failure_nothing_more_is_said_of_endpoints() -> None:
    out = io.StringIO()
    ticker = Ticker(out)
    ticker.start(2, 0)
    ticker.unreached("a: no connection")
    ticker.unreached("b: no connection")
    assert out.getvalue().count("trying again") == 1


async def test_an_issuer_that_does_not_answer_is_told_apart_from_one_that_says_nothing() -> None:
    def nobody(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("nobody is there")

    with pytest.raises(Unauthorized, match=r"does not answer .*nobody is there"):
        await discovered("https://login.example.org", httpx.MockTransport(nobody))
    with pytest.raises(Unauthorized, match="does not say where its keys are"):
        await discovered("https://login.example.org", httpx.MockTransport(lambda request: httpx.Response(404)))


STOPS = {"--max-tokens": ("1", "--max-tokens N"), "--max-seconds": ("0.01", "--max-seconds S")}


@pytest.mark.parametrize("limit", STOPS)
def test_a_run_that_a_limit_stopped_names_the_flag_that_continues_it(limit: str, polyclinic: Run) -> None:
    least, higher = STOPS[limit]
    done = polyclinic("run", "demo", "--scenarios", "8", limit, least)
    last = done.stderr.splitlines()[-1].strip()
    assert done.returncode == 3
    assert last.startswith("polyclinic resume demo-") and last.endswith(higher)
