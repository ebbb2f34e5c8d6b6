"""One word, one thing: what a newcomer reads first must not have two meanings, or need a dictionary."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import polyclinic

PACKAGE = Path(polyclinic.__file__).parent
ENGINE = ("core", "eval", "runner", "store", "models")
PLAIN = ("fhir", "store", "people", "retrieval")
OUT_OF_USE = re.compile(
    r"\b(mend(s|ed|ing)?|anew|whoever|none such|upon|linger(s|ed)?|numbers that are none)\b", re.IGNORECASE
)


def classes(room: str) -> Iterator[tuple[str, str]]:
    """Every public class of a room, with its module."""
    for path in sorted((PACKAGE / room).rglob("*.py")):
        module = path.relative_to(PACKAGE).with_suffix("").as_posix().replace("/", ".")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield node.name, module


def test_no_two_public_classes_of_the_engine_have_the_same_name() -> None:
    found = defaultdict(list)
    for room in ENGINE:
        for name, module in classes(room):
            found[name].append(module)
    assert {name: modules for name, modules in found.items() if len(modules) > 1} == {}


@pytest.mark.parametrize("room", PLAIN)
def test_rooms_in_plain_english_use_no_words_that_are_out_of_use(room: str) -> None:
    lines = [
        f"{path.relative_to(PACKAGE)}:{number}: {line.strip()}"
        for path in sorted((PACKAGE / room).rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if OUT_OF_USE.search(line)
    ]
    assert lines == []


@pytest.mark.parametrize("room", [*ENGINE, *PLAIN])
def test_no_constructor_is_called_of(room: str) -> None:
    """`Budget.from_usd(3)` says what it takes; `Budget.of(3)` does not."""
    found = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in sorted((PACKAGE / room).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name == "of" and _makes_itself(node)
    ]
    assert found == []


def _makes_itself(node: ast.FunctionDef) -> bool:
    return any(isinstance(mark, ast.Name) and mark.id == "classmethod" for mark in node.decorator_list)
