"""Campaigns while they run: a campaign is opened from committed effects, and each episode's effects change it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from polyclinic.core.campaign import Effect, StoredEffect
from polyclinic.core.episode import Campaign, EpisodeSpec
from polyclinic.core.execute import RunContext
from polyclinic.core.library import Library, LibraryChanged, Operation
from polyclinic.core.scenario import Scenario
from polyclinic.store.chain import CommitChain


@dataclass
class RunningCampaign:
    """A campaign that is running. Library changes are held until their wave ends.

    With `chain`, the next episode can start before the last one is committed, and even while it is judged. `judged`
    holds the episodes that are being judged, until their end is submitted.
    """

    campaign: Campaign
    held: dict[str, list[Effect | StoredEffect]] = field(default_factory=dict)
    chain: CommitChain | None = None
    judged: dict[int, asyncio.Event] = field(default_factory=dict)

    def episode_played(self, spec: EpisodeSpec, effects: Sequence[Effect]) -> None:
        """Apply the effects of an episode whose flow has ended; later episodes may go on while this one is judged."""
        self.judged[spec.position] = asyncio.Event()
        self.episode_ended(spec, effects)

    async def earlier_ends(self, spec: EpisodeSpec) -> None:
        """Wait until every earlier episode in `judged` has submitted its end: ends keep their order."""
        for position in sorted(self.judged):
            if position < spec.position and (event := self.judged.get(position)) is not None:
                await event.wait()

    def end_submitted(self, spec: EpisodeSpec) -> None:
        """Take an episode that has submitted its end out of `judged`."""
        if (event := self.judged.pop(spec.position, None)) is not None:
            event.set()

    def episode_ended(self, spec: EpisodeSpec, effects: Iterable[Effect]) -> None:
        """Apply an ended episode's effects and free its lane; libraries change only when the wave ends."""
        if self.campaign.turnstile is None:
            return
        for effect in effects:
            self.apply(spec.id, effect)
        self.campaign.turnstile.leave(spec.position)

    def apply(self, episode: str, effect: Effect | StoredEffect) -> None:
        """Apply one effect. A library change is held, so that all episodes of a wave read the same library."""
        if effect.kind == LibraryChanged.kind:
            self.held.setdefault(episode, []).append(effect)
        else:
            self.campaign.apply(effect)


def lone_campaign(context: RunContext, start: Mapping[str, list[Operation]]) -> Campaign:
    """A campaign for an episode that shares no state.

    Its libraries are read-only, and as they were at the start of the run.
    """
    services = context.services
    return Campaign(
        libraries={
            name: Library(name, services.embedder, services.index, start.get(name, []))
            for name in context.clinic.libraries
        }
    )


def open_campaign(
    context: RunContext, spec: EpisodeSpec, scenarios: Sequence[Scenario], start: Mapping[str, list[Operation]]
) -> Campaign:
    """Make a campaign as it is before its first episode."""
    campaign = lone_campaign(context, start)
    clinic = context.clinic
    if clinic.open_campaign is not None:
        campaign.shared = clinic.open_campaign(scenarios, clinic.variant(spec.variant), spec.seed, context.services)
    return campaign
