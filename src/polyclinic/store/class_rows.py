"""The rows of classes: the class, its trainees, their sessions and the educator's hints."""

from __future__ import annotations

from polyclinic.core.message import Frozen


class ClassRow(Frozen):
    """A class: `body` holds its settings; `ended_ms` is 0 until the class ends."""

    id: str
    code: str
    body: str
    created_ms: int
    ended_ms: int


class Member(Frozen):
    """A trainee of a class. If the digest is empty, the next person who joins with this name gets the place."""

    class_id: str
    number: int
    name: str
    digest: str
    joined_ms: int


class ClassSession(Frozen):
    """A trainee's session with one of the class's cases; `place` is the position of the case in the list, from 0."""

    run: str
    class_id: str
    member: int
    place: int
    begun_ms: int


class Hint(Frozen):
    """A hint from an educator to a trainee in a session; `after_line` is the number of lines before it."""

    run: str
    number: int
    after_line: int
    text: str
    author: str
    at_ms: int


MEMBER = "class, number, name, digest, joined_ms"
SESSION = "run, class, member, place, begun_ms"
HINT = "run, number, after_line, text, author, at_ms"
