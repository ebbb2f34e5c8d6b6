"""Data between flows, judges and the engine is typed: no code casts a type or looks up a field by its name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import polyclinic

PACKAGE = Path(polyclinic.__file__).parent
CLINICS = PACKAGE / "clinics"
READS = ("flow", "judges", "report", "evolve", "agents", "service", "board", "evaluations", "operations")
"""The rooms that get an episode, a case, notes or effects from the engine."""
KEPT = re.compile(r"""\.(?:data|value|body)(?:\[["']|\.get\()""")
OPEN = {"prompts", "demo_settings"}
"""Fields of a clinic whose types are open on purpose: prompts with any reply, and settings as in a run file."""


def modules(rooms: tuple[str, ...]) -> Iterator[Path]:
    for clinic in sorted(path for path in CLINICS.iterdir() if path.is_dir()):
        for room in rooms:
            yield from sorted((clinic / room).rglob("*.py"))
            if (clinic / f"{room}.py").exists():
                yield clinic / f"{room}.py"


def casts(source: str) -> list[int]:
    """The lines that contain a type cast."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("cast", "typing.cast")
    ]


def test_flows_judges_and_reports_use_no_type_casts() -> None:
    found = [f"{path.relative_to(CLINICS)}:{line}" for path in modules(READS) for line in casts(path.read_text())]
    assert found == [] and len(list(modules(READS))) > 60


def test_recorded_data_is_read_back_by_its_type() -> None:
    """`transcript.notes(Offered)`, never `event.data["via"]`."""
    lines = [
        f"{path.relative_to(CLINICS)}: {line.strip()}"
        for path in sorted(CLINICS.rglob("*.py"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if KEPT.search(line)
    ]
    assert lines == []


@pytest.mark.parametrize("line", ['event.data["via"]', 'last_note.data.get("turn")', 'entry.value["phrase"]'])
def test_a_lookup_by_name_would_be_found(line: str) -> None:
    assert KEPT.search(line)


def test_a_type_cast_would_be_found() -> None:
    assert casts("def flow(episode):\n    call = cast(Call, episode.scenario)") == [2]


def test_the_fields_of_a_clinic_name_their_types() -> None:
    tree = ast.parse((PACKAGE / "core" / "clinic.py").read_text(encoding="utf-8"))
    clinic = next(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == "Clinic")
    fields = {
        ast.unparse(node.target): ast.unparse(node.annotation)
        for node in clinic.body
        if isinstance(node, ast.AnnAssign)
    }
    assert {"flow", "judges", "report", "feedback", "evaluations"} <= fields.keys()
    assert {name for name, kind in fields.items() if "Any" in kind} == OPEN
