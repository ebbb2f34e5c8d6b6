"""Running everything in the right order, and what comes out of it."""

from __future__ import annotations

import gzip
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from polyclinic.core.reading import ReadingKind
from polyclinic.reading.sets import Labelled
from tools.encoder import all as everything
from tools.encoder import parts
from tools.encoder.all import deliver, plan
from tools.encoder.batches import LabelLessons, RowLessons
from tools.encoder.jobs import Job, Room, Runner
from tools.encoder.left_out import labels_right, rows_right
from tools.encoder.pool import FALSE, SUPPORTED
from tools.encoder.readings import chosen_lines
from tools.encoder.tiny import tiny_inputs

ROOM = Room(2, 10.0)


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def ran(folder: Path, jobs: list[Job], seconds: float = 60.0, *only: str) -> tuple[dict[str, str], list[str]]:
    """How each job ended, and the names of those that delivered, in order."""
    delivered: list[str] = []
    ends = time.monotonic() + seconds

    def put(job: Job) -> None:
        delivered.append(job.name)

    states = Runner(jobs, folder, ROOM, ends, put, lambda line: None, frozenset(only)).run()
    return dict(states), delivered


def test_a_job_waits_for_what_it_needs_and_is_left_out_if_that_fails(tmp_path: Path) -> None:
    file = tmp_path / "file"
    jobs = [
        Job("later", lambda left: python(f"print(open({str(file)!r}).read())"), ("first",)),
        Job("first", lambda left: python(f"open({str(file)!r}, 'w').write('made')")),
        Job("bad", lambda left: python("raise SystemExit(3)")),
        Job("lost", lambda left: python("pass"), ("bad",)),
        Job("anyway", lambda left: python("pass"), after=("bad",)),
    ]
    states, delivered = ran(tmp_path, jobs)
    assert states == {"later": "done", "first": "done", "bad": "failed", "lost": "left out", "anyway": "done"}
    assert delivered.index("first") < delivered.index("later") and "bad" not in delivered
    assert (tmp_path / "later.log").read_text() == "made\n"


