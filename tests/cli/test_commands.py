from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from polyclinic.core.library import Entry, Operation, StoredLesson
from polyclinic.text.layout import columns_of
from tests.cli.conftest import Run, as_json


def test_a_run_prints_its_id_and_its_report_has_the_stable_shape(polyclinic: Run) -> None:
    done = polyclinic("run", "demo", "--variant", "plain", "--variant", "tool", "--scenarios", "6")
    assert done.returncode == 0, done.stderr
    run = done.stdout.strip()
    assert re.fullmatch(r"demo-[0-9a-f]{6}", run)
    report = as_json(polyclinic("report", run, "--json"))
    assert set(report) == {"run", "clinic", "cast", "variants", "failures", "usage", "parts", "replies", "rests_on"}
    assert all(ground["valid"] for ground in report["rests_on"].values())
    assert report["parts"]["lines"] > 0 and report["replies"] == []
    assert (report["run"], report["clinic"], report["failures"]) == (run, "demo", {})
    assert set(report["variants"]) == {"plain", "tool"}
    assert set(report["variants"]["tool"]["dose"]) == {"mean", "low", "high", "n"}
    assert report["variants"]["tool"]["dose"]["mean"] == 1.0
    assert set(report["usage"]["nurse"]) == {"calls", "input_tokens", "output_tokens", "cost_usd"}
    assert report["cast"]["nurse"] == "understudy"


def test_added_lines_that_a_users_weights_cannot_hold_are_refused_not_ignored(polyclinic: Run, tmp_path: Path) -> None:
    row = {"kind": "part-out", "context": "How are you?", "text": "As an assistant, I am well.", "label": 1}
    (tmp_path / "mine.jsonl").write_text(json.dumps(row))
    done = polyclinic("train", "reader", "--add", "mine.jsonl", "--out", "mine.npz")
    assert done.returncode == 2 and not (tmp_path / "mine.npz").exists()
    assert "lines of the kind part-out are not learned with --out" in done.stderr


def test_options_of_fine_tuning_are_refused_without_a_model_to_tune(polyclinic: Run) -> None:
    done = polyclinic("train", "reader", "--epochs", "3", "--batch", "8")
    assert done.returncode == 2 and "--epochs, --batch: only for fine-tuning a language model" in done.stderr


def test_a_second_scenarios_option_is_refused_not_ignored(polyclinic: Run) -> None:
    refused = polyclinic("run", "frontdesk", "--scenarios", "primary:1:2", "--scenarios", "tertiary:1:2")
    assert refused.returncode == 2 and "given 2 times (primary:1:2, tertiary:1:2)" in refused.stderr


def test_every_command_works_on_the_same_run(polyclinic: Run, tmp_path: Path) -> None:
    ran = as_json(polyclinic("run", "demo", "--variant", "plain", "--variant", "tool", "--scenarios", "4", "--json"))
    run = ran["run"]
    assert (ran["done"], ran["failed"], ran["left"], ran["limit"]) == (8, 0, 0, None)
    assert as_json(polyclinic("runs", "--json"))[0]["run"] == run
    assert as_json(polyclinic("resume", run, "--json"))["done"] == 8
    episodes = as_json(polyclinic("show", run, "--json"))
    assert len(episodes) == 8
    words = polyclinic("show", run, episodes[0]["episode"]).stdout
    assert "caller to nurse: Hello" in words
    assert "understudy" in polyclinic("report", run).stdout
    assert "not for clinical use" in polyclinic("report", run).stdout
    polyclinic("report", run, "--html", "out.html")
    html = (tmp_path / "out.html").read_text()
    assert "<script" not in html
    assert "not language models" in html
    compared = as_json(polyclinic("compare", f"{run}/plain", f"{run}/tool", "--json"))
    assert {row["metric"] for row in compared} >= {"dose", "courtesy"}
    assert {row["p_holm"] for row in compared} == {None}, "judges and actors share their rules"
    judged = as_json(polyclinic("judge", run, "--judges", "courtesy", "--samples", "2", "--name", "again", "--json"))
    assert (judged["scoring"], judged["episodes"], judged["failures"]) == ("again", 8, 0)
    assert set(as_json(polyclinic("report", run, "--scoring", "again", "--json"))["variants"]["tool"]) == {"courtesy"}
    again = as_json(polyclinic("compare", f"{run}/plain", f"{run}/tool", "--scoring", "again", "--json"))
    assert {row["metric"] for row in again} == {"courtesy"}
    assert polyclinic("export", run, "--what", "scores", "--scoring", "again", "-o", "again.jsonl").returncode == 0
    rows = [json.loads(line) for line in (tmp_path / "again.jsonl").read_text().splitlines()]
    assert {(row["scoring"], row["metric"]) for row in rows} == {("again", "courtesy")}
    for command in (("export", run), ("compare", f"{run}/plain", f"{run}/tool")):
        wrong = polyclinic(*command, "--scoring", "agian")
        assert (wrong.returncode, "did you mean again" in wrong.stderr) == (2, True)
    exported = as_json(polyclinic("export", run, "--what", "calls", "--json"))
    lines = (tmp_path / exported["path"]).read_text().splitlines()
    assert len(lines) == exported["rows"]
    assert json.loads(lines[0])["request"]["messages"]
    assert as_json(polyclinic("export", run, "-o", "rows.parquet", "--json"))["format"] == "parquet"


