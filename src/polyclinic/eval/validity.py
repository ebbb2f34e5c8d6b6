"""What each metric is computed from, and whether it is valid for this cast.

A number that comes from readings is only as good as its reader. If the reader is not good enough on a kind of reading,
and the words of a language model or a person were read, the metric is shown as not valid and left out of comparisons.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from polyclinic.core.judge import Metric
from polyclinic.core.model import role_of
from polyclinic.core.reading import GOOD_ENOUGH, READER, SENTENCE_READER
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Paragraph, Section
from polyclinic.reading.measure import RESULTS, SENTENCE_RESULTS, Accuracy, kept_results
from polyclinic.text.worded import Worded

NOT_VALID = "not valid for this cast"
_FREE = ("llm", "human")
_SHIPPED = {"builtin": RESULTS, SENTENCE_READER: SENTENCE_RESULTS}
"""The readers in the package, with the file of their measurement."""


@dataclass(frozen=True)
class Ground:
    """What one metric is computed from, in words, and whether it is valid for the cast whose words were read."""

    about: str
    valid: bool = True


def ground_of(results: RunResults, metric: Metric) -> Ground:
    """What one metric is computed from, and by which other readings the flow decided what was said."""
    rests_on = [kind for kind in metric.rests_on if kind not in results.never_read]
    found = _read_by(results, rests_on) if rests_on else Ground(results.judged_by.get(metric.name, "exact rule"))
    follows = [kind for kind in metric.follows if kind not in (*rests_on, *results.never_read)]
    if not follows:
        return found
    return replace(found, about=f"{found.about}; the reader also decided what was said: {', '.join(follows)}")


class _Reader(NamedTuple):
    """The reader of a run, how good it is known to be, and the roles whose words are free."""

    name: str
    known: Mapping[str, Accuracy]
    free: frozenset[str]

    @classmethod
    def from_results(cls, results: RunResults) -> _Reader:
        players = {member.role: member.original for member in results.cast}
        name = players[READER].model if READER in players else "builtin"
        known = kept_results(_SHIPPED[name]) if name in _SHIPPED else results.reader_accuracy
        free = frozenset(role_of(role) for role, member in players.items() if member.kind in _FREE)
        return cls(name, known, free)

    def reads_free_words(self, roles: Sequence[str]) -> bool:
        """Whether a kind that reads these roles reads a language model or a person; none named: any role."""
        return bool(self.free & set(roles) if roles else self.free - {READER})


def _read_by(results: RunResults, kinds: Sequence[str]) -> Ground:
    reader = _Reader.from_results(results)
    valid = all(
        ((right := reader.known.get(kind)) is not None and right.believed)
        or not reader.reads_free_words(results.read_roles.get(kind, ()))
        for kind in kinds
    )
    parts = ", ".join(f"{kind} ({_measured(reader.known.get(kind))})" for kind in kinds)
    return Ground(f"reader {reader.name}: {parts}", valid)


def never_measured(results: RunResults) -> bool:
    """Whether a language model's or a person's words were read by a reader that was never measured on such words."""
    reader = _Reader.from_results(results)
    return any(
        reader.reads_free_words(roles) and ((right := reader.known.get(kind)) is None or bool(right.too_few))
        for kind, roles in results.read_roles.items()
        if kind not in results.never_read
    )


def _measured(right: Accuracy | None) -> str:
    if right is None:
        return "not measured"
    return right.too_few or f"right on {right.balanced:.2f} of {right.n}"


def grounds(results: RunResults) -> dict[str, Ground]:
    """For each metric, what it is computed from."""
    return {name: ground_of(results, results.metric(name)) for name in results.metric_names()}


def valid_metrics(results: RunResults) -> list[str]:
    """The metrics that may be compared."""
    return [name for name, ground in grounds(results).items() if ground.valid]


def left_out(results: RunResults) -> list[str]:
    """The metrics that are not valid for this cast."""
    return [name for name, ground in grounds(results).items() if not ground.valid]


def valid_only(results: RunResults) -> RunResults:
    """The same results without the scores of metrics that are not valid for this cast."""
    out = set(left_out(results))
    if not out:
        return results
    rows = [replace(row, scores=tuple(s for s in row.scores if s.metric not in out)) for row in results.episodes]
    return replace(results, episodes=tuple(rows))


def why_left_out(names: Iterable[str]) -> Worded:
    """For people: which metrics are not valid for this cast, and why."""
    return Worded(
        "Not valid for this cast: {1}. They come from the words of a language model or a person, and the reader is"
        " right less than {2} of the time on such words, or was never measured.",
        "; ".join(names),
        GOOD_ENOUGH,
    )


def validity_section(results: RunResults) -> Section | None:
    """Which metrics the sections below leave out; None if all are valid."""
    out = [results.metric(name).label for name in left_out(results)]
    if not out:
        return None
    fix = (
        "The sections and comparisons below leave them out: a dash stands for each. What these sections count from the"
        " same reader's findings is no more certain. Measure the reader with `polyclinic eval readings --cast reader=…"
        " --keep`, or cast one that was measured."
    )
    return Section("Not valid for this cast", [Paragraph(f"{why_left_out(out)} {fix}", tone="warning")])
