"""Reading the user's files: whatever is wrong with one, the message names the file and stays on one line."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from polyclinic.errors import DataError, WrongForm


def read_text(path: Path) -> str:
    """The text of a file in UTF-8, with or without a byte order mark."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(f"{path}: the file cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 at byte {error.start}: save it as UTF-8") from None


def read_data(path: Path) -> Any:
    """What a JSON, TOML or YAML file holds."""
    text = read_text(path)
    try:
        if path.suffix == ".json":
            return json.loads(text)
        return tomllib.loads(text) if path.suffix == ".toml" else yaml.safe_load(text)
    except (ValueError, yaml.YAMLError) as error:
        kind = path.suffix.removeprefix(".").upper()
        raise DataError(f"{path}: not readable as {kind}: {' '.join(str(error).split())}") from None


class Fault(WrongForm):
    """Something wrong inside a file, with its place in words. Whoever reads the file turns it into a `DataError`."""


@contextmanager
def at(place: str) -> Iterator[None]:
    """Whatever is wrong inside is told with this place before it."""
    try:
        yield
    except Fault as inner:
        raise Fault(f"{place}: {inner}") from None
    except KeyError as error:
        raise Fault(f"{place}: it has no '{error.args[0]}'") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise Fault(f"{place}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    except (TypeError, AttributeError) as error:
        raise Fault(f"{place}: not of the expected shape ({error})") from None
    except (ValueError, ArithmeticError) as error:
        raise Fault(f"{place}: {error}") from None
