"""Cast strings: ``staff=openai:gpt-5-mini,patient=http://127.0.0.1:8080/v1:qwen3,judge=understudy``.

Each part is ``role=model``; ``all=model`` plays every role that is not named. A model is one of

=====================================  ==========================================================================
``understudy``                         the clinic's own offline player
``understudy:mistake=leak@0.3+rude``   the same, making named mistakes, each with a probability (1 if not given)
``builtin``, ``builtin:WEIGHTS``       the trained reader in the package, or one you trained (role ``reader`` alone)
``builtin:sentences``                  the same with its network for whole sentences: better and slower, the default
                                       where a person or a language model speaks
``human``                              a person, in the terminal or the browser
``replay:RUN``                         a recorded run
``local`` or ``local:/path/m.gguf``    a model on this machine, in this process (extra ``local``)
``local:/path/folder``                 a folder of weights, or a training run's folder (extra ``train``)
``openai:MODEL``, ``ollama:MODEL`` …   a host that speaks the OpenAI chat protocol (`data/endpoints.toml`)
``https://host/v1:MODEL``              any other such endpoint; its key, if any, in POLYCLINIC_API_KEY
``anthropic:MODEL``, ``google:MODEL``  a host with its own protocol (extra ``hosted``)
=====================================  ==========================================================================

Options follow a question mark: ``openai:gpt-5-mini?temperature=0.2&timeout_s=60``; see `Options`.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address
from typing import Literal
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, ValidationError

from polyclinic.core.files import package_data
from polyclinic.core.message import Frozen
from polyclinic.core.model import ModelKind, Request
from polyclinic.core.plain_faults import plain_fault
from polyclinic.core.reading import SENTENCE_READER
from polyclinic.errors import ConfigError, UnknownName, near_names
from polyclinic.text.worded import Worded, worded

STRANGERS_READER = SENTENCE_READER
"""The reader where people or language models speak and the cast names no other."""
SpecKind = Literal["understudy", "builtin", "human", "replay", "local", "endpoint", "hosted"]
HOSTED = ("anthropic", "azure", "bedrock", "cohere", "google", "google-cloud", "huggingface")
OWN_KEY = "POLYCLINIC_API_KEY"
ALL = "all"

_PART = re.compile(r",(?=\s*[A-Za-z_][\w-]*\s*=)")
_ROLE = re.compile(r"[A-Za-z_][\w-]*\Z")
_URL = re.compile(r"(https?://(?:\[[^\]\s]+\]|[^/:\s]+)(?::\d+)?(?:/[^:\s]*)?)(?::(.*))?\Z")
_SLOW_S = 900.0
_ROOMS = {"minimal": 1_024, "low": 2_048, "medium": 10_240, "high": 24_576}  # no less than Anthropic's budgets
_EXAMPLE = "for example all=understudy or staff=openai:gpt-5-mini,patient=understudy"


class Options(Frozen):
    """How a model is called. A temperature or token limit given here overrides what the clinic asks for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    temperature: float | None = Field(None, ge=0, le=2, description="randomness of the words")
    max_tokens: int | None = Field(None, ge=1, description="longest reply, including reasoning")
    thinking_tokens: int | None = Field(None, ge=0, description="tokens for reasoning before the reply")
    timeout_s: float = Field(180.0, gt=0, description="wall-clock deadline of one attempt")
    idle_s: float = Field(60.0, gt=0, description="longest silence within an attempt")
    total_s: float = Field(600.0, gt=0, description="deadline of a call with all its attempts")
    tries: int = Field(8, ge=1, le=100, description="attempts for a call")
    concurrency: int = Field(256, ge=1, le=10_000, description="calls at the same time, for the whole endpoint")
    rpm: int | None = Field(None, ge=1, description="calls started per minute, for the whole endpoint")
    effort: Literal["", "none", "minimal", "low", "medium", "high"] = Field(
        "", description="how much a reasoning model thinks; none turns it off"
    )
    key_env: str = Field("", description="environment variable with the key")
    stream: bool = Field(True, description="stream replies, so that silence is noticed")
    tools: bool = Field(True, description="offer tools as native calls; false: as a form or in words")
    trained: bool = Field(False, description="trained on this clinic's rows; its prompts look like these rows")
    threads: int | None = Field(None, ge=1, description="local: threads to compute with")
    context: int = Field(8192, ge=256, description="local: tokens of context for each call")

    @property
    def room(self) -> int:
        """Tokens for reasoning: the given number, else what the effort usually needs."""
        return _ROOMS.get(self.effort, 0) if self.thinking_tokens is None else self.thinking_tokens

    def limit(self, request: Request) -> int:
        """The token limit that is sent with a request; it is also the worst case for the budget."""
        return self.max_tokens or request.token_limit + self.room

    def on_this_machine(self, slots: int) -> Options:
        """Options for a model on this machine: few calls at once and long deadlines, unless the user set others."""
        usual = {"concurrency": slots, "timeout_s": _SLOW_S, "idle_s": _SLOW_S, "total_s": 2 * _SLOW_S}
        given = self.model_fields_set
        return self.model_copy(update={key: value for key, value in usual.items() if key not in given})


