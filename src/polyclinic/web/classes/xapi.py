"""A class as xAPI 1.0.3 statements: that each trainee began, how each session ended, and each figure with its scale.

A statement's id is made from what it says, so a record store that gets the same statement twice keeps it once.
The educator names the record store; its answers are not shown.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import httpx

from polyclinic import __version__
from polyclinic.core.judge import Metric
from polyclinic.errors import UserError
from polyclinic.runner.registry import load_clinic
from polyclinic.web.classes.classroom import ClassShown
from polyclinic.web.classes.table import ClassTable, Result

VERSION = "1.0.3"
Statement = dict[str, Any]
_NAMES = uuid.uuid5(uuid.NAMESPACE_URL, "urn:polyclinic:xapi")
_VERBS = {
    "initialized": "http://adlnet.gov/expapi/verbs/initialized",
    "terminated": "http://adlnet.gov/expapi/verbs/terminated",
    "completed": "http://adlnet.gov/expapi/verbs/completed",
    "scored": "http://adlnet.gov/expapi/verbs/scored",
}
_SIMULATION = "http://adlnet.gov/expapi/activities/simulation"
_COURSE = "http://adlnet.gov/expapi/activities/course"
_OBJECTIVE = "http://adlnet.gov/expapi/activities/objective"


def statements(table: ClassTable, language: str, home: str) -> list[Statement]:
    """All statements of a class. `home` is the address of this server; trainees' names are valid there."""
    clinic = load_clinic(table.now.about.clinic)
    metrics = {metric.name: metric for judge in clinic.judges() for metric in judge.metrics}
    return [
        statement
        for result in table.results
        for statement in _of_session(result, table.now.about, metrics, language, home)
    ]


def _of_session(
    result: Result, about: ClassShown, metrics: dict[str, Metric], language: str, home: str
) -> Iterator[Statement]:
    def make(verb: str, at_ms: int, about_what: Statement, outcome: Statement | None = None) -> Statement:
        said = uuid.uuid5(_NAMES, "|".join((about.id, result.run, verb, about_what["id"])))
        found: Statement = {
            "id": str(said),
            "actor": _actor(result, about, home),
            "verb": {"id": _VERBS[verb], "display": {"en-US": verb}},
            "object": about_what,
            "context": _context(result, about, language, home),
            "timestamp": datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="milliseconds"),
        }
        return {**found, "result": outcome} if outcome else found

    case = _activity(f"urn:polyclinic:{about.clinic}:{result.case}", _SIMULATION, result.case)
    yield make("initialized", result.begun_ms, case)
    if result.where not in ("ended", "failed"):
        return
    ends = result.begun_ms + result.elapsed_ms
    done = result.where == "ended"
    said = {f"urn:polyclinic:figure:{name}": value for name, value in result.figures.items()}
    outcome: Statement = {
        "completion": done,
        "duration": f"PT{result.elapsed_ms / 1000:.2f}S",
        "extensions": {**said, "urn:polyclinic:outcome": result.outcome, "urn:polyclinic:hints": result.hints},
    }
    if result.short:
        outcome["response"] = "\n".join(result.short)
    yield make("completed" if done else "terminated", ends, case, outcome)
    for name, value in result.figures.items():
        metric = metrics.get(name)
        about_it = metric.about if metric is not None else ""
        aim = _activity(f"{case['id']}:{name}", _OBJECTIVE, name.replace("_", " "), about_it)
        yield make("scored", ends, aim, {"score": _score(value, metric)})


def _score(value: float, metric: Metric | None) -> Statement:
    """The score of one figure.

    `scaled` runs from 0 to 1 on the metric's scale; it is missing if the scale has no end.
    """
    if metric is None or not metric.low <= value <= metric.high or not 0 < metric.high - metric.low < math.inf:
        return {"raw": value}
    scaled = (value - metric.low) / (metric.high - metric.low)
    return {"scaled": round(scaled, 6), "raw": value, "min": metric.low, "max": metric.high}


def _actor(result: Result, about: ClassShown, home: str) -> Statement:
    account = {"homePage": f"{home}/class/{about.id}", "name": f"{about.id}-{result.number}"}
    return {"objectType": "Agent", "name": result.name, "account": account}


def _context(result: Result, about: ClassShown, language: str, home: str) -> Statement:
    group = _activity(f"{home}/class/{about.id}", _COURSE, about.title)
    found: Statement = {
        "registration": str(uuid.uuid5(_NAMES, result.run)),
        "platform": f"Polyclinic {__version__}",
        "language": language,
        "contextActivities": {"grouping": [group]},
        "extensions": {"urn:polyclinic:run": result.run, "urn:polyclinic:part": about.part},
    }
    if about.educator:
        account = {"homePage": home, "name": f"{about.id}-educator"}
        found["instructor"] = {"objectType": "Agent", "name": about.educator, "account": account}
    return found


def _activity(id: str, kind: str, name: str, about: str = "") -> Statement:
    definition: Statement = {"type": kind, "name": {"en-US": name}}
    if about:
        definition["description"] = {"en-US": about}
    return {"objectType": "Activity", "id": id.replace(" ", "%20"), "definition": definition}


AT_ONCE, LONGEST_S = 100, 20.0


async def send_statements(url: str, user: str, password: str, statements: Sequence[Statement]) -> int:
    """Send all statements, a hundred at a time; returns how many. Sending them again changes nothing."""
    address = _address(url)
    headers = {"X-Experience-API-Version": VERSION}
    auth = httpx.BasicAuth(user, password) if user or password else None
    async with httpx.AsyncClient(timeout=LONGEST_S, follow_redirects=False, headers=headers, auth=auth) as client:
        for begin in range(0, len(statements), AT_ONCE):
            try:
                answer = await client.post(address, json=list(statements[begin : begin + AT_ONCE]))
            except httpx.HTTPError as error:
                raise UserError(
                    f"the record store does not answer: {type(error).__name__}; check its address"
                ) from None
            if answer.status_code in (401, 403):
                raise UserError("the record store refuses this name and password")
            if not answer.is_success:
                raise UserError(f"the record store answers with {answer.status_code}: check its address")
    return len(statements)


def _address(url: str) -> str:
    """The address for statements; the endpoint may be given with or without its last part."""
    parts = urlsplit(url.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query or parts.fragment:
        raise UserError("the record store's address begins with http:// or https:// and holds no name or password")
    whole = url.strip().rstrip("/")
    return whole if whole.endswith("/statements") else f"{whole}/statements"
