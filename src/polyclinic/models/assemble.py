"""Build a language model from a cast's spec, with its wrappers: slots, attempts, deadlines, money, cache."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import cast

from polyclinic.core.model import Model
from polyclinic.models.accounting import Budget, CallCharges
from polyclinic.models.cache import Cached, ResponseCache
from polyclinic.models.endpoint import Endpoint
from polyclinic.models.guard import GuardedModel, MakesCall
from polyclinic.models.habits import AnswerForm, Habits, Known, ThinkingSwitch
from polyclinic.models.hosted import HostedCaller
from polyclinic.models.limiter import Limiter
from polyclinic.models.llm import ChatCaller
from polyclinic.models.placed import Host, LocalModel, PlacedCaller, local_model
from polyclinic.models.prices import FREE, Price, Prices, default_prices
from polyclinic.models.spec import CastSpec, Options, endpoints

WANTED = 16_384
KEPT = 32  # file descriptors kept free for the store, its journal, data files and pipes
_log = logging.getLogger("polyclinic.models")


def connections_for(wanted: int, endpoints: int = 1) -> int:
    """How many of the wanted connections one of several endpoints may open. Logs a warning if not all are possible."""
    room = _room()
    share = max(1, room // max(1, endpoints))
    if share >= wanted:
        return wanted
    _log.warning(
        "only %d more files may be open: at most %d calls at once on an endpoint (allow more with 'ulimit -n')",
        room,
        share,
    )
    return share


def _room() -> int:
    """How many more files this process may open, after raising the limit as far as allowed."""
    try:
        import resource
    except ImportError:
        return WANTED  # not a Unix: no such limit
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = WANTED if hard == resource.RLIM_INFINITY else min(hard, WANTED)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            soft = most
    if soft == resource.RLIM_INFINITY:
        return WANTED
    return max(1, soft - _open_now() - KEPT)


def _open_now() -> int:
    for folder in ("/proc/self/fd", "/dev/fd"):
        with suppress(OSError):
            return len(os.listdir(folder))
    return 16


class Assembly:
    """The language models of one cast.

    Roles on the same endpoint share its connections, slots, and what is known about it.
    """

    def __init__(
        self,
        cache: ResponseCache | None = None,
        budget: Budget | None = None,
        prices: Prices | None = None,
        endpoints: int = 1,
        workers: int = 1,
        hosts: Mapping[str, Host] | None = None,
    ) -> None:
        self._cache, self._budget, self._prices = cache, budget, prices
        self._shares, self._workers, self._hosts = endpoints, workers, dict(hosts or {})
        self._checks: list[Callable[[], object]] = []
        self._models: dict[str, Model] = {}
        self._endpoints: dict[tuple[str, str], Endpoint] = {}
        self._limiters: dict[str, Limiter] = {}
        self._known: dict[str, Known] = {}
        self._guarded: list[GuardedModel] = []
        self._local: list[LocalModel | PlacedCaller] = []
        self.unpriced: list[str] = []

    def model(self, spec: CastSpec) -> Model:
        """The model for a spec; the same text gives the same model."""
        if spec.text not in self._models:
            self._models[spec.text] = self._make(spec)
        return self._models[spec.text]

    def check(self) -> None:
        """Raise if it is known that the first call of a model would fail: no key, no package, no file."""
        for check in self._checks:
            check()

    def retries(self) -> int:
        """How many attempts failed and were retried."""
        return sum(guarded.retries for guarded in self._guarded)

    def on_unreached(self, tell: Callable[[str], None]) -> None:
        """Call this function whenever an endpoint is not reached and is asked again."""
        for guarded in self._guarded:
            guarded.unreached = tell

    async def close(self) -> None:
        """Close connections and local models."""
        for endpoint in self._endpoints.values():
            await endpoint.close()
        for local in self._local:
            await local.close()

    def _make(self, spec: CastSpec) -> Model:
        price = self._price(spec)
        caller, limiter = self._caller(spec, price)
        options = caller.options if isinstance(caller, (LocalModel, PlacedCaller)) else spec.options
        purse = CallCharges(price, self._budget) if self._budget is not None else None
        guarded = GuardedModel(caller, limiter, options, purse)
        guarded.trained = spec.trained
        self._guarded.append(guarded)
        model: Model = guarded
        return Cached(model, self._cache) if self._cache is not None else model

    def _caller(self, spec: CastSpec, price: Price) -> tuple[MakesCall, Limiter]:
        if spec.kind == "endpoint":
            endpoint = self._endpoint(spec)
            self._checks.append(endpoint.headers)
            return ChatCaller(endpoint, spec.model, spec.options, spec.text, price), endpoint.limiter
        if spec.kind == "hosted":
            limiter = self._limiters.setdefault(spec.provider, Limiter(*self._share(spec.options), spread=True))
            known = self._known.setdefault(spec.provider, Known())
            hosted = HostedCaller(spec.provider, spec.model, spec.options, spec.text, price, known)
            self._checks.append(hosted.check)
            return hosted, limiter
        host = self._hosts.get(spec.text)
        local = local_model(spec) if host is None else PlacedCaller(spec, host, self._workers)
        self._local.append(local)
        self._checks.append(local.check)
        return local, local.limiter

    def _endpoint(self, spec: CastSpec) -> Endpoint:
        key = (spec.base_url, spec.key_env)
        if key not in self._endpoints:
            options = spec.options
            known = endpoints().get(spec.provider, {})
            thinking = cast(ThinkingSwitch, known.get("thinking", "template"))
            needs_key = spec.remote and bool(spec.provider and spec.key_env)
            form: AnswerForm = (
                "strict" if needs_key else "bounded"
            )  # the large hosts refuse lengths of texts in a schema
            first = Habits(form=form, limit_name=known.get("limit", "max_tokens"), thinking=thinking)
            slots, rpm = self._share(options)
            calls = connections_for(slots, self._shares)
            self._endpoints[key] = Endpoint(spec.base_url, spec.key_env, calls, rpm, first, needs_key)
        return self._endpoints[key]

    def _share(self, options: Options) -> tuple[int, float | None]:
        """This worker's share of an endpoint's slots and of its requests per minute."""
        rpm = options.rpm / self._workers if options.rpm else None
        return max(1, options.concurrency // self._workers), rpm

    def _price(self, spec: CastSpec) -> Price:
        if not spec.remote:
            return FREE
        prices = self._prices or default_prices()
        price = prices.price_of(spec.model)
        if price is None:
            self.unpriced.append(spec.text)
        return price or FREE