@dataclass(frozen=True)
class CastSpec:
    """Who plays one role: the text from the cast string, and its parts."""

    role: str
    text: str
    kind: SpecKind
    model: str = ""
    provider: str = ""
    base_url: str = ""
    key_env: str = ""
    mistakes: tuple[tuple[str, float], ...] = ()
    options: Options = Options()

    @property
    def replay_run(self) -> str:
        """The recorded run that plays this role; empty for other kinds."""
        return self.model if self.kind == "replay" else ""

    @property
    def name(self) -> str:
        """What the model is called in transcripts and reports."""
        return {"human": "human", "replay": f"replay:{self.model}"}.get(self.kind, self.text)

    @property
    def model_kind(self) -> ModelKind:
        """What kind of model it is, as it is written in the run's record."""
        if self.kind in ("understudy", "human", "replay"):
            return self.kind
        return "llm"

    @property
    def trained(self) -> bool:
        """Whether it was trained on a clinic's rows: its options say so, or it is a local folder of weights."""
        folder = self.kind == "local" and bool(self.model) and not self.model.endswith(".gguf")
        return folder or self.options.trained

    @property
    def remote(self) -> bool:
        """Whether requests leave this machine."""
        return self.kind == "hosted" or (self.kind == "endpoint" and not is_loopback(self.base_url))


