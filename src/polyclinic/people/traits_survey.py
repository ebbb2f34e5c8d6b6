"""From a survey table to priors: item responses, reverse-coded if the item says so, scaled to 0…1.

The item table says what each item measures (`item,role,dimension,reverse,scale_min,scale_max,text`); the response
table has one row per answer (`respondent,role,item,response`). Both can be replaced by a user's own files.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from statistics import fmean, pvariance

from polyclinic.core.files import bad_file, package_text, read_text
from polyclinic.core.message import Frozen
from polyclinic.people.traits import COMMUNICATORS, Communicator, Prior, dimensions

LEAST_VARIANCE = 0.0025
_ITEM_COLUMNS = ("item", "role", "dimension", "reverse", "scale_min", "scale_max", "text")
_RESPONSE_COLUMNS = ("respondent", "role", "item", "response")


class Item(Frozen):
    """One question of the survey."""

    item: str
    role: Communicator
    dimension: str
    reverse: bool
    scale_min: int
    scale_max: int

    def score(self, response: int) -> float:
        """The response on 0…1, reversed if the item is reverse-coded."""
        share = (response - self.scale_min) / (self.scale_max - self.scale_min)
        return 1 - share if self.reverse else share


def read_items(text: str, name: str) -> dict[str, Item]:
    """The item table, checked."""
    items: dict[str, Item] = {}
    for line, row in _rows(text, name, _ITEM_COLUMNS):
        role = _role(row["role"], name, line)
        if row["dimension"] not in {dimension.id for dimension in dimensions(role)}:
            known = ", ".join(dimension.id for dimension in dimensions(role))
            raise bad_file(
                name, f"a {role} has no dimension '{row['dimension']}'", line=line, fix=f"use one of: {known}"
            )
        low, high = _number(row["scale_min"], name, line), _number(row["scale_max"], name, line)
        if low >= high:
            raise bad_file(
                name, f"the scale runs from {low} to {high}", line=line, fix="scale_min must be below scale_max"
            )
        if row["reverse"] not in ("0", "1"):
            raise bad_file(
                name, f"reverse is '{row['reverse']}'", line=line, fix="write 1 for a reverse-coded item, else 0"
            )
        items[row["item"]] = Item(
            item=row["item"],
            role=role,
            dimension=row["dimension"],
            reverse=row["reverse"] == "1",
            scale_min=low,
            scale_max=high,
        )
    return items


def priors_from(text: str, items: Mapping[str, Item], name: str) -> dict[Communicator, dict[str, Prior]]:
    """Priors for every role that the response table covers; a role must cover all of its dimensions."""
    answers: dict[tuple[Communicator, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for line, row in _rows(text, name, _RESPONSE_COLUMNS):
        item = items.get(row["item"])
        if item is None:
            raise bad_file(
                name, f"no item '{row['item']}' in the item table", line=line, fix="add it there or correct the name"
            )
        if _role(row["role"], name, line) != item.role:
            raise bad_file(name, f"item {item.item} belongs to the role {item.role}, not {row['role']}", line=line)
        response = _number(row["response"], name, line)
        if not item.scale_min <= response <= item.scale_max:
            raise bad_file(
                name,
                f"response {response} is outside the scale of {item.item}",
                line=line,
                fix=f"write {item.scale_min} to {item.scale_max}",
            )
        answers[item.role, item.dimension][row["respondent"]].append(item.score(response))
    if not answers:
        raise bad_file(name, "no responses", fix="add rows below the header")
    return {role: _role_priors(role, answers, name) for role in COMMUNICATORS if any(key[0] == role for key in answers)}


def _role_priors(
    role: Communicator, answers: Mapping[tuple[Communicator, str], Mapping[str, list[float]]], name: str
) -> dict[str, Prior]:
    priors: dict[str, Prior] = {}
    for dimension in dimensions(role):
        persons = answers.get((role, dimension.id))
        if not persons:
            raise bad_file(name, f"no {role} answered an item on '{dimension.id}'", fix="add such responses")
        means = [fmean(scores) for scores in persons.values()]
        inner = [pvariance(scores) for scores in persons.values() if len(scores) > 1]
        priors[dimension.id] = Prior(
            mean=fmean(means),
            between=pvariance(means) if len(means) > 1 else LEAST_VARIANCE,
            within=max(fmean(inner) if inner else LEAST_VARIANCE, LEAST_VARIANCE),
        )
    return priors


@lru_cache(maxsize=1)
def shipped_items() -> dict[str, Item]:
    """The item table that comes with Polyclinic."""
    return read_items(_shipped("communicator_items.csv"), "communicator_items.csv")


@lru_cache(maxsize=1)
def shipped_priors() -> dict[Communicator, dict[str, Prior]]:
    """Priors from the made-up survey that comes with Polyclinic."""
    return priors_from(_shipped("communicator_survey.csv"), shipped_items(), "communicator_survey.csv")


def read_priors(survey: Path, item_table: Path | None = None) -> dict[Communicator, dict[str, Prior]]:
    """Priors from a user's own survey; roles it does not cover keep the shipped priors."""
    items = read_items(read_text(item_table), str(item_table)) if item_table else shipped_items()
    return {**shipped_priors(), **priors_from(read_text(survey), items, str(survey))}


def _shipped(name: str) -> str:
    return package_text("polyclinic.people", f"data/{name}")


def _rows(text: str, name: str, columns: tuple[str, ...]) -> Iterable[tuple[int, dict[str, str]]]:
    reader = csv.DictReader(io.StringIO(text))
    missing = [column for column in columns if column not in (reader.fieldnames or ())]
    if missing:
        raise bad_file(name, f"the header lacks {', '.join(missing)}", line=1, fix=f"write {','.join(columns)}")
    for row in reader:
        yield reader.line_num, {column: (row[column] or "").strip() for column in columns}


def _role(text: str, name: str, line: int) -> Communicator:
    for role in COMMUNICATORS:
        if text == role:
            return role
    raise bad_file(name, f"unknown role '{text}'", line=line, fix=f"use one of: {', '.join(COMMUNICATORS)}")


def _number(text: str, name: str, line: int) -> int:
    if not text.lstrip("-").isdigit():
        raise bad_file(name, f"'{text}' is not a whole number", line=line, fix="write a whole number")
    return int(text)
