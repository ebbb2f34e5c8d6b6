"""What a person reads after a command: every success is reported, and every failure gives its reason."""

from __future__ import annotations

import csv
import io
import logging
import socket
import time
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from polyclinic.cli.doctor import ANSWERED_S, LEAST_S, PATIENCE_S, patience
from polyclinic.cli.show import describe
from polyclinic.core.episode import EpisodeSpec
from polyclinic.core.execute import EpisodeResult
from polyclinic.core.model import Usage
from polyclinic.core.transcript import EpisodeStatus, Failed, Score, Scored, Transcript
from polyclinic.errors import Owner, UnknownName
from polyclinic.runner.execute.progress import Ticker
from polyclinic.runner.registry import load_clinic
from tests.cli.conftest import Run, as_json

CLOSED = "http://127.0.0.1:9/v1:none?tries=1"
"""No server listens on the discard port."""


def test_an_unreachable_endpoint_is_explained_at_once_and_only_named_at_the_end(polyclinic: Run) -> None:
    done = polyclinic("run", "demo", "--scenarios", "3", "--cast", f"nurse={CLOSED}")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert done.stderr.count("the first failure: model: ") == 1
    assert done.stderr.count("check that it is running") == 1
    assert "  model (3 times): http://127.0.0.1:9/v1:none?tries=1: no connection (in full above)\n" in done.stderr


def test_different_reasons_are_each_reported_once(polyclinic: Run) -> None:
    cast = f"nurse={CLOSED},judge={CLOSED}"
    done = polyclinic("run", "demo", "--scenarios", "2", "--variant", "plain", "--cast", cast)
    assert done.returncode == 1 and done.stderr.count("check that it is running") == 1
    judged = polyclinic("run", "demo", "--scenarios", "2", "--variant", "plain", "--cast", f"judge={CLOSED}")
    assert judged.returncode == 1
    assert "judgements failed" in judged.stderr and judged.stderr.count("no connection") == 1


def test_two_judges_with_one_reason_share_a_line(polyclinic: Run) -> None:
    judged = polyclinic("run", "counsel", "--scenarios", "1", "--cast", f"judge={CLOSED}")
    assert judged.returncode == 1 and judged.stderr.count("no connection") == 1
    assert "model (2 times): likert, preference: http" in judged.stderr


def test_a_run_without_a_finished_episode_is_not_judged(polyclinic: Run) -> None:
    assert polyclinic("run", "demo", "--scenarios", "1", "--cast", f"nurse={CLOSED}").returncode == 1
    judged = polyclinic("judge", "last")
    assert (judged.returncode, judged.stdout) == (2, "")
    assert judged.stderr.endswith("has no finished episode yet: there is nothing to judge\n")


