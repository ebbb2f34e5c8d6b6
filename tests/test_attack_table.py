"""The attack table (`benchmarks/results/limits.md`): each row names a test, and that test exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "benchmarks" / "results" / "limits.md"
_DEFINED = re.compile(r"^\s*(?:async )?def (test_\w+)", re.MULTILINE)
_TEST = re.compile(r"(?:(?P<file>[\w/]+\.py)::)?(?P<name>test_\w+)(?!\.py)\b")


def _rows() -> list[tuple[str, str]]:
    """(attack, cell that names its test); "the same" means the cell above."""
    found: list[tuple[str, str]] = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) != 4 or cells[0] == "attack" or set(cells[0]) <= {"-"}:
            continue
        found.append((cells[0], found[-1][1] if cells[3] == "the same" else cells[3]))
    return found


def _tests() -> dict[str, set[str]]:
    """Each test function with the names of the files that contain it."""
    known: dict[str, set[str]] = {}
    for path in (ROOT / "tests").rglob("test_*.py"):
        for name in _DEFINED.findall(path.read_text(encoding="utf-8")):
            known.setdefault(name, set()).add(path.name)
    return known


_KNOWN = _tests()


def test_the_table_has_a_row_for_every_attack_that_was_made() -> None:
    assert len(_rows()) >= 35


@pytest.mark.parametrize(("attack", "cell"), _rows())
def test_each_attack_has_a_test_that_exists(attack: str, cell: str) -> None:
    named = [match for match in _TEST.finditer(cell) if match["name"] + ".py" not in cell]
    assert named, f"no test is named for: {attack}"
    for match in named:
        files = _KNOWN.get(match["name"], set())
        assert files, f"{match['name']} does not exist"
        if match["file"]:
            assert match["file"].rpartition("/")[2] in files
