"""SMART scopes (version 2, and version 1's read, write and *): what a token allows on which type, for whom."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

Letter = Literal["c", "r", "u", "d", "s"]
_Level = Literal["patient", "user", "system"]
LETTERS: tuple[Letter, ...] = ("c", "r", "u", "d", "s")
_SCOPE = re.compile(r"(patient|user|system)/(\*|[A-Z][A-Za-z]+)\.(\*|read|write|c?r?u?d?s?)")
_VERSION_1 = {"*": "cruds", "read": "rs", "write": "cud"}
OTHERS = ("openid", "fhirUser", "launch/patient", "offline_access", "online_access", "profile")


class Scope(NamedTuple):
    """One scope on resources."""

    level: _Level
    type: str
    letters: frozenset[str]

    def within(self, other: Scope) -> bool:
        """Whether the other scope allows everything that this one allows."""
        return other.level == self.level and other.type in ("*", self.type) and self.letters <= other.letters


def parse_scope(text: str) -> Scope | None:
    """Read a scope on resources. None for other scopes and for those with a query, which are not supported."""
    match = _SCOPE.fullmatch(text)
    if match is None or not match[3]:
        return None
    level: _Level = "patient" if match[1] == "patient" else "user" if match[1] == "user" else "system"
    return Scope(level, match[2], frozenset(_VERSION_1.get(match[3], match[3])))


def granted(asked: str, allowed: Iterable[str]) -> list[str]:
    """The requested scopes that are within the allowed ones, written as they were requested."""
    listed = list(allowed)
    limits = [scope for text in listed if (scope := parse_scope(text)) is not None]
    given = []
    for text in dict.fromkeys(asked.split()):
        scope = parse_scope(text)
        if (scope is None and text in OTHERS and text in listed) or (
            scope is not None and any(scope.within(limit) for limit in limits)
        ):
            given.append(text)
    return given


@dataclass(frozen=True)
class Grant:
    """What an access token allows: scopes, and the patient in context if there is one."""

    client_id: str
    scopes: tuple[Scope, ...]
    patient: str | None = None
    subject: str = ""

    def level(self, type_: str, letter: Letter) -> _Level | None:
        """The widest level at which an interaction on a type is allowed; None if it is not allowed.

        Levels for all patients are wider than `patient`. A scope for a patient allows nothing if no patient is in
        context.
        """
        levels = {scope.level for scope in self.scopes if scope.type in ("*", type_) and letter in scope.letters}
        if levels & {"user", "system"}:
            return "system" if "system" in levels else "user"
        return "patient" if "patient" in levels and self.patient is not None else None
