"""Reading rubric files: TOML or YAML, from package resources or a user's path, with errors that name the line."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import yaml
from pydantic import ValidationError

from polyclinic.core.files import bad_file, package_file, package_text, parse_data, read_text, yaml_nodes
from polyclinic.core.plain_faults import plain_fault
from polyclinic.eval.criteria import Rubric

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_Place = tuple[int | str, ...]
_SUFFIXES = (".toml", ".yaml", ".yml")


def load_rubric(path: str | Path) -> Rubric:
    """A user's rubric file. Raises `DataError` naming the file, the line and how to fix it."""
    return parse_rubric(read_text(path, about="rubric file"), str(path))


@lru_cache(maxsize=64)
def package_rubric(package: str, name: str) -> Rubric:
    """A rubric that a clinic ships: ``package_rubric("polyclinic.clinics.demo", "data/rubrics/warmth.toml")``."""
    if not package_file(package, name).is_file():
        raise bad_file(f"{package}/{name}", "there is no such rubric file")
    return parse_rubric(package_text(package, name), f"{package}/{name}")


def parse_rubric(text: str, source: str) -> Rubric:
    """A rubric from its text; `source` ends in .toml, .yaml or .yml and names the text in errors."""
    if not source.endswith(_SUFFIXES):
        raise bad_file(source, f"a rubric file ends in {' or '.join(_SUFFIXES)}")
    is_toml = source.endswith(".toml")
    data = parse_data(text, source)
    try:
        return Rubric.model_validate(data)
    except ValidationError as error:
        fault = error.errors()[0]
        place: _Place = tuple(part for part in fault["loc"] if part != "[key]")
        line = _toml_line(text, place) if is_toml else _yaml_line(text, place)
        where = ".".join(str(part + 1) if isinstance(part, int) else part for part in place)
        what, fix = _what_and_fix(fault)
        raise bad_file(source, what, line=line, field=where, fix=fix) from None


def _what_and_fix(fault: ErrorDetails) -> tuple[str, str]:
    if fault["type"] == "extra_forbidden":
        return "is not a field of a rubric here", "check its spelling or remove it"
    if fault["type"] == "missing":
        return "is missing", "add it"
    return plain_fault(fault), ""


def _toml_line(text: str, place: _Place) -> int:
    """The line of a value in TOML text: the line of its key, else of its table header."""
    lines = text.splitlines()
    start, end = 0, len(lines)
    rest = list(place)
    number = rest[1] if len(rest) >= 2 else None
    if isinstance(number, int):
        headers = [i for i, line in enumerate(lines) if line.strip().startswith(f"[[{rest[0]}]]")]
        if number >= len(headers):
            rest = rest[:1]
        else:
            start = headers[number]
            later = (i for i in range(start + 1, len(lines)) if lines[i].startswith("["))
            end = next((i for i in later if not lines[i].startswith(f"[{rest[0]}.")), len(lines))
            rest = rest[2:]
    names = [part for part in rest if isinstance(part, str)]
    found = start
    for name in names:
        pattern = re.compile(rf"""(?:^|[\s\[{{,."'])"?{re.escape(name)}"?\s*(?:=|\])""")
        found = next((i for i in range(found, end) if pattern.search(lines[i])), found)
    return found + 1


def _yaml_line(text: str, place: _Place) -> int:
    """The line of a value in YAML text, from the parser's own marks."""
    node = yaml_nodes(text, "")
    line = 1
    for part in place:
        if isinstance(node, yaml.MappingNode):
            pair = next(((key, value) for key, value in node.value if str(key.value) == str(part)), None)
            if pair is None:
                break
            line, node = pair[0].start_mark.line + 1, pair[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
        else:
            break
    return line
