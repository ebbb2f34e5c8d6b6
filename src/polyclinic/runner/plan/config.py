"""What a user asks for: flags, a TOML file, a web form and `polyclinic.run()` all make the same `RunConfig`."""

from __future__ import annotations

import hashlib
from typing import Any

import orjson
from pydantic import ConfigDict, Field, ValidationError

from polyclinic.core.files import bad_file, parse_toml, read_text
from polyclinic.core.limits import Limits
from polyclinic.core.message import Frozen
from polyclinic.core.plain_faults import plain_fault
from polyclinic.errors import ConfigError, UnknownName, UserError

_IDENTITY = (
    "clinic",
    "variants",
    "scenarios",
    "trials",
    "seed",
    "cast",
    "judges",
    "samples",
    "libraries",
    "embedder",
    "options",
    "max_turns",
    "max_tokens_per_episode",
)


class RunConfig(Frozen):
    """The settings of one run.

    Those in `_IDENTITY` decide its results; the others only decide how fast and where it runs.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    clinic: str
    variants: tuple[str, ...] = Field((), description="names; empty: the clinic's default, 'all': every one")
    scenarios: str = Field("", description="a number, a name, name:count, or a file; empty: the clinic's default set")
    trials: int = Field(1, ge=1, le=10_000, description="times each scenario is run")
    seed: int = Field(0, ge=0, lt=2**63, description="the same seed gives the same run")
    cast: str = Field("all=understudy", description="role=model, … ; all=… for the rest")
    judges: tuple[str, ...] = Field((), description="names; empty: all of the clinic's, 'none': no judging")
    samples: int = Field(0, ge=0, le=100, description="samples per rubric judge; 0: the judge's own number")
    libraries: dict[str, str] = Field({}, description="library to start from: its name -> saved name, run or file")
    embedder: str = Field("", description="embedder; empty: the built-in one")
    options: dict[str, str] = Field({}, description="settings of the clinic")
    max_turns: int | None = Field(None, ge=1, description="limit per episode")
    max_tokens_per_episode: int | None = Field(None, ge=1)
    max_tokens: int | None = Field(None, ge=1, description="limit for the whole run")
    max_cost_usd: float | None = Field(None, gt=0, allow_inf_nan=False, description="limit for the whole run")
    max_seconds: float | None = Field(None, gt=0, allow_inf_nan=False, description="limit for the whole run")
    concurrency: int = Field(16, ge=1, le=4096, description="episodes at the same time")
    on: str = Field("", description="where: empty for this process, ray or ray://address for a cluster")
    store: str = Field("", description="where the run is stored")
    fhir: str = Field("", description="base URL of an external FHIR R5 server; empty: the run's own records")
    cache: bool = Field(False, description="reuse answers to identical requests across runs")
    keep_as: str = Field("", description="name under which what the run learned is saved when it has ended")
    local_only: bool = Field(False, description="refuse any model endpoint outside this machine")

    @property
    def wanted_id(self) -> str:
        """The run's id, made from the settings that decide its results.

        So the same request has the same id in two new stores.
        """
        plain = {name: value for name, value in self.model_dump().items() if name in _IDENTITY}
        digest = hashlib.sha256(orjson.dumps(plain, option=orjson.OPT_SORT_KEYS)).hexdigest()[:6]
        return f"{self.clinic}-{digest}"

    def to_keep(self) -> dict[str, Any]:
        """Plain data for the run's row. The store's address is left out, because it may hold a password."""
        return self.model_dump(mode="json", exclude={"store"})

    @property
    def episode_limits(self) -> Limits:
        """Limits of each episode."""
        return Limits(turns=self.max_turns, tokens=self.max_tokens_per_episode)

    @property
    def run_limits(self) -> Limits:
        """Limits of the run as a whole."""
        return Limits.in_units(tokens=self.max_tokens, cost_usd=self.max_cost_usd, seconds=self.max_seconds)


def make_config(values: dict[str, Any], source: str = "") -> RunConfig:
    """Make a config from plain values.

    An error names the field, and the file and line if there is a file.
    """
    unknown = [name for name in values if name not in RunConfig.model_fields]
    if unknown:
        known = UnknownName("setting", unknown[0], RunConfig.model_fields)
        raise _wrong(source, unknown[0], str(known))
    try:
        return RunConfig.model_validate(values)
    except ValidationError as error:
        fault = error.errors()[0]
        name = str(fault["loc"][0]) if fault["loc"] else "config"
        got = "" if fault["type"] == "missing" else f" (got {fault.get('input')!r})"
        raise _wrong(source, name, f"{name}: {plain_fault(fault)}{got}") from None


def read_config(path: str, overrides: dict[str, Any] | None = None) -> RunConfig:
    """Read a config from a TOML file; flags override it."""
    text = read_text(path, about="run file", error=ConfigError)
    values = parse_toml(text, path, error=ConfigError)
    for name in ("variants", "judges"):
        if isinstance(values.get(name), str):
            values[name] = [values[name]]
    if isinstance(values.get("scenarios"), int):
        values["scenarios"] = str(values["scenarios"])
    return make_config({**values, **(overrides or {})}, path)


def _wrong(source: str, name: str, what: str) -> UserError:
    """The error for a setting of a run file, with its line, or of a flag."""
    if not source:
        return ConfigError(what)
    lines = read_text(source).splitlines()
    line = next((number for number, text in enumerate(lines, 1) if text.strip().startswith(name)), 0)
    return bad_file(source, what, line=line, error=ConfigError)