def test_a_comparison_names_metrics_for_people_and_fits_in_80_columns(polyclinic: Run) -> None:
    polyclinic("run", "duty", "--variant", "plain", "--variant", "norm-instructed", "--scenarios", "2")
    arms = ("last/plain", "last/norm-instructed")
    shown = polyclinic("compare", *arms, COLUMNS="80").stdout
    assert "fitting the role (rar)" in shown and "\nmessages that break a norm" in shown and "\nnvr" not in shown
    assert "RIGHT: last/norm-instructed" in shown
    assert max(map(columns_of, shown.splitlines())) <= 80
    korean = polyclinic("compare", *arms, COLUMNS="80", LC_ALL="ko_KR.UTF-8").stdout
    assert "규범 위반율 (nvr)" in korean and max(map(columns_of, korean.splitlines())) <= 80
    for mistyped in ("nvrr", "messages that brake a norm"):
        refused = polyclinic("compare", *arms, "--metric", mistyped, LC_ALL="C.UTF-8")
        assert (refused.returncode, "did you mean nvr (messages that break a norm)" in refused.stderr) == (2, True)
    assert [row["metric"] for row in as_json(polyclinic("compare", *arms, "--metric", "nvr", "--json"))] == ["nvr"]


def test_clinics_and_scenarios_are_listed_and_linted(polyclinic: Run, tmp_path: Path) -> None:
    assert "demo" in [clinic["name"] for clinic in as_json(polyclinic("clinics", "demo", "--json"))]
    listed = as_json(polyclinic("scenarios", "list", "demo", "--scenarios", "3", "--json"))
    assert [row["id"] for row in listed] == ["call-01", "call-02", "call-03"]
    shown = as_json(polyclinic("scenarios", "show", "demo", "call-02", "--json"))
    (tmp_path / "good.jsonl").write_text(json.dumps(shown) + "\n")
    assert polyclinic("scenarios", "lint", "demo", "good.jsonl").returncode == 0
    assert polyclinic("run", "demo", "--scenarios", "good.jsonl").returncode == 0
    shown["leaflet"]["most_a_day"] = 1
    (tmp_path / "bad.jsonl").write_text(json.dumps(shown) + "\n")
    linted = polyclinic("scenarios", "lint", "demo", "bad.jsonl")
    assert (linted.returncode, "raise most_a_day" in linted.stdout) == (1, True)
    (tmp_path / "cases.json").write_text("not JSON", encoding="utf-8")
    both = polyclinic("scenarios", "lint", "rounds", "cases.json", "cases.json")
    assert (both.returncode, both.stdout.count(":1: this is not JSON"), "2 faults" in both.stdout) == (1, 2, True)


