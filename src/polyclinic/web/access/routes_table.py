"""Every route, with its verb and the kind of thing that it concerns.

A route that is not listed here is refused to everybody except the owner of the machine, and a test reports it.
"""

from __future__ import annotations

from dataclasses import dataclass

from polyclinic.errors import EngineError
from polyclinic.web.access.table import Thing, Verb, in_table


@dataclass(frozen=True)
class Rule:
    """What a route does. `parameter`: the part of its path that names the object. `makes`: its answer's `id` is a new
    thing, which belongs to the person who asked. `guest`: a person without an account gets one for this browser.
    """

    thing: Thing
    verb: Verb
    parameter: str = ""
    makes: Thing | None = None
    guest: bool = False

    def __post_init__(self) -> None:
        if not in_table(self.thing, self.verb):
            raise EngineError(f"the access table has no row for {self.thing}, {self.verb}")


ROUTES: dict[str, Rule] = {
    "GET /{path:path}": Rule("page", "see"),
    "GET /api/me": Rule("login", "see"),
    "POST /api/login": Rule("login", "make"),
    "POST /api/logout": Rule("login", "change"),
    "POST /api/password": Rule("login", "change"),
    "GET /api/accounts": Rule("account", "see"),
    "POST /api/accounts": Rule("account", "make"),
    "POST /api/accounts/{name}/end": Rule("account", "change"),
    "GET /api/words/ko": Rule("page", "see"),
    "GET /api/clinics": Rule("clinic", "see"),
    "GET /api/clinics/{name}": Rule("clinic", "see"),
    "GET /api/clinics/{name}/cases": Rule("clinic", "see"),
    "POST /api/practise": Rule("practise", "make", makes="practise"),
    "GET /api/practise": Rule("practise", "see"),
    "GET /api/practise/{run}": Rule("practise", "see", "run"),
    "GET /api/practise/{run}/events": Rule("practise", "see", "run"),
    "POST /api/practise/{run}/answer": Rule("practise", "change", "run"),
    "GET /api/practise/{run}/feedback": Rule("practise", "see", "run"),
    "POST /api/practise/{run}/again": Rule("practise", "change", "run", makes="practise"),
    "GET /api/practise/{run}/pictures/{id}": Rule("practise", "see", "run"),
    "GET /api/runs": Rule("run", "see"),
    "POST /api/runs": Rule("run", "make", makes="run"),
    "POST /api/runs/{run}/stop": Rule("run", "change", "run"),
    "POST /api/runs/{run}/resume": Rule("run", "change", "run"),
    "GET /api/runs/{run}": Rule("run", "see", "run"),
    "GET /api/runs/{run}/report": Rule("run", "see", "run"),
    "GET /api/runs/{run}/events": Rule("run", "see", "run"),
    "GET /api/runs/{run}/episodes": Rule("run", "see", "run"),
    "GET /api/runs/{run}/episodes/{episode}": Rule("run", "see", "run"),
    "GET /api/runs/{run}/episodes/{episode}/calls/{number}": Rule("run", "see", "run"),
    "GET /api/compare": Rule("run", "see"),  # the route checks both runs
    "GET /api/desk": Rule("clinic", "see"),  # the forms, not the sessions and cases
    "GET /api/desk/{clinic}": Rule("desk", "see"),
    "GET /api/desk/{clinic}/events": Rule("desk", "see"),
    "GET /api/desk/{clinic}/audit": Rule("audit", "see"),
    "POST /api/desk/{clinic}/cases/{case}/{verb}": Rule("desk", "change"),
    "POST /api/desk/{clinic}/sessions": Rule("talk", "make", makes="talk"),
    "GET /api/desk/{clinic}/sessions/{session}": Rule("talk", "see", "session"),
    "GET /api/desk/{clinic}/sessions/{session}/events": Rule("talk", "see", "session"),
    "POST /api/desk/{clinic}/sessions/{session}/{action}": Rule("talk", "change", "session"),  # staff's: desk, change
    "POST /api/classes": Rule("class", "make", makes="class"),
    "GET /api/classes": Rule("class", "see"),
    "GET /api/classes/{id}": Rule("class", "see", "id"),
    "GET /api/classes/{id}/events": Rule("class", "see", "id"),
    "POST /api/classes/{id}/hints": Rule("class", "change", "id"),
    "POST /api/classes/{id}/members/{number}/readmit": Rule("class", "change", "id"),
    "POST /api/classes/{id}/end": Rule("class", "change", "id"),
    "GET /api/classes/{id}/sessions/{run}": Rule("class", "see", "id"),
    "GET /api/classes/{id}/sessions/{run}/events": Rule("class", "see", "id"),
    "GET /api/classes/{id}/table": Rule("class", "see", "id"),
    "GET /api/classes/{id}/table.csv": Rule("class", "see", "id"),
    "GET /api/classes/{id}/xapi.json": Rule("class", "see", "id"),
    "POST /api/classes/{id}/xapi": Rule("class", "change", "id"),
    "POST /api/join": Rule("class", "join", guest=True),  # by its code; the route checks the member's cookie
    "GET /api/join/{id}": Rule("class", "join"),
    "POST /api/join/{id}/begin": Rule("class", "join", makes="practise"),
    "GET /api/classes/{id}/sessions/{run}/feedback": Rule("class", "see", "id"),
    "POST /api/packets": Rule("packet", "make", makes="packet"),
    "GET /api/packets": Rule("packet", "see"),
    "GET /api/packets/rubrics/{run}": Rule("run", "see", "run"),
    "GET /api/packets/{id}": Rule("packet", "see", "id"),
    "POST /api/packets/{id}/end": Rule("packet", "change", "id"),
    "GET /api/packets/{id}/agreement": Rule("packet", "see", "id"),
    "POST /api/rate": Rule("packet", "join", guest=True),  # by its code; the route checks the rater's cookie
    "GET /api/rate/{id}": Rule("packet", "join"),
    "GET /api/rate/{id}/items/{code}": Rule("packet", "join"),
    "POST /api/rate/{id}/items/{code}": Rule("packet", "join"),
    "GET /api/rate/{id}/rounds/{number}": Rule("packet", "join"),
    "POST /api/rate/{id}/rounds/{number}": Rule("packet", "join"),
    "GET /api/cases": Rule("case", "see"),
    "GET /api/cases/{clinic}/files/{name}": Rule("case", "see"),
    "GET /api/cases/{clinic}/{kind}/form": Rule("case", "see"),
    "GET /api/cases/{clinic}/{kind}/examples/{name}": Rule("case", "see"),
    "POST /api/cases/{clinic}/{kind}/check": Rule("case", "see"),
    "POST /api/cases/{clinic}/{kind}": Rule("case", "make"),  # the route checks who may change an existing case
    "GET /api/libraries": Rule("library", "see"),
    "GET /api/libraries/{source}": Rule("library", "see"),
    "GET /api/libraries/{source}/entries/{id}/prompt": Rule("library", "see"),
    "POST /api/libraries/{source}/rollback": Rule("library", "change"),
    "POST /api/libraries/{source}/keep": Rule("library", "change"),
    "GET /api/boards": Rule("board", "see"),
    "GET /api/boards/{run}": Rule("board", "see"),
    "GET /api/boards/{run}/bookings/{booking}": Rule("board", "see"),
    "POST /api/boards/whatif/{clinic}": Rule("board", "see"),
}
