"""Read users' files and packages' data, with one format for error messages. Every message reads ``FILE:LINE: FIELD:
what is wrong; how to fix it``, as far as each of these is known.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from polyclinic.core.plain_faults import plain_fault
from polyclinic.errors import ConfigError, DataError, UserError

if TYPE_CHECKING:
    import yaml

M = TypeVar("M", bound=BaseModel)
_ENDING = re.compile(r"\.[A-Za-z]\w{1,7}\Z")
_TOML_LINE = re.compile(r" \(at line (\d+), column \d+\)")


def bad_file(
    file: object, what: str, *, line: int = 0, field: str = "", fix: str = "", error: type[UserError] = DataError
) -> UserError:
    """The error for a file that cannot be used."""
    place = f"{file}:{line}" if line else str(file)
    return error(f"{place}: {f'{field}: ' if field else ''}{what}{f'; {fix}' if fix else ''}")


def read_text(path: str | Path, *, about: str = "file", fix: str = "", error: type[UserError] = DataError) -> str:
    """The text of a user's file in UTF-8, with or without a byte order mark."""
    try:
        with _reading(path, about, fix, error):
            return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as fault:
        what = f"the {about} cannot be read: it is not UTF-8 at byte {fault.start}"
        raise bad_file(path, what, fix="save it as UTF-8", error=error) from None


def read_bytes(path: str | Path, *, about: str = "file", fix: str = "", error: type[UserError] = DataError) -> bytes:
    """The bytes of a user's file."""
    with _reading(path, about, fix, error):
        return Path(path).read_bytes()


@contextmanager
def _reading(path: str | Path, about: str, fix: str, error: type[UserError]) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise missing(path, about=about, fix=fix, error=error) from None
    except OSError as fault:
        what = f"the {about} cannot be read: {fault.strerror or fault}"
        raise bad_file(path, what, fix=fix, error=error) from None


def must_exist(path: str | Path, *, about: str = "file", fix: str = "") -> None:
    """Refuse the path of a file or folder that does not exist."""
    if not Path(path).exists():
        raise missing(path, about=about, fix=fix)


def refuse_path(selector: str, reads: str) -> None:
    """Refuse a selector that is a path, by its slash or its file's ending. Others are left to the caller, who knows the
    names that it could be. `reads` says which files the caller reads.
    """
    if "/" in selector or _ENDING.search(selector):
        must_exist(selector)
        raise bad_file(selector, f"not a file that this clinic reads (it reads {reads})")


def missing(path: str | Path, *, about: str = "file", fix: str = "", error: type[UserError] = DataError) -> UserError:
    """The error for a file or folder that does not exist."""
    return bad_file(path, f"there is no such {about}", fix=fix, error=error)


def not_written(path: str | Path, fault: Exception, *, error: type[UserError] = ConfigError) -> UserError:
    """The error for a file that cannot be written."""
    if isinstance(fault, FileNotFoundError):
        return bad_file(path, f"there is no folder {Path(path).parent}", fix="create it first", error=error)
    reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else fault
    return bad_file(path, f"the file cannot be written: {reason}", error=error)


def read_data(path: str | Path) -> Any:
    """The content of a user's TOML, YAML or JSON file."""
    return parse_data(read_text(path), path)


def parse_data(text: str, file: object, *, error: type[UserError] = DataError) -> Any:
    """The content of a text. The ending of its file's name decides: TOML, JSON, else YAML."""
    name = str(file)
    if name.endswith(".toml"):
        return parse_toml(text, file, error=error)
    return parse_json(text, file) if name.endswith(".json") else parse_yaml(text, file)


def parse_toml(text: str, file: object, *, error: type[UserError] = DataError) -> dict[str, Any]:
    """The content of a TOML text."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        place = _TOML_LINE.search(str(fault))
        line = int(place[1]) if place else text.count("\n") + 1
        raise bad_file(file, f"this is not TOML ({_TOML_LINE.sub('', str(fault))})", line=line, error=error) from None


def parse_json(text: str | bytes, file: object, *, line: int = 0) -> Any:
    """The content of a JSON text."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as fault:
        raise bad_file(file, f"this is not JSON ({fault.msg})", line=line or fault.lineno) from None


