"""Each word has one meaning: what a newcomer reads first must be unambiguous and need no dictionary."""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import polyclinic
from polyclinic.core.dataset import TrainingRow
from polyclinic.runner.registry import clinic_modules, load_clinic
from tests.sources import clinics_of_the_package, nodes, trees, trees_of

PACKAGE = Path(polyclinic.__file__).parent
ROOT = Path(__file__).parent.parent
ABOVE = ("cli", "web", "testing", "training", "rl", "runner")
"""The rooms (packages) above the clinics."""
PLACES = [
    *(path for path in sorted(PACKAGE.iterdir()) if path.name not in ("clinics", "__pycache__")),
    *(path for path in sorted((PACKAGE / "clinics").iterdir()) if path.name != "__pycache__"),
    *(
        ROOT / name
        for name in (
            "benchmarks",
            "deploy",
            "docs",
            "recipes",
            "tests",
            "tools",
            "README.md",
            "CONTRIBUTING.md",
            "SECURITY.md",
        )
    ),
]
OUT_OF_USE = re.compile(
    r"(\b|_)(mend(s|ed|ing)?|anew|whoever|none such|upon|linger(s|ed)?|numbers that are none|thereof|hitherto)(\b|_)",
    re.IGNORECASE,
)
REPLACED = re.compile(
    r"\b(carry_on|seldom_collected|shelves|PASSING|steadiness_section)\b|\bclass (Course|Stage|Built|Standing|Door)\b"
)

NEEDS_TYPE_STATEMENT = pytest.mark.skipif(sys.version_info < (3, 12), reason="`type X = ...` needs Python 3.12")


def classes(room: str) -> Iterator[tuple[str, str]]:
    """Every public class of a room, or of all rooms, with its module."""
    for file, tree in trees_of(room):
        module = file.removesuffix(".py").replace("/", ".")
        for node in nodes(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield node.name, module


def aliases(tree: ast.Module) -> list[str]:
    """The public names that a module gives to types: ``X = Literal[...]``, ``X: TypeAlias = ...``, ``type X = ...`` and
    ``X = NewType(...)``. Constants are in capitals, type variables are not types.
    """
    found = []
    for node in tree.body:
        if type(node).__name__ == "TypeAlias":  # `type X = ...`, from Python 3.12 on
            found.append(ast.unparse(node).split()[1].split("[")[0])
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            made = ast.unparse(node.value.func) if isinstance(node.value, ast.Call) else ""
            if made in ("", "NewType") or made.endswith(".NewType"):
                found += [name for name in names if re.fullmatch(r"[A-Z]\w*[a-z]\w*", name)]
    return found


def named_types(room: str = "") -> Iterator[tuple[str, str]]:
    """Every public class and type alias of a room, or of all rooms, with its module."""
    yield from classes(room)
    for file, tree in trees_of(room):
        for name in aliases(tree):
            yield name, file.removesuffix(".py").replace("/", ".")


def definitions() -> dict[tuple[str, str], str]:
    """The definition of every type alias, by module and name, without the short name of the package it is from."""
    return {
        (file.removesuffix(".py").replace("/", "."), target.id): ast.unparse(node.value).removeprefix("npt.")
        for file, tree in trees().items()
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }


@pytest.mark.parametrize("clinic", clinics_of_the_package())
def test_no_two_public_classes_or_type_aliases_that_a_reader_meets_have_the_same_name(clinic: str) -> None:
    """Who reads a clinic meets its names and those of the whole engine, so within these each name has one meaning.
    Clinics never import each other: what two of them have in common, such as `JudgeUnderstudy`, may have the same name.

    Aliases with the same definition are one thing.
    """
    known, found = definitions(), defaultdict(set)
    for name, module in named_types():
        if not module.startswith("clinics.") or module.startswith(f"clinics.{clinic}."):
            found[name].add((known.get((module, name)) or module, module))
    assert {"Event", "ModelKind", "Resource"} <= found.keys()
    twice = {name: sorted(places) for name, places in found.items() if len({what for what, _ in places}) > 1}
    role = {"Role"} if clinic == "duty" else set()
    """In the duty clinic, `Role` is the alias for the names of its roles."""
    assert twice.keys() <= role, twice


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("Side = Literal['a', 'b']\nTurn = dict[str, Any]\nCell = int | None", ["Side", "Turn", "Cell"]),
        ("Key: TypeAlias = tuple[str, str]", ["Key"]),
        ("CaseId = NewType('CaseId', str)\nOther = typing.NewType('Other', int)", ["CaseId", "Other"]),
        ("MOST = 4\nT = TypeVar('T')\nLessonT = TypeVar('LessonT')\n_Hidden = int\nlow = int", []),
        pytest.param("type Row[T] = list[T]", ["Row"], marks=NEEDS_TYPE_STATEMENT),
    ],
)
def test_the_check_for_type_aliases_finds_every_form(source: str, names: list[str]) -> None:
    assert aliases(ast.parse(source)) == names


