"""Every error Polyclinic raises on purpose.

::

    PolyclinicError
    ├── UserError               the user's input is wrong: one line, no traceback, exit code 2
    │   ├── ConfigError         a flag, a run file or a cast string
    │   ├── UnknownName         a clinic, variant, judge, role, run … that does not exist; suggests similar names
    │   ├── DataError           a case file, norm file, library file …: names the file, the place and the fix
    │   ├── PersonLeft          a person who plays has left: the episode waits for them and can be continued
    │   ├── NotNow              a live session is not in a state that allows this (in `web.sessions`)
    │   └── StoreError          the store cannot be read or written (damaged, full, locked, missing); the run stops
    ├── RecordsError            the hospital's records refuse a request (in `core.records`, with FHIR's issue codes)
    │   ├── RecordMissing       no such resource
    │   │   └── RecordGone      the resource was deleted
    │   ├── RecordConflict      already taken, still referenced, or in a state that does not allow this
    │   ├── PreconditionFailed  someone else changed the resource first
    │   ├── RecordInvalid       the resource breaks FHIR's rules
    │   ├── RecordsRefused      the records server does not support this
    │   ├── RecordsUnreachable  the records server does not answer (also a StoreError): the run stops and can be resumed
    │   ├── BadJson             a body is not strict JSON
    │   ├── BadBundle           a Bundle cannot be processed as written
    │   ├── BadPatch            a JSON Patch cannot be applied
    │   ├── BadSearch           a search parameter is unknown or wrong
    │   ├── BadParameters       the input of an operation is wrong
    │   ├── NotAcceptable       the server cannot answer in the requested format
    │   ├── UnsupportedMedia    the server cannot read this kind of body
    │   ├── TooLarge            the body is larger than the server takes
    │   ├── Unauthorized        a token is missing or not valid
    │   ├── Forbidden           a token does not allow this
    │   ├── NotInR4             R4 cannot express this
    │   ├── TooManyExports      the server is already making as many bulk exports as it can at once
    │   ├── ExportFailed        a bulk export could not be finished
    │   └── UnknownPath         the server has nothing at this address
    ├── OAuthError              the authorisation server refuses a request, with an error code of OAuth
    ├── WrongForm               something is not in the requested format; always caught, and reported to its author
    │   ├── Unreadable          a model's reply: the model is asked again
    │   ├── BadArguments        the arguments of a tool call: the model is told
    │   ├── NotAsAsked          an output of a trained role, when it is scored for a reward
    │   └── FaultInFile         a mistake in a user's hospital file: becomes a DataError
    ├── Complaint               an endpoint refused a request; another form is tried (in `models.adapting`)
    ├── Broken                  the software failed while a visitor waited; people were told (in `web.sessions`)
    ├── BodyRefused             the body of a request is too large, too slow or has a key twice (in `web.sessions`)
    ├── Interruption            a test stops a run as a crash would (in `testing.runs`)
    ├── LimitReached            a limit the user set was reached (turns, tokens, money, time): exit code 3
    └── OwnedError              something failed inside an episode, and one party owns it
        ├── ModelError          owner "model": the endpoint is down, refused, stalled or ran past its deadline
        │   └── CallFailed      a call failed after its last retry; holds its cost, because it is billed
        │       └── AttemptFailed   one attempt failed; says whether a retry may help
        │           └── OutOfRoom   the model's reasoning used up the reply's token limit
        ├── ReplyError          owner "reply": the tested agent's reply did not parse, after two retries
        ├── SimulatedUserError  owner "simulated_user": a simulated person fell out of their role
        ├── ToolError           owner "tool": a tool failed although it was used correctly
        ├── JudgeError          owner "judge": a judge's reply could not be read; the judge gives no score
        ├── ReaderError         owner "reader": a reader's reply could not be read; its findings stay unknown
        └── EngineError         owner "engine": a bug in Polyclinic
            ├── LeaseLost       another process has taken over this part of the run
            └── ChainBroken     an earlier episode that this one depends on was refused

An error whose name begins with ``_`` is caught in its own module and is not shown in this tree.

A failure is recorded once, where it crosses its boundary: see `boundary`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType, TracebackType
from typing import ClassVar, Literal

from polyclinic.text.worded import Worded

_MOST_LETTERS = 240
"""How much of a list of names a message shows."""

Owner = Literal["model", "reply", "simulated_user", "tool", "judge", "reader", "engine"]
OWNERS: tuple[Owner, ...] = ("model", "reply", "simulated_user", "tool", "judge", "reader", "engine")


class PolyclinicError(Exception):
    """The root: catching it catches everything Polyclinic raises on purpose."""


class UserError(PolyclinicError):
    """The user's input is wrong. The message says in one line what is wrong and how to fix it."""


class ConfigError(UserError):
    """A flag, a run file or a cast string is wrong."""