def parse_yaml(text: str, file: object, *, as_text: bool = False) -> Any:
    """The content of a YAML text; `as_text` leaves every scalar as it is written, so that 'no' stays a word."""
    import yaml  # imported here and below: few commands read YAML, and the import is slow

    texts: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        return yaml.load(text, Loader=texts if as_text else _loader())
    except yaml.YAMLError as fault:
        raise _bad_yaml(fault, file) from None
    except ValueError as fault:  # a date such as 2025-13-01
        raise bad_file(file, f"this is not YAML ({fault})") from None


def yaml_text(value: object) -> str:
    """A value as YAML that a person reads and changes; `parse_yaml` reads the same value."""
    import yaml

    text: str = yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=110)
    return text


def yaml_nodes(text: str, file: object) -> yaml.Node | None:
    """The nodes of a YAML text, each with its line number; None for an empty text."""
    import yaml

    try:
        node: yaml.Node | None = yaml.compose(text, Loader=_loader())
    except yaml.YAMLError as fault:
        raise _bad_yaml(fault, file) from None
    return node


def _loader() -> Any:
    """The YAML loader: the faster one if libyaml is available."""
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _bad_yaml(fault: yaml.YAMLError, file: object) -> UserError:
    mark = getattr(fault, "problem_mark", None)
    what = " ".join(str(getattr(fault, "problem", None) or fault).split())
    fix = "correct the indentation or the quoting there"
    return bad_file(file, f"this is not YAML ({what})", line=mark.line + 1 if mark else 0, fix=fix)


def json_lines(text: str | bytes, file: object) -> Iterator[tuple[int, Any]]:
    """The number and the value of each line that is not empty; a file without one is refused. Only a line feed ends a
    line: JSON texts may hold other signs that `splitlines` would cut at, such as U+2028.
    """
    lines: Sequence[str | bytes] = text.split("\n") if isinstance(text, str) else text.split(b"\n")
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield number, parse_json(line, file, line=number)
    if not text.strip():
        raise bad_file(file, "the file is empty", fix="write one JSON object on each line")


def rows_of(kind: type[M], text: str, file: object, *, fix: str = "") -> list[M]:
    """JSON lines as values of one type."""
    return [checked(kind, value, file, line=number, fix=fix) for number, value in json_lines(text, file)]


def checked(kind: type[M], value: object, file: object, *, line: int = 0, field: str = "", fix: str = "") -> M:
    """A value from outside, as its type. The error names the first fault and its place."""
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        raise first_fault(error, file, line=line, field=field, fix=fix) from None


def first_fault(error: ValidationError, file: object, *, line: int = 0, field: str = "", fix: str = "") -> UserError:
    """The first fault that validation found."""
    fault = error.errors()[0]
    inside = ".".join(str(part) for part in fault["loc"])
    place = ": ".join(part for part in (field, inside) if part)
    return bad_file(file, plain_fault(fault), line=line, field=place, fix=fix)


def package_file(package: str, path: str = "") -> Traversable:
    """A file or folder that comes with a package: ``package_file("polyclinic.people", "data/students.toml")``.

    Without a path, the package's own folder. No other module uses `importlib.resources`.
    """
    folder = resources.files(package)
    return folder.joinpath(path) if path else folder


def package_path(package: str, path: str = "") -> Path:
    """Like `package_file`, as a path on disk: for code that writes into the package or compares folders."""
    return Path(str(package_file(package, path)))


def package_text(package: str, path: str) -> str:
    """The text of a file that comes with a package."""
    return package_file(package, path).read_text(encoding="utf-8")


def package_data(package: str, path: str) -> Any:
    """The content of a TOML, YAML or JSON file that comes with a package."""
    return parse_data(package_text(package, path), path.rpartition("/")[2])


def package_lines(package: str, path: str) -> list[Any]:
    """The values of the JSON lines of a file that comes with a package."""
    return [value for _, value in json_lines(package_text(package, path), path.rpartition("/")[2])]


def package_rows(kind: type[M], package: str, path: str) -> list[M]:
    """The JSON lines of a file that comes with a package, as values of one type."""
    return rows_of(kind, package_text(package, path), path.rpartition("/")[2])