def test_a_person_at_the_front_desk_is_told_how_to_decide_and_what_was_wrong(polyclinic: Run) -> None:
    record = "A | female | 1 | 2 | 3 | nephrology"
    lines = ["-", "Your name, please?", record, "Your address?", record, "Which illness is it?", record]
    typed = "\n".join([*lines, *["date_filter date=2025-07-14"] * 2, ""])
    done = polyclinic("play", "frontdesk", "--role", "staff", stdin=typed)
    assert done.returncode == 0, done.stderr
    assert "Departments: " in done.stdout and "name | sex | phone" in done.stdout and "get_all_time" in done.stdout
    assert "Not written down yet: full name" in done.stdout, "what was never said was written down"
    assert "booked" in done.stdout and "What the rubrics found" in done.stdout
    assert "wrong tool: date_filter" in done.stdout


def test_a_clerk_who_has_asked_for_a_diagnosis_is_not_told_to_ask(polyclinic: Run) -> None:
    record = "A | female | 1 | 2 | 3 | nephrology"
    asked = "Your name, address, phone and personal number? And do you have a diagnosis?"
    done = polyclinic(
        "play", "frontdesk", "--role", "staff", stdin="\n".join([asked, record, "And your name?", record, ""])
    )
    assert "Not written down yet" in done.stdout and "Nobody has asked yet whether" not in done.stdout


def test_a_nurse_may_use_plain_words_and_learns_what_a_command_needs(polyclinic: Run) -> None:
    typed = "/use leaflet\n/use leaflet Amberol\n/leaflet\nTake one tablet twice a day, with breakfast and supper.\n"
    done = polyclinic("play", "demo", "--role", "nurse", stdin=typed)
    assert done.returncode == 0, done.stderr
    assert "please write what it is for: /use leaflet MEDICINE" in done.stdout
    assert "leaflet → found: yes" in done.stdout
    assert "'/leaflet' is no command here" in done.stdout
    assert "— understood —" in done.stdout


def test_a_person_plays_and_gets_feedback(polyclinic: Run) -> None:
    typed = "what?\n2 x 2: take two with breakfast and with supper\n1 x 2: one tablet, 2 times a day\n"
    done = polyclinic("play", "demo", "--role", "nurse", "--variant", "plain", stdin=typed)
    assert done.returncode == 0, done.stderr
    assert "caller: Hello, Ada here" in done.stdout
    assert "write TABLETS x TIMES" in done.stdout
    assert "How courteously does the nurse treat the caller: 3 of 5" in done.stdout
    assert "— understood —" in done.stdout


def test_a_person_who_quits_causes_no_failure_and_can_resume(polyclinic: Run) -> None:
    left = polyclinic("play", "demo", "--role", "nurse", "--variant", "plain", stdin="2 x 2: with meals\n/quit\n")
    assert left.returncode == 0
    assert "Traceback" not in left.stderr and "failed" not in left.stdout + left.stderr
    run = as_json(polyclinic("runs", "--json"))[0]["run"]
    assert f"polyclinic play --resume {run}" in left.stderr
    back = polyclinic("play", "--resume", run, stdin="1 x 2: one tablet, 2 times a day\n" * 3)
    assert back.returncode == 0, back.stderr
    assert "Saved as run" in back.stdout
    shown = polyclinic("show", run, "call-01:plain:0").stdout
    assert shown.count("with meals") == 1 and "one tablet" in shown, "what was answered is not asked again"
    ended = polyclinic("play", "--resume", run)
    assert (ended.returncode, "has ended" in ended.stderr) == (2, True)


def test_the_doctor_command_reports_what_works_and_what_to_fix(polyclinic: Run) -> None:
    assert polyclinic("doctor").returncode == 0
    sick = polyclinic("doctor", "--model", "http://127.0.0.1:9/v1:none?tries=1&total_s=5")
    assert sick.returncode == 1
    assert "FIX " in sick.stdout
    assert "127.0.0.1:9" in sick.stdout


