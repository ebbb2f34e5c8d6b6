"""The one check for every route, before the route does anything.

`routes_table` names the thing, the verb, and the path's parameter that holds the object. If a role may use only its own
objects, the answer for an object of somebody else is "not found". A route that lists objects lists only what `seen`
returns. A route that does more than its row says calls `must` itself for the rest.

On a private machine the owner sends every request, and may do everything.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, HTTPException, Request
from starlette.types import Scope

from polyclinic.runner.results import people_in
from polyclinic.store.run_rows import RunRow
from polyclinic.store.staff import Account
from polyclinic.store.store import Store
from polyclinic.web.access.routes_table import ROUTES, Rule
from polyclinic.web.access.table import AccessRole, Reach, Thing, Verb, reach, role_here
from polyclinic.web.of_request import store_of


@dataclass(frozen=True)
class Requester:
    """The person behind a request. `local`: they opened the pages with the start-up token, and have no name here."""

    name: str = ""
    role: AccessRole = "nobody"
    local: bool = False
    account: Account | None = None

    def reach(self, thing: Thing, verb: Verb) -> Reach:
        """On which objects this person may do this: all, their own, or none."""
        return reach(self.role, thing, verb)

    def may(self, thing: Thing, verb: Verb) -> bool:
        """Whether this person may do this with at least one object."""
        return self.reach(thing, verb) != "no"


OWNER = Requester(role="administrator", local=True)
NOBODY = Requester()


def person_with(account: Account) -> Requester:
    """The person behind an account."""
    return Requester(name=account.name, role=role_here(account.role), account=account)


def acting_as(person: Requester, name: str) -> Account:
    """Who acts at a desk: the account, or on a private machine the name that was given."""
    return person.account or Account(name=name, role="administer")


def person_of(request: Request) -> Requester:
    """The sender of this request, as the entry gate recognised them."""
    found: Requester = request.scope.get("person", NOBODY)
    return found


TheRequester = Annotated[Requester, Depends(person_of)]


Named = Callable[[Store, str], Awaitable[tuple[Thing, str]]]


async def _run(store: Store, given: str) -> tuple[Thing, str]:
    """The kind and the full id of a run. A run in which a person plays is of the kind practise."""
    row = await store.runs.get(given)
    return ("practise" if people_in(row) else "run"), row.id


_NAMED: dict[Thing, Named] = {"run": _run, "practise": _run}
"""Things whose objects have several names, with the function that finds an object's real kind and name."""


def rule_of(scope: Scope) -> Rule | None:
    """The row of the route that handles a request; None if the table has none."""
    route = scope.get("route")
    return ROUTES.get(f"{scope['method']} {route.path}") if route is not None else None


async def checked(request: Request) -> None:
    """The check before every route: refuses people who may not use it."""
    if person_of(request).local:
        return
    rule = rule_of(request.scope)
    if rule is None:
        raise HTTPException(403, "only the owner of the machine may do this")
    given = str(request.path_params.get(rule.parameter, "")) if rule.parameter else ""
    await must(request, rule.thing, rule.verb, given)


async def must(request: Request, thing: Thing, verb: Verb, given: str = "") -> None:
    """Refuse a person who may not do this; with `given`, a person who may not do it to this object."""
    person, store = person_of(request), store_of(request)
    if person.local:
        return
    if not person.may(thing, verb):
        raise _refused(person)
    real, name = await _NAMED[thing](store, given) if given and thing in _NAMED else (thing, given)
    far = person.reach(real, verb)
    if far == "all" or (far == "own" and not given):
        return
    if far == "no" or person.name not in await store.owners.of(real, name):
        raise HTTPException(404, "not found")


def _refused(person: Requester) -> HTTPException:
    if person.role == "nobody":
        return HTTPException(401, "this needs a login")
    return HTTPException(403, f"your role ({person.role}) does not allow this")


async def may_choose(request: Request, cast: str, *names: str) -> None:
    """Refuse people who may not choose models, if the request names a model or a file of this server."""
    plain = cast in ("", "all=understudy") and not any("/" in name or "\\" in name or "." in name for name in names)
    if not plain:
        await must(request, "model", "make")


async def seen(request: Request, thing: Thing, names: Iterable[str]) -> set[str]:
    """The objects among these that the person may see."""
    person, given = person_of(request), set(names)
    match "all" if person.local else person.reach(thing, "see"):
        case "all":
            return given
        case "own":
            return given & await store_of(request).owners.owned(thing, person.name)
    return set()


async def seen_runs(request: Request) -> list[RunRow]:
    """The runs that the person may see, newest first.

    A run in which a person plays counts as that person's practise.
    """
    rows = await store_of(request).runs.all()
    people = {row.id for row in rows if people_in(row)}
    mine = await seen(request, "practise", people) | await seen(request, "run", {row.id for row in rows} - people)
    return [row for row in rows if row.id in mine]
