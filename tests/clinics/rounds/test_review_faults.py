"""Reviewers that err, stall or talk nonsense: nothing unreviewed ever reaches students."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from polyclinic.clinics.rounds.rules.notes import Thought, Withheld
from polyclinic.clinics.rounds.scenario.shipped import shipped_cases
from polyclinic.core.model import Completion, Request
from polyclinic.core.seed import stream
from polyclinic.core.transcript import Failed, Reviewed, Said, Transcript
from polyclinic.errors import ModelError
from tests.clinics.rounds.cases import case_named
from tests.clinics.rounds.conftest import Play

REQUIRED = {
    "full": {"leak check", "specialist", "supervisor"},
    "without-specialist": {"leak check", "supervisor"},
    "without-supervisor": {"leak check", "specialist"},
}


def every_word_was_approved(transcript: Transcript, required: set[str]) -> int:
    """Check that all reviewers approved the last draft of each guidance that was spoken; return how many there were."""
    verdicts: dict[int, dict[str, Reviewed]] = {}
    spoken = 0
    for event in transcript:
        if isinstance(event, Reviewed):
            if event.draft == 0 and event.reviewer in verdicts.get(0, {}):
                verdicts = {}
            verdicts.setdefault(event.draft, {})[event.reviewer] = event
        elif isinstance(event, Said) and event.speaker == "tutor":
            last = verdicts[max(verdicts)]
            assert set(last) == required
            assert all(verdict.approved and not verdict.error for verdict in last.values())
            spoken += 1
            verdicts = {}
    return spoken


def faulty(seed: int, share: float) -> Callable[[Request, Completion], Completion]:
    """A reviewer that errs, times out or talks nonsense on part of its calls."""
    chance = stream("faults", seed)

    def change(request: Request, completion: Completion) -> Completion:
        if request.prompt.prompt_name() not in ("ChecksFacts", "ChecksSafety") or chance.random() >= share:
            return completion
        kind = chance.randrange(5)
        if kind == 0:
            raise ModelError("the endpoint is down")
        if kind == 1:
            raise TimeoutError
        if kind == 2:
            raise RuntimeError("unforeseen")
        text = "approved, I suppose" if kind == 3 else '{"reason": "fine", "verdict": "yes", "issue": "no"}'
        return replace(completion, text=text)

    return change


@pytest.mark.parametrize("seed", range(8))
async def test_nothing_unreviewed_is_said_when_reviewers_fail_at_random(seed: int, play: Play) -> None:
    variant = list(REQUIRED)[seed % 3]
    case = stream("case", seed).choice(shipped_cases())
    broken = faulty(seed, 0.5)
    cast = "tutor=understudy:mistake=false_fact@0.5+harm@0.3,all=understudy"
    played = await play(case, variant, cast=cast, seed=seed, changes={"specialist": broken, "supervisor": broken})
    assert played.result.status == "done", played.result.failures
    every_word_was_approved(played.result.transcript, REQUIRED[variant])
    said = {event.text for event in played.result.transcript.of(Said) if event.speaker == "tutor"}
    for prompt in played.prompts("student"):
        for line in prompt.history:
            if line.speaker == "tutor":
                assert any(line.text.rstrip("…") in text for text in said)


@pytest.mark.parametrize("role", ["specialist", "supervisor"])
async def test_a_reviewer_that_always_fails_silences_the_tutor(role: str, play: Play) -> None:
    def down(request: Request, completion: Completion) -> Completion:
        if request.prompt.prompt_name() in ("ChecksFacts", "ChecksSafety"):
            raise ModelError("the endpoint is down")
        return completion

    played = await play(case_named("card-03"), "full", changes={role: down})
    transcript = played.result.transcript
    assert played.result.status == "done"
    assert not transcript.said("tutor")
    assert len(transcript.notes(Withheld)) == len(transcript.notes(Thought))
    failures = transcript.of(Failed)
    assert failures and all(failure.owner == "model" and not failure.fatal for failure in failures)


async def test_a_clean_session_is_approved_by_all(play: Play) -> None:
    played = await play(case_named("card-03"), "full")
    assert every_word_was_approved(played.result.transcript, REQUIRED["full"]) >= 1