def test_a_second_run_does_only_what_was_not_done(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    jobs = [
        Job("good", lambda left: python("print('once')")),
        Job("bad", lambda left: python(f"open({str(missing)!r})"), ("good",)),
    ]
    assert ran(tmp_path, jobs)[0] == {"good": "done", "bad": "failed"}
    missing.touch()
    assert ran(tmp_path, jobs) == ({"good": "done", "bad": "done"}, ["bad"])
    assert (tmp_path / "good.log").read_text() == "once\n"


def test_only_the_named_jobs_are_done(tmp_path: Path) -> None:
    jobs = [
        Job("first", lambda left: python("pass")),
        Job("other", lambda left: python("pass")),
        Job("later", lambda left: python("pass"), ("first", "other")),
    ]
    assert ran(tmp_path, jobs, 60.0, "first", "later")[0] == {"first": "done", "other": "left out", "later": "left out"}
    assert ran(tmp_path, jobs, 60.0, "other", "later")[0] == {"first": "done", "other": "done", "later": "done"}


def test_what_still_runs_when_the_time_is_up_is_ended(tmp_path: Path) -> None:
    jobs = [Job("long", lambda left: python("import time; time.sleep(60)"), results=(tmp_path,))]
    begun = time.monotonic()
    assert ran(tmp_path, jobs, seconds=0.5) == ({"long": "stopped"}, [])
    assert time.monotonic() - begun < 20


def test_jobs_share_the_memory(tmp_path: Path) -> None:
    together = tmp_path / "together"
    code = (
        f"import os, time\np = {str(together)!r}\nassert not os.path.exists(p)\n"
        "open(p, 'w').close(); time.sleep(0.3); os.remove(p)"
    )
    jobs = [Job(name, lambda left: python(code), memory=6.0) for name in "abc"]
    assert set(ran(tmp_path, jobs)[0].values()) == {"done"}
    assert ran(tmp_path, [Job("large", lambda left: python("pass"), memory=99.0)])[0] == {"large": "done"}


def test_every_job_of_the_plan_can_start_and_every_option_is_known(tmp_path: Path) -> None:
    for tiny in (False, True):
        jobs = plan(tiny_inputs(tmp_path), tmp_path, 600.0, tiny=tiny)
        names = [job.name for job in jobs]
        assert len(set(names)) == len(names)
        for place, job in enumerate(jobs):
            assert {*job.needs, *job.after} <= set(names[:place]), "a job stands after those that it waits for"
            assert str(tmp_path) in " ".join(job.command(600.0))
    (out,) = [job for job in jobs if job.name == "out-1"]
    assert "--resume" not in out.command(600.0)
    (tmp_path / "work").mkdir()
    for name in ("out-1-network.npz", "messages-01.jsonl"):
        (tmp_path / "work" / name).touch()
    command = out.command(600.0)
    assert command[command.index("--opinions") + 1] == str(tmp_path / "work" / "messages-01.jsonl")
    assert command[command.index("--resume") + 1] == str(tmp_path / "work" / "out-1-network.npz")
    assert float(command[command.index("--until") + 1]) < time.time() + 600


def test_the_networks_that_are_measured_on_a_group_learn_from_a_teacher_that_did_not_learn_it(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    for name in ("messages.jsonl", "messages-01.jsonl"):
        (tmp_path / "work" / name).touch()
    jobs = {job.name: job.command(600.0) for job in plan(tiny_inputs(tmp_path), tmp_path, 600.0)}
    assert jobs["messages-01"][-3:] == ["--leave-out", "0", "1"] and "--leave-out" not in jobs["messages"]
    for name, opinions in (("guard", "messages"), ("out-0", "messages-01"), ("out-1", "messages-01")):
        assert jobs[name][jobs[name].index("--opinions") + 1].endswith(f"/{opinions}.jsonl")


def test_results_are_packed_and_cut_into_parts_that_can_be_joined(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "texts.jsonl").write_bytes(b"a line\n" * 99)
    (work / "network.npz").write_bytes(bytes(range(250)))
    put = deliver(tmp_path, 100)
    put(Job("both", lambda left: [], results=(work / "texts.jsonl", work / "network.npz")))
    assert gzip.decompress((tmp_path / "texts.jsonl.gz").read_bytes()) == b"a line\n" * 99
    assert sorted(path.name for path in tmp_path.glob("network*")) == [f"network.npz.part{n}" for n in (1, 2, 3)]
    assert parts.main(["join", str(tmp_path / "network.npz")]) == 0
    assert (tmp_path / "network.npz").read_bytes() == bytes(range(250))
    assert parts.cut(tmp_path / "network.npz") == [tmp_path / "network.npz"]


def test_the_inputs_are_asked_for(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="2"):
        everything.main(["model", str(tmp_path)])
    assert not (tmp_path / "work").exists()


def test_a_tenth_of_the_sources_and_cases_is_left_out_of_what_the_reader_learns() -> None:
    kinds = [ReadingKind(name, who=(), question="Is it?") for name in (SUPPORTED, FALSE, "other")]
    lines = [
        Labelled(kind.ask(), f"{number}", True, "A", "train", about=f"about {number}")
        for kind in kinds
        for number in range(40)
    ]
    learned, away = chosen_lines(lines, 10)
    left = {line.about for line in away}
    assert len(left) == 4 and len(away) == 8 and not left & {line.about for line in learned}
    assert len([line for line in learned if line.question.kind == "other"]) == 10
    assert len([line for line in learned if line.question.kind != "other"]) == 72


def test_what_is_right_is_told_for_each_language() -> None:
    zeros, korean = np.zeros(4, np.int64), np.array([False, False, True, True])
    answers = np.array([1, 0, 1, 0])
    rows = RowLessons(zeros, zeros, zeros, zeros, zeros > 1, answers, zeros, korean)
    scores = np.array([1.0, -1.0, 1.0, 1.0], np.float32)
    assert rows_right(rows, scores, ["told"]) == {"told, en": 1.0, "told, ko": 0.5}
    lines = LabelLessons(zeros, answers, zeros, korean)
    labels = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0], [1.0, 0.0]], np.float32)
    assert labels_right(lines, labels) == {"labels, en": 1.0, "labels, ko": 0.5}


def test_the_reader_gets_the_share_of_the_time_that_is_asked_for(tmp_path: Path) -> None:
    jobs = {job.name: job for job in plan(tiny_inputs(tmp_path), tmp_path, 600.0, reader_share=0.6)}
    asked = list(jobs["reader"].command(600.0))
    assert asked[asked.index("--seconds") + 1] == "360"
