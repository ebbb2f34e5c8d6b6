"""The package's own source, parsed once for all tests that look at it."""

from __future__ import annotations

import ast
import gc
from functools import cache
from pathlib import Path

import polyclinic

PACKAGE = Path(polyclinic.__file__).parent


@cache
def trees() -> dict[str, ast.Module]:
    """Every module of the package, parsed. The garbage collector ignores the trees from then on."""
    found = {
        path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    }
    for tree in found.values():
        nodes(tree)
    gc.collect()
    gc.freeze()
    return found


def trees_of(room: str) -> list[tuple[str, ast.Module]]:
    """The modules of one room, such as `core`; of the whole package for an empty name."""
    start = f"{room}/" if room else ""
    return [(file, tree) for file, tree in trees().items() if file.startswith(start)]


@cache
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All nodes of a tree in the order of `ast.walk`, cached."""
    return tuple(ast.walk(tree))