def test_the_doctor_command_names_a_model_once_and_gives_no_empty_advice(polyclinic: Run) -> None:
    sick = polyclinic("doctor", "--model", "http://127.0.0.1:9/v1:none").stdout
    (told,) = [line for line in sick.splitlines() if line.startswith("FIX ")]
    assert told.count("http://127.0.0.1:9/v1:none") == 1
    keyless = polyclinic("doctor", "--model", "openai:gpt-5-mini", OPENAI_API_KEY="").stdout
    assert "needs a key: set OPENAI_API_KEY" in keyless and "see the message" not in keyless


def test_a_dry_run_gives_an_estimate_and_runs_nothing(polyclinic: Run) -> None:
    words = (
        "run",
        "demo",
        "--scenarios",
        "50",
        "--cast",
        "nurse=openai:gpt-5-mini,all=understudy",
        "--dry-run",
        "--json",
    )
    found = as_json(polyclinic(*words))
    assert found["episodes"] == 50
    assert found["cost_usd"] > 0
    assert as_json(polyclinic("runs", "--json")) == []


def test_a_dry_run_with_understudies_alone_is_called_free(polyclinic: Run) -> None:
    lines = polyclinic("run", "demo", "--scenarios", "2", "--dry-run").stdout.splitlines()
    assert lines[-1] == "  in all free" and all(line.endswith(", free") for line in lines[1:-1])
    assert "$" not in "".join(lines)
    unpriced = polyclinic("run", "demo", "--scenarios", "2", "--dry-run", "--cast", "nurse=openai:nosuch").stdout
    assert "  in all free, without the unknown prices; a language model" in unpriced


def test_a_long_entry_of_a_library_is_wrapped_and_not_cut(polyclinic: Run, tmp_path: Path) -> None:
    assert polyclinic("evolve", "demo", "--cases", "1").returncode == 0
    key = "How many pillows do you need at night, and does breathlessness ever wake you before the morning comes?"
    entry = Entry(id="long", key=key, value=StoredLesson({}))
    (tmp_path / "one.jsonl").write_text(Operation(action="add", entry=entry).model_dump_json() + "\n", encoding="utf-8")
    head, _, *lines = polyclinic("library", "list", str(tmp_path / "one.jsonl")).stdout.splitlines()
    start, end = head.index("found by"), head.index("quality")
    assert len(lines) > 1 and " ".join(line[start:end].strip() for line in lines) == key


def test_an_evolved_library_is_saved_searched_checked_and_used(polyclinic: Run) -> None:
    kept = as_json(polyclinic("evolve", "demo", "--cases", "4", "--name", "first", "--json"))
    assert kept["saved"] == ["first.phrases"]
    assert len(as_json(polyclinic("library", "list", "first.phrases", "--json"))) == 4
    assert as_json(polyclinic("library", "search", "first.phrases", "Amberol", "-k", "1", "--json"))
    same = polyclinic("library", "diff", "first.phrases", "first.phrases")
    assert same.stdout == "no difference: both have the same 4 entries\n"
    assert polyclinic("library", "check", "first.phrases", "demo", "--scenarios", "4").returncode == 1
    assert polyclinic("library", "rollback", "first.phrases", "1", "--reason", "test").returncode == 0
    assert len(as_json(polyclinic("library", "list", "first.phrases", "--json"))) == 1
    assert polyclinic("run", "demo", "--variant", "taught", "--scenarios", "2", "--library", "first").returncode == 0


def test_the_commands_that_evolve_names_work_in_its_store(polyclinic: Run) -> None:
    told = polyclinic("evolve", "demo", "--cases", "2", "--store", "other.db").stdout
    lines = [line.partition(": polyclinic ")[2] for line in told.splitlines() if ": polyclinic " in line]
    assert len(lines) == 2
    for line in lines:
        assert polyclinic(*shlex.split(line), *(["--scenarios", "1"] if line.startswith("run") else [])).returncode == 0