def test_a_missing_key_stops_before_anything_is_saved(polyclinic: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = polyclinic("run", "demo", "--cast", "nurse=openai:gpt-5-mini")
    assert (done.returncode, done.stdout) == (2, "")
    assert "set OPENAI_API_KEY" in done.stderr
    assert as_json(polyclinic("runs", "--json")) == []


def test_the_doctor_command_does_not_wait_long_for_a_silent_model(polyclinic: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        began = time.monotonic()
        done = polyclinic("doctor", "--model", f"http://127.0.0.1:{silent.getsockname()[1]}/v1:none")
        assert time.monotonic() - began < 5
    assert done.returncode == 1
    assert "FIX  model" in done.stdout and "no answer within" in done.stdout


def test_the_doctor_command_counts_from_its_start() -> None:
    assert [patience(gone) for gone in (0.25, 2.0, 9.0)] == [PATIENCE_S, ANSWERED_S - 2.0, LEAST_S]


@pytest.mark.parametrize("words", [("serve", "demo"), ("fhir", "serve")])
def test_a_busy_port_is_refused_before_anything_is_announced(polyclinic: Run, words: tuple[str, ...]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = polyclinic(*words, "--port", str(port))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"polyclinic: 127.0.0.1:{port} is in use; choose another port with --port\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("serve", "patient"), "is not a clinic that serves live sessions"),
        (("serve", "demo", "--store", "typo/new.db"), "make it with: mkdir -p typo"),
        (("web", "--store", "typo/new.db"), "make it with: mkdir -p typo"),
    ],
)
def test_a_mistake_is_told_before_a_busy_port(polyclinic: Run, words: tuple[str, ...], says: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = polyclinic(*words, "--port", str(taken.getsockname()[1]))
    assert done.returncode == 2 and says in done.stderr and "is in use" not in done.stderr


def test_an_export_of_nothing_is_refused_in_every_format_and_leaves_the_file(polyclinic: Run, tmp_path: Path) -> None:
    assert polyclinic("run", "demo", "--scenarios", "1", "--cast", f"nurse={CLOSED}").returncode == 1
    for name in ("x.csv", "x.parquet", "x.jsonl"):
        (tmp_path / name).write_text("mine", encoding="utf-8")
        done = polyclinic("export", "last", "--what", "scores", "-o", name)
        assert (done.returncode, (tmp_path / name).read_text(encoding="utf-8")) == (2, "mine")
        assert "has no scores yet: there is nothing to export" in done.stderr


def test_the_file_extension_decides_the_format_of_an_export(polyclinic: Run, tmp_path: Path) -> None:
    polyclinic("run", "demo", "--scenarios", "2")
    assert polyclinic("export", "last", "--what", "scores", "-o", "x.csv").returncode == 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "x.csv").read_text(encoding="utf-8"))))
    assert {"metric", "value", "judge", "episode"} <= set(rows[0]) and float(rows[0]["value"]) >= 0
    assert polyclinic("export", "last", "-o", "x.jsonl").returncode == 0
    assert (tmp_path / "x.jsonl").read_bytes().startswith(b"{")
    assert polyclinic("export", "last", "-o", "x.parquet").returncode == 0
    assert (tmp_path / "x.parquet").read_bytes().startswith(b"PAR1")
    refused = polyclinic("export", "last", "-o", "x.xlsx")
    assert (refused.returncode, (tmp_path / "x.xlsx").exists()) == (2, False)
    assert ".csv" in refused.stderr
    contradicted = polyclinic("export", "last", "--format", "jsonl", "-o", "y.csv")
    assert (contradicted.returncode, (tmp_path / "y.csv").exists()) == (2, False)
    assert "y.csv ends in .csv and --format says jsonl" in contradicted.stderr
    assert polyclinic("export", "last", "--format", "csv", "-o", "y.txt").returncode == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("run", "demo", "--fhir", "http://127.0.0.1:9"), "demo keeps no records"),
        (("play", "rounds", "--role", "student-9"), "student-3"),
        (("run", "rounds", "--cast", "student-9=understudy"), "student-3"),
        (("grades", "nosuch"), "'nosuch' is not a clinic"),
        (("audit", "read", "missing.csv"), "missing.csv: there is no such sheet"),
        (("scenarios", "missing.yaml"), "choose one of these: lint, list or show"),
        (("scenarios", "lint", "missing.yaml"), "name the clinic before the file: polyclinic scenarios lint CLINIC mi"),
        (("scenarios", "lint", "demo"), "name a file: polyclinic scenarios lint demo FILE"),
        (("run", "demo", "--html", "x.html"), "polyclinic report RUN --html FILE"),
        (("scenarios", "show", "patient", "npc-77"), "'npc-77' is not a scenario of patient"),
        (("run", "demo", "--cast", "nurze=understudy"), "did you mean nurse"),
        (("play", "demo"), "name your role with --role: nurse, caller, judge"),
        (
            ("run", "nosuch"),
            "'nosuch' is not a clinic: choose one of these: counsel, demo, duty, frontdesk, patient or rounds",
        ),
        (("run", "demo", "--scenarios", "empty.jsonl"), "empty.jsonl: the file is empty; write one JSON object"),
        (("run", "patient", "--scenarios", "empty.jsonl"), "empty.jsonl: the file is empty; write one JSON object"),
        (("eval", "counsel-guard", "--file", "empty.jsonl"), "empty.jsonl: the file is empty; write one JSON object"),
        (
            ("run", "frontdesk", "--scenarios", "empty.toml"),
            "empty.toml: a config must be a table of parameters; write",
        ),
        (("fhir", "load", "empty.jsonl"), "empty.jsonl: the file is empty; write a resource"),
        (("fhir", "load", "nothing.json"), "nothing.json:1: Resource: resourceType is missing; write for example"),
        (("run", "demo", "--scenarios", "0"), "selects no scenario of demo: write a number of at least 1"),
        (
            ("run", "frontdesk", "--scenarios", "1000"),
            "1000 patients are more than call a hospital here: write 222 or fewer",
        ),
        (("run", "demo", "--trials", "many"), "--trials: 'many' is not a whole number; see polyclinic run --help"),
        (("serve", "demo", "--port", "99999"), "--port: 99999 is not between 0 and 65535; see"),
        (("run", "demo", "extra"), "one word too many (extra); see polyclinic run --help"),
        (("dataset", "demo"), "--out is missing; see polyclinic dataset --help"),
        (("grades", "-o", "g.xlsx"), "g.xlsx: name a file that ends in .jsonl, .csv, .parquet\n"),
        (("eval", "readings", "--out", "r.txt"), "r.txt: name a file that ends in .json"),
        (("train", "reader", "--out", "x"), "x: name a file that ends in .npz"),
        (("train", "guard", "--out", "x.json"), "x.json: name a file that ends in .npz"),
        (("report", "--html", "out.pdf"), "out.pdf: name a file that ends in .html or .htm"),
        (("demo", "--html", "out"), "out: name a file that ends in .html or .htm"),
        (("run", "demo", "--cast", ""), "--cast has no value: write one, or leave it out"),
        (("run", "demo", "--scenarios", ""), "--scenarios has no value"),
        (("run", "demo", "--samples", "0"), "--samples: 0 is less than 1; see"),
        (("judge", "last", "--samples", "0"), "--samples: 0 is less than 1; see"),
        (("run", "demo", "--on", "slurm"), "--on slurm: write ray, ray://auto or ray://HOST:PORT"),
        (("runs", "free", "x"), "'free' is not a command of runs: did you mean release?"),
        (("staff", "nosuch"), "'nosuch' is not a command of staff"),
        (("run", "duty", "--scenarios", "T3:2~nurse.nosuch-0.4@1"), "'nosuch' is not a trait of nurse"),
        (("run", "duty", "--scenarios", "T3:2~nurse.thoroughness-9@1"), "push a trait by -1 to 1, not by -9"),
        (("run", "duty", "--scenarios", "T3:2~nurse.thoroughness-0.4@9"), "2 shifts, and none of them is pushed"),
        (("report", "--full"), "--full belongs to --json"),
        (("report", "--transcripts", "-3"), "--transcripts: -3 is less than 0"),
        (("dataset", "demo", "--out", "d", "--rows", "-3"), "--rows: -3 is less than 1; see"),
        (("dataset", "demo", "--out", "d", "--test-share", "3"), "--test-share: 3.0 is not between 0 and 1"),
        (("dataset", "demo", "--out", "d", "--least-reward", "nan"), "--least-reward: 'nan' is not a number"),
        (("serve", "demo", "--messages-per-minute", "0"), "--messages-per-minute: 0.0 is not more than 0"),
        (("runs", "--store", "nothing.json"), "(file is not a database): choose another with --store"),
    ],
)
def test_impossible_requests_are_refused_with_the_right_hint(
    polyclinic: Run, words: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    for name, text in (("empty.jsonl", ""), ("empty.toml", ""), ("nothing.json", "{}")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = polyclinic(*words)
    assert done.returncode == 2, done.stdout
    assert says in done.stderr


def test_an_impossible_number_of_rows_is_refused_before_anything_is_announced(polyclinic: Run) -> None:
    done = polyclinic("dataset", "demo", "--out", "rows", "--rows", "0")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "polyclinic: --rows: 0 is less than 1; see polyclinic dataset --help\n"


def test_nothing_is_announced_before_a_clinic_without_a_dataset_is_refused(polyclinic: Run) -> None:
    done = polyclinic("dataset", "patient", "--out", "rows")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "polyclinic: 'patient' is not a clinic with a dataset: choose one of these: demo or rounds\n"


def test_a_variant_is_not_compared_with_itself(polyclinic: Run) -> None:
    polyclinic("run", "demo", "--scenarios", "1", "--variant", "plain")
    (run,) = [row["run"] for row in as_json(polyclinic("runs", "--json"))]
    for right in ("last", f"{run}/plain"):
        done = polyclinic("compare", "last", right)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"last and {right} are the same variant of the same run" in done.stderr


def test_an_empty_list_of_accounts_says_how_to_add_one(polyclinic: Run) -> None:
    polyclinic("run", "demo", "--scenarios", "1")
    done = polyclinic("staff", "list")
    assert (done.returncode, done.stdout) == (0, "") and "polyclinic staff add" in done.stderr


def test_a_clinic_without_live_sessions_is_refused_before_a_token_is_made(polyclinic: Run) -> None:
    done = polyclinic("serve", "patient")
    says = "polyclinic: 'patient' is not a clinic that serves live sessions: choose one of these: counsel or demo\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", says)


def test_a_long_list_of_names_is_cut() -> None:
    message = str(UnknownName("episode", "?", [f"a-long-name-of-an-episode-{number}" for number in range(900)]))
    assert len(message) < 320 and message.endswith(" more")
    assert str(UnknownName("run", "?", ["only"])) == "'?' is not a run: choose one of these: only"


def test_a_dash_is_standard_output_and_never_a_file(polyclinic: Run, tmp_path: Path) -> None:
    polyclinic("run", "demo", "--scenarios", "1")
    assert polyclinic("grades", "-o", "-").stdout == polyclinic("grades").stdout != ""
    polyclinic("export", "last", "-o", "rows.csv")
    assert polyclinic("export", "last", "--format", "csv", "-o", "-").stdout == (tmp_path / "rows.csv").read_text()
    assert orjson.loads(polyclinic("export", "last", "-o", "-").stdout)["clinic"] == "demo"
    for refused in (
        "report --html -",
        "eval readings --out -",
        "library export x -",
        "store backup -",
        "demo --html -",
    ):
        done = polyclinic(*refused.split())
        assert done.returncode == 2 and "name a file" in done.stderr, refused
    assert not (tmp_path / "-").exists()


@pytest.mark.parametrize(
    "command",
    ["runs", "runs delete x", "show", "report", "grades", "export", "judge", "resume", "library list x", "staff list"],
)
def test_a_mistyped_store_is_an_error_and_is_not_created(polyclinic: Run, command: str, tmp_path: Path) -> None:
    done = polyclinic(*command.split(), "--store", "typo.db")
    assert (done.returncode, "there is no store 'typo.db'" in done.stderr) == (2, True)
    assert not (tmp_path / "typo.db").exists()


@pytest.mark.parametrize(
    "command", ["play demo --role nurse", "run demo", "evolve patient", "serve counsel", "web --no-open", "doctor"]
)
def test_a_store_in_a_folder_that_does_not_exist_is_an_error(polyclinic: Run, command: str, tmp_path: Path) -> None:
    done = polyclinic(*command.split(), "--store", "typo/new.db", stdin="")
    assert done.returncode in (1, 2) and "make it with: mkdir -p typo" in done.stdout + done.stderr
    assert not list(tmp_path.iterdir()), "nothing was written"


def test_the_browser_says_that_its_store_is_new(polyclinic: Run) -> None:
    made, known = (polyclinic("web", "--host", "0.0.0.0", "--port", "0", "--store", "new.db") for _ in range(2))
    assert "new.db is a new, empty store" in made.stderr and "new, empty" not in known.stderr


def test_runs_of_two_clinics_are_not_compared(polyclinic: Run) -> None:
    polyclinic("run", "demo", "--scenarios", "2", "--variant", "plain", "--variant", "tool")
    polyclinic("run", "frontdesk", "--scenarios", "walk-in", "--variant", "tool")
    demo, desk = sorted(row["run"] for row in as_json(polyclinic("runs", "--json")))
    done = polyclinic("compare", demo, desk)
    assert done.returncode == 2 and "only runs of one clinic" in done.stderr, done.stderr


def test_a_scenario_is_found_by_its_id_in_any_set(polyclinic: Run) -> None:
    assert as_json(polyclinic("scenarios", "show", "patient", "npc-01", "--json"))["id"] == "npc-01"


def test_one_cast_string_fits_all_clinics(polyclinic: Run) -> None:
    cast = "judge=understudy,nurse=understudy,student-2=understudy,all=understudy"
    done = polyclinic("run", "frontdesk", "--scenarios", "walk-in", "--cast", cast)
    assert done.returncode == 0, done.stderr
    assert "frontdesk has no role judge or nurse or student-2; that part of the cast is not used" in done.stderr


def test_exit_codes_are_as_the_help_says(polyclinic: Run) -> None:
    said = " ".join(polyclinic("--help").stdout.split())
    assert "0 done, 1 the run has failures, 2 the input is wrong, 3 stopped by a limit, 130 interrupted" in said
    assert polyclinic("run", "demo", "--scenarios", "1").returncode == 0
    assert polyclinic("run", "demo", "--scenarios", "1", "--cast", f"nurse={CLOSED}").returncode == 1
    assert polyclinic("run", "demo", "--scenarios", "0").returncode == 2
    assert polyclinic("run", "demo", "--scenarios", "2", "--max-tokens", "10").returncode == 3


def test_logging_turned_on_by_a_library_does_not_turn_on_ours(polyclinic: Run) -> None:
    logging.getLogger().setLevel(logging.INFO)
    try:
        polyclinic("clinics")
        assert not logging.getLogger("polyclinic.run").isEnabledFor(logging.INFO)
    finally:
        logging.getLogger().setLevel(logging.WARNING)


class Terminal(io.StringIO):
    """A terminal that records what is written to it."""

    def isatty(self) -> bool:
        return True


SPEC = EpisodeSpec(id="a", clinic="demo", scenario="a", variant="plain", trial=0, seed=0)


def ended(status: EpisodeStatus = "done", *owners: Owner) -> EpisodeResult:
    failures = [Failed(owner=owner, error="x") for owner in owners]
    usage = {"nurse": Usage(input_tokens=10, output_tokens=10, cost_nano_usd=2_000_000_000)}
    return EpisodeResult(SPEC, status, "", Transcript(), failures=failures, usage=usage)


def test_progress_is_a_bar_with_cost_retries_and_failures_by_owner() -> None:
    ticker = Ticker(Terminal())
    ticker.start(4, 1)
    ticker.watch(lambda: 7)
    ticker.ended(ended())
    ticker.ended(ended("failed", "judge", "model"))
    assert ticker.bar() == "███████████████░░░░░  75%"
    line = ticker.line()
    assert line.startswith("2 done, 1 failed (model 1), 1 left, about ")
    assert line.endswith("40 tokens, $4.0000, 7 tried again")


def test_in_a_narrow_terminal_the_bar_gives_way_to_the_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "90")
    out = Terminal()
    ticker = Ticker(out)
    ticker.start(4, 1)
    ticker.watch(lambda: 7)
    ticker.ended(ended("failed", "judge", "model"))
    ticker.close()
    last = out.getvalue().rpartition("\x1b[K")[2].strip()
    assert last.endswith("7 tried again") and len(last) < 90


