"""Estimate the cost of a run beforehand: understudies play a few episodes of each variant, and calls are counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from polyclinic.core.execute import run_episode
from polyclinic.core.journal import MemoryJournal
from polyclinic.core.model import NANO, role_of
from polyclinic.models.prices import default_prices
from polyclinic.models.spec import CastSpec
from polyclinic.runner.build.built_run import build
from polyclinic.runner.execute.running_campaign import lone_campaign, open_campaign
from polyclinic.runner.plan.config import RunConfig
from polyclinic.runner.plan.run_plan import parse_plan
from polyclinic.store.store import open_store
from polyclinic.text.layout import number_of

SAMPLES = 3


@dataclass(frozen=True)
class RoleEstimate:
    """What one role will use."""

    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


@dataclass(frozen=True)
class RunEstimate:
    """What a run will use, by role. Costs are None where no price is known."""

    clinic: str
    episodes: int
    roles: dict[str, RoleEstimate]

    def as_json(self) -> dict[str, object]:
        """The estimate as plain data for JSON."""
        return {
            "clinic": self.clinic,
            "episodes": self.episodes,
            "roles": {name: vars(role) for name, role in self.roles.items()},
            "cost_usd": self.cost_usd,
        }

    @property
    def cost_usd(self) -> float:
        """The sum of all costs that are known."""
        return sum(role.cost_usd or 0.0 for role in self.roles.values())

    def as_text(self) -> str:
        """The estimate as text for the terminal."""
        source = f"up to {SAMPLES} episodes of each variant, played by understudies"
        lines = [f"{self.clinic}: {number_of(self.episodes, 'episode')}. Estimated from {source}:"]
        for name, role in self.roles.items():
            price = "no price known" if role.cost_usd is None else _dollars(role.cost_usd)
            lines.append(
                f"  {name} ({role.model}): about {role.calls:,} calls, {role.input_tokens:,} tokens in, "
                f"{role.output_tokens:,} out, {price}"
            )
        unknown = any(role.cost_usd is None for role in self.roles.values())
        total = f"  in all {_dollars(self.cost_usd, 'about ')}{', without the unknown prices' if unknown else ''}"
        asks_models = any(role.model != "understudy" for role in self.roles.values())
        longer = "; a language model's replies may be longer than an understudy's" if asks_models else ""
        return "\n".join([*lines, total + longer])


async def estimate(config: RunConfig) -> RunEstimate:
    """Play a few episodes of each variant with understudies, and scale the counts up to the whole run."""
    plan = parse_plan(config).with_episodes()
    offline = parse_plan(config.model_copy(update={"cast": "all=understudy", "fhir": ""}))
    scenarios = {scenario.id: scenario for scenario in plan.scenarios}
    sums: dict[str, list[float]] = {}
    async with open_store("sqlite://:memory:") as store, build(offline, MemoryJournal(), store) as built:
        for variant in dict.fromkeys(spec.variant for _, spec in plan.episodes):
            mine = [spec for _, spec in plan.episodes if spec.variant == variant]
            sample = mine[:SAMPLES]
            shared = [scenarios[spec.scenario] for spec in mine if spec.campaign == mine[0].campaign]
            for spec in sample:
                campaign = (
                    open_campaign(built.context, spec, shared, {})
                    if spec.campaign
                    else lone_campaign(built.context, {})
                )
                result = await run_episode(built.context, spec, scenarios[spec.scenario], campaign)
                for role, used in result.usage.items():
                    total = sums.setdefault(role, [0.0, 0.0, 0.0])
                    factor = len(mine) / len(sample)
                    for i, count in enumerate((result.calls.get(role, 0), used.input_tokens, used.output_tokens)):
                        total[i] += count * factor
    roles = {role: _role(role, total, plan.cast) for role, total in sorted(sums.items())}
    return RunEstimate(plan.clinic.name, len(plan.episodes), roles)


def _dollars(cost: float, about: str = "") -> str:
    return f"{about}${cost:.4f}" if cost else "free"


def _role(role: str, total: list[float], cast: Mapping[str, CastSpec]) -> RoleEstimate:
    spec = cast.get(role) or cast.get(role_of(role))
    calls, read, written = (round(count) for count in total)
    model = spec.text if spec is not None else "understudy"
    cost: float | None = 0.0
    if spec is not None and spec.remote:
        price = default_prices().price_of(spec.model)
        cost = None if price is None else price.cost_nano_usd(read, written) / NANO
    return RoleEstimate(model, calls, read, written, cost)
