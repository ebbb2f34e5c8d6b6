"""Careless or unlucky users get one line that says how to fix the problem, never a traceback and never a hang."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path

import pytest

from polyclinic.clinics.demo.prompts.caller import CallerAsks
from polyclinic.core.model import Request
from polyclinic.core.reply import Unreadable
from polyclinic.models.human import HumanDesk, read_typed
from tests.cli.conftest import Run, as_json


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("run", "demo", "--cast", "nurse=human"), "a run has no person to answer"),
        (("evolve", "demo", "--cast", "nurse=human"), "a run has no person to answer"),
        (("run", "frontdesk", "--local-only", "--fhir", "https://fhir.example.org/r5"), "--local-only allows only"),
        (("run", "demo", "--seed", "99999999999999999999"), "seed"),
        (("run", "demo", "--max-cost-usd", "inf"), "max_cost_usd"),
        (("resume", "--concurrency", "-3"), "concurrency"),
        (("judge", "--concurrency", "0"), "concurrency"),
    ],
)
def test_a_wrong_request_is_refused_in_one_line_and_nothing_is_written(
    polyclinic: Run, words: tuple[str, ...], says: str
) -> None:
    done = polyclinic(*words)
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert as_json(polyclinic("runs", "--json")) == []


def test_an_unknown_metric_gets_a_suggestion(polyclinic: Run) -> None:
    polyclinic("run", "demo", "--scenarios", "2", "--variant", "plain", "--variant", "tool")
    done = polyclinic("compare", "last/plain", "last/tool", "--metric", "dosse")
    assert (done.returncode, "did you mean dose" in done.stderr) == (2, True)


def test_a_run_works_in_a_store_in_memory(polyclinic: Run) -> None:
    assert as_json(polyclinic("run", "demo", "--scenarios", "2", "--store", "sqlite://:memory:", "--json"))["done"] == 2


def test_the_resume_command_is_quoted_for_the_shell(polyclinic: Run) -> None:
    done = polyclinic("run", "demo", "--scenarios", "2", "--max-tokens", "10", "--store", "my runs.db")
    assert done.returncode == 3
    assert "--store 'my runs.db'" in done.stderr


def test_a_dry_run_estimates_no_cost_for_a_local_model(polyclinic: Run) -> None:
    cast = "nurse=http://127.0.0.1:9/v1:qwen3"
    found = as_json(polyclinic("run", "demo", "--scenarios", "2", "--dry-run", "--cast", cast, "--json"))
    assert found["roles"]["nurse"]["cost_usd"] == 0


def test_a_played_run_can_be_judged_again_without_the_person(polyclinic: Run) -> None:
    typed = "1 x 2: one tablet, 2 times a day\n" * 2
    polyclinic("play", "demo", "--role", "nurse", "--variant", "plain", stdin=typed)
    judged = as_json(polyclinic("judge", "last", "--name", "again", "--json"))
    assert (judged["episodes"], judged["failures"]) == (1, 0)
    assert judged["run"].startswith("demo-")


def test_a_person_can_play_the_caller_without_writing_json(polyclinic: Run) -> None:
    typed = "how do I take it?\nI see\nno: say that again\nyes: thank you\n"
    done = polyclinic("play", "demo", "--role", "caller", stdin=typed)
    assert done.returncode == 0, done.stderr
    assert "write yes: words" in done.stdout
    assert "— understood —" in done.stdout


def test_a_judge_with_one_question_may_write_only_the_number(polyclinic: Run) -> None:
    done = polyclinic("play", "demo", "--role", "judge", stdin="hmm\n9\n4\n")
    assert done.returncode == 0, done.stderr
    assert "write an answer to each question" in done.stdout and "choose one of 1, 2, 3, 4 or 5" in done.stdout
    assert "Saved as run" in done.stdout and "You left" not in done.stdout


def test_a_run_without_a_finished_episode_cannot_be_compared(polyclinic: Run) -> None:
    polyclinic("run", "demo", "--scenarios", "2", "--max-tokens", "10")
    done = polyclinic("compare", "last", "last")
    assert (done.returncode, "no episode has ended yet" in done.stderr) == (2, True)


def test_a_syntax_error_in_a_clinic_is_reported_with_file_and_line(polyclinic: Run, tmp_path: Path) -> None:
    assert polyclinic("new", "broken_line").returncode == 0
    flow = tmp_path / "clinics" / "broken_line" / "flow.py"
    flow.write_text("def flow(:\n")
    done = polyclinic("run", "broken_line", POLYCLINIC_PATH=str(tmp_path / "clinics"))
    assert done.returncode == 2
    assert "flow.py:1: SyntaxError" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_run_saved_by_another_version_of_a_clinic_is_refused_with_that_reason(
    polyclinic: Run, tmp_path: Path
) -> None:
    run = polyclinic("run", "demo", "--scenarios", "1").stdout.strip()

    store = sqlite3.connect(tmp_path / ".polyclinic" / "store.db")
    body = json.loads(store.execute("SELECT body FROM scenarios").fetchone()[0])
    del body["style"]
    store.execute("UPDATE scenarios SET body = ?", (json.dumps(body),))
    store.commit()
    store.close()
    for words in (("report", run), ("resume", run), ("judge", run)):
        done = polyclinic(*words)
        assert done.returncode == 2
        assert ": style: " in done.stderr and "another version of the clinic demo saved it" in done.stderr


async def test_input_that_is_not_valid_text_is_asked_for_again_without_a_hang() -> None:
    prompt = CallerAsks(caller="Ada", medicine="Amberol", believes="1 tablet")
    request = Request("caller", prompt, ())
    with pytest.raises(Unreadable, match="cannot be read"):
        read_typed(request, "\udcff abc")
    desk = HumanDesk()
    asked = asyncio.create_task(desk.ask(request))
    question = await desk.next()
    assert "cannot be read" in desk.reply(question.id, "\udcff")
    assert desk.reply(question.id, "how do I take it?") == ""
    assert (await asked).text == "how do I take it?"
