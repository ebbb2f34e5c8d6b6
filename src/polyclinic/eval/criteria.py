"""Rubrics as data: criteria with scales and anchors, yes/no flags, vetoes, and how it all becomes one number.

A rubric is a TOML or YAML file (see `polyclinic.eval.rubric_file`)::

    id = "bedside"
    title = "Bedside manner"
    metric = "bedside"                 # the aggregate's metric; leave it out for none
    aggregate = "mean"                 # mean, sum or min over the criteria, by weight

    [[criteria]]
    id = "warmth"
    question = "Does the nurse make the patient feel welcome?"
    low = 1
    high = 5
    anchors = { 1 = "cold or rude", "2..4" = "polite", 5 = "warm throughout" }

    [[flags]]
    id = "invents"
    question = "Does the nurse state a medical fact that is wrong?"

    [[vetoes]]
    flags = ["invents"]                # or criteria = ["warmth"] with below = 2
    cap = 2                            # no score above 2 (on = [...]: only there); or value = -15 for the aggregate
    about = "a wrong fact spoils everything"
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from polyclinic.core.judge import Metric
from polyclinic.core.message import Frozen

_LEVELS = re.compile(r"\A(-?\d+)(?:\.\.(-?\d+))?\Z")


def _as_text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Levels = Annotated[str, BeforeValidator(_as_text)]


class Criterion(Frozen):
    """One question with an integer scale. `anchors` say what the levels look like: keys ``3`` or ``1..2``.

    `title` is the criterion's name in reports, where its id is an abbreviation.
    """

    id: str = Field(min_length=1)
    question: str = Field(min_length=1)
    low: int
    high: int
    anchors: dict[Levels, str] = Field(min_length=1)
    metric: str = ""
    weight: float = Field(default=1.0, gt=0)
    title: str = Field(default="", exclude=True)

    @model_validator(mode="after")
    def _scale_is_whole(self) -> Criterion:
        if self.low >= self.high:
            raise ValueError(f"low ({self.low}) must be below high ({self.high})")
        seen: dict[int, str] = {}
        for key in self.anchors:
            for level in levels_of(key):
                if not self.low <= level <= self.high:
                    raise ValueError(f"anchor '{key}' is outside the scale {self.low} to {self.high}")
                if level in seen:
                    raise ValueError(f"anchors '{seen[level]}' and '{key}' both describe {level}")
                seen[level] = key
        for end in (self.low, self.high):
            if end not in seen:
                raise ValueError(f"no anchor describes {end}, an end of the scale")
        return self

    @property
    def metric_name(self) -> str:
        """The metric this criterion is reported as."""
        return self.metric or self.id.lower().replace("-", "_")


def levels_of(key: str) -> range:
    """The levels that an anchor's key means: ``3`` or ``1..2``."""
    match = _LEVELS.match(key)
    if match is None:
        raise ValueError(f"anchor '{key}' is neither a level like 3 nor a tier like 1..2")
    first = int(match.group(1))
    last = int(match.group(2)) if match.group(2) is not None else first
    if last < first:
        raise ValueError(f"anchor '{key}' runs backwards: write {last}..{first}")
    return range(first, last + 1)


class Flag(Frozen):
    """A yes/no question, for critical failures."""

    id: str = Field(min_length=1)
    question: str = Field(min_length=1)
    metric: str = ""

    @property
    def metric_name(self) -> str:
        """The metric this flag is reported as; flags without one are used by vetoes only."""
        return self.metric


class Veto(Frozen):
    """The effect of one critical failure: it replaces the aggregate (`value`), or limits scores (`cap`). A cap applies
    to the criteria in `on`, or to all criteria when `on` is empty.
    """

    about: str = Field(min_length=1)
    flags: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    below: int | None = None
    value: float | None = None
    cap: int | None = None
    on: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _is_one_rule(self) -> Veto:
        if not self.flags and not self.criteria:
            raise ValueError("a veto must name the flags or the criteria that trigger it")
        if bool(self.criteria) != (self.below is not None):
            raise ValueError("a veto over criteria needs 'below', and 'below' needs criteria")
        if (self.value is None) == (self.cap is None):
            raise ValueError("a veto must have either 'value' (replaces the aggregate) or 'cap' (no score above it)")
        if self.on and self.cap is None:
            raise ValueError("'on' says which criteria a 'cap' applies to, but this veto has no 'cap'")
        return self

    def applies(self, scores: Mapping[str, int], raised: Collection[str]) -> bool:
        """Whether these judgements trigger the veto."""
        if any(flag in raised for flag in self.flags):
            return True
        return self.below is not None and any(scores.get(name, self.below) < self.below for name in self.criteria)


