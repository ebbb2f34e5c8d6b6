"""The access matrix: role by thing by verb. What is not listed here is refused.

`ALL` is every object of that kind, `OWN` is what the person made or was given, `NO` is nothing. `routes_table` says
which route does what to which thing.
"""

from __future__ import annotations

from typing import Literal

from polyclinic.store.staff import AccountRole

AccessRole = Literal["nobody", "learner", "educator", "rater", "supervisor", "administrator"]
Reach = Literal["no", "own", "all"]
Thing = Literal[
    "page",
    "login",
    "account",
    "clinic",
    "practise",
    "model",
    "run",
    "desk",
    "talk",
    "audit",
    "class",
    "packet",
    "board",
    "case",
    "library",
]
Verb = Literal["see", "make", "change", "join"]
NO: Reach = "no"
OWN: Reach = "own"
ALL: Reach = "all"

ROLES: tuple[AccessRole, ...] = ("nobody", "learner", "educator", "rater", "supervisor", "administrator")
TABLE: tuple[tuple[Thing, Verb, Reach, Reach, Reach, Reach, Reach, Reach], ...] = (
    # thing      verb      nobody learner educator rater supervisor administrator
    ("page", "see", ALL, ALL, ALL, ALL, ALL, ALL),  # the built files, which hold no personal data
    ("login", "see", ALL, ALL, ALL, ALL, ALL, ALL),  # who one is
    ("login", "make", ALL, ALL, ALL, ALL, ALL, ALL),
    ("login", "change", NO, ALL, ALL, ALL, ALL, ALL),  # log out, one's own password
    ("account", "see", NO, NO, NO, NO, NO, ALL),
    ("account", "make", NO, NO, NO, NO, NO, ALL),
    ("account", "change", NO, NO, NO, NO, NO, ALL),
    ("clinic", "see", NO, ALL, ALL, ALL, ALL, ALL),
    ("practise", "see", NO, OWN, OWN, OWN, OWN, ALL),
    ("practise", "make", NO, ALL, ALL, ALL, ALL, ALL),
    ("practise", "change", NO, OWN, OWN, OWN, OWN, ALL),
    ("model", "make", NO, NO, ALL, NO, NO, ALL),  # choose the models: a model may cost money, or read a file
    ("run", "see", NO, NO, ALL, ALL, NO, ALL),  # a run in which a person plays is a practise
    ("run", "make", NO, NO, ALL, NO, NO, ALL),
    ("run", "change", NO, NO, OWN, NO, NO, ALL),
    ("desk", "see", NO, NO, NO, NO, ALL, ALL),
    ("desk", "change", NO, NO, NO, NO, ALL, ALL),
    ("talk", "see", NO, OWN, OWN, OWN, ALL, ALL),  # a visitor's own conversation
    ("talk", "make", NO, ALL, ALL, ALL, ALL, ALL),
    ("talk", "change", NO, OWN, OWN, OWN, ALL, ALL),
    ("audit", "see", NO, NO, NO, NO, NO, ALL),
    ("class", "see", NO, NO, OWN, NO, NO, ALL),  # what its educator sees
    ("class", "make", NO, NO, ALL, NO, NO, ALL),
    ("class", "change", NO, NO, OWN, NO, NO, ALL),
    ("class", "join", ALL, ALL, ALL, ALL, ALL, ALL),  # by its code
    ("packet", "see", NO, NO, OWN, OWN, NO, ALL),  # a rater's own packet; an educator's own study
    ("packet", "make", NO, NO, ALL, NO, NO, ALL),
    ("packet", "change", NO, NO, OWN, OWN, NO, ALL),
    ("packet", "join", ALL, ALL, ALL, ALL, ALL, ALL),  # by its code
    ("board", "see", NO, NO, ALL, ALL, NO, ALL),
    ("board", "make", NO, NO, ALL, NO, NO, ALL),
    ("board", "change", NO, NO, OWN, NO, NO, ALL),
    ("case", "see", NO, NO, ALL, NO, NO, ALL),
    ("case", "make", NO, NO, ALL, NO, NO, ALL),
    ("case", "change", NO, NO, OWN, NO, NO, ALL),
    ("library", "see", NO, NO, ALL, ALL, NO, ALL),
    ("library", "change", NO, NO, NO, NO, NO, ALL),
)
_REACH: dict[tuple[str, str, str], Reach] = {
    (role, thing, verb): reach for thing, verb, *row in TABLE for role, reach in zip(ROLES, row, strict=True)
}
_OF_STAFF: dict[AccountRole, AccessRole] = {
    "watch": "learner",
    "take_over": "supervisor",
    "administer": "administrator",
}
"""The role in the browser for each account role of the live service. Accounts that only watch may not act."""


def reach(role: AccessRole, thing: Thing, verb: Verb) -> Reach:
    """On which objects a role may do this: all, its own, or none."""
    return _REACH.get((role, thing, verb), NO)


def in_table(thing: str, verb: str) -> bool:
    """Whether the table knows this thing and verb."""
    return ("nobody", thing, verb) in _REACH


def role_here(role: AccountRole) -> AccessRole:
    """The role of an account in the browser."""
    known: dict[str, AccessRole] = {name: name for name in ROLES}
    return known.get(role) or _OF_STAFF.get(role, "nobody")
