"""Reading rubric files: TOML or YAML, from package resources or a user's path, with errors that name the line."""

from __future__ import annotations

import re
import tomllib
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from polyclinic.errors import DataError
from polyclinic.eval.criteria import Rubric

Place = tuple[int | str, ...]
_SUFFIXES = (".toml", ".yaml", ".yml")


def load_rubric(path: str | Path) -> Rubric:
    """A user's rubric file. Raises `DataError` naming the file, the line and the mend."""
    file = Path(path)
    if not file.is_file():
        raise DataError(f"{file}: there is no such rubric file")
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{file}: cannot be read as UTF-8 text ({error})") from None
    return parse_rubric(text, str(file))


def package_rubric(package: str, name: str) -> Rubric:
    """A rubric that a clinic ships: ``package_rubric("polyclinic.clinics.demo", "data/rubrics/warmth.toml")``."""
    found: Traversable = resources.files(package)
    for part in name.split("/"):
        found = found / part
    if not found.is_file():
        raise DataError(f"{package}/{name}: there is no such rubric file")
    return parse_rubric(found.read_text(encoding="utf-8"), f"{package}/{name}")


def parse_rubric(text: str, source: str) -> Rubric:
    """A rubric from its text; `source` ends in .toml, .yaml or .yml and names the text in errors."""
    if not source.endswith(_SUFFIXES):
        raise DataError(f"{source}: a rubric file ends in {' or '.join(_SUFFIXES)}")
    is_toml = source.endswith(".toml")
    data = _read_toml(text, source) if is_toml else _read_yaml(text, source)
    try:
        return Rubric.model_validate(data)
    except ValidationError as error:
        fault = error.errors()[0]
        place: Place = tuple(part for part in fault["loc"] if part != "[key]")
        line = _toml_line(text, place) if is_toml else _yaml_line(text, place)
        where = ".".join(str(part + 1) if isinstance(part, int) else part for part in place)
        mend = _mend(fault["type"], fault["msg"])
        raise DataError(f"{source}:{line}: {where}: {mend}" if where else f"{source}:{line}: {mend}") from None


def _mend(kind: str, message: str) -> str:
    if kind == "extra_forbidden":
        return "is not a field of a rubric here: check its spelling or remove it"
    if kind == "missing":
        return "is missing: add it"
    return message.removeprefix("Value error, ")


def _read_toml(text: str, source: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        line = place.group(1) if place else str(text.count("\n") + 1)
        raise DataError(f"{source}:{line}: is not TOML: {str(error).partition(' (at ')[0]}") from None


def _read_yaml(text: str, source: str) -> Any:
    try:
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise DataError(f"{source}:{line}: is not YAML: {error.problem}") from None


def _toml_line(text: str, place: Place) -> int:
    """The line of a value in TOML text: its table header, or the key inside that table where there is one."""
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


def _yaml_line(text: str, place: Place) -> int:
    """The line of a value in YAML text, from the parser's own marks."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
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