@pytest.mark.parametrize("columns", [50, 80, 120, 200])
def test_one_row_holds_bar_time_cost_retries_and_failures(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    out = Terminal()
    ticker = Ticker(out)
    ticker.start(100, 30)
    monkeypatch.setattr(ticker, "_began", ticker._began - 190)
    ticker.watch(lambda: 12)
    for each in (ended(), ended("failed", "judge"), ended("failed", "model"), ended("failed", "model")):
        ticker.ended(each)
    ticker.close()
    row = out.getvalue().rpartition("\x1b[K")[2].removesuffix("\n")
    assert len(row) < columns and "\n" not in row
    assert all(part in row for part in ("judge 1, model 2", "$8.00", "12 ", "52 min")), row
    assert (
        ("█" in row) == (columns > 50) and ("failed" in row) == (columns > 80) and ("tokens" in row) == (columns > 80)
    )
    assert "34/100" in row or "34%" in row


def test_in_the_narrowest_terminal_the_failures_are_still_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "32")
    out = Terminal()
    ticker = Ticker(out)
    ticker.start(1000, 900)
    for each in (ended("failed", "judge"), ended("failed", "model")):
        ticker.ended(each)
    ticker.close()
    row = out.getvalue().rpartition("\x1b[K")[2].strip()
    assert row.startswith("902/1000 ✗ ") and len(row) < 32