def test_a_library_saved_by_evolve_is_used_unless_library_none_is_given(polyclinic: Run) -> None:
    assert polyclinic("evolve", "demo", "--cases", "3").returncode == 0
    words = ("run", "demo", "--variant", "taught", "--scenarios", "2")
    taught = polyclinic(*words)
    assert "uses what was learned before: demo.phrases" in taught.stderr
    empty = polyclinic(*words, "--library", "none")
    assert "learned before" not in empty.stderr
    assert taught.stdout != empty.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("rnu",), "'rnu' is not a command: did you mean run"),
        (("run", "dmeo"), "did you mean demo?"),
        (("run", "demo", "--varint", "x"), "there is no option --varint: did you mean --variant?"),
        (("run", "demo", "--trials", "0"), "trials: please write a number of at least 1"),
        (("run", "demo", "--cast", "nurse"), "write role=model"),
        (("run", "demo", "--cast", "nurse=opnai:x"), "did you mean openai"),
        (("run", "demo", "--config", "none.toml"), "none.toml: there is no such run file"),
        (("run", "demo", "--store", "mysql://x"), "is of an unknown kind"),
        (("run",), "name a clinic"),
        (("report", "nothing"), "'nothing' is not a run"),
        (("show", "nothing"), "'nothing' is not a run"),
        (("play", "demo", "--role", "nruse"), "did you mean nurse?"),
        (("scenarios", "show", "npc-01"), "write polyclinic scenarios show patient npc-01"),
        (("scenarios", "show", "call-02"), "write polyclinic scenarios show demo call-02"),
        (("scenarios", "show", "patient"), "ID is missing; see polyclinic scenarios show --help"),
        (("scenarios", "show", "patinet"), "did you mean patient?"),
        (("scenarios", "lint", "demo", "none.jsonl"), "none.jsonl: there is no such file"),
    ],
)
def test_wrong_input_gets_one_line_and_exit_code_two(polyclinic: Run, words: tuple[str, ...], says: str) -> None:
    done = polyclinic(*words)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_file_in_place_of_an_id_is_told_how_to_show_its_case(polyclinic: Run) -> None:
    bundle = Path(__file__).parents[1] / "clinics" / "patient" / "data" / "bundle.json"
    done = polyclinic("scenarios", "show", "patient", str(bundle))
    assert done.returncode == 2
    assert "a file with 1 scenario; write polyclinic scenarios show patient fhir-" in done.stderr
    assert done.stderr.strip().endswith(f"--scenarios {bundle}")


def test_a_reached_limit_gives_exit_code_three_and_says_how_to_resume(polyclinic: Run) -> None:
    done = polyclinic("run", "demo", "--scenarios", "30", "--max-tokens", "3000", "--concurrency", "1")
    assert done.returncode == 3
    assert "polyclinic resume" in done.stderr
    assert polyclinic("resume", "last", "--max-tokens", "9000000").returncode == 0


def test_failures_give_exit_code_one(polyclinic: Run) -> None:
    done = polyclinic("run", "demo", "--scenarios", "2", "--cast", "caller=understudy:mistake=silent,all=understudy")
    assert done.returncode == 1
    assert "2 failed; try them again with: polyclinic resume" in done.stderr


def test_ctrl_c_stops_cleanly_and_prints_the_resume_command(tmp_path: Path) -> None:
    def heed() -> None:
        signal.signal(
            signal.SIGINT, signal.SIG_DFL
        )  # background processes ignore SIGINT, and so would this child process

    serve = [sys.executable, "-m", "polyclinic.testing.fault_server", "--latency-s", "0.2"]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": tmp_path}
    with subprocess.Popen(serve, **pipes) as server:
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            words = ["run", "demo", "--scenarios", "400", "--concurrency", "2", "--cast", f"all={url}:any"]
            with subprocess.Popen([sys.executable, "-m", "polyclinic", *words], preexec_fn=heed, **pipes) as run:
                assert run.stdout is not None
                assert run.stderr is not None
                id = run.stdout.readline().strip()
                assert run.stderr.readline().startswith("0 done")
                run.send_signal(signal.SIGINT)
                _, errors = run.communicate(timeout=60)
        finally:
            server.kill()
            server.communicate()
    assert run.returncode == 130
    assert f"Continue with: polyclinic resume {id}" in errors
    assert "Traceback" not in errors


