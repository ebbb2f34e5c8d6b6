"""A run in a few numbers: the stable JSON of ``polyclinic report RUN --json``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from polyclinic.errors import Owner
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.metrics import estimates
from polyclinic.eval.results import RoleUsage, RunResults


@dataclass(frozen=True)
class Summary:
    """What a run showed. Failures are counted separately: an episode without a score is in no mean."""

    run: str
    clinic: str
    cast: dict[str, str]
    variants: dict[str, dict[str, Estimate]]
    failures: dict[Owner, int]
    usage: dict[str, RoleUsage]

    def to_plain(self) -> dict[str, Any]:
        """The summary as JSON data; its keys are never removed or renamed."""
        return {
            "run": self.run,
            "clinic": self.clinic,
            "cast": dict(self.cast),
            "variants": {
                variant: {metric: found.to_plain() for metric, found in metrics.items()}
                for variant, metrics in self.variants.items()
            },
            "failures": dict(self.failures),
            "usage": {
                role: {
                    "calls": used.calls,
                    "input_tokens": used.input_tokens,
                    "output_tokens": used.output_tokens,
                    "cost_usd": used.cost_usd,
                }
                for role, used in self.usage.items()
            },
        }


def summarise(results: RunResults) -> Summary:
    """Summarise a run.

    Averages judge samples within an episode, trials within a scenario, then scenarios with an interval.
    """
    return Summary(
        run=results.run,
        clinic=results.clinic,
        cast={member.role: member.model for member in results.cast},
        variants=estimates(results),
        failures=results.failures(),
        usage=results.usage(),
    )
