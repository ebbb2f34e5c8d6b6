"""The one check of every route: `dependencies=[allowed("run", "change", "run")]`.

It names the thing, the verb, and the path's parameter that holds the object. Where a role reaches its own objects only,
an object of somebody else is answered as if it did not exist. A route that lists or makes objects has no parameter: it
lists with `seen`, and says whose a new object is with `own`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.routing import APIRoute

from polyclinic.errors import EngineError
from polyclinic.runner.results import people_in
from polyclinic.store.store import Store
from polyclinic.web.access.person import Person, person_of
from polyclinic.web.access.table import Thing, Verb, in_table

Named = Callable[[Store, str], Awaitable[tuple[Thing, str]]]


async def _run(store: Store, given: str) -> tuple[Thing, str]:
    """A run by its whole id; one in which a person plays is that person's practise."""
    row = await store.runs.get(given)
    return ("practise" if people_in(row) else "run"), row.id


_NAMED: dict[Thing, Named] = {"run": _run, "practise": _run}
"""Things whose objects have several names, and what an object's own name and kind are."""


class Allowed:
    """The check of one route."""

    def __init__(self, thing: Thing, verb: Verb, parameter: str) -> None:
        if not in_table(thing, verb):
            raise EngineError(f"the access table has no row for {thing}, {verb}")
        self.thing, self.verb, self.parameter = thing, verb, parameter

    async def check(self, request: Request) -> None:
        """Refuse who may not."""
        given = str(request.path_params.get(self.parameter, "")) if self.parameter else ""
        await must(request, self.thing, self.verb, given)


def allowed(thing: Thing, verb: Verb, parameter: str = "") -> Any:
    """The dependency that checks a route."""
    return Depends(Allowed(thing, verb, parameter).check)


async def must(request: Request, thing: Thing, verb: Verb, given: str = "") -> None:
    """Refuse who may not do this, with this object if one is given."""
    person, store = person_of(request), store_of(request)
    if person.local:
        return
    real, name = await _NAMED[thing](store, given) if given and thing in _NAMED else (thing, given)
    far = person.reach(real, verb)
    if far == "all" or (far == "own" and not given):
        return
    if far == "no":
        raise _refused(person)
    if person.name not in await store.owners.of(real, name):
        raise HTTPException(404, "not found")


def _refused(person: Person) -> HTTPException:
    if person.role == "nobody":
        return HTTPException(401, "this needs a login")
    return HTTPException(403, f"your role ({person.role}) does not allow this")


async def own(request: Request, thing: Thing, name: str, owner: str = "") -> None:
    """From now on an object is this person's, or the named account's."""
    who = owner or person_of(request).name
    if who:
        await store_of(request).owners.add(thing, name, who)


async def seen(request: Request, thing: Thing, names: Iterable[str]) -> set[str]:
    """Those of these objects that the person may see."""
    person, given = person_of(request), set(names)
    match "all" if person.local else person.reach(thing, "see"):
        case "all":
            return given
        case "own":
            return given & await store_of(request).owners.owned(thing, person.name)
    return set()


def store_of(request: Request) -> Store:
    """The open store."""
    found: Store = request.app.state.store
    return found


def checks(app: FastAPI) -> Iterator[tuple[APIRoute, Allowed | None]]:
    """Every route with its check; None where a route has none."""
    for route in app.routes:
        if isinstance(route, APIRoute):
            calls = [dependency.call for dependency in route.dependant.dependencies]
            found = [getattr(call, "__self__", None) for call in calls]
            yield route, next((one for one in found if isinstance(one, Allowed)), None)


def refuse_unchecked(app: FastAPI) -> None:
    """An application with a route that nobody checks does not start."""
    open_routes = [f"{sorted(route.methods or ())} {route.path}" for route, check in checks(app) if check is None]
    if open_routes:
        raise EngineError(f"these routes name no row of the access table: {', '.join(open_routes)}")
