"""The part of a clinic's contract that needs no run.

It covers rooms and their entries, prompts, forms, live sessions and training data. Each check raises `AssertionError`,
which says what is wrong and where.
"""

from __future__ import annotations

import ast
import tempfile
from importlib import import_module
from importlib.resources.abc import Traversable
from inspect import iscoroutinefunction, signature
from pathlib import Path
from typing import Any

from polyclinic.core.clinic import Clinic
from polyclinic.core.dataset import TrainingRow
from polyclinic.core.files import package_file
from polyclinic.core.live import CLOSED
from polyclinic.core.prompt import check_prompts
from polyclinic.runner.registry import clinic_modules
from polyclinic.training.files import column_kinds

ROOMS = ("flow", "agents", "judges", "understudies", "prompts", "variants", "rules", "scenario")
ENTRIES = (
    ("flow", "flow"),
    ("scenario", "scenarios"),
    ("scenario", "lint"),
    ("judges", "judges"),
    ("prompts", "PROMPTS"),
    ("understudies", "UNDERSTUDIES"),
    ("understudies", "MISTAKES"),
    ("variants", "VARIANTS"),
    ("report", "report"),
    ("report", "feedback"),
    ("report", "performance"),
    ("report", "ending"),
    ("report", "rulebook"),
    ("evaluations", "evaluations"),
    ("readings", "READINGS"),
    ("service", "service"),
    ("dataset", "dataset"),
    ("documents", "documents"),
    ("state", "open_campaign"),
    ("board", "BOARD"),
    ("operations", "whatif"),
)
TAKES = {
    "flow": ("episode",),
    "scenarios": ("selector", "seed"),
    "lint": ("path",),
    "judges": (),
    "report": ("results",),
    "feedback": ("case", "part", "language"),
    "performance": ("case", "role"),
    "ending": ("case", "role"),
    "rulebook": (),
    "documents": ("path",),
    "open_campaign": ("scenarios", "variant", "seed", "services"),
    "whatif": ("asked",),
}
"""The entries that are functions, and what each one is called with."""
HEADINGS = ("## What it simulates", "## The paper", "## One command", "## What is measured", "## Known limits")


def check_shape(clinic: Clinic) -> None:
    """Check that the folder has every room, and a README with the headings that all clinics share."""
    folder = package_file(clinic_modules()[clinic.name])
    there = {entry.name for entry in folder.iterdir()}
    missing = [room for room in ROOMS if room not in there and f"{room}.py" not in there]
    assert not missing, f"{clinic.name}: no {', '.join(missing)}"
    assert "README.md" in there, f"{clinic.name}: no README.md"
    text = folder.joinpath("README.md").read_text(encoding="utf-8")
    lacking = [heading for heading in HEADINGS if heading not in text]
    assert not lacking, f"{clinic.name}/README.md lacks the headings: {'; '.join(lacking)}"
    assert clinic.variants, f"{clinic.name}: no variants"
    wrong = [name for name, variant in clinic.variants.items() if name != variant.name]
    assert not wrong, f"{clinic.name}: variants with a wrong name: {wrong}"


def check_rooms(clinic: Clinic) -> None:
    """Check that what the engine takes from a room has the same name in every clinic, is the very object that the room
    offers, and takes what the engine gives it.

    The `__init__` of a room's folder must only re-export.
    """
    package = clinic_modules()[clinic.name]
    for room, entry in ENTRIES:
        given = getattr(clinic, entry.lower())
        if given is None or given == () or given == {}:
            continue
        offered = getattr(import_module(f"{package}.{room}"), entry, None)
        assert offered is given, f"{clinic.name}: {entry.lower()}= must be {entry} of the room {room}"
        if entry in TAKES:
            wrong = _cannot_take(given, TAKES[entry])
            assert not wrong, f"{clinic.name}: {room}.{entry} must take ({', '.join(TAKES[entry])}): {wrong}"
    assert iscoroutinefunction(clinic.flow), f"{clinic.name}: flow.flow must be an async function"
    for folder in package_file(package).iterdir():
        if folder.is_dir():
            line = _own_code(folder)
            assert not line, f"{clinic.name}/{folder.name}/__init__.py must only re-export; line {line} does more"


def _cannot_take(entry: Any, values: tuple[str, ...]) -> str:
    """Why an entry cannot be called with these values in this order; empty if it can."""
    if not callable(entry):
        return "it is not a function"
    try:
        signature(entry).bind(*values)
    except TypeError as error:
        return str(error)
    return ""


