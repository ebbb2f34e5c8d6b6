"""The package's own source, parsed once for all tests that look at it. The garbage collector ignores the trees."""

from __future__ import annotations

import ast
import gc
from functools import cache
from pathlib import Path

import polyclinic
from polyclinic.runner.registry import clinic_modules

PACKAGE = Path(polyclinic.__file__).parent


def trees() -> dict[str, ast.Module]:
    """Every module of the package, parsed."""
    return dict(trees_of(""))


@cache
def trees_of(room: str) -> list[tuple[str, ast.Module]]:
    """The modules of one room, such as `core`; of the whole package for an empty name."""
    paths = sorted((PACKAGE / room).rglob("*.py"))
    gc.disable()  # it would look at every new node again and again, and none of them is garbage
    found = [(path.relative_to(PACKAGE).as_posix(), _parsed(path)) for path in paths]
    gc.enable()
    gc.freeze()
    return found


@cache
def _parsed(path: Path) -> ast.Module:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes(tree)
    return tree


@cache
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All nodes of a tree in the order of `ast.walk`, cached."""
    return tuple(ast.walk(tree))


def clinics_of_the_package() -> list[str]:
    """The clinics whose source is in `trees`; a clinic that a user keeps elsewhere is not one of them."""
    return [name for name, module in clinic_modules().items() if module.startswith("polyclinic.clinics.")]


def as_in_the_demo(file: str) -> str:
    """The path that a clinic's module has in the demo clinic. `polyclinic new` copies the demo, and the author changes
    the copy bit by bit: until then, what stands at the same path in both is not written a second time.
    """
    clinics, _, rest = file.partition("/")
    return f"clinics/demo/{rest.partition('/')[2]}" if clinics == "clinics" and "/" in rest else file
