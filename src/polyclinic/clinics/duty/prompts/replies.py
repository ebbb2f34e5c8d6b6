"""Typed replies of models, where plain text is not enough. They are flat and closed; reasons come before verdicts."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

from pydantic import Field, JsonValue, create_model

from polyclinic.core.reply import ASIDE, ReplyModel

Cause = Literal[
    "missing_information", "scope_confusion", "premature_closure", "overconfidence", "forgetting", "time_pressure"
]
CorrectionKind = Literal["check", "trigger", "phrase"]
_Heard = Literal["not heard", "hardly", "rather little", "to a middling degree", "rather strongly", "very strongly"]
NOT_HEARD = "not heard"
WORDS = "_words"
"""The ending of a field name: this field has the words that show the trait."""
_FEW: dict[str, JsonValue] = {"maxLength": 60}
_Likeness = Literal["the same person", "nearly the same", "partly", "hardly", "another person"]
HEARD: dict[str, float] = {
    "hardly": 0.1,
    "rather little": 0.3,
    "to a middling degree": 0.5,
    "rather strongly": 0.7,
    "very strongly": 0.9,
}
DISTANCES: dict[_Likeness, float] = {
    "the same person": 0.0,
    "nearly the same": 0.25,
    "partly": 0.5,
    "hardly": 0.75,
    "another person": 1.0,
}


class BreachReviewed(ReplyModel):
    """Why a rule was broken, and the one line that would prevent it."""

    why: str = Field(min_length=1, description="in one short sentence", json_schema_extra=ASIDE)
    cause: Cause
    kind: CorrectionKind = Field(description="check: a mandatory check; trigger: when to call for help; phrase: words")
    correction: str = Field(min_length=1, max_length=200, description="one line of advice for the next shift")


class Diagnosed(ReplyModel):
    """One broken norm with its likely cause, as the report keeps it."""

    norm: str
    severity: int = Field(ge=1, le=5)
    cause: Cause
    why: str = Field(min_length=1)


class Correction(ReplyModel):
    """One line to add to the role's prompt, as the report keeps it."""

    norm: str
    kind: CorrectionKind
    text: str = Field(min_length=1, max_length=200)


class TraitsHeard(ReplyModel):
    """How each trait sounded: for each dimension that was asked about, the words that show it, then how strongly."""

    def values(self) -> dict[str, float]:
        """The traits that could be heard, as numbers; a trait that did not show is left out."""
        degrees = {name: word for name, word in self.model_dump().items() if not name.endswith(WORDS)}
        return {name: HEARD[word] for name, word in degrees.items() if word in HEARD}


@lru_cache(maxsize=16)
def traits_heard(dimensions: tuple[str, ...]) -> type[TraitsHeard]:
    """The reply about these dimensions: none can be left out."""
    fields: dict[str, Any] = {}
    for name in dimensions:
        fields[name + WORDS] = (str, Field(description=f"the words that show {name}, or empty", json_schema_extra=_FEW))
        fields[name] = (_Heard, Field(description=f"how strongly {name} is heard"))
    return create_model("TraitsHeardNow", __base__=TraitsHeard, **fields)


class PreferredManner(ReplyModel):
    """Which of two ways of being the same person serves better, reason first."""

    reason: str = Field(min_length=1, json_schema_extra=ASIDE)
    better: Literal["first", "second", "neither"]


class IdentityJudged(ReplyModel):
    """How like the established person the speaker is, reason first."""

    reason: str = Field(min_length=1, json_schema_extra=ASIDE)
    likeness: _Likeness

    @property
    def distance(self) -> float:
        """The distance: 0 is the same person, 1 is another person."""
        return DISTANCES[self.likeness]
