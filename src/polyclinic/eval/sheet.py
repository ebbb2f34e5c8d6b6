"""A rubric judge's sheet as it is sent: flat, with one required field for each answer, so that none can be left out.

For a criterion ``warmth`` there are ``warmth_quotes``, ``warmth_reason`` and ``warmth_score``, in this order: the words
that count, what they show, then the number, which must be on the criterion's scale. For a critical question ``promise``
the last is ``promise_raised``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

import orjson
from pydantic import Field, create_model

from polyclinic.core.message import Frozen
from polyclinic.core.reply import ASIDE, ReplyModel

_MOST_QUOTES = 4


class CriterionJudged(Frozen):
    """One criterion's judgement."""

    criterion: str
    reason: str
    quotes: tuple[str, ...]
    score: int


class FlagJudged(Frozen):
    """One yes/no question's answer."""

    flag: str
    reason: str
    quotes: tuple[str, ...]
    raised: bool


class RubricJudged(Frozen):
    """A judge's whole answer to one rubric."""

    criteria: tuple[CriterionJudged, ...]
    flags: tuple[FlagJudged, ...] = ()

    def sheet(self) -> str:
        """The judgement as the text of a sheet, as an offline judge returns it."""
        values: dict[str, Any] = {}
        for item in self.criteria:
            quotes, reason, score = _fields(item.criterion, "score")
            values |= {quotes: item.quotes, reason: item.reason, score: item.score}
        for flag in self.flags:
            quotes, reason, raised = _fields(flag.flag, "raised")
            values |= {quotes: flag.quotes, reason: flag.reason, raised: flag.raised}
        return orjson.dumps(values).decode()


class RubricSheet(ReplyModel):
    """Base of sheets; each is made for its own criteria and critical questions (`sheet_form`)."""

    def judged(self, criteria: Sequence[str], flags: Sequence[str]) -> RubricJudged:
        """The judgement that the sheet holds."""

        def values(name: str, last: str) -> list[Any]:
            return [getattr(self, field) for field in _fields(name, last)]

        graded = [(name, *values(name, "score")) for name in criteria]
        answered = [(name, *values(name, "raised")) for name in flags]
        return RubricJudged(
            criteria=tuple(
                CriterionJudged(criterion=name, quotes=quotes, reason=reason, score=score)
                for name, quotes, reason, score in graded
            ),
            flags=tuple(
                FlagJudged(flag=name, quotes=quotes, reason=reason, raised=raised)
                for name, quotes, reason, raised in answered
            ),
        )


def _fields(name: str, last: str) -> tuple[str, str, str]:
    return f"{name}_quotes", f"{name}_reason", f"{name}_{last}"


@lru_cache(maxsize=256)
def sheet_form(criteria: tuple[tuple[str, int, int], ...], flags: tuple[str, ...]) -> type[RubricSheet]:
    """The sheet for these criteria, each with the ends of its scale, and these critical questions."""
    fields: dict[str, Any] = {}
    for name, low, high in criteria:
        quotes, reason, score = _fields(name, "score")
        scale: Any = Literal[tuple(range(low, high + 1))]
        fields |= {quotes: _quotes(), reason: _reason(), score: (scale, ...)}
    for name in flags:
        quotes, reason, raised = _fields(name, "raised")
        fields |= {quotes: _quotes(), reason: _reason(), raised: (bool, ...)}
    return create_model("RubricSheet", __base__=RubricSheet, **fields)


def sheet_from_words(answers: Mapping[str, str]) -> RubricSheet:
    """A sheet from what a person wrote: a number for a criterion, yes or no for a critical question."""
    scales = {name: int(value) for name, value in answers.items() if value.isdigit()}
    raised = {name: value.casefold() in ("yes", "y", "true") for name, value in answers.items() if name not in scales}
    form = sheet_form(tuple((name, value, value) for name, value in scales.items()), tuple(raised))
    values: dict[str, Any] = {}
    for name, last, value in [
        *((n, "score", v) for n, v in scales.items()),
        *((n, "raised", v) for n, v in raised.items()),
    ]:
        quotes, reason, answer = _fields(name, last)
        values |= {quotes: (), reason: "a person's verdict", answer: value}
    return form.model_validate(values)


def _quotes() -> tuple[Any, Any]:
    about = "words copied exactly from the transcript that the reason rests on; empty where there are none"
    return tuple[str, ...], Field(description=about, json_schema_extra={"maxItems": _MOST_QUOTES})


def _reason() -> tuple[Any, Any]:
    return str, Field(min_length=1, description="why, in a sentence or two, before you choose", json_schema_extra=ASIDE)
