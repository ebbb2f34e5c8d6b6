"""A cast: which model plays which role. Built from a cast string, closed at the end of the run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from polyclinic.core.model import Model, role_of
from polyclinic.core.reading import READER, READER_CARD
from polyclinic.core.understudy import Ears, Understudy
from polyclinic.errors import ConfigError, UnknownName
from polyclinic.models.accounting import Budget
from polyclinic.models.assemble import Assembly
from polyclinic.models.cache import ResponseCache
from polyclinic.models.human import HumanDesk, HumanModel
from polyclinic.models.placed import Host
from polyclinic.models.prices import Prices
from polyclinic.models.replay import Recording, ReplayModel
from polyclinic.models.spec import ALL, STRANGERS_READER, CastSpec, parse_model
from polyclinic.models.understudy import UnderstudyModel
from polyclinic.text.worded import Worded


class Reader(Model, Ears, Protocol):
    """A reader as a model. Understudies also use it to understand others."""


Closer = Callable[[], Awaitable[None]]


class Cast:
    """Which model plays which role. ``student-2`` is played by ``student`` unless it is cast itself."""

    def __init__(
        self,
        models: Mapping[str, Model],
        closers: Sequence[Closer] = (),
        unpriced: Collection[str] = (),
        check: Callable[[], None] | None = None,
        retries: Callable[[], int] = lambda: 0,
        on_unreached: Callable[[Callable[[str], None]], None] = lambda tell: None,
    ) -> None:
        self._models = dict(models)
        self._closers = list(closers)
        self.unpriced = tuple(sorted(set(unpriced)))
        self._check = check
        self.retries, self.on_unreached = retries, on_unreached

    def model(self, role: str) -> Model:
        """Who plays this role."""
        found = self._models.get(role) or self._models.get(role_of(role))
        if found is None:
            raise UnknownName("role in the cast", role, self._models)
        return found

    def describe(self) -> dict[str, str]:
        """The name of the model for each role, for transcripts and reports."""
        return {role: model.name for role, model in self._models.items()}

    def check(self) -> None:
        """Raise a ConfigError if it is known that the first call of a model would fail: no key, no package, no file."""
        if self._check is not None:
            self._check()

    async def close(self) -> None:
        """Close every connection and local model."""
        closers, self._closers = self._closers, []
        for close in closers:
            await close()


def choose_models(
    specs: Sequence[CastSpec],
    roles: Sequence[str],
    understudies: Collection[str],
    mistakes: Collection[str] = (),
    *,
    reads: bool = False,
    local_only: bool = False,
) -> dict[str, CastSpec]:
    """Check who plays each role; opens nothing. Roles that the cast does not name are played by understudies.

    With `reads`, the reader is one of the roles. If nobody is named for it, the built-in reader reads: words alone
    where only understudies speak, whole sentences too where a person or a language model does.
    """
    if reads:
        roles = [*roles, READER]
    _check_roles(specs, roles)
    named = {spec.role: spec for spec in specs}
    fallback = named.get(ALL) or parse_model("understudy")
    chosen = {role: named.get(role, fallback) for role in roles}
    chosen |= {spec.role: spec for spec in specs if spec.role not in chosen and spec.role != ALL}
    if local_only:
        _refuse_remote(chosen)
    for role, spec in chosen.items():
        if role == READER and reads:
            continue
        if spec.kind == "builtin":
            raise ConfigError(
                Worded("cast {1}={2}: the built-in reader only reads; write reader={3}", role, spec.text, spec.text)
            )
        if spec.kind == "understudy":
            _check_understudy(role, spec, understudies, mistakes)
    strangers = any(spec.kind != "understudy" for role, spec in chosen.items() if role != READER)
    if reads and strangers and chosen[READER].kind == "understudy":
        chosen[READER] = parse_model(STRANGERS_READER, READER)
    return chosen


def build_cast(
    specs: Sequence[CastSpec],
    roles: Sequence[str],
    understudies: Mapping[str, Understudy],
    mistakes: Collection[str] = (),
    *,
    reader: Callable[[str], Reader] | None = None,
    local_only: bool = False,
    **opening: Any,
) -> Cast:
    """A model for every role of a cast string: chosen and opened in one step. `opening` is for `open_cast`."""
    chosen = choose_models(specs, roles, understudies, mistakes, reads=reader is not None, local_only=local_only)
    return open_cast(chosen, understudies, reader=reader, **opening)


def open_cast(
    chosen: Mapping[str, CastSpec],
    understudies: Mapping[str, Understudy],
    *,
    reader: Callable[[str], Reader] | None = None,
    desk: HumanDesk | None = None,
    recordings: Mapping[str, Recording] | None = None,
    cache: ResponseCache | None = None,
    budget: Budget | None = None,
    prices: Prices | None = None,
    workers: int = 1,
    hosts: Mapping[str, Host] | None = None,
) -> Cast:
    """Open the chosen models. `reader` makes a model that reads texts without a prompt.

    Each of several workers gets its share of an endpoint's slots and rate; local models may run on `hosts`, which are
    given by model name.
    """
    places = {(spec.base_url, spec.key_env) for spec in chosen.values() if spec.kind == "endpoint"}
    assembly = Assembly(cache, budget, prices, endpoints=len(places), workers=workers, hosts=hosts)
    models: dict[str, Model] = {}
    ears = reader("") if reader is not None else None
    for role, spec in chosen.items():
        if role == READER and reader is not None and reads_by_itself(spec):
            models[role] = ears if ears is not None and not spec.model else reader(spec.model)
        elif spec.kind == "understudy":
            player = understudies.get(role) or understudies[role_of(role)]
            models[role] = UnderstudyModel(player, dict(spec.mistakes), spec.text, ears)
        elif spec.kind == "human":
            if desk is None:
                raise ConfigError(Worded("cast {1}=human: a run has no person to answer; use 'polyclinic play'", role))
            models[role] = HumanModel(desk)
        elif spec.kind == "replay":
            recorded = (recordings or {}).get(spec.model)
            if recorded is None:
                raise UnknownName("recorded run", spec.model, recordings or {})
            models[role] = ReplayModel(spec.model, recorded.find, *recorded.player(role))
        else:
            models[role] = assembly.model(spec)
    return Cast(
        models,
        [assembly.close],
        assembly.unpriced,
        check=assembly.check,
        retries=assembly.retries,
        on_unreached=assembly.on_unreached,
    )


def reads_by_itself(spec: CastSpec) -> bool:
    """Whether a reader needs no prompt: the built-in one, or a folder with a model that was trained as a reader."""
    trained = spec.kind == "local" and (Path(spec.model) / READER_CARD).is_file()
    return trained or spec.kind in ("builtin", "understudy")


def _check_understudy(role: str, spec: CastSpec, understudies: Collection[str], mistakes: Collection[str]) -> None:
    if role not in understudies and role_of(role) not in understudies:
        raise UnknownName("role with an understudy", role, understudies)
    for name, _ in spec.mistakes:
        if name not in mistakes:
            raise UnknownName("known mistake", name, mistakes)


def _check_roles(specs: Sequence[CastSpec], roles: Sequence[str]) -> None:
    for spec in specs:
        if spec.role != ALL and spec.role not in roles and role_of(spec.role) not in roles:
            raise UnknownName("role", spec.role, [*roles, ALL])


def _refuse_remote(chosen: Mapping[str, CastSpec]) -> None:
    for role, spec in chosen.items():
        if spec.remote:
            raise ConfigError(
                Worded(
                    "cast {1}={2}: --local-only allows only endpoints on this machine; cast the role with a loopback"
                    " endpoint, local or understudy",
                    role,
                    spec.text,
                )
            )
