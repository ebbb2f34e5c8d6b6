"""Draft → reviewers → revise, at most N drafts. A review that fails never counts as approval."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from polyclinic.core.episode import Episode
from polyclinic.core.message import Frozen
from polyclinic.core.transcript import Failed, Reviewed
from polyclinic.errors import LimitReached, UserError

D = TypeVar("D")


class Verdict(Frozen):
    """One reviewer's decision on one draft. If `error` is set, the review itself failed and is never an approval."""

    approved: bool
    code: str = ""
    feedback: str = ""
    error: str = ""
    reviewer: str = ""


Drafter = Callable[[list[Verdict]], Awaitable[D]]
Reviewer = Callable[[D], Awaitable[Verdict]]


@dataclass
class Review(Generic[D]):
    """Every draft with its verdicts, and whether the last one was approved by all."""

    drafts: list[D] = field(default_factory=list)
    verdicts: list[list[Verdict]] = field(default_factory=list)
    resolved: bool = False

    @property
    def final(self) -> D:
        """The last draft. Use it only if `resolved`; otherwise the caller must use a safe fallback."""
        return self.drafts[-1]

    @property
    def open_verdicts(self) -> list[Verdict]:
        """The objections to the last draft."""
        return [verdict for verdict in self.verdicts[-1] if not verdict.approved] if self.verdicts else []


async def review(
    episode: Episode, draft: Drafter[D], reviewers: Mapping[str, Reviewer[D]], *, rounds: int
) -> Review[D]:
    """Draft, let every reviewer judge, and draft again with the objections, until all approve or `rounds` drafts are
    made.

    Reviewers of one draft run concurrently. With no reviewer the first draft counts as resolved.
    """
    if rounds < 1:
        raise ValueError("a review needs at least one round")
    result: Review[D] = Review()
    objections: list[Verdict] = []
    for number in range(rounds):
        made = await draft(objections)
        result.drafts.append(made)
        verdicts = await episode.together(
            *(_ask(episode, name, reviewer, made) for name, reviewer in reviewers.items())
        )
        for verdict in verdicts:
            episode.record(
                Reviewed(
                    draft=number,
                    reviewer=verdict.reviewer,
                    approved=verdict.approved,
                    code=verdict.code,
                    feedback=verdict.feedback,
                    error=verdict.error,
                )
            )
        result.verdicts.append(verdicts)
        objections = [verdict for verdict in verdicts if not verdict.approved]
        if not objections:
            result.resolved = True
            break
    return result


async def _ask(episode: Episode, name: str, reviewer: Reviewer[D], draft: D) -> Verdict:
    try:
        verdict = await reviewer(draft)
    except (LimitReached, UserError):
        raise
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        episode.record(Failed.because(error, message, f"review by {name}", fatal=False))
        return Verdict(approved=False, error=message, feedback="the review could not be completed", reviewer=name)
    return verdict.model_copy(update={"reviewer": name, "approved": verdict.approved and not verdict.error})
