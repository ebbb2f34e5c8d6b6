"""Every error class is in the tree of `polyclinic.errors`, under its true parent."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from polyclinic import errors
from tests.sources import nodes, trees

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
def modules() -> dict[str, ast.Module]:
    """Every module of the package, parsed, under its dotted name."""
    files = {f"polyclinic/{file}".removesuffix(".py").removesuffix("/__init__"): tree for file, tree in trees().items()}
    return {file.replace("/", "."): tree for file, tree in files.items()}


@cache
def classes() -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Every class by module and name, with the bases it names."""
    return {
        (module, node.name): [origin(module, base.id) for base in node.bases if isinstance(base, ast.Name)]
        for module, tree in modules().items()
        for node in nodes(tree)
        if isinstance(node, ast.ClassDef)
    }


@cache
def imported(module: str) -> dict[str, tuple[str, str]]:
    """What a module imports by name: where from, and what it is called there."""
    return {
        alias.asname or alias.name: (node.module, alias.name)
        for node in nodes(modules()[module])
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def origin(module: str, name: str) -> tuple[str, str]:
    """The module where a name is defined, followed through packages that only import it again."""
    while module in modules() and name in imported(module):
        module, name = imported(module)[name]
    return module, name


@cache
def defined() -> dict[str, list[str]]:
    """Every error class of the package, with the names of its bases; found by reading the source.

    Classes are told apart by module, because an ordinary class may have the name of an error.
    """
    found: dict[tuple[str, str], list[str]] = {}
    grown = True
    while grown:
        grown = False
        for key, bases in classes().items():
            if key not in found and any(base in found or base[1] in BUILT_IN for base in bases):
                found[key], grown = [name for _, name in bases], True
    assert len({name for _, name in found}) == len(found), "two error classes have the same name"
    return {name: bases for (_, name), bases in found.items()}


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
