"""What xAPI 1.0.3 requires of a statement, and a record store that refuses anything else."""

from __future__ import annotations

import base64
import json
import re
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

IRI = re.compile(r"^[a-z][a-z0-9+.-]*:[^\s<>\"{}|\\^`]+$")
LANGUAGE = re.compile(r"^[a-z]{2,3}(-[A-Za-z0-9]+)*$")
DURATION = re.compile(r"^P(\d+Y)?(\d+M)?(\d+D)?(T(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?$")


def faults(statement: dict[str, Any]) -> list[str]:
    """Everything that is wrong with a statement."""
    wrong = _only(statement, "statement", {"id", "actor", "verb", "object", "result", "context", "timestamp"})
    wrong += [f"no {name}" for name in ("actor", "verb", "object") if name not in statement]
    if wrong:
        return wrong
    if str(uuid.UUID(statement["id"])) != statement["id"]:
        wrong.append("the id is no UUID")
    if datetime.fromisoformat(statement["timestamp"]).tzinfo is None:
        wrong.append("the timestamp has no zone")
    wrong += _agent(statement["actor"]) + _activity(statement["object"])
    wrong += _only(statement["verb"], "verb", {"id", "display"}) + _iri(statement["verb"]["id"])
    wrong += _words(statement["verb"]["display"]) + _result(statement.get("result", {}))
    return wrong + _context(statement.get("context", {}))


def _only(value: dict[str, Any], what: str, allowed: set[str]) -> list[str]:
    empty = [name for name, inner in value.items() if inner is None]
    return [f"{what}: {name}" for name in [*(set(value) - allowed), *empty]]


def _iri(value: str) -> list[str]:
    return [] if IRI.match(value) else [f"not an IRI: {value}"]


def _words(value: dict[str, str]) -> list[str]:
    return [f"not a language map: {value}" for name, text in value.items() if not (LANGUAGE.match(name) and text)]


def _agent(value: dict[str, Any]) -> list[str]:
    wrong = _only(value, "agent", {"objectType", "name", "account"}) + _iri(value["account"]["homePage"])
    if value["objectType"] != "Agent" or set(value["account"]) != {"homePage", "name"}:
        wrong.append("an agent has one account")
    return wrong


def _activity(value: dict[str, Any]) -> list[str]:
    wrong = _only(value, "activity", {"objectType", "id", "definition"}) + _iri(value["id"])
    definition = value.get("definition", {})
    wrong += _only(definition, "definition", {"type", "name", "description"}) + _iri(definition["type"])
    return wrong + _words(definition["name"]) + _words(definition.get("description", {}))


def _result(value: dict[str, Any]) -> list[str]:
    wrong = _only(value, "result", {"score", "completion", "duration", "extensions", "response", "success"})
    score = value.get("score", {})
    wrong += _only(score, "score", {"scaled", "raw", "min", "max"})
    if "scaled" in score and not -1 <= score["scaled"] <= 1:
        wrong.append("scaled is outside -1 to 1")
    if "min" in score and not score["min"] <= score["raw"] <= score["max"]:
        wrong.append("raw is outside min to max")
    if "duration" in value and not DURATION.match(value["duration"]):
        wrong.append(f"duration: {value['duration']}")
    return wrong + [fault for name in value.get("extensions", {}) for fault in _iri(name)]


def _context(value: dict[str, Any]) -> list[str]:
    allowed = {"registration", "platform", "language", "contextActivities", "extensions", "instructor"}
    wrong = _only(value, "context", allowed)
    uuid.UUID(value["registration"])
    wrong += [] if LANGUAGE.match(value["language"]) else ["language"]
    for activity in value["contextActivities"]["grouping"]:
        wrong += _activity(activity)
    wrong += _agent(value["instructor"]) if "instructor" in value else []
    return wrong + [fault for name in value["extensions"] for fault in _iri(name)]


class RecordStore:
    """The data of a stub record store; it stores each statement once by its id."""

    def __init__(self) -> None:
        self.url = ""
        self.kept: dict[str, dict[str, Any]] = {}
        self.wrong: list[str] = []
        self.requests = 0


@contextmanager
def record_store(user: str, password: str) -> Iterator[RecordStore]:
    """A record store over HTTP on this machine."""
    found = RecordStore()
    allowed = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found.requests += 1
            if self.headers.get("Authorization") != allowed:
                return self.answer(401, [])
            if self.path != "/xapi/statements" or not self.headers["X-Experience-API-Version"].startswith("1.0."):
                return self.answer(404, [])
            statements = json.loads(body)
            found.wrong += [fault for statement in statements for fault in faults(statement)]
            for statement in statements:
                found.kept.setdefault(statement["id"], statement)
            return self.answer(200, [statement["id"] for statement in statements])

        def answer(self, status: int, body: list[str]) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, *args: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.url = f"http://127.0.0.1:{server.server_port}/xapi"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
