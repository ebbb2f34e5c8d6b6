"""Campaigns while they run: opened from what is committed, moved on by what each episode changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from polyclinic.core.campaign import Effect, StoredEffect
from polyclinic.core.episode import Campaign, EpisodeSpec
from polyclinic.core.execute import Stage
from polyclinic.core.library import Library, LibraryChanged, Operation
from polyclinic.core.scenario import Scenario
from polyclinic.store.chain import Chain


@dataclass
class Course:
    """A campaign under way: what is learned is held until its wave has ended; `chain` lets turns
    run ahead of commits.
    """

    campaign: Campaign
    held: dict[str, list[Effect | StoredEffect]] = field(default_factory=dict)
    chain: Chain | None = None

    def took(self, spec: EpisodeSpec, effects: Iterable[Effect]) -> None:
        """An episode is over: shared state changes at once, a library when the wave ends; those behind it move up."""
        if self.campaign.turnstile is None:
            return
        for effect in effects:
            self.take(spec.id, effect)
        self.campaign.turnstile.leave(spec.position)

    def take(self, episode: str, effect: Effect | StoredEffect) -> None:
        """One change: a library's waits, so that all of a wave read the same one."""
        if effect.kind == LibraryChanged.kind:
            self.held.setdefault(episode, []).append(effect)
        else:
            self.campaign.apply(effect)


def lone_campaign(stage: Stage, start: Mapping[str, list[Operation]]) -> Campaign:
    """What an episode that shares nothing works with: libraries as they are at the run's start, for reading."""
    services = stage.services
    return Campaign(
        libraries={
            name: Library(name, services.embedder, services.index, start.get(name, []))
            for name in stage.clinic.libraries
        }
    )


def open_campaign(
    stage: Stage, spec: EpisodeSpec, scenarios: Sequence[Scenario], start: Mapping[str, list[Operation]]
) -> Campaign:
    """A campaign as it is before its first episode."""
    campaign = lone_campaign(stage, start)
    campaign.shared = stage.clinic.shared(scenarios, stage.clinic.variant(spec.variant), spec.seed, stage.services)
    return campaign
