from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


def fill(path: Path, value: Callable[[int], str]) -> None:
    """Write a number into every cell, as a rater would. The number depends on the row's item."""
    rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    order = sorted(row[0] for row in rows[1:])
    for row in rows[1:]:
        row[1:-1] = [value(order.index(row[0]))] * (len(row) - 2)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


@pytest.fixture
def packet(polyclinic: Run, tmp_path: Path) -> Path:
    """The audit packet of a small demo run."""
    assert polyclinic("run", "demo", "--variant", "plain", "--variant", "tool", "--scenarios", "4").returncode == 0
    done = polyclinic("audit", "packet", "last", "--episodes", "6", "--raters", "ann,ben", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["items"] == 6
    return tmp_path / "audit-packet"


def test_a_packet_is_rated_and_read_back(polyclinic: Run, packet: Path, tmp_path: Path) -> None:
    sheets = [str(packet / f"ratings_{name}.csv") for name in ("ann", "ben")]
    for sheet in sheets:
        fill(Path(sheet), lambda index: str(1 + index % 5))
    done = polyclinic("audit", "read", *sheets, "--html", "audit.html", "--json")
    assert done.returncode == 0, done.stderr
    (section,) = json.loads(done.stdout)["sections"]
    given, agreed = section["body"][1:3]
    assert given["caption"].startswith("What people gave each variant")
    rows = {(row[1], row[2]): row[3] for row in agreed["rows"]}
    assert rows["people", "alpha (ordinal)"]["mean"] == 1.0
    assert "Human audit" in (tmp_path / "audit.html").read_text(encoding="utf-8")
    shown = polyclinic("audit", "read", *sheets)
    assert "judge minus people" in shown.stdout and "ann, ben" in shown.stdout


def test_empty_and_wrong_sheets_are_the_users_errors(polyclinic: Run, packet: Path) -> None:
    sheet = packet / "ratings_ann.csv"
    empty = polyclinic("audit", "read", str(sheet))
    assert empty.returncode == 2 and "no rating yet" in empty.stderr
    fill(sheet, lambda index: "good")
    wrong = polyclinic("audit", "read", str(sheet))
    assert wrong.returncode == 2 and "ratings_ann.csv:2" in wrong.stderr and "not a whole number" in wrong.stderr
    assert "Traceback" not in wrong.stderr


def test_an_unknown_rubric_is_the_users_error(polyclinic: Run, packet: Path) -> None:
    done = polyclinic("audit", "packet", "--rubric", "nobody.toml", "--folder", "p2", "--key", "k2.json")
    assert done.returncode == 2 and "no such rubric file" in done.stderr


def test_people_read_what_the_reader_read_and_their_labels_measure_any_reader(polyclinic: Run, tmp_path: Path) -> None:
    assert polyclinic("run", "patient", "--scenarios", "2").returncode == 0
    done = polyclinic("audit", "readings", "last", "--lines", "30", "--raters", "ann", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["items"] == 30
    key, sheet = str(tmp_path / "readings-key.json"), tmp_path / "readings-packet" / "ratings_ann.csv"
    empty = polyclinic("audit", "read", str(sheet), "--key", key)
    assert empty.returncode == 2 and "no answer yet" in empty.stderr
    says = {code: item["says"] for code, item in json.loads(Path(key).read_text(encoding="utf-8"))["items"].items()}
    assert len(set(says.values())) > 1
    rows = list(csv.reader(sheet.read_text(encoding="utf-8").splitlines()))
    with sheet.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([rows[0], *([row[0], says[row[0]], ""] for row in rows[1:])])
    read = polyclinic(
        "audit", "read", str(sheet), "--key", key, "--labels", "labels.jsonl", "--html", "audit.html", "--json"
    )
    assert read.returncode == 0, read.stderr
    (section,) = json.loads(read.stdout)["sections"]
    table = section["body"][1]
    everything = dict(zip(table["columns"], table["rows"][-1], strict=True))
    assert everything["kind"] == "all kinds" and everything["n"] == 30 and everything["agree"] == 1
    assert "People as readers" in (tmp_path / "audit.html").read_text(encoding="utf-8")
    # The run's own reader, asked again about the same questions, says the same: nothing was lost on the way.
    again = polyclinic("eval", "readings", "--file", "labels.jsonl", "--cast", "reader=builtin", "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["all"]["balanced"] == 1


def test_what_does_not_go_together_in_an_audit_is_the_users_error(polyclinic: Run, packet: Path) -> None:
    labels = polyclinic("audit", "read", str(packet / "ratings_ann.csv"), "--labels", "x.jsonl")
    assert labels.returncode == 2 and "ratings are no labels" in labels.stderr
    kind = polyclinic("audit", "readings", "last", "--kind", "patient-cheat")
    assert kind.returncode == 2 and "kind of reading" in kind.stderr and "Traceback" not in kind.stderr
