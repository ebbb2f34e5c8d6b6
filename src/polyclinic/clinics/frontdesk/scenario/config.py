"""What a hospital is made from: the validated parameters, their ranges and probabilities, and the three presets.

A config is a TOML or YAML file; every key may be left out and then has the preset's value. Times of day are whole
hours, time units are whole minutes inside an hour, so that all later code counts in integers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, Self, TypeVar

from pydantic import Field, ValidationError, field_validator, model_validator

from polyclinic.core.files import bad_file, first_fault, package_data, parse_data, read_data
from polyclinic.core.message import Frozen
from polyclinic.errors import UnknownName
from polyclinic.people.locales import load_locale
from polyclinic.people.patient_axes import CONFUSIONS, LANGUAGES, PERSONALITIES, RECALLS

Level = Literal["primary", "secondary", "tertiary", "custom"]
Preference = Literal["asap", "physician", "date"]
PREFERENCES: tuple[Preference, ...] = ("asap", "physician", "date")
Bound = TypeVar("Bound", int, float, date)
PRESETS = ("primary", "secondary", "tertiary")
AXES: dict[str, tuple[str, ...]] = {
    "personality": PERSONALITIES,
    "language": LANGUAGES,
    "recall": RECALLS,
    "confusion": CONFUSIONS,
}


class Between(Frozen, Generic[Bound]):
    """A range from `min` to `max`; both ends are included."""

    min: Bound
    max: Bound

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.min > self.max:
            raise ValueError(f"min {self.min} is above max {self.max}")
        return self


IntRange = Between[int]
DateRange = Between[date]
_Share = Between[Annotated[float, Field(ge=0, le=1)]]
"""A proportion between two bounds, each from 0 to 1."""


class KindWeights(Frozen):
    """Kinds and their probabilities, in the same order, adding up to one."""

    type: tuple[str, ...]
    probs: tuple[float, ...]

    @model_validator(mode="after")
    def _adds_up(self) -> KindWeights:
        if len(self.type) != len(self.probs) or len(set(self.type)) != len(self.type):
            raise ValueError("type and probs must have the same length, and no type may appear twice")
        if not all(prob >= 0 for prob in self.probs) or abs(sum(self.probs) - 1) > 1e-9:
            raise ValueError(f"the probabilities {list(self.probs)} do not add up to 1")
        return self

    def table(self) -> dict[str, float]:
        """A mapping from each kind to its probability."""
        return dict(zip(self.type, self.probs, strict=True))


class Events(Frozen):
    """How often somebody who has booked a visit calls again to move or cancel it, and how soon after the booking."""

    reschedule_prob: float = Field(ge=0, le=1)
    cancel_prob: float = Field(ge=0, le=1)
    delay_minutes: IntRange = IntRange(min=1, max=60)

    @model_validator(mode="after")
    def _after_the_booking(self) -> Events:
        if self.delay_minutes.min < 1:
            raise ValueError("a call comes after the booking: delay_minutes.min must be at least 1")
        return self


class Unusual(Frozen):
    """Shares of unusual patients: several complaints, a child with a parent, a patient with an interpreter, an
    emergency.

    The last three exclude each other.
    """

    several: float = Field(default=0, ge=0, le=1)
    child: float = Field(default=0, ge=0, le=1)
    interpreter: float = Field(default=0, ge=0, le=1)
    emergency: float = Field(default=0, ge=0, le=1)

    @model_validator(mode="after")
    def _one_of_three(self) -> Unusual:
        if self.child + self.interpreter + self.emergency > 1:
            raise ValueError("child, interpreter and emergency exclude each other: they must not add up to more than 1")
        return self


class HospitalConfig(Frozen):
    """Every parameter of the synthesis."""

    level: Level = "custom"
    name: str = Field(default="", pattern=r"^[A-Za-z0-9-]*$", max_length=24)
    locale: str = "korea"
    hospital_n: int = Field(ge=1)
    start_date: DateRange
    days: int = Field(ge=1, le=366)
    time_unit: Decimal
    start_hour: IntRange
    end_hour: IntRange
    department_per_hospital: IntRange
    physician_per_department: IntRange
    working_days: IntRange
    capacity_per_hour: IntRange
    busy_schedule_prob: float = Field(ge=0, le=1)
    busy_schedule_ratio: _Share
    appointment_ratio: _Share
    preference: KindWeights
    symptom: KindWeights
    events: Events
    lead_days: int = Field(default=3, ge=0, le=365)
    no_show_prob: float = Field(default=0.05, ge=0, le=1)
    unusual: Unusual = Unusual()
    persona: dict[str, dict[str, float]] = Field(default_factory=dict)
    diseases: str = ""

    @field_validator("time_unit", mode="before")
    @classmethod
    def _exact(cls, value: Any) -> Any:
        return str(value) if isinstance(value, float) else value

    @field_validator("persona")
    @classmethod
    def _known_axes(cls, value: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
        for axis, weights in value.items():
            if axis not in AXES:
                raise ValueError(f"there is no axis '{axis}': the axes are {', '.join(AXES)}")
            unknown = [level for level in weights if level not in AXES[axis]]
            if unknown:
                raise ValueError(f"{axis} has no level '{unknown[0]}': the levels are {', '.join(AXES[axis])}")
            if not all(0 <= weight < math.inf for weight in weights.values()) or not sum(weights.values()):
                raise ValueError(
                    f"the weights of {axis} must be positive numbers, or zero for levels that must not occur"
                )
        return value

    @field_validator("locale")
    @classmethod
    def _known_locale(cls, value: str) -> str:
        load_locale(value)
        return value

    @model_validator(mode="after")
    def _fits(self) -> HospitalConfig:
        minutes = self.time_unit * 60
        if minutes != int(minutes) or minutes <= 0 or 60 % int(minutes):
            raise ValueError(f"time_unit {self.time_unit} h is not a whole number of minutes that divides an hour")
        if not self.start_hour.min >= 0 or self.end_hour.max > 24 or self.start_hour.max >= self.end_hour.min:
            raise ValueError("the hospital must open before it closes, within one day")
        if self.working_days.min < 1 or self.working_days.max > self.days:
            raise ValueError(f"working_days must lie between 1 and the {self.days} days of the period")
        if not self.department_per_hospital.min >= 1 or self.department_per_hospital.max > 9:
            raise ValueError("a hospital must have between 1 and 9 departments")
        if self.physician_per_department.min < 1:
            raise ValueError("every department needs a physician")
        if not self.capacities:
            raise ValueError("no capacity in the range divides an hour into visits of whole time units")
        if set(self.preference.type) - set(PREFERENCES):
            raise ValueError(f"preference types must be among {', '.join(PREFERENCES)}")
        if set(self.symptom.type) - {"without_history", "with_history"}:
            raise ValueError("symptom types must be among without_history, with_history")
        return self

    @property
    def slot_minutes(self) -> int:
        """The time unit, in whole minutes."""
        return int(self.time_unit * 60)

    @property
    def capacities(self) -> tuple[int, ...]:
        """The numbers of patients per hour that divide the hour into visits of whole slots."""
        most = 60 // self.slot_minutes
        low, high = self.capacity_per_hour.min, min(self.capacity_per_hour.max, most)
        return tuple(capacity for capacity in range(max(low, 1), high + 1) if most % capacity == 0)


def preset(name: str, /, **changes: Any) -> HospitalConfig:
    """A preset by name, with changes."""
    if name not in PRESETS:
        raise UnknownName("hospital preset", name, PRESETS)
    return HospitalConfig.model_validate({**_preset_table(name), **changes})


@cache
def _preset_table(name: str) -> Mapping[str, Any]:
    tables = package_data("polyclinic.clinics.frontdesk", "data/presets.toml")
    return {**tables["common"], **tables[name], "level": name}


def load_config(path: Path) -> HospitalConfig:
    """Read a config file. Its key ``preset`` names the preset whose values it changes (otherwise ``secondary``)."""
    return _config(read_data(path), path)


def parse_config(text: str, file: str) -> HospitalConfig:
    """Read a config from the text of a file."""
    return _config(parse_data(text, file), Path(file))


def _config(table: Any, path: Path) -> HospitalConfig:
    if not isinstance(table, dict) or not table:
        fix = "write for example 'days = 7' in a TOML file, 'days: 7' in a YAML file"
        raise bad_file(path, "a config must be a table of parameters", fix=fix)
    base = table.pop("preset", "secondary")
    if base not in PRESETS:
        raise UnknownName("hospital preset", str(base), PRESETS)
    merged = {**_preset_table(base), "level": table.get("level", base), **table}
    diseases = merged.get("diseases")
    if isinstance(diseases, str) and diseases and not Path(diseases).is_absolute():
        merged["diseases"] = str(path.parent / diseases)
    try:
        return HospitalConfig.model_validate(merged)
    except ValidationError as error:
        fault = error.errors()[0]
        if fault["type"] == "extra_forbidden" and len(fault["loc"]) == 1:
            known = f"there are: preset, {', '.join(HospitalConfig.model_fields)}"
            raise bad_file(path, "there is no such parameter", field=str(fault["loc"][0]), fix=known) from None
        raise first_fault(error, path, field="" if fault["loc"] else "the whole file") from None
