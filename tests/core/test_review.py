from __future__ import annotations

import pytest

from polyclinic.core.review import Verdict, review
from polyclinic.core.transcript import Failed, Reviewed
from polyclinic.errors import LimitReached, ModelError
from tests.core.conftest import OpenEpisode


async def drafts(objections: list[Verdict]) -> str:
    return "bad" if not objections else f"fixed {objections[0].feedback}"


async def picky(draft: str) -> Verdict:
    return Verdict(approved=draft != "bad", code="r1", feedback="the dose")


async def content(draft: str) -> Verdict:
    return Verdict(approved=True)


async def test_objections_reach_the_next_draft_and_every_verdict_is_kept(open_episode: OpenEpisode) -> None:
    episode = await open_episode()
    result = await review(episode, drafts, {"picky": picky, "content": content}, rounds=3)
    assert result.resolved
    assert result.drafts == ["bad", "fixed the dose"]
    assert [[verdict.approved for verdict in row] for row in result.verdicts] == [[False, True], [True, True]]
    kept = [(event.draft, event.reviewer, event.approved) for event in episode.transcript.of(Reviewed)]
    assert kept == [(0, "picky", False), (0, "content", True), (1, "picky", True), (1, "content", True)]


async def test_a_review_ends_unresolved_after_the_allowed_rounds(open_episode: OpenEpisode) -> None:
    async def never(draft: str) -> Verdict:
        return Verdict(approved=False, feedback="no")

    result = await review(await open_episode(), drafts, {"never": never}, rounds=2)
    assert not result.resolved
    assert len(result.drafts) == 2
    assert [verdict.reviewer for verdict in result.open_verdicts] == ["never"]


@pytest.mark.parametrize("fault", [ModelError("down"), RuntimeError("bug"), TimeoutError()])
async def test_a_review_that_fails_never_counts_as_approval(open_episode: OpenEpisode, fault: Exception) -> None:
    async def broken(draft: str) -> Verdict:
        raise fault

    episode = await open_episode()
    result = await review(episode, drafts, {"broken": broken}, rounds=2)
    assert not result.resolved
    assert result.verdicts[0][0].error
    owners = {event.owner for event in episode.transcript.of(Failed)}
    assert owners == {"model" if isinstance(fault, ModelError) else "engine"}


async def test_a_verdict_with_an_error_is_no_approval(open_episode: OpenEpisode) -> None:
    async def confused(draft: str) -> Verdict:
        return Verdict(approved=True, error="could not be read")

    assert not (await review(await open_episode(), drafts, {"c": confused}, rounds=1)).resolved


async def test_a_reached_limit_is_not_mistaken_for_an_objection(open_episode: OpenEpisode) -> None:
    async def broke(draft: str) -> Verdict:
        raise LimitReached("cost", "no money")

    with pytest.raises(LimitReached):
        await review(await open_episode(), drafts, {"broke": broke}, rounds=1)


async def test_without_reviewers_the_first_draft_is_accepted(open_episode: OpenEpisode) -> None:
    assert (await review(await open_episode(), drafts, {}, rounds=3)).final == "bad"
