"""What each metric is computed from, and whether it is valid for this cast.

A number that comes from readings is only as good as its reader. If the reader is not good enough on a kind of reading,
and the words of a language model or a person were read, the metric is shown as not valid and left out of comparisons.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from polyclinic.core.model import role_of
from polyclinic.core.reading import GOOD_ENOUGH, READER, SENTENCE_READER
from polyclinic.eval.results import RunResults
from polyclinic.reading.measure import RESULTS, SENTENCE_RESULTS, Accuracy, kept_results

NOT_VALID = "not valid for this cast"
_FREE = ("llm", "human")
_SHIPPED = {"builtin": RESULTS, SENTENCE_READER: SENTENCE_RESULTS}
"""The readers in the package, with the file of their measurement."""


@dataclass(frozen=True)
class Ground:
    """What one metric is computed from, in words, and whether it is valid for the cast whose words were read."""

    about: str
    valid: bool = True


def grounds(results: RunResults) -> dict[str, Ground]:
    """For each metric, what it is computed from."""
    players = {member.role: member for member in results.cast}
    reader = players[READER].model if READER in players else "builtin"
    known: Mapping[str, Accuracy] = kept_results(_SHIPPED[reader]) if reader in _SHIPPED else results.reader_accuracy
    free = {role_of(role) for role, member in players.items() if member.kind in _FREE}
    found: dict[str, Ground] = {}
    for name in results.metric_names():
        metric = results.metric(name)
        if not metric.rests_on:
            found[name] = Ground(results.judged_by.get(name, "exact rule"))
            continue
        parts: list[str] = []
        valid = True
        for kind in metric.rests_on:
            right = known.get(kind)
            measured = f"right on {right.balanced:.2f} of {right.n}" if right else "not measured"
            parts.append(f"{kind} ({measured})")
            read = results.read_roles.get(kind, ())
            believed = right is not None and right.balanced >= GOOD_ENOUGH
            valid = valid and (believed or not (free & set(read) if read else free - {READER}))
        found[name] = Ground(f"reader {reader}: {', '.join(parts)}", valid)
    return found


def valid_metrics(results: RunResults) -> list[str]:
    """The metrics that may be compared."""
    ground = grounds(results)
    return [name for name in results.metric_names() if ground[name].valid]