@pytest.mark.parametrize("out", [Terminal(), io.StringIO()])
def test_the_first_failure_says_why_at_once_and_later_ones_do_not(out: io.StringIO) -> None:
    ticker = Ticker(out)
    ticker.start(4, 0)
    ticker.ended(ended())
    assert "first failure" not in out.getvalue()
    ticker.ended(ended("failed", "model"))
    assert "the first failure: model: x\n" in out.getvalue()
    ticker.ended(ended("failed", "judge"))
    assert out.getvalue().count("first failure") == 1


def test_a_log_file_gets_whole_lines_and_no_progress_bar(polyclinic: Run) -> None:
    done = polyclinic("run", "demo", "--scenarios", "2")
    assert not {"\r", "\x1b", "█"} & set(done.stderr)
    assert [line for line in done.stderr.splitlines() if " left" in line][-1].startswith("2 done, 0 failed, 0 left")


@pytest.mark.parametrize("clinic", ["rounds", "frontdesk"])
def test_show_prints_what_people_said_and_no_dictionaries(polyclinic: Run, clinic: str) -> None:
    scenarios, variant = {"rounds": ("card-03", "lecture"), "frontdesk": ("walk-in", "tool")}[clinic]
    polyclinic("run", clinic, "--scenarios", scenarios, "--variant", variant, "--judges", "none")
    episode = as_json(polyclinic("show", "last", "--json"))[0]["episode"]
    shown = polyclinic("show", "last", episode).stdout
    assert max(map(len, shown.splitlines())) <= 112
    assert '{"' not in shown and "{'" not in shown and '":' not in shown
    assert "patient" in shown and "note:" not in shown, "the case's answer is in a note"
    assert "note:" in polyclinic("show", "last", episode, "--notes").stdout


