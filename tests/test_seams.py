"""Data between flows, judges and the engine is typed: no code casts a type or looks up a field by its name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import polyclinic
from polyclinic.core.campaign import Effect
from polyclinic.core.library import Entry, Lesson
from polyclinic.core.note import Note, Payload
from polyclinic.runner.registry import clinic_modules, load_clinic

PACKAGE = Path(polyclinic.__file__).parent
CLINICS = PACKAGE / "clinics"
READS = ("__init__", "flow", "judges", "report", "evolve", "agents", "service", "board", "evaluations", "operations")
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


def kinds_of(base: type[Any]) -> Iterator[type[Any]]:
    """All subclasses of a class that the package has."""
    kind: type[Any]
    for kind in base.__subclasses__():
        if kind.__module__.startswith("polyclinic."):
            yield kind
        yield from kinds_of(kind)


def open_fields(kind: type) -> list[str]:
    """The fields of a class that can hold anything."""
    return [f"{kind.__name__}.{name}" for name, hint in vars(kind).get("__annotations__", {}).items() if "Any" in hint]


def test_what_flows_note_commit_and_learn_has_typed_fields() -> None:
    for name in clinic_modules():
        load_clinic(name)
    bases: tuple[type, ...] = (Note, Payload, Effect, Lesson)
    kinds: list[type[Any]] = [Entry, *(kind for base in bases for kind in kinds_of(base))]
    assert len(kinds) > 60 and [field for kind in kinds for field in open_fields(kind)] == []


def test_a_field_that_can_hold_anything_would_be_found() -> None:
    class Loose(Note):
        case: dict[str, Any]

    assert open_fields(Loose) == ["Loose.case"]


def test_no_code_takes_an_episode_or_a_case_of_any_type() -> None:
    loose = re.compile(r"\b(Episode|Case|Clinic)\[Any\b")
    files = sorted(PACKAGE.rglob("*.py"))
    assert [str(path) for path in files if loose.search(path.read_text(encoding="utf-8"))] == []


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