def _own_code(folder: Traversable) -> int:
    """The first line of a folder's `__init__` that is not a docstring, an import or a list of exports; 0 if none."""
    start = folder.joinpath("__init__.py")
    if not start.is_file():
        return 0
    for statement in ast.parse(start.read_text(encoding="utf-8")).body:
        named = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
        exports = isinstance(named, ast.Name) and named.id in ("__all__", "PROMPTS")
        if not (exports or isinstance(statement, ast.Import | ast.ImportFrom | ast.Expr)):
            return statement.lineno
    return 0


def check_writings(clinic: Clinic) -> None:
    """Check that scenarios can be written to an author's file, are read back unchanged, and pass the linter."""
    for writing in clinic.writings:
        examples = writing.examples()
        assert examples, f"{clinic.name}: {writing.name} has no example to begin from"
        for name, value in list(examples.items())[:3]:
            text = writing.write(value)
            assert writing.read(text, f"{name}{writing.ending}") == value, (
                f"{clinic.name}: {name} is different after it is written to a file and read back"
            )
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, f"case{writing.ending}")
                path.write_text(text, encoding="utf-8")
                assert clinic.faults_in(str(path)) == [], f"{clinic.name}: the linter complains about {name}"
                assert clinic.scenarios(writing.to_play(str(path)), 0), f"{clinic.name}: {name} cannot be played"


def check_service(clinic: Clinic) -> None:
    """Check live sessions: the role exists, actions name states that exist, and every open state has an action."""
    room = clinic.service
    if room is None:
        return
    where = f"{clinic.name}/service"
    clinic.role(room.role)
    assert CLOSED in room.states[1:], f"{where}: states must begin with an open one and contain '{CLOSED}'"
    names = [action.name for action in room.actions]
    assert len(names) == len(set(names)), f"{where}: two actions have the same name"
    unknown = {state for action in room.actions for state in action.when} - set(room.states)
    assert not unknown, f"{where}: actions name unknown states: {', '.join(sorted(unknown))}"
    by_visitor = {action.name for action in room.actions if action.by == "visitor"}
    assert room.speaks in {"", *by_visitor}, f"{where}: speaks names no action of the visitor: {room.speaks}"
    stuck = [state for state in room.states if state != CLOSED and not any(state in a.when for a in room.actions)]
    assert not stuck, f"{where}: nothing can be done in the states {', '.join(stuck)}"


def check_dataset(clinic: Clinic) -> None:
    """Check training data: its variants and judges exist, its least reward is possible, its columns can be written."""
    data = clinic.dataset
    if data is None:
        return
    where = f"{clinic.name}/dataset"
    unknown = [name for name in data.variants if name not in clinic.variants]
    assert not unknown, f"{where}: unknown variants: {', '.join(unknown)}"
    judges = {judge.name for judge in clinic.judges()}
    unknown = [name for name in data.judges if name not in judges]
    assert not unknown, f"{where}: unknown judges: {', '.join(unknown)}"
    assert data.least_reward <= data.most_reward, f"{where}: least_reward is above most_reward"
    missing = [name for name in TrainingRow.COLUMNS if name not in column_kinds(data.row)]
    assert not missing, f"{where}: {data.row.__name__}.COLUMNS lacks {', '.join(missing)}"


def check_words(clinic: Clinic) -> None:
    """Check that templates and prompt classes match, and that every prompt has an understudy that answers it."""
    faults = check_prompts(clinic.prompts)
    assert not faults, f"{clinic.name}: " + "; ".join(faults)
    answered = {prompt for understudy in clinic.understudies.values() for prompt in understudy.prompts()}
    silent = [prompt.__name__ for prompt in clinic.prompts if prompt not in answered]
    assert not silent, f"{clinic.name}: no understudy answers {', '.join(silent)}"
    unplayed = [role.name for role in clinic.roles if role.name not in clinic.understudies]
    assert not unplayed, f"{clinic.name}: no understudy plays {', '.join(unplayed)}"
    noticed = {mistake.metric for mistake in clinic.mistakes}
    idle = [
        judge.name
        for judge in clinic.judges()
        if judge.metrics and not any(metric.name in noticed for metric in judge.metrics)
    ]
    assert not idle, f"{clinic.name}: no declared mistake tests the judges {', '.join(idle)}"
