"""The results of a run as plain data.

The store fills them in; every number, table and picture is made from them alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, Generic

from polyclinic.core.judge import Metric, weighted_value
from polyclinic.core.model import NANO, ModelKind
from polyclinic.core.note import PayloadT, get_payload
from polyclinic.core.scenario import S_co
from polyclinic.core.transcript import EpisodeStatus, Score, Transcript
from polyclinic.core.value import unchanging
from polyclinic.errors import OWNERS, EngineError, Owner
from polyclinic.reading.measure import Accuracy


@unchanging
class CastMember:
    """Who played a role: the model's name as in the cast string, and what sort of player it is. For a recording,
    `recorded` is who played then; None if that run is gone.
    """

    role: str
    model: str
    kind: ModelKind
    recorded: CastMember | None = None

    @property
    def original(self) -> CastMember:
        """Who gave the answers first: this player, or the one that was recorded. A recording of a run that is gone may
        hold anybody's words, so it counts as a language model's.
        """
        if self.kind != "replay":
            return self
        return self.recorded.original if self.recorded is not None else CastMember(self.role, self.model, "llm")


@unchanging
class Failure:
    """One failure with its owner. A `fatal` failure ended its episode; a judge's failure usually does not."""

    owner: Owner
    error: str
    where: str = ""
    fatal: bool = True


@unchanging
class RoleUsage:
    """What one role used in one episode. Money is in integer billionths of a US dollar."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_nano_usd: int = 0
    estimated: bool = False

    def __add__(self, other: RoleUsage) -> RoleUsage:
        return RoleUsage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost_nano_usd + other.cost_nano_usd,
            self.estimated or other.estimated,
        )

    @property
    def cost_usd(self) -> float:
        """The cost in US dollars, only for showing to people."""
        return self.cost_nano_usd / NANO


@unchanging
class EpisodeRow:
    """One episode: its place in the run, how it ended, its scores, failures and usage.

    `source` holds the transcript or loads it on demand, so that a report over many episodes need not keep all
    transcripts in memory. `data` holds the payloads that it ended with, as plain data.
    """

    id: str
    scenario: str
    variant: str
    trial: int = 0
    status: EpisodeStatus = "done"
    outcome: str = ""
    scores: tuple[Score, ...] = ()
    failures: tuple[Failure, ...] = ()
    usage: Mapping[str, RoleUsage] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    position: int = 0
    source: Transcript | Callable[[], Transcript] | None = None
    timings: Mapping[tuple[str, int], int] = field(default_factory=dict)

    def latency_ms(self, key: str, occurrence: int) -> int | None:
        """How long a call took, by its key in the journal; None if this was not recorded."""
        return self.timings.get((key, occurrence))

    def ended_with(self, kind: type[PayloadT]) -> PayloadT | None:
        """The payload of this type that the episode ended with; None when there was none."""
        return get_payload(kind, self.data)

    @property
    def has_transcript(self) -> bool:
        """Whether the events can be read."""
        return self.source is not None

    @property
    def transcript(self) -> Transcript:
        """The events. If they are in a store, each access loads them again: read them once."""
        if self.source is None:
            raise EngineError(f"the results were made without the transcript of episode {self.id}")
        return self.source if isinstance(self.source, Transcript) else self.source()

    @cached_property
    def by_metric(self) -> Mapping[str, Sequence[Score]]:
        """The scores of each metric."""
        found: dict[str, list[Score]] = {}
        for score in self.scores:
            found.setdefault(score.metric, []).append(score)
        return found

    def value(self, metric: str) -> float | None:
        """This episode's number for a metric: judge samples averaged, then subjects by weight. None when not scored."""
        found = weighted_value(self.by_metric.get(metric, ()))
        return None if found is None else found[0]


@unchanging
class RunResults(Generic[S_co]):
    """A whole run. `variants` keeps the order of the run's configuration, `metrics` what the numbers mean.

    `baseline` names the variant that the others are compared with; empty means the first. `read_roles` says whose words
    each kind of reading reads, `never_read` which kinds the reader was not asked, `reader_accuracy` how accurate the
    cast's reader was when measured, `judged_by` which judge made a metric, `outcomes` what an outcome is called in
    words.
    """

    run: str
    clinic: str
    cast: tuple[CastMember, ...] = ()
    variants: tuple[str, ...] = ()
    metrics: tuple[Metric, ...] = ()
    episodes: tuple[EpisodeRow, ...] = ()
    config: Mapping[str, Any] = field(default_factory=dict)
    scenarios: Mapping[str, S_co] = field(default_factory=dict)
    about: str = ""
    baseline: str = ""
    variant_about: Mapping[str, str] = field(default_factory=dict)
    outcomes: Mapping[str, str] = field(default_factory=dict)
    read_roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    never_read: frozenset[str] = frozenset()
    reader_accuracy: Mapping[str, Accuracy] = field(default_factory=dict)
    judged_by: Mapping[str, str] = field(default_factory=dict)

    def variant_names(self) -> list[str]:
        """The variants in configured order, then any others in order of appearance."""
        return list(dict.fromkeys([*self.variants, *(episode.variant for episode in self.episodes)]))

    def metric_names(self) -> list[str]:
        """The metrics that were scored: declared ones in declared order, then others in order of appearance."""
        scored = dict.fromkeys(score.metric for episode in self.episodes for score in episode.scores)
        declared = [metric.name for metric in self.metrics if metric.name in scored]
        return list(dict.fromkeys([*declared, *scored]))

    def metric(self, name: str) -> Metric:
        """What a metric means. A metric that no judge declared counts as better when higher, and has no range."""
        for metric in self.metrics:
            if metric.name == name:
                return metric
        return Metric(name, "", low=float("-inf"), high=float("inf"))

    def of(self, variant: str | None = None, scenario: str | None = None) -> Iterator[EpisodeRow]:
        """The episodes of a variant, a scenario, both or all, in run order."""
        return (
            episode
            for episode in self.episodes
            if (variant is None or episode.variant == variant) and (scenario is None or episode.scenario == scenario)
        )

    def written(self, episode: EpisodeRow) -> str:
        """The id of the scenario that an episode played or repeated. Intervals are computed over these scenarios."""
        known = self.scenarios.get(episode.scenario)
        return episode.scenario if known is None else known.written()

    @property
    def failed(self) -> int:
        """How many episodes failed."""
        return sum(episode.status == "failed" for episode in self.episodes)

    def failures(self) -> dict[Owner, int]:
        """How many failures each owner has; owners without one are left out."""
        counts = dict.fromkeys(OWNERS, 0)
        for episode in self.episodes:
            for failure in episode.failures:
                counts[failure.owner] += 1
        return {owner: count for owner, count in counts.items() if count}

    def usage(self) -> dict[str, RoleUsage]:
        """What each role used, roles in the cast's order, then others by name."""
        total = {member.role: RoleUsage() for member in self.cast}
        for role in sorted({role for episode in self.episodes for role in episode.usage}):
            total.setdefault(role, RoleUsage())
        for episode in self.episodes:
            for role, used in episode.usage.items():
                total[role] = total[role] + used
        return total