class Outcome(Frozen):
    """A judgement after the rubric's own rules: capped scores, the aggregate, and which vetoes applied."""

    scores: dict[str, int]
    aggregate: float | None
    vetoes: tuple[str, ...] = ()


class Rubric(Frozen):
    """A whole rubric.

    It is validated when made: every name must exist, and every scale must be described at both ends.
    """

    id: str = Field(min_length=1)
    title: str = Field(min_length=1)
    about: str = ""
    instructions: str = ""
    metric: str = ""
    aggregate: Literal["mean", "sum", "min"] = "mean"
    higher_is_better: bool = True
    criteria: tuple[Criterion, ...] = Field(min_length=1)
    flags: tuple[Flag, ...] = ()
    vetoes: tuple[Veto, ...] = ()

    @field_validator("criteria", "flags")
    @classmethod
    def _ids_differ(cls, items: tuple[Criterion | Flag, ...]) -> tuple[Criterion | Flag, ...]:
        for name in ("id", "metric_name"):
            taken = [getattr(item, name) for item in items if getattr(item, name)]
            for value in taken:
                if taken.count(value) > 1:
                    raise ValueError(f"the {name.replace('_name', '')} '{value}' appears twice")
        return items

    @model_validator(mode="after")
    def _names_resolve(self) -> Rubric:
        criteria, flags = {item.id for item in self.criteria}, {item.id for item in self.flags}
        for veto in self.vetoes:
            for name in sorted(({*veto.criteria, *veto.on} - criteria) | (set(veto.flags) - flags)):
                raise ValueError(f"the veto '{veto.about}' names '{name}', which the rubric does not have")
            if veto.value is not None and not self.metric:
                raise ValueError(f"the veto '{veto.about}' replaces the aggregate, but the rubric has no 'metric'")
        names = [metric.name for metric in self.metrics()]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two numbers of the rubric are both called '{name}': give one of them a 'metric'")
        return self

    def metrics(self) -> tuple[Metric, ...]:
        """What a judge with this rubric measures: each criterion, each flag with a metric, and the aggregate."""
        better = self.higher_is_better
        found = [
            Metric(item.metric_name, item.question, better, float(item.low), float(item.high), title=item.title)
            for item in self.criteria
        ]
        found += [Metric(flag.metric, flag.question, higher_is_better=False) for flag in self.flags if flag.metric]
        if self.metric:
            low, high = self._range()
            found.append(Metric(self.metric, self.about or self.title, better, low, high))
        return tuple(found)

    def _range(self) -> tuple[float, float]:
        ends = [self._fold({item.id: getattr(item, end) for item in self.criteria}) for end in ("low", "high")]
        ends += [veto.value for veto in self.vetoes if veto.value is not None]
        return min(ends), max(ends)

    def _fold(self, scores: Mapping[str, int]) -> float:
        if self.aggregate == "min":
            return float(min(scores.values()))
        weighted = sum(item.weight * scores[item.id] for item in self.criteria)
        return weighted if self.aggregate == "sum" else weighted / sum(item.weight for item in self.criteria)

    def conclude(self, scores: Mapping[str, int], raised: Collection[str] = ()) -> Outcome:
        """Apply caps, combine the criteria, then let a veto replace the result (the lowest one, if several apply)."""
        spoken = [veto for veto in self.vetoes if veto.applies(scores, raised)]
        bounded = dict(scores)
        for veto in spoken:
            for item in self.criteria:
                if veto.cap is not None and (not veto.on or item.id in veto.on):
                    bounded[item.id] = max(item.low, min(bounded[item.id], veto.cap))
        replaced = [veto.value for veto in spoken if veto.value is not None]
        aggregate = min(replaced) if replaced else self._fold(bounded)
        return Outcome(
            scores=bounded,
            aggregate=aggregate if self.metric else None,
            vetoes=tuple(veto.about for veto in spoken),
        )