def test_no_other_class_or_type_alias_has_the_name_of_a_class_in_the_glossary() -> None:
    """A reader who knows the glossary must not meet its words with another meaning, in any room or clinic. In the duty
    clinic, `Role` is the alias for the names of its roles.
    """
    glossary = (ROOT / "docs/design.md").read_text(encoding="utf-8")
    known = {name: module for module, name in re.findall(r"\| `([a-z_.]+)\.([A-Z]\w+)` \|", glossary)}
    found = [(name, module) for name, module in named_types() if name in known]
    assert len(known) > 40 and {name for name, _ in found} == set(known)
    others = [(name, module) for name, module in found if not module.startswith(known[name])]
    assert others == [("Role", "clinics.duty.scenario.schema")]


def lines_with(pattern: re.Pattern[str], place: Path) -> list[str]:
    """The lines that match, in the Python files and pages of a folder.

    This file, which lists the words, is left out, and so are people's words in a clinic's data.
    """
    files = [place] if place.is_file() else sorted(place.rglob("*"))
    return [
        f"{path.relative_to(place.parent)}:{number}: {line.strip()}"
        for path in files
        if path.suffix in (".py", ".md", ".html", ".toml", ".sh", ".svelte", ".ts")
        and path != Path(__file__)
        and "data" not in path.relative_to(place.parent).parts
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]


@pytest.mark.parametrize("place", PLACES, ids=lambda path: path.name)
def test_code_tests_and_docs_use_no_words_that_are_out_of_use(place: Path) -> None:
    assert lines_with(OUT_OF_USE, place) == []


def test_the_changelog_uses_words_that_are_out_of_use_only_as_names() -> None:
    words = re.sub(r"`[^`]*`", "", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert not OUT_OF_USE.search(words)


def test_the_check_for_words_finds_them_in_sentences_and_in_names() -> None:
    assert all(OUT_OF_USE.search(line) for line in ("says the Mend", "def test_mended_replies()", "built upon it"))
    assert not OUT_OF_USE.search("amended, recommended and manewed")


@pytest.mark.parametrize("place", PLACES, ids=lambda path: path.name)
def test_replaced_names_do_not_come_back(place: Path) -> None:
    assert lines_with(REPLACED, place) == []


def test_no_constructor_is_named_just_of() -> None:
    """`Budget.from_usd(3)` says what it takes; `Budget.of(3)` does not."""
    found = [f"{file}:{line}" for file, tree in trees().items() for line in constructors_called_of(tree)]
    assert found == []


def constructors_called_of(tree: ast.Module) -> list[int]:
    """The lines of constructors called `of`: functions with that name, except methods of an instance."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    methods = [node for kind in nodes(tree) if isinstance(kind, ast.ClassDef) for node in kind.body]
    asks_itself = [node for node in methods if isinstance(node, kinds) and not is_static(node)]
    return [
        node.lineno for node in nodes(tree) if isinstance(node, kinds) and node.name == "of" and node not in asks_itself
    ]


def is_static(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(isinstance(mark, ast.Name) and mark.id.endswith("method") for mark in node.decorator_list)


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("class A:\n    @classmethod\n    def of(cls, x): ...", [3]),
        ("class A:\n    @staticmethod\n    def of(x): ...", [3]),
        ("class A:\n    @staticmethod\n    async def of(x): ...", [3]),
        ("def of(x): ...", [1]),
        ("class A:\n    def of(self, x): ...\n    async def other(self): ...", []),
    ],
)
def test_the_check_for_constructors_finds_every_kind_of_function(source: str, lines: list[int]) -> None:
    assert constructors_called_of(ast.parse(source)) == lines


def test_no_code_outside_the_clinics_names_a_clinic_as_a_value() -> None:
    """A default such as ``clinic="rounds"`` ties the engine to a clinic as an import does. Only the registry names one:
    the template for new clinics.

    Help texts may give examples. `patient` is also a role, and `demo` a command.
    """
    shipped = clinics_of_the_package()
    packages = {f"polyclinic.clinics.{name}" for name in shipped}
    found = [
        f"{file}: {node.value}"
        for room in ABOVE
        for file, tree in trees_of(room)
        for node in nodes(tree)
        if isinstance(node, ast.Constant) and node.value in (set(shipped) | packages) - {"patient"}
    ]
    assert len(shipped) >= 6 and set(found) == {"runner/registry.py: demo", "cli/demo.py: demo", "cli/names.py: demo"}


def test_no_code_outside_the_clinics_names_a_kind_of_reading_of_one_clinic() -> None:
    """What holds for one kind is a field of `ReadingKind`, set where the clinic defines it."""
    kinds = {kind.name for clinic in map(load_clinic, clinic_modules()) for kind in clinic.readings}
    rooms = [path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name not in ("clinics", "__pycache__")]
    found = [
        f"{file}: {node.value}"
        for room in rooms
        for file, tree in trees_of(room)
        for node in nodes(tree)
        if isinstance(node, ast.Constant) and node.value in kinds
    ]
    assert len(kinds) >= 20
    assert not found


def test_no_code_outside_the_clinics_names_a_column_of_one_clinics_rows() -> None:
    """Rows are read from files by column name; columns that only one clinic writes are read in that clinic."""
    own = {
        column
        for clinic in map(load_clinic, clinic_modules())
        if clinic.dataset is not None
        for column in set(clinic.dataset.row.COLUMNS) - set(TrainingRow.COLUMNS)
    }
    found = [
        f"{file}:{node.lineno}: {node.value}"
        for file, tree in trees_of("training")
        for node in nodes(tree)
        if isinstance(node, ast.Constant) and node.value in own
    ]
    assert "tutor" in own and found == []
