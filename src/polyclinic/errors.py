"""Every error Polyclinic raises on purpose.

::

    PolyclinicError
    ├── UserError               the user's input is wrong: one line, no traceback, exit code 2
    │   ├── ConfigError         a flag, a run file or a cast string
    │   ├── UnknownName         a clinic, variant, judge, role, run … that does not exist (says the nearest names)
    │   ├── DataError           a case file, norm file, library file …: names the file, the place and the mend
    │   ├── NotNow              a live session is not in a state that allows this (in `web.sessions`)
    │   └── StoreError          the store cannot be read or written: damaged, full, locked, gone; the run stops
    ├── RecordsError            the hospital's records refuse something (in `core.records`, with FHIR's own issue codes)
    │   ├── RecordMissing       no such resource
    │   │   └── RecordGone      … any more: it was deleted
    │   ├── RecordConflict      taken already, referred to, or not in a state that allows this
    │   ├── PreconditionFailed  somebody else was quicker
    │   ├── RecordInvalid       the resource breaks FHIR's rules
    │   ├── RecordsRefused      the home will not do this at all
    │   ├── RecordsUnreachable  the home does not answer (a StoreError too): the run stops and can be resumed
    │   ├── BadJson             a body is not strict JSON
    │   ├── BadBundle           a Bundle cannot be carried out as written
    │   ├── BadPatch            a JSON Patch cannot be applied
    │   ├── BadSearch           a search parameter is unknown or wrong
    │   ├── BadParameters       the input of an operation is wrong
    │   ├── NotAcceptable       the server cannot answer in the asked form
    │   ├── UnsupportedMedia    the server cannot read this kind of body
    │   ├── TooLarge            the body is larger than the server takes
    │   └── UnknownPath         the server has nothing at this address
    ├── WrongForm               something is not in the form that was asked for; always caught, and told to its author
    │   ├── Unreadable          a model's reply: the model is asked again
    │   ├── BadArguments        the arguments of a tool call: the model is told
    │   ├── NotJson             a tutor's output, when it is rewarded
    │   └── Fault               a place in a user's hospital file: the reader makes a DataError of it
    ├── Interruption            a test stops a run, as a crash would (in `testing.runs`)
    ├── LimitReached            a limit the user set was reached (turns, tokens, money, time): exit code 3
    └── OwnedError              something failed inside an episode, and one party owns it
        ├── ModelError          owner "model": the endpoint is down, refused, stalled or ran past its deadline
        │   └── CallFailed      a call failed for good, and what it is billed at all the same
        │       └── AttemptFailed   one attempt at an endpoint failed, and whether another may help
        │           └── OutOfRoom   thoughts took the whole limit of a reply
        ├── ReplyError          owner "reply": the tested agent's reply did not parse, twice asked again
        ├── SimulatedUserError  owner "simulated_user": the simulator's own actor broke its part
        ├── ToolError           owner "tool": a tool failed although it was used rightly
        ├── JudgeError          owner "judge": a judge could not be read; it scores nobody
        ├── ReaderError         owner "reader": a reader could not be read; what it was asked stays unknown
        └── EngineError         owner "engine": ours to mend
            ├── LeaseLost       another process holds this part of the run
            └── ChainBroken     the end of an episode was refused that this one built on

A failure is recorded once, where it crosses its boundary: see `boundary`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from types import TracebackType
from typing import ClassVar, Literal

Owner = Literal["model", "reply", "simulated_user", "tool", "judge", "reader", "engine"]
OWNERS: tuple[Owner, ...] = ("model", "reply", "simulated_user", "tool", "judge", "reader", "engine")


class PolyclinicError(Exception):
    """The root: catching it catches everything Polyclinic raises on purpose."""


class UserError(PolyclinicError):
    """The user's input is wrong. The message names the thing and the mend, in one line."""


class ConfigError(UserError):
    """A flag, a run file or a cast string is wrong."""


class UnknownName(UserError):
    """A name that does not exist; the message offers the nearest ones."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
        if near:
            mend = f"did you mean {' or '.join(near)}?"
        elif names:
            mend = f"there are: {', '.join(names[:20])}{', …' if len(names) > 20 else ''}"
        else:
            mend = "there are none yet"
        super().__init__(f"no {what} called '{name}': {mend}")
        self.what, self.name, self.known = what, name, names


class DataError(UserError):
    """A file of the user's holds something wrong: the message names the file, the place and the mend."""


class StoreError(UserError):
    """The store itself cannot be read or written. Nothing that was committed is lost; the run stops."""


class LimitReached(PolyclinicError):
    """A limit that the user set was reached. What was finished stays finished."""

    def __init__(self, limit: str, message: str, scope: Literal["episode", "run"] = "run") -> None:
        super().__init__(message)
        self.limit, self.scope = limit, scope


class WrongForm(PolyclinicError, ValueError):
    """Something is not in the form that was asked for; the message is fit for its author."""


class OwnedError(PolyclinicError):
    """A failure inside an episode, with the one party that owns it.

    Where replies to a question could not be read, `prompt` names the question and `calls` the calls that gave them, by
    their keys in the journal.
    """

    owner: ClassVar[Owner] = "engine"

    def __init__(self, message: str = "", *, prompt: str = "", calls: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.prompt, self.calls = prompt, calls


class ModelError(OwnedError):
    """The endpoint is down, refused the request, stalled, or ran past its deadline."""

    owner = "model"


class ReplyError(OwnedError):
    """The tested agent's reply did not parse, although it was asked again."""

    owner = "reply"


class SimulatedUserError(OwnedError):
    """An actor of the simulator broke its part; never charged to the tested agent."""

    owner = "simulated_user"


class ToolError(OwnedError):
    """A tool failed although it was used rightly."""

    owner = "tool"


class JudgeError(OwnedError):
    """A judge could not be read. It scores nobody."""

    owner = "judge"


class ReaderError(OwnedError):
    """A reader could not be read. What it was asked stays unknown; nobody who was read is blamed."""

    owner = "reader"


class EngineError(OwnedError):
    """A fault of Polyclinic's own."""

    owner = "engine"


_BY_OWNER: dict[Owner, type[OwnedError]] = {
    "model": ModelError,
    "reply": ReplyError,
    "simulated_user": SimulatedUserError,
    "tool": ToolError,
    "judge": JudgeError,
    "reader": ReaderError,
    "engine": EngineError,
}


PASSING = (UserError, LimitReached, OwnedError)
"""Errors that are nobody else's: they have an owner already, are the user's own, or are limits."""


def owned(owner: Owner, message: str, *, prompt: str = "", calls: tuple[str, ...] = ()) -> OwnedError:
    """The error type of that owner, with that message."""
    return _BY_OWNER[owner](message, prompt=prompt, calls=calls)


def blamed(owner: Owner, doing: str, error: Exception) -> OwnedError:
    """The owner's error for one that was not foreseen, with what was being done."""
    return owned(owner, f"{doing}: {type(error).__name__}: {error}")


class boundary:
    """Attribute whatever goes wrong inside ``with boundary(owner, doing):`` to `owner`.

    What is `PASSING` goes through as it is; everything else becomes the owner's error, with the original as its cause.
    On the path of every call, ``except PASSING: raise`` and ``raise blamed(…)`` do the same at no cost.
    """

    __slots__ = ("_doing", "_owner")

    def __init__(self, owner: Owner, doing: str) -> None:
        self._owner, self._doing = owner, doing

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception) and not isinstance(error, PASSING):
            raise blamed(self._owner, self._doing, error) from error
