"""The cases and pictures that come with the package, and cases from a user's own folder in the same format."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources.abc import Traversable
from pathlib import Path

from polyclinic.clinics.rounds.scenario.case import CaseImage, TeachingCase
from polyclinic.core.files import bad_file, checked, package_file, parse_yaml
from polyclinic.core.message import Image

PACKAGE = "polyclinic.clinics.rounds"


def data_folder() -> Traversable:
    """The folder with the clinic's data."""
    return package_file(PACKAGE, "data")


def parse_cases(text: str, where: str, image_folder: str = "") -> list[TeachingCase]:
    """The cases of one YAML file, or `DataError` naming the case and the field."""
    plain = parse_yaml(text, where)
    if not isinstance(plain, dict) or not isinstance(plain.get("cases"), list):
        raise bad_file(where, "a case file must be a mapping with a list under the key 'cases'")
    cases = []
    for number, entry in enumerate(plain["cases"]):
        name = entry.get("id", f"case {number + 1}") if isinstance(entry, dict) else f"case {number + 1}"
        if not isinstance(entry, dict):
            raise bad_file(where, "a case must be a mapping", field=name)
        cases.append(checked(TeachingCase, {**entry, "image_folder": image_folder}, where, field=name))
    return cases


@lru_cache(maxsize=1)
def shipped_cases() -> tuple[TeachingCase, ...]:
    """All cases of the package, in the order of their ids."""
    cases: list[TeachingCase] = []
    for entry in sorted(data_folder().joinpath("cases").iterdir(), key=lambda entry: entry.name):
        cases += parse_cases(entry.read_text(encoding="utf-8"), entry.name)
    return tuple(sorted(cases, key=lambda case: case.id))


@lru_cache(maxsize=1)
def _by_id() -> dict[str, TeachingCase]:
    return {case.id: case for case in shipped_cases()}


def shipped_case(case_id: str) -> TeachingCase | None:
    """The shipped case with this id, if there is one."""
    return _by_id().get(case_id)


def image_bytes(case: TeachingCase, image: CaseImage) -> bytes:
    """The picture's file: beside the user's own cases, or in the package."""
    if case.image_folder:
        path = Path(case.image_folder, image.file)
        if not path.is_file():
            raise bad_file(path, f"there is no such picture; the case {case.id} names it")
        return path.read_bytes()
    return data_folder().joinpath("images", image.file).read_bytes()


@lru_cache(maxsize=256)
def _picture(folder: str, file: str, caption: str) -> Image:
    place = Path(folder, file).read_bytes() if folder else data_folder().joinpath("images", file).read_bytes()
    return Image.from_bytes(place, image_kind(file), caption)


def image_kind(name: str) -> str:
    """The media type of a picture, by the name of its file."""
    return "image/jpeg" if name.lower().endswith((".jpg", ".jpeg")) else "image/png"


def pictures(case: TeachingCase) -> tuple[Image, ...]:
    """The case's pictures as they are sent to models, in order."""
    return tuple(_picture(case.image_folder, image.file, image.caption) for image in case.images)
