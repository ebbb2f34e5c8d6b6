"""Slow evolution: candidate identities are tried in situations of the shift, and preferences decide between them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from polyclinic.clinics.duty.prompts.reflection import PrefersIdentity
from polyclinic.clinics.duty.prompts.views import PreferenceSteers, TraitLine
from polyclinic.clinics.duty.rules.norms.checker import NormVerdict
from polyclinic.clinics.duty.rules.norms.scoring import RewardWeights
from polyclinic.clinics.duty.rules.traits.compatibility import safer_side
from polyclinic.clinics.duty.rules.traits.drift import DriftSettings, conservative_step
from polyclinic.clinics.duty.state.ward import RoleState
from polyclinic.core.agent import Agent
from polyclinic.core.episode import Episode
from polyclinic.core.message import Frozen
from polyclinic.people.traits import TraitProfile

HEARING_NOISE = 0.012
SAFER_STEP = 0.05
FROM_START = 0.15


class Candidate(Frozen):
    """A slightly different version of the same person, and its name."""

    name: str
    profile: TraitProfile


class Tried(Frozen):
    """A candidate, what it said in the probes, and the norms that these replies broke."""

    candidate: Candidate
    replies: tuple[str, ...]
    broken: tuple[str, ...]
    severity: int = 0


def candidates(state: RoleState, settings: DriftSettings) -> list[Candidate]:
    """The candidates: the present identity and, after a long deviation, one that follows the deviation and one that is
    safer.

    Only traits with sustained evidence move, each by a bounded step. A stable person has only the present identity.
    """
    profile, anchor = state.profile, state.anchor
    if profile is None or anchor is None:
        return []
    found = [Candidate(name="present", profile=profile)]
    follow: dict[str, float] = {}
    safer: dict[str, float] = {}
    for name, trait in profile.traits.items():
        heard = [traits[name] for traits in state.trait_history() if name in traits]
        step = conservative_step(trait.mean, trait.variance, heard, HEARING_NOISE, settings)
        if not step:
            continue
        follow[name] = _near(anchor, name, trait.mean + step)
        side = safer_side(name)
        if side:
            safer[name] = _near(anchor, name, trait.mean + side * min(SAFER_STEP, settings.max_step))
    if follow:
        found.append(Candidate(name="follow", profile=profile.moved(follow)))
    moved = profile.moved(safer) if safer else profile
    if moved != profile:
        found.append(Candidate(name="safer", profile=moved))
    return found


def _near(anchor: TraitProfile, name: str, value: float) -> float:
    """The value, limited to a range around the person's trait at the start, so that they stay recognisable."""
    start = anchor.traits[name].mean
    return min(max(value, start - FROM_START), start + FROM_START)


def tried(candidate: Candidate, probes: Sequence[tuple[str, list[NormVerdict]]]) -> Tried:
    """A candidate after its probes."""
    return Tried(
        candidate=candidate,
        replies=tuple(text for text, _ in probes),
        broken=tuple(verdict.rationale for _, verdicts in probes for verdict in verdicts),
        severity=sum(verdict.severity for _, verdicts in probes for verdict in verdicts),
    )


async def preferred(
    episode: Episode,
    role_traits: tuple[TraitLine, ...],
    state: RoleState,
    all_tried: Sequence[Tried],
    weights: RewardWeights,
) -> tuple[Candidate, dict[str, int]]:
    """The candidate that wins most pairs. Each pair is asked in both orders; a verdict that changes with the order
    counts for neither.

    The present identity stays unless another one beats it: a tie changes nothing.
    """
    wins = {item.candidate.name: 0 for item in all_tried}
    agent = episode.agent("reflector")
    pairs = list(combinations(all_tried, 2))
    both = [order for first, second in pairs for order in ((first, second), (second, first))]
    answers = await episode.together(*(_ask(agent, role_traits, state, *order, weights) for order in both))
    for (first, second), forward, backward in zip(pairs, answers[::2], answers[1::2], strict=True):
        if forward == "first" and backward == "second":
            wins[first.candidate.name] += 1
        elif forward == "second" and backward == "first":
            wins[second.candidate.name] += 1
    best = max(all_tried, key=lambda item: wins[item.candidate.name])
    present = all_tried[0]
    chosen = best if wins[best.candidate.name] > wins[present.candidate.name] else present
    return chosen.candidate, wins


async def _ask(
    agent: Agent,
    traits: tuple[TraitLine, ...],
    state: RoleState,
    first: Tried,
    second: Tried,
    weights: RewardWeights,
) -> str:
    prompt = PrefersIdentity(
        role=state.role,
        traits=traits,
        first=first.replies,
        second=second.replies,
        first_broken=first.broken,
        second_broken=second.broken,
        steers=PreferenceSteers(
            alpha=weights.alpha,
            beta=weights.beta,
            gamma=weights.gamma,
            first_severity=first.severity,
            second_severity=second.severity,
        ),
    )
    answer = await agent.ask(prompt)
    return answer.better
