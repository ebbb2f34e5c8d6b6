"""Reading files: every fault names the file, and also line, field and fix where they are known."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import Field

import polyclinic
from polyclinic.core.files import (
    bad_file,
    checked,
    json_lines,
    must_exist,
    not_written,
    package_data,
    package_rows,
    package_text,
    parse_data,
    read_bytes,
    read_data,
    read_text,
    refuse_path,
    rows_of,
)
from polyclinic.core.message import Frozen
from polyclinic.errors import ConfigError, DataError, UnknownName


class Row(Frozen):
    """A row with one field."""

    age: int = Field(ge=0)


def test_a_message_names_file_line_field_fault_and_fix_in_one_format() -> None:
    whole = bad_file("a.toml", "is missing", line=3, field="criteria.2", fix="add it")
    assert isinstance(whole, DataError) and str(whole) == "a.toml:3: criteria.2: is missing; add it"
    assert str(bad_file(Path("a.toml"), "is empty")) == "a.toml: is empty"
    assert isinstance(bad_file("run.toml", "is empty", error=ConfigError), ConfigError)


def test_a_path_that_is_missing_or_not_a_file_or_not_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"gone\.csv: there is no such sheet; make one"):
        read_text(tmp_path / "gone.csv", about="sheet", fix="make one")
    with pytest.raises(DataError, match="the file cannot be read: Is a directory"):
        read_text(tmp_path)
    (tmp_path / "latin.csv").write_bytes("caf\xe9".encode("latin-1"))
    with pytest.raises(DataError, match=r"latin\.csv: the file cannot be read: it is not UTF-8 at byte 3; save it as"):
        read_text(tmp_path / "latin.csv")


@pytest.mark.parametrize("name", ["", "8", "T1:40", "8.5", "T1:40~doctor.directness-0.4@12", "korean@en"])
def test_a_selector_that_is_no_path_is_left_to_the_caller(name: str) -> None:
    refuse_path(name, "YAML")


def test_a_byte_order_mark_is_not_part_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b'\xef\xbb\xbf{"age": 1}')
    assert read_data(tmp_path / "a.json") == {"age": 1}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.toml", "x = 1\ny = ", r"a\.toml:2: this is not TOML \(Invalid value"),
        ("a.toml", "x = [1,", r"a\.toml:1: this is not TOML"),
        ("a.json", '{"x":\n1,}', r"a\.json:2: this is not JSON"),
        (
            "a.yaml",
            "x: 1\ny: [1\nz: 2",
            r"a\.yaml:3: this is not YAML \(.*\); correct the indentation",
        ),
    ],
)
def test_a_file_that_does_not_fit_its_extension_is_named_with_the_line(name: str, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        parse_data(text, name)
    assert "\n" not in str(caught.value)


def test_rows_are_checked_line_by_line_and_empty_lines_are_skipped() -> None:
    assert rows_of(Row, '{"age": 1}\n\n{"age": 2}\n', "rows.jsonl") == [Row(age=1), Row(age=2)]
    with pytest.raises(DataError, match=r"rows\.jsonl:3: age: please write a number of at least 0; look again"):
        rows_of(Row, '{"age": 1}\n\n{"age": -1}\n', "rows.jsonl", fix="look again")
    with pytest.raises(DataError, match=r"rows\.jsonl:2: this is not JSON"):
        rows_of(Row, '{"age": 1}\noops\n', "rows.jsonl")


@pytest.mark.parametrize("text", ["[]", '"words"', "5"])
def test_a_line_that_is_no_object_is_refused_without_the_names_of_classes(text: str) -> None:
    with pytest.raises(DataError, match=r"^rows\.jsonl:2: not an object with named fields") as error:
        rows_of(Row, f"\n{text}", "rows.jsonl")
    assert "Row" not in str(error.value)


def test_an_unknown_name_lists_every_known_name_once() -> None:
    assert str(UnknownName("mistake", "foo", ["harsh", "late", "harsh"])) == (
        "'foo' is not a mistake: choose one of these: harsh or late"
    )


def test_only_a_line_feed_ends_a_line_of_json_lines() -> None:
    """Writers of JSON leave U+2028 and U+0085 as they are, and `str.splitlines` cuts there."""
    text = '{"says": "one\u2028two\x85three"}\r\n{"says": "four"}\n'
    for given in (text, text.encode()):
        assert [(number, row["says"]) for number, row in json_lines(given, "rows.jsonl")] == [
            (1, "one\u2028two\x85three"),
            (2, "four"),
        ]


def test_a_file_that_is_missing_or_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"gone\.bin: there is no such model; name another"):
        read_bytes(tmp_path / "gone.bin", about="model", fix="name another")
    with pytest.raises(DataError, match=r"gone\.csv: there is no such sheet$"):
        must_exist(tmp_path / "gone.csv", about="sheet")
    must_exist(tmp_path)
    with pytest.raises(IsADirectoryError) as caught:
        tmp_path.write_text("")
    error = not_written(tmp_path, caught.value)
    assert isinstance(error, ConfigError) and str(error) == f"{tmp_path}: the file cannot be written: Is a directory"


def test_a_wrong_value_is_reported_with_its_position() -> None:
    with pytest.raises(DataError, match=r"a\.yaml: case 2: age: please fill this in"):
        checked(Row, {}, "a.yaml", field="case 2")


def test_package_data_is_read_by_its_file_extension() -> None:
    assert package_data("polyclinic.models", "data/prices.toml")["models"]
    assert "{" in package_text("polyclinic.eval", "report.css")
    with pytest.raises(DataError, match=r"calls\.jsonl:1: "):
        package_rows(Row, "polyclinic.clinics.demo", "data/calls.jsonl")


def test_all_file_errors_are_reported_in_one_way() -> None:
    """`bad_file` alone makes a DataError, so that every message names file, position and fix in the same order."""
    package = Path(polyclinic.__file__).parent
    made = [
        path.relative_to(package).as_posix()
        for path in sorted(package.rglob("*.py"))
        if re.search(r"\bDataError\(", path.read_text(encoding="utf-8"))
    ]
    assert made == ["errors.py"]