def test_show_gives_scores_in_three_digits_and_their_reasons_in_indented_lines() -> None:
    reason = "A doctor who\n- says what is not known: very strongly\n- " + "decides together with the patient " * 4
    score = Score(metric="ics_llm", value=0.267801, judge="identity", subject="doctor", reason=reason)
    shown = describe(Scored(score=score))
    assert "identity: ics llm of doctor = 0.268: A doctor who - says what is not known" in shown
    titled = describe(Scored(score=score), titles={"ics_llm": "change of character, by judge"})
    assert "identity: change of character, by judge of doctor = 0.268" in titled and "ics" not in titled
    assert "= 1,307" in describe(Scored(score=replace(score, metric="tokens", value=1307.2)))
    assert all(line.startswith("    ") for line in shown.splitlines()[1:])


@pytest.mark.parametrize(
    ("clinic", "typed", "nearest", "listed"),
    [
        ("counsel", "gb-yorkshire-mine-en", "gb-yorkshire-miner-en", "counsel"),
        ("demo", "cal-01", "call-01", "demo"),
        ("duty", "t1-11-litium", "t1-11-lithium", "duty"),
        ("frontdesk", "primary-0-0001-visit", "primary-0-00011-visit", "frontdesk"),
        ("patient", "AMI-1", "ami-01", "patient --scenarios all"),
        ("rounds", "cardio-01", "card-01", "rounds"),
    ],
)
def test_a_mistyped_case_names_the_nearest_and_the_command_that_lists_all(
    polyclinic: Run, clinic: str, typed: str, nearest: str, listed: str
) -> None:
    told = f"polyclinic: '{typed}' is not a scenario of {clinic}: did you mean {nearest}"
    role = load_clinic(clinic).roles[0].name
    for words in (
        ("run", clinic, "--scenarios", typed),
        ("play", clinic, "--role", role, "--scenarios", typed),
        ("scenarios", "show", clinic, typed),
        ("scenarios", "list", clinic, "--scenarios", typed),
    ):
        done = polyclinic(*words)
        assert done.returncode == 2 and done.stderr.startswith(told), done.stderr
        assert done.stderr.endswith(f"? All of them: polyclinic scenarios list {listed}\n"), done.stderr
        assert typed not in polyclinic("scenarios", "list", *listed.split()).stdout
        assert nearest in polyclinic("scenarios", "list", *listed.split()).stdout
