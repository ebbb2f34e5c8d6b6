"""Every error class is in the tree of `polyclinic.errors`, under its true parent."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import polyclinic
from polyclinic import errors

SOURCE = Path(polyclinic.__file__).parent
_LINE = re.compile(r"^ {4}(?P<bars>[│├└─ ]*)(?P<name>\w+)", re.MULTILINE)
BUILT_IN = {"Exception", "BaseException", "ValueError", "TypeError", "RuntimeError", "KeyError", "OSError"}


@cache
def drawn() -> dict[str, str]:
    """Each name with its parent, as the docstring shows them."""
    tree = (errors.__doc__ or "").split("::", 1)[1]
    parents: dict[str, str] = {}
    above: list[str] = []
    for line in _LINE.finditer(tree):
        depth = len(line["bars"]) // 4
        above[depth:] = [line["name"]]
        parents[line["name"]] = above[depth - 1] if depth else ""
    return parents


@cache
def defined() -> dict[str, list[str]]:
    """Every error class of the package, with the names of its bases; found by reading the source."""
    bases: dict[str, list[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                bases[node.name] = [base.id for base in node.bases if isinstance(base, ast.Name)]
    found: dict[str, list[str]] = {}
    grown = True
    while grown:
        grown = False
        for name, parents in bases.items():
            if name not in found and any(parent in BUILT_IN or parent in found for parent in parents):
                found[name], grown = parents, True
    return found


def test_the_tree_holds_every_error_class_and_no_other() -> None:
    assert set(drawn()) == {name for name in defined() if not name.startswith("_")}


def test_a_private_error_class_has_a_parent_in_the_tree() -> None:
    private = {name: parents for name, parents in defined().items() if name.startswith("_")}
    assert private and {name for name, parents in private.items() if not set(parents) & set(drawn())} == set()


@pytest.mark.parametrize("name", sorted(drawn()))
def test_an_error_class_is_under_its_parent(name: str) -> None:
    parent = drawn()[name]
    assert (parent or "Exception") in defined()[name]


def test_the_errors_of_all_owners_keep_prompt_and_calls() -> None:
    for owner in errors.OWNERS:
        error = errors.owned(owner, "words", prompt="Asks", calls=("a", "b"))
        assert (error.owner, str(error), error.prompt, error.calls) == (owner, "words", "Asks", ("a", "b"))