class UnknownName(UserError):
    """A name that does not exist. The message suggests similar names, if it is known which there are. `all_listed` is
    the command that lists all of them; `begin` says how to get the first, where there are none yet. `of` fills the
    places of `what` ("scenario of {1}"). `in_words` are names with what people call them ("nvr (norms broken)"): both
    words find the name.
    """

    def __init__(
        self,
        what: str,
        name: str,
        known: Iterable[str] | None = None,
        all_listed: str = "",
        begin: str = "",
        of: str | tuple[str, ...] = (),
        in_words: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        names = sorted(set(known or ()))
        words = {each: in_words.get(each, each) for each in names}
        if near := dict.fromkeys(words.get(each, each) for each in near_names(name, {*names, *words.values()})):
            hint = Worded("did you mean {1}?", tuple(near))
            hint = Worded("did you mean {1}? All of them: {2}", tuple(near), all_listed) if all_listed else hint
        else:
            hint = _choices(list(words.values())) if names else _how_to_begin(begin)
            hint = Worded("{1}; all of them: {2}", hint, all_listed) if all_listed else hint
        self.what = Worded(what, *((of,) if isinstance(of, str) else of))
        article = "an" if what[0] in "aeiou" else "a"
        end = "" if known is None else ": {3}"
        super().__init__(Worded(f"'{{1}}' is not {article} {{2}}{end}", name, self.what, hint))
        self.name, self.known = name, names


def near_names(name: str, known: Iterable[str]) -> list[str]:
    """The names that are most like this one, capital letters aside; the nearest first, at most three."""
    names = {each.casefold(): each for each in sorted(known)}
    return [names[each] for each in difflib.get_close_matches(name.casefold(), names, n=3, cutoff=0.5)]


def _choices(names: Sequence[str]) -> Worded:
    """Names as choices. Long lists are cut, so that the message stays one that a person reads."""
    shown = [name for at, name in enumerate(names) if len(", ".join(names[: at + 1])) <= _MOST_LETTERS] or names[:1]
    if more := len(names) - len(shown):
        return Worded("choose one of these: {1} or one of {2} more", ", ".join(shown), more)
    return Worded("choose one of these: {1}", tuple(shown))


def _how_to_begin(how: str) -> Worded:
    return Worded("there are none yet; {1}", Worded(how)) if how else Worded("there are none yet")


class DataError(UserError):
    """A user's file has a mistake. The message names the file, the place and the fix."""


class StoreError(UserError):
    """The store cannot be read or written. The run stops; nothing that was committed is lost."""


class PersonLeft(UserError):
    """A person who plays a role has left.

    Nothing failed: the episode waits, and can be continued from their last word.
    """


class LimitReached(PolyclinicError):
    """A limit that the user set was reached. Everything that was finished is kept."""

    def __init__(self, limit: str, message: str, scope: Literal["episode", "run"] = "run") -> None:
        super().__init__(message)
        self.limit, self.scope = limit, scope


class WrongForm(PolyclinicError, ValueError):
    """Something is not in the requested format. The message is written for the author of the text."""


class OwnedError(PolyclinicError):
    """A failure inside an episode, and the one party responsible for it.

    If replies could not be read, `prompt` names the prompt and `calls` lists the calls by their keys in the journal.
    """

    owner: ClassVar[Owner] = "engine"

    def __init_subclass__(cls, owner: Owner | None = None) -> None:
        super().__init_subclass__()
        cls.owner = owner or cls.owner

    def __init__(self, message: str = "", *, prompt: str = "", calls: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.prompt, self.calls = prompt, calls


class ModelError(OwnedError, owner="model"):
    """The endpoint is down, refused the request, stalled, or ran past its deadline."""


class ReplyError(OwnedError, owner="reply"):
    """The tested agent's reply did not parse, even after retries."""


class SimulatedUserError(OwnedError, owner="simulated_user"):
    """A simulated person fell out of their role. Never counted against the tested agent."""


class ToolError(OwnedError, owner="tool"):
    """A tool failed although it was used correctly."""


class JudgeError(OwnedError, owner="judge"):
    """A judge's reply could not be read. The judge gives no score."""


class ReaderError(OwnedError, owner="reader"):
    """A reader's reply could not be read. Its findings stay unknown; the author of the text is not blamed."""


class EngineError(OwnedError, owner="engine"):
    """A bug in Polyclinic."""


_OWNED = (ModelError, ReplyError, SimulatedUserError, ToolError, JudgeError, ReaderError, EngineError)
_BY_OWNER: dict[Owner, type[OwnedError]] = {error.owner: error for error in _OWNED}


PASS_THROUGH = (UserError, LimitReached, OwnedError)
"""Errors that cross a boundary unchanged: user errors, limits, and errors that already have an owner."""


def owned(owner: Owner, message: str, *, prompt: str = "", calls: tuple[str, ...] = ()) -> OwnedError:
    """An error of the owner's type."""
    return _BY_OWNER[owner](message, prompt=prompt, calls=calls)


def blamed(owner: Owner, doing: str, error: Exception) -> OwnedError:
    """The owner's error for an unexpected exception, with what was being done."""
    return owned(owner, f"{doing}: {type(error).__name__}: {error}")


class boundary:
    """Attribute every error inside ``with boundary(owner, doing):`` to `owner`.

    `PASS_THROUGH` errors are raised unchanged. Any other exception becomes the owner's error, with the original as its
    cause. Hot code uses ``except PASS_THROUGH: raise`` and ``raise blamed(…)`` instead: the same, without the cost.
    """

    __slots__ = ("_doing", "_owner")

    def __init__(self, owner: Owner, doing: str) -> None:
        self._owner, self._doing = owner, doing

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception) and not isinstance(error, PASS_THROUGH):
            raise blamed(self._owner, self._doing, error) from error