def test_a_setting_or_library_that_the_clinic_would_ignore_is_refused(polyclinic: Run) -> None:
    for words, said in (
        (
            ("frontdesk", "--set", "rejection=0.5"),
            "not a setting of frontdesk: choose one of these: voice",
        ),
        (("duty", "--set", "candidate=3"), "'candidate' is not a setting of duty: did you mean candidates"),
        (("frontdesk", "--library", "gp"), "--library gp: frontdesk has no libraries"),
    ):
        wrong = polyclinic("run", *words)
        assert wrong.returncode == 2 and said in wrong.stderr and wrong.stderr.count("\n") == 1


def test_a_setting_without_a_value_is_refused_and_a_library_without_a_name_is_not(polyclinic: Run) -> None:
    wrong = polyclinic("run", "demo", "--set", "speed")
    assert wrong.returncode == 2
    assert "--set takes NAME=VALUE, not 'speed'" in wrong.stderr
    assert polyclinic("run", "demo", "--scenarios", "1", "--library", "none").returncode == 0


def test_a_variant_that_needs_a_library_says_when_it_is_empty(polyclinic: Run) -> None:
    first = polyclinic("run", "demo", "--variant", "taught", "--scenarios", "2")
    assert "nothing has been learned yet: taught starts with an empty library" in first.stderr
    assert "polyclinic evolve demo" in first.stderr
    assert "learned" not in polyclinic("run", "demo", "--variant", "taught", "--scenarios", "series:2").stderr
    assert polyclinic("evolve", "demo", "--cases", "2").returncode == 0
    assert "uses what was learned before" in polyclinic("run", "demo", "--variant", "taught", "--scenarios", "2").stderr


def test_prompts_are_listed_and_shown_as_a_model_would_get_them(polyclinic: Run) -> None:
    listed = as_json(polyclinic("prompts", "list", "demo", "--json"))
    assert {row["prompt"] for row in listed} == {
        "CallerAsks",
        "NurseAdvises",
        "CallerReacts",
        "JudgesRubric",
        "ReadsText",
    }
    shown = as_json(polyclinic("prompts", "show", "demo", "NurseAdvises", "--variant", "tool", "--json"))
    assert [message["role"] for message in shown["messages"]] == ["system", "user"]
    assert shown["messages"][-1]["content"].endswith("Use at most 60 words in the whole reply.")
    assert (shown["words"], [tool["name"] for tool in shown["tools"]]) == (60, ["leaflet"])
    assert shown["token_limit"] > 100
    later = polyclinic("prompts", "show", "demo", "NurseAdvises", "--variant", "tool", "--which", "2")
    assert "──── tool ────" in later.stdout
    wrong = polyclinic("prompts", "show", "demo", "NurseAdvise")
    assert (wrong.returncode, "did you mean NurseAdvises" in wrong.stderr) == (2, True)
    never = polyclinic("prompts", "show", "demo", "CallerAsks", "--which", "99")
    assert (never.returncode, "is not asked 99 times" in never.stderr) == (2, True)


def test_an_audition_prints_a_table_and_leaves_the_transcripts(polyclinic: Run, tmp_path: Path) -> None:
    done = polyclinic("audition", "understudy", "--clinic", "demo", "--scenes", "4")
    assert done.returncode == 0, done.stderr
    assert "caller" in done.stdout
    page = tmp_path / ".polyclinic" / "audition-understudy.html"
    assert "CallerAsks" in page.read_text()
    told = as_json(polyclinic("audition", "understudy", "--clinic", "demo", "--scenes", "2", "--json"))
    assert {role["verdict"] for role in told["roles"]} == {"fit"}
    assert (
        polyclinic("audition", "http://127.0.0.1:9/v1:any?tries=1", "--clinic", "demo", "--scenes", "1").returncode == 1
    )
