"""Who sends a request. On a private machine it is the owner, who may do everything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from polyclinic.store.staff import Account
from polyclinic.web.access.table import AccessRole, Reach, Thing, Verb, reach, role_here


@dataclass(frozen=True)
class Person:
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


OWNER = Person(role="administrator", local=True)
NOBODY = Person()


def person_with(account: Account) -> Person:
    """The person behind an account."""
    return Person(name=account.name, role=role_here(account.role), account=account)


def acting_as(person: Person, name: str) -> Account:
    """Who acts at a desk: the account, or on a private machine the name that was given."""
    return person.account or Account(name=name, role="administer")


def person_of(request: Request) -> Person:
    """The sender of this request, as the entry gate recognised them."""
    found: Person = request.scope.get("person", NOBODY)
    return found


Who = Annotated[Person, Depends(person_of)]