def is_loopback(url: str) -> bool:
    """Whether an address is this machine, decided without asking a name server."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


@lru_cache(maxsize=1)
def endpoints() -> dict[str, dict[str, str]]:
    """The known hosts that speak the OpenAI chat protocol."""
    found: dict[str, dict[str, str]] = package_data("polyclinic.models", "data/endpoints.toml")
    return found


def parse_cast(text: str) -> list[CastSpec]:
    """The parts of a cast string, in order. An error says how to fix it."""
    specs: list[CastSpec] = []
    for part in _PART.split(text.strip()):
        role, equals, model = part.strip().partition("=")
        role, model = role.strip(), model.strip()
        if not equals or not _ROLE.match(role) or not model:
            raise ConfigError(Worded("cast '{1}': write role=model, {2}", part.strip(), Worded(_EXAMPLE)))
        if any(spec.role == role for spec in specs):
            raise ConfigError(Worded("cast: duplicate role '{1}': keep one of them", role))
        specs.append(parse_model(model, role))
    return specs


def parse_model(text: str, role: str = ALL) -> CastSpec:
    """One model, as in a cast string."""
    plain, _, query = text.partition("?")
    kind, colon, rest = plain.partition(":")
    options = _options(text, query)
    if kind == "understudy":
        return _understudy(role, text, rest, options)
    if kind == "human" and not colon:
        return CastSpec(role, text, "human", options=_read_options(text, options))
    made = _read_options(text, options)
    if kind == "builtin":
        return CastSpec(role, text, "builtin", rest, options=made)
    if kind == "replay":
        _need(rest, text, "write replay:RUN, with a run's id as 'polyclinic runs' lists it")
        return CastSpec(role, text, "replay", rest, options=made)
    if kind == "local":
        return CastSpec(role, text, "local", rest, options=made)
    if kind in ("http", "https"):
        return _endpoint(role, text, plain, made)
    if kind in endpoints():
        _need(rest, text, f"write {kind}:MODEL")
        known = endpoints()[kind]
        url = os.environ.get(known.get("url_variable", ""), "") or known["url"]
        key_env = made.key_env or known["key"]
        return CastSpec(role, text, "endpoint", rest, kind, url.rstrip("/"), key_env, options=made)
    if kind in HOSTED:
        _need(rest, text, f"write {kind}:MODEL")
        return CastSpec(role, text, "hosted", rest, kind, options=made)
    known_kinds = ["understudy", "builtin", "human", "replay", "local", "http", "https", *endpoints(), *HOSTED]
    if not colon and not near_names(kind, known_kinds):
        raise ConfigError(
            Worded("cast '{1}': write who serves the model too, for example openai:{2} or ollama:{3}", text, kind, kind)
        )
    raise ConfigError(Worded("cast '{1}': {2}", text, worded(UnknownName("kind of model", kind, known_kinds))))


def _need(value: str, text: str, hint: str) -> None:
    if not value:
        raise ConfigError(Worded("cast '{1}': {2}", text, Worded(hint)))


def _endpoint(role: str, text: str, plain: str, options: Options) -> CastSpec:
    if "@" in plain.partition("//")[2].partition("/")[0]:
        raise ConfigError(
            Worded(
                "cast: an address holds no name or password, because it is saved with the run: put a key into {1}",
                OWN_KEY,
            )
        )
    match = _URL.match(plain)
    if match is None or not match.group(2) or not _is_address(match.group(1)):
        raise ConfigError(
            Worded("cast '{1}': write the base URL, a colon and the model: http://127.0.0.1:8080/v1:qwen3", text)
        )
    url, model = match.group(1).rstrip("/"), match.group(2)
    return CastSpec(role, text, "endpoint", model, "", url, options.key_env or OWN_KEY, options=options)


def _is_address(url: str) -> bool:
    """Whether a base URL has a host and, if it names one, a port that exists."""
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and parts.port != 0 and url.isprintable()
    except ValueError:
        return False


def _options(text: str, query: str) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in query.split("&") if pair]
    for name, equals, value in pairs:
        if not equals or not value:
            raise ConfigError(
                Worded("cast '{1}': write options as ?name=value&name=value, not '{2}{3}'", text, name, equals)
            )
    return {name: value for name, _, value in pairs}


def _read_options(text: str, given: dict[str, str]) -> Options:
    for name in given:
        if name not in Options.model_fields:
            raise ConfigError(
                Worded("cast '{1}': {2}", text, worded(UnknownName("option", name, Options.model_fields)))
            )
    try:
        return Options.model_validate(given)
    except ValidationError as error:
        fault = error.errors()[0]
        raise ConfigError(
            Worded("cast '{1}': option {2}: {3}", text, fault["loc"][0], Worded(plain_fault(fault)))
        ) from None


def _understudy(role: str, text: str, rest: str, options: dict[str, str]) -> CastSpec:
    written = options.pop("mistake", "")
    made = _read_options(text, options)
    if rest:
        name, _, written = rest.partition("=")
        if name != "mistake" or not written:
            raise ConfigError(
                Worded("cast '{1}': write understudy:mistake=NAME@PROBABILITY, for example mistake=leak@0.3", text)
            )
    mistakes: dict[str, float] = {}
    for part in written.split("+") if written else []:
        name, at, chance = part.partition("@")
        try:
            probability = float(chance) if at else 1.0
        except ValueError:
            probability = -1.0
        if not name or not 0 <= probability <= 1:
            raise ConfigError(
                Worded(
                    "cast '{1}': write a mistake as NAME@PROBABILITY with a probability from 0 to 1, and several joined"
                    " by a plus: mistake=leak@0.3+rude@0.1",
                    text,
                )
            )
        mistakes[name] = probability
    return CastSpec(role, text, "understudy", mistakes=tuple(mistakes.items()), options=made)
