"""The cases and pictures that come with the package, and cases from a folder of one's own in the same format."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from polyclinic.clinics.rounds.scenario.case import Case, CaseImage
from polyclinic.core.message import Image
from polyclinic.errors import DataError, UnknownName

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def data_folder() -> Traversable:
    """Where the clinic's data lie."""
    return resources.files("polyclinic.clinics.rounds").joinpath("data")


def read_yaml(text: str) -> Any:
    """YAML as plain data; the C reader where there is one."""
    return yaml.load(text, Loader=_LOADER)


def parse_cases(text: str, where: str, image_folder: str = "") -> list[Case]:
    """The cases of one YAML file, or `DataError` naming the case, the field and the mend."""
    try:
        plain = read_yaml(text)
    except yaml.YAMLError as error:
        raise DataError(f"{where}: not readable as YAML: {error}") from None
    if not isinstance(plain, dict) or not isinstance(plain.get("cases"), list):
        raise DataError(f"{where}: a case file is a mapping with the key 'cases' holding a list")
    cases = []
    for number, entry in enumerate(plain["cases"]):
        name = entry.get("id", f"case {number + 1}") if isinstance(entry, dict) else f"case {number + 1}"
        try:
            cases.append(Case.model_validate({**entry, "image_folder": image_folder}))
        except (ValidationError, TypeError) as error:
            fault = error.errors()[0] if isinstance(error, ValidationError) else {"loc": (), "msg": str(error)}
            place = ".".join(str(part) for part in fault["loc"]) or "case"
            raise DataError(f"{where}: {name}: {place}: {fault['msg']}") from None
    return cases


@lru_cache(maxsize=1)
def shipped_cases() -> tuple[Case, ...]:
    """All cases of the package, in the order of their ids."""
    cases: list[Case] = []
    for entry in sorted(data_folder().joinpath("cases").iterdir(), key=lambda entry: entry.name):
        cases += parse_cases(entry.read_text(encoding="utf-8"), entry.name)
    return tuple(sorted(cases, key=lambda case: case.id))


@lru_cache(maxsize=1)
def _by_id() -> dict[str, Case]:
    return {case.id: case for case in shipped_cases()}


def shipped_case(case_id: str) -> Case | None:
    """The shipped case with this id, if there is one."""
    return _by_id().get(case_id)


def case_named(case_id: str) -> Case:
    """The shipped case with this id, or an error with the nearest ids."""
    case = shipped_case(case_id)
    if case is None:
        raise UnknownName("case", case_id, _by_id())
    return case


def image_bytes(case: Case, image: CaseImage) -> bytes:
    """The picture's file: beside the user's own cases, or in the package."""
    if case.image_folder:
        path = Path(case.image_folder, image.file)
        if not path.is_file():
            raise DataError(f"{case.id}: the picture {path} does not exist")
        return path.read_bytes()
    return data_folder().joinpath("images", image.file).read_bytes()


@lru_cache(maxsize=256)
def _picture(folder: str, file: str, caption: str) -> Image:
    place = Path(folder, file).read_bytes() if folder else data_folder().joinpath("images", file).read_bytes()
    kind = "image/jpeg" if file.lower().endswith((".jpg", ".jpeg")) else "image/png"
    return Image.from_bytes(place, kind, caption)


def pictures(case: Case) -> tuple[Image, ...]:
    """The case's pictures as they are sent to models, in order."""
    return tuple(_picture(case.image_folder, image.file, image.caption) for image in case.images)
